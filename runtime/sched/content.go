package sched

import (
	"context"
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

// reuse fills view with cells that no nest has written, if an earlier run of a nest has asked for them. It reports whether it did.
func (r *Rank) reuse(a int, need redist.Box, view *array.View) bool {
	for _, kept := range r.fields[a].asked {
		for _, v := range kept.views {
			if slices.Equal(v.Lo, need.Lo) && slices.Equal(v.Hi, need.Hi) {
				*view = *v
				return true
			}
		}
	}
	return false
}

// initial puts the caller's content into those cells of view that nest k reads and that no nest has written so far. Cells of arrays that
// the caller does not supply stay zero: an iteration reads only cells that were written.
func (r *Rank) initial(k, a int, view *array.View) error {
	f := &r.fields[a]
	if !isGiven(&r.whole.Arrays[a]) || f.changed {
		return nil
	}
	if len(f.ever) == 0 {
		err := r.store.Fill(a, view)
		if err == nil && r.within > 0 && r.whole.Arrays[a].Role == plan.In {
			f.keep(k, &askedContent{views: []*array.View{view}})
		}
		return err
	}
	kept := f.asked[k]
	if of := redist.Of(view); kept == nil || kept.ever != len(f.ever) || !slices.Equal(kept.of.Lo, of.Lo) || !slices.Equal(kept.of.Hi, of.Hi) {
		kept = &askedContent{ever: len(f.ever), of: of}
		for _, b := range r.unwritten(a, redist.Of(view)) {
			v, err := array.Make(view.Elem, b.Lo, b.Hi)
			if err == nil {
				err = r.store.Fill(a, &v)
			}
			if err != nil {
				return err
			}
			kept.views = append(kept.views, &v)
		}
		if r.within > 0 {
			f.keep(k, kept)
		}
	}
	for _, v := range kept.views {
		redist.CopyOwned(view, v)
	}
	return nil
}

// keep stores content for the next run of nest k.
func (f *field) keep(k int, content *askedContent) {
	if f.asked == nil {
		f.asked = map[int]*askedContent{}
	}
	f.asked[k] = content
}

// unwritten returns boxes of the cells of b that no nest, nor code of the caller, has written so far.
func (r *Rank) unwritten(a int, b redist.Box) []redist.Box {
	if r.fields[a].changed {
		return nil
	}
	var by []written
	for _, k := range r.fields[a].ever {
		by = append(by, writtenOf(r.plans[k], a, b)...)
	}
	return without(b, by)
}

// without returns boxes of the cells of b that are not in by.
func without(b redist.Box, by []written) []redist.Box {
	lo, hi := b.Row()
	return b.Boxes(func(list [][2]int, cell []int) [][2]int {
		list = append(list, [2]int{lo, hi})
		for k := range by {
			var left [][2]int
			for from, to := by[k].span(cell); from <= to && len(list) > 0; list = list[1:] {
				for _, part := range [][2]int{{list[0][0], min(list[0][1], from-1)}, {max(list[0][0], to+1), list[0][1]}} {
					if part[0] <= part[1] {
						left = append(left, part)
					}
				}
			}
			list = append(left, list...)
		}
		return list
	})
}

// Deliver gives the results of this rank to the store, after all ranks have succeeded: the cells that it owns, and its share of the cells
// that no iteration writes and an init defines. Results that were written in place are there already.
func (r *Rank) Deliver() error {
	for a := range r.whole.Arrays {
		if !r.takes(a) {
			continue
		}
		give := r.deliver
		if r.layout == nil {
			give = r.deliverItems
		}
		if err := give(a); err != nil {
			return fmt.Errorf("rank %d: result %s: %w", r.rank, r.whole.Arrays[a].Name, err)
		}
	}
	return nil
}

// deliver does what Deliver does, for the result of array a.
func (r *Rank) deliver(a int) error {
	arr := &r.whole.Arrays[a]
	for _, v := range r.fields[a].owned {
		if arr.Slice != nil {
			if v = slice(arr, r.params, v); v == nil {
				continue
			}
		}
		if err := r.store.Keep(a, v); err != nil {
			return err
		}
	}
	if v := r.slices[a]; v != nil {
		if err := r.store.Keep(a, v); err != nil {
			return err
		}
	}
	if arr.Role == plan.InOut && r.store.Untouched {
		if err := r.untouched(a); err != nil {
			return err
		}
	}
	for _, v := range r.saves.final[a] {
		if err := r.store.Keep(a, v); err != nil {
			return err
		}
	}
	for k := range r.nests {
		if n := &r.nests[k].Nest.Arrays[a]; n.Returned() && n.Initial == plan.Computed && !r.inPlace(k, a) {
			if err := r.deliverInit(k, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// slice returns the part of v that lies in the slice of its array, without the fixed dimensions; nil if there is none.
func slice(arr *plan.Array, params []int, v *array.View) *array.View {
	want := redist.Between(slices.Clone(v.Lo), slices.Clone(v.Hi))
	var lo, hi []int
	for m, at := range arr.Slice {
		if at == nil {
			lo, hi = append(lo, v.Lo[m]), append(hi, v.Hi[m])
			continue
		}
		want.Lo[m] = at.Eval(params, nil)
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
	_ = redist.Owned(v, want, func(cell []int, n int) error { // Owned itself never fails
		var kept []int
		for m, at := range arr.Slice {
			if at == nil {
				kept = append(kept, cell[m])
			}
		}
		to := out.Offset(kept)
		array.Copy(out.Data, to, 1, v.Data, v.Offset(cell), 1, n, v.Size)
		out.MarkWritten(to, n, 1)
		return nil
	})
	return &out
}

// shareBytes bounds the cells of a share that are held at a time. It is far less than the
// memory of a run, so that Deliver needs no more memory than Run.
const shareBytes = 256 << 10

// deliverInit gives the store the initial content of this rank's share of a result's unwritten cells. Only nest k has the array.
func (r *Rank) deliverInit(k, a int) error {
	p, arr := r.plans[k], &r.nests[k].Nest.Arrays[a]
	lo, extent := arr.SliceExtent(p.Params)
	hi := top(lo, extent)
	return r.share(arr.Size, lo, hi, func(lo, hi []int) error { return r.deliverInitOf(k, a, lo, hi) })
}

// share calls f with boxes that together are this rank's share of the cells lo..hi: see inParts.
func (r *Rank) share(size int, lo, hi []int, f func(lo, hi []int) error) error {
	mine := portion(r.rank, r.plans[0].Ranks, lo, hi)
	if mine.Empty() {
		return nil
	}
	return inParts(size, mine.Lo, mine.Hi, r.store.Pool, f)
}

// inParts calls f with boxes that together are the cells lo..hi, of size bytes each. A box has at most shareBytes, or a single
// row. Views from the pool are valid during one call of f.
func inParts(size int, lo, hi []int, pool *array.Pool, f func(lo, hi []int) error) error {
	if len(lo) == 0 { // a single cell
		return f(lo, hi)
	}
	for k := range lo {
		if k > 0 {
			size *= hi[k] - lo[k] + 1
		}
	}
	step := max(1, shareBytes/max(1, size))
	for at := lo[0]; at <= hi[0]; at += step {
		lo, hi := slices.Clone(lo), slices.Clone(hi)
		lo[0], hi[0] = at, min(hi[0], at+step-1)
		if err := f(lo, hi); err != nil {
			return err
		}
		pool.Again()
	}
	return nil
}

// portion returns a rank's share of the cells lo..hi: a range along the first dimension.
func portion(rank, ranks int, lo, hi []int) redist.Box {
	if len(lo) == 0 {
		if rank > 0 {
			return redist.Box{}
		}
		return redist.Between(lo, hi)
	}
	b := redist.Between(slices.Clone(lo), slices.Clone(hi))
	extent := hi[0] - lo[0] + 1
	b.Lo[0], b.Hi[0] = lo[0]+extent*rank/ranks, lo[0]+extent*(rank+1)/ranks-1
	return b.Meet(b) // the empty box, if the range is empty
}

// untouched gives the store this rank's share of the cells of inout array a that no nest has written.
func (r *Rank) untouched(a int) error {
	arr := &r.whole.Arrays[a]
	lo, extent, err := arr.Extent(r.params)
	if err != nil {
		return err
	}
	return r.share(arr.Size, lo, top(lo, extent), func(lo, hi []int) error {
		for _, b := range r.unwritten(a, redist.Between(lo, hi)) {
			v, err := r.store.Pool.Make(arr.Elem, b.Lo, b.Hi)
			if block := r.couple.blocks[a]; err == nil && block != nil { // the block is this share
				redist.CopyOwned(&v, block)
			} else if err == nil {
				err = r.store.Fill(a, &v)
			}
			if err == nil {
				err = r.store.Keep(a, &v)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// deliverInitOf does what deliverInit does, for the cells lo..hi of the result. It asks the store only for cells that the init may read.
func (r *Rank) deliverInitOf(k, a int, lo, hi []int) error {
	p, prog := r.plans[k], r.nests[k]
	arr := &p.Nest.Arrays[a]
	asked := askedInit(p, a, lo, hi)
	if !asked.any {
		return nil
	}
	v, err := r.store.Pool.Make(arr.Elem, lo, hi)
	if err != nil {
		return err
	}
	v.TrackWritten()
	fields := NewFields(p.Nest)
	for in := range p.Nest.Arrays {
		from := &p.Nest.Arrays[in]
		if box, ok := p.InitBox(a, in, asked.lo, asked.hi); ok && isGiven(from) {
			if fields.Given[in], err = r.store.Pool.Make(from.Elem, box[0], box[1]); err == nil {
				err = r.store.Fill(in, &fields.Given[in])
			}
			if err != nil {
				return fmt.Errorf("array %s: %w", from.Name, err)
			}
		}
	}
	fields.Result[a] = v
	if fields, err = complete(p.Nest, fields); err != nil {
		return err
	}
	if err := fillRows(context.Background(), prog, p, fields, a, 0, halo.UnwrittenRows(&v)); err != nil {
		return err
	}
	return r.store.Keep(a, &v)
}

// askedInit finds the box of those cells lo..hi of a result that no iteration writes.
func askedInit(p *plan.Plan, a int, lo, hi []int) *initProbe {
	arr := &p.Nest.Arrays[a]
	probe := &initProbe{}
	fields := NewFields(p.Nest)
	fields.Result[a] = array.View{Elem: arr.Elem, Size: arr.Size, Lo: lo, Hi: hi, Stride: make([]int, len(lo))}
	_ = halo.NewUnwritten(p, probe, fields, a).Fill(context.Background(), 0, halo.UnwrittenRows(&fields.Result[a]))
	return probe
}

// An initProbe is a kernel that records the cells whose initial content it is asked for: all lie in the box lo..hi, if any.
type initProbe struct {
	any    bool
	lo, hi []int
}

// Bind implements kernel.Loops.
func (*initProbe) Bind(*kernel.Block) {}

// Box implements kernel.Loops.
func (*initProbe) Box(lo, hi []int) {}

// Init implements kernel.Loops.
func (r *initProbe) Init(_ int, cell []int, dim, n int, _ []byte, _, _ int) {
	if !r.any {
		r.any, r.lo, r.hi = true, slices.Clone(cell), slices.Clone(cell)
	}
	for m, x := range cell {
		r.lo[m], r.hi[m] = min(r.lo[m], x), max(r.hi[m], x)
	}
	if dim >= 0 {
		r.hi[dim] = max(r.hi[dim], cell[dim]+n-1)
	}
}
