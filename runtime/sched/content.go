package sched

import (
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// isGiven reports whether the caller supplies an array.
func isGiven(a *plan.Array) bool { return a.Role == plan.In || a.Role == plan.InOut }

// reuse fills view with what an earlier run of a nest has read, of an array that no nest
// writes.
func (s *stepper) reuse(k, a int, need redist.Box, view *array.View) bool {
	for _, kept := range s.fields[a].kept {
		for _, v := range kept.views {
			if slices.Equal(v.Lo, need.Lo) && slices.Equal(v.Hi, need.Hi) {
				*view = *v
				return true
			}
		}
	}
	return false
}

// initial fills the cells of view, which nest k reads, that no nest has written so far:
// with what the caller supplies. Cells of arrays that the caller does not supply stay
// zero; those that are read have been written.
func (s *stepper) initial(k, a int, view *array.View) error {
	f := &s.fields[a]
	if !isGiven(&s.whole.Arrays[a]) {
		return nil
	}
	if len(f.ever) == 0 {
		err := s.store.Fill(a, view)
		if err == nil && s.within > 0 && s.whole.Arrays[a].Role == plan.In {
			f.kept[k] = &keptContent{views: []*array.View{view}}
		}
		return err
	}
	kept := f.kept[k]
	if kept == nil || kept.ever != len(f.ever) {
		kept = &keptContent{ever: len(f.ever)}
		for _, b := range s.unwritten(a, redist.Of(view)) {
			v, err := array.Make(view.Elem, b.Lo, b.Hi)
			if err == nil {
				err = s.store.Fill(a, &v)
			}
			if err != nil {
				return err
			}
			kept.views = append(kept.views, &v)
		}
		if s.within > 0 {
			f.kept[k] = kept
		}
	}
	for _, v := range kept.views {
		redist.CopyOwned(view, v)
	}
	return nil
}

// unwritten returns boxes of the cells of b that no nest has written so far.
func (s *stepper) unwritten(a int, b redist.Box) []redist.Box {
	lo, hi := b.Row()
	return b.Boxes(func(list [][2]int, cell []int) [][2]int {
		list = append(list, [2]int{lo, hi})
		for _, k := range s.fields[a].ever {
			p := s.plans[k]
			for v := range p.Nest.Values {
				if p.Nest.Values[v].Array != a {
					continue
				}
				var left [][2]int
				for _, span := range list {
					from, to := p.WrittenSpan(v, cell, span[0], span[1])
					if from > to {
						left = append(left, span)
						continue
					}
					if span[0] < from {
						left = append(left, [2]int{span[0], from - 1})
					}
					if to < span[1] {
						left = append(left, [2]int{to + 1, span[1]})
					}
				}
				list = left
			}
		}
		return list
	})
}

// deliver gives the store the results of this rank: the cells that it owns, and its
// share of the cells that no iteration writes and an init supplies.
func (s *stepper) deliver() error {
	if err := s.deliverAll(); err != nil {
		return fmt.Errorf("rank %d: %w", s.rank, err)
	}
	return nil
}

// deliverAll is deliver without the words around its errors.
func (s *stepper) deliverAll() error {
	for a := range s.whole.Arrays {
		arr := &s.whole.Arrays[a]
		if !arr.Returned() {
			continue
		}
		for _, v := range s.fields[a].owned {
			if arr.Slice != nil {
				if v = s.slice(arr, v); v == nil {
					continue
				}
			}
			if err := s.store.Keep(a, v); err != nil {
				return fmt.Errorf("result %s: %w", arr.Name, err)
			}
		}
		if v := s.slices[a]; v != nil {
			if err := s.store.Keep(a, v); err != nil {
				return fmt.Errorf("result %s: %w", arr.Name, err)
			}
		}
		if arr.Role == plan.InOut && s.store.Untouched {
			if err := s.untouched(a); err != nil {
				return fmt.Errorf("result %s: %w", arr.Name, err)
			}
		}
		for k := range s.nests {
			if n := &s.nests[k].Nest.Arrays[a]; n.Returned() && n.Initial == plan.Computed {
				if err := s.rest(k, a); err != nil {
					return fmt.Errorf("result %s: %w", arr.Name, err)
				}
			}
		}
	}
	return nil
}

// slice returns the part of a view of an array that lies in its slice, without the
// fixed dimensions; nil if there is none.
func (s *stepper) slice(arr *plan.Array, v *array.View) *array.View {
	want := redist.Box{Lo: slices.Clone(v.Lo), Hi: slices.Clone(v.Hi)}
	var lo, hi []int
	for m, at := range arr.Slice {
		if at == nil {
			lo, hi = append(lo, v.Lo[m]), append(hi, v.Hi[m])
			continue
		}
		want.Lo[m] = at.Eval(s.params, nil)
		want.Hi[m] = want.Lo[m]
	}
	if want = want.Meet(redist.Of(v)); want.Empty() {
		return nil
	}
	out, err := array.Make(arr.Elem, lo, hi)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	out.TrackWritten()
	stride := 1 // along the last dimension of the array, in out
	if arr.Slice[len(arr.Slice)-1] != nil {
		stride = 0 // a row of the array is one cell
	}
	_ = redist.Owned(v, want, func(cell []int, n int) error { // which never fails
		var kept []int
		for m, at := range arr.Slice {
			if at == nil {
				kept = append(kept, cell[m])
			}
		}
		to := out.Offset(kept)
		array.Copy(out.Data, to, max(1, stride), v.Data, v.Offset(cell), 1, n, v.Size)
		out.MarkWritten(to, n, 1)
		return nil
	})
	return &out
}

// restBytes bounds the cells that rest holds at a time.
const restBytes = 4 << 20

// rest gives the store the initial content of this rank's share of the unwritten cells
// of a result. Nest k is the only nest that has the array.
func (s *stepper) rest(k, a int) error {
	p, arr := s.plans[k], &s.nests[k].Nest.Arrays[a]
	lo, extent := arr.SliceExtent(p.Params)
	hi := top(lo, extent)
	return s.share(arr.Size, lo, hi, func(lo, hi []int) error { return s.restOf(k, a, lo, hi) })
}

// share calls f with boxes that together are this rank's share of the cells lo..hi. A
// cell has size bytes. A box has restBytes at most, unless a single row is longer.
func (s *stepper) share(size int, lo, hi []int, f func(lo, hi []int) error) error {
	if len(lo) == 0 { // a single cell
		if s.rank > 0 {
			return nil
		}
		return f(lo, hi)
	}
	for k := range lo {
		if lo[k] > hi[k] {
			return nil
		}
		if k > 0 {
			size *= hi[k] - lo[k] + 1
		}
	}
	extent := hi[0] - lo[0] + 1
	first, last := lo[0]+extent*s.rank/s.tr.Size(), lo[0]+extent*(s.rank+1)/s.tr.Size()-1
	step := max(1, restBytes/max(1, size))
	for at := first; at <= last; at += step {
		lo, hi := slices.Clone(lo), slices.Clone(hi)
		lo[0], hi[0] = at, min(last, at+step-1)
		if err := f(lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// untouched gives the store this rank's share of the cells of inout array a that no
// nest has written.
func (s *stepper) untouched(a int) error {
	arr := &s.whole.Arrays[a]
	lo, extent, err := arr.Extent(s.params)
	if err != nil {
		return err
	}
	return s.share(arr.Size, lo, top(lo, extent), func(lo, hi []int) error {
		for _, b := range s.unwritten(a, redist.Box{Lo: lo, Hi: hi}) {
			v, err := array.Make(arr.Elem, b.Lo, b.Hi)
			if err == nil {
				err = s.store.Fill(a, &v)
			}
			if err == nil {
				err = s.store.Keep(a, &v)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// restOf is rest for the cells lo..hi of the result.
func (s *stepper) restOf(k, a int, lo, hi []int) error {
	p, prog := s.plans[k], s.nests[k]
	arr := &p.Nest.Arrays[a]
	if !hasRest(p, a, lo, hi) {
		return nil
	}
	v, err := array.Make(arr.Elem, lo, hi)
	if err != nil {
		return err
	}
	v.TrackWritten()
	fields := NewFields(p.Nest)
	var cells redist.Box // of the array
	for m, next := 0, 0; m < len(arr.Lo); m++ {
		if arr.Slice != nil && arr.Slice[m] != nil {
			at := arr.Slice[m].Eval(p.Params, nil)
			cells.Lo, cells.Hi = append(cells.Lo, at), append(cells.Hi, at)
			continue
		}
		cells.Lo, cells.Hi = append(cells.Lo, lo[next]), append(cells.Hi, hi[next])
		next++
	}
	for in := range p.Nest.Arrays {
		if fields.Result[in], err = noCells(&p.Nest.Arrays[in]); err != nil { // a kernel looks at them
			return err
		}
		from := &p.Nest.Arrays[in]
		if !isGiven(from) {
			continue
		}
		box, ok := p.InitBox(a, in, cells.Lo, cells.Hi)
		if !ok {
			fields.Given[in], err = noCells(from)
		} else if fields.Given[in], err = array.Make(from.Elem, box[0], box[1]); err == nil {
			err = s.store.Fill(in, &fields.Given[in])
		}
		if err != nil {
			return fmt.Errorf("array %s: %w", from.Name, err)
		}
	}
	fields.Result[a] = v
	if err := restRows(prog, p, fields, a, 0, halo.RestRows(&v)); err != nil {
		return err
	}
	return s.store.Keep(a, &v)
}

// hasRest reports whether any of the cells lo..hi of a result is written by no
// iteration.
func hasRest(p *plan.Plan, a int, lo, hi []int) bool {
	arr := &p.Nest.Arrays[a]
	probe := &restProbe{}
	fields := NewFields(p.Nest)
	fields.Result[a] = array.View{Elem: arr.Elem, Size: arr.Size, Lo: lo, Hi: hi, Stride: make([]int, len(lo))}
	halo.Rest(p, probe, fields, a, 0, halo.RestRows(&fields.Result[a]))
	return probe.asked
}

// A restProbe is a kernel that notes whether it is asked for initial content.
type restProbe struct{ asked bool }

// Bind implements kernel.Loops.
func (*restProbe) Bind(*kernel.Block) {}

// Box implements kernel.Loops.
func (*restProbe) Box(lo, hi []int) {}

// Init implements kernel.Loops.
func (r *restProbe) Init(int, []int, int, int, []byte, int, int) { r.asked = true }
