package sched

import (
	"context"
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// A field is a rank's knowledge of an array that one nest hands on to another, and the rank's own cells of it.
type field struct {
	owned   []*array.View
	writers []int // nests whose results some rank may still own, in the order of their runs; layout.shares() counts as one
	ever    []int // nests that have written it
	changed bool  // ranks own all cells, because code of the caller may have changed them
	// asked holds, by nest, the content of cells that no nest has written, so that the store is asked only once: see initial.
	asked map[int]*askedContent
}

// An askedContent is the content of cells that no nest had written when field.ever had as many nests as ever says.
type askedContent struct {
	ever  int
	of    redist.Box // the cells among which they are
	views []*array.View
}

// arrays puts the arrays for a run of nest k into fields: the content that it reads, and memory for its results.
func (r *Rank) arrays(ctx context.Context, k int, p *plan.Plan, fields kernel.Fields) error {
	moves, err := r.supply(k, p, fields)
	if err == nil && len(moves) > 0 {
		err = r.exchange.Run(ctx, moves)
	}
	if err != nil {
		return err
	}
	r.giveUp(p, k)
	defer r.spares.dropUnused(r, fields)
	for a := range p.Nest.Arrays {
		arr := &p.Nest.Arrays[a]
		switch {
		case !arr.Returned():
			continue
		case r.inPlace(k, a):
			fields.Result[a] = r.tracked(r.store.Whole.Result[a])
			continue
		case r.layout.last(k, a) && !r.takes(a):
			continue
		}
		lo, hi, ok := p.ResultBox(r.rank, a)
		if !ok {
			continue
		}
		if r.handsOver(p) {
			lo, hi = nearlyAll(arr, p.Params, lo, hi)
		}
		if fields.Result[a], err = r.result(k, arr.Elem, lo, hi, fields); err != nil {
			return fmt.Errorf("rank %d: result of array %s: %w", r.rank, arr.Name, err)
		}
	}
	return nil
}

// supply puts the content of nest k's given arrays into fields. The store supplies cells that
// no nest has written; the returned moves bring the other cells from the ranks that own them.
func (r *Rank) supply(k int, p *plan.Plan, fields kernel.Fields) (moves []redist.Move, err error) {
	for a := range r.fields {
		arr := &r.nests[k].Nest.Arrays[a]
		if !isGiven(arr) {
			continue
		}
		f, view := &r.fields[a], &fields.Given[a]
		if lent := r.lent(a); lent != nil && len(f.ever) == 0 && !f.changed {
			*view = *lent
			continue
		}
		need, owned := r.need(p, k, a), f.owned
		switch base := r.left(p, a, need); {
		case base >= 0:
			*view = *owned[base]
			view.Written = nil
			owned = slices.Delete(slices.Clone(owned), base, base+1)
			err = r.initial(k, a, view)
		case need.Empty():
			*view, err = noCells(arr)
		case len(f.ever) == 0 && r.within > 0 && r.reuse(a, need, view):
		default:
			if *view, err = r.spares.given(r.pool(), k, a, arr.Elem, need.Lo, need.Hi); err == nil {
				err = r.initial(k, a, view)
			}
			if kept := f.asked[k]; r.keepsMemory(k) && p.Nest.Numbers == nil && (kept == nil || !slices.Contains(kept.views, view)) {
				r.spares.read(k, a, view)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("rank %d: array %s: %w", r.rank, arr.Name, err)
		}
		if len(f.writers) == 0 {
			continue
		}
		m := redist.Move{Size: arr.Size, Need: r.layout.needs(p, k, a), Have: r.layout.haves(a, f.writers), Owned: owned}
		if !need.Empty() {
			m.Into = view
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// need returns the cells of array a that this rank reads in a run of nest k by plan p.
func (r *Rank) need(p *plan.Plan, k, a int) redist.Box {
	if p.Nest.Numbers != nil {
		return givenBox(p, r.rank, a)
	}
	key := [2]int{k, a}
	box, ok := r.needs[key]
	if !ok {
		box = givenBox(p, r.rank, a)
		r.needs[key] = box
	}
	return box
}

// lent returns the complete array a in the caller's memory, nil if the ranks cannot reach it.
func (r *Rank) lent(a int) *array.View {
	if r.store.Whole.Given == nil || !isGiven(&r.whole.Arrays[a]) {
		return nil
	}
	return &r.store.Whole.Given[a]
}

// inPlace reports whether nest k writes its results of array a into the caller's memory. The owned cells
// are the state between nests, so where that is wanted, all results are owned until they are delivered.
func (r *Rank) inPlace(k, a int) bool {
	return r.store.Whole.Result != nil && r.layout.final(k, a) && !r.layout.pauses
}

// takes reports whether the caller takes the result of array a.
func (r *Rank) takes(a int) bool {
	return r.whole.Arrays[a].Returned() && (r.store.Takes == nil || r.store.Takes(a))
}

// noCells returns an empty view of an array.
func noCells(arr *plan.Array) (array.View, error) {
	lo, hi := make([]int, len(arr.Lo)), make([]int, len(arr.Lo))
	for k := range hi {
		hi[k] = -1
	}
	return array.Make(arr.Elem, lo, hi)
}

// giveUp ends this rank's ownership of the cells that nest k is about to write.
func (r *Rank) giveUp(p *plan.Plan, k int) {
	if p.Empty {
		return
	}
	for a := range r.fields {
		f := &r.fields[a]
		var left []*array.View
		for _, view := range f.owned {
			by := writtenOf(p, a, redist.Of(view))
			if len(by) == 0 {
				left = append(left, view)
				continue
			}
			for i := range by {
				lo, _ := by[i].box.Row()
				by[i].box.Rows(func(cell []int) bool {
					if from, to := by[i].span(cell); from <= to {
						view.Unmark(view.Offset(cell)+from-lo, to-from+1)
					}
					return true
				})
			}
			left = append(left, redist.Compact(view)...)
		}
		f.owned = left
		f.writers = slices.DeleteFunc(slices.Clone(f.writers), func(e int) bool { return r.layout.covers(p, k, e, a) })
	}
}

// mostParts is how many views of an array a rank owns before they are merged. Each run of a nest with numbers of repeats
// adds a view, and each run looks at all views.
const mostParts = 16

// adopt makes this rank the owner of its results of nest k.
func (r *Rank) adopt(p *plan.Plan, k int, fields kernel.Fields) {
	for a := range p.Nest.Arrays {
		arr, view := &p.Nest.Arrays[a], &fields.Result[a]
		switch {
		case !arr.Returned() || p.Empty || r.inPlace(k, a):
		case arr.Slice != nil:
			r.slices[a] = view
			if view.Cells() == 0 {
				delete(r.slices, a) // a slice from the state with which the run began
			}
		default:
			f := &r.fields[a]
			switch {
			case view.Cells() == 0:
			case r.layout.last(k, a): // Deliver hands it over
				f.owned = append(f.owned, view)
			default:
				f.owned = append(f.owned, redist.Compact(view)...)
			}
			if p.Nest.Numbers != nil && len(f.owned) > 0 && len(f.owned)%mostParts == 0 {
				f.owned = redist.Merge(f.owned)
			}
			f.writers = append(slices.DeleteFunc(f.writers, func(e int) bool { return e == k }), k)
			if !slices.Contains(f.ever, k) {
				f.ever = append(f.ever, k)
			}
		}
	}
}
