package sched

import (
	"context"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// inOut returns the inout arrays: each rank has a block of each.
func (r *Rank) inOut() (all []int) {
	for a := range r.whole.Arrays {
		if r.whole.Arrays[a].Role == plan.InOut {
			all = append(all, a)
		}
	}
	return all
}

// blockMove returns the move of array a from the blocks to the boxes others, one for each rank. If others is nil, it
// returns the move to the blocks. The caller adds the views.
func (r *Rank) blockMove(a int, others []redist.Box) (redist.Move, error) {
	m := redist.Move{Size: r.whole.Arrays[a].Size, Need: others}
	lo, extent, err := r.whole.Arrays[a].Extent(r.params)
	if err != nil {
		return m, err
	}
	all := redist.Between(lo, top(lo, extent))
	for rank := range r.plans[0].Ranks {
		block := portion(rank, r.plans[0].Ranks, lo, all.Hi)
		if others == nil {
			m.Need, m.Have = append(m.Need, block), append(m.Have, []redist.Box{all})
		} else {
			m.Have = append(m.Have, []redist.Box{block})
		}
	}
	return m, nil
}

// collected returns the moves that bring final results, and results of the last levels, into the blocks. The other
// cells have not changed since the last call.
func (r *Rank) collected(w *plan.Plan, has halo.State, fields kernel.Fields) (moves []redist.Move, err error) {
	for _, a := range r.inOut() {
		m, err := r.blockMove(a, nil)
		if err != nil {
			return nil, err
		}
		m.Into = r.couple.blocks[a]
		m.Owned = append(m.Owned, r.saves.final[a]...)
		if v := &fields.Result[a]; v.Written != nil {
			m.Owned = append(m.Owned, v)
		}
		for v := range has {
			box := redist.Of(&has[v])
			if w.Nest.Values[v].Array != a || box.Empty() {
				continue
			}
			cells := r.cells(w, v, box)
			if cells.Empty() {
				continue
			}
			view, err := array.Make(has[v].Elem, cells.Lo, cells.Hi)
			if err != nil {
				return nil, err
			}
			view.TrackWritten()
			showValue(w, v, &has[v], &view)
			m.Owned = append(m.Owned, &view)
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// cells returns a box of array cells that contains the results of value v in the box of a state.
func (r *Rank) cells(w *plan.Plan, v int, of redist.Box) redist.Box {
	val, skew := &w.Nest.Values[v], w.Nest.Skew
	out := redist.Box{Lo: make([]int, len(val.Cell)), Hi: make([]int, len(val.Cell))}
	for m := range val.Cell {
		at := val.Cell[m].Eval(w.Params, make([]int, len(skew)))
		out.Lo[m], out.Hi[m] = at, at
		for y := range skew { // an iteration is skew·y, but a state has its level in place of y[0]
			c := 0
			for x := range skew {
				c += slope(&val.Cell[m], x) * skew[x][y]
			}
			if y == 0 {
				c *= skew[0][0]
			}
			out.Lo[m] += min(c*of.Lo[y], c*of.Hi[y])
			out.Hi[m] += max(c*of.Lo[y], c*of.Hi[y])
		}
	}
	lo, extent, err := r.whole.Arrays[val.Array].Extent(r.params)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return out.Meet(redist.Between(lo, top(lo, extent)))
}

// spread copies the blocks to all places where ranks read these cells, or have them as results.
func (r *Rank) spread(ctx context.Context, w *plan.Plan, has halo.State, fields kernel.Fields) error {
	arrays, views := r.inOut(), map[int]*array.View{}
	var moves []redist.Move
	for _, a := range arrays {
		needs := slices.Clone(r.base(a))
		for rank := range needs {
			for v := range w.Nest.Values {
				if corners, _, _ := w.State(rank, v); w.Nest.Values[v].Array == a && corners[0] != nil {
					needs[rank] = needs[rank].Hull(r.cells(w, v, redist.Between(corners[0], corners[1])))
				}
			}
		}
		m, err := r.blockMove(a, needs)
		if err != nil {
			return err
		}
		if block := r.couple.blocks[a]; block != nil {
			m.Owned = []*array.View{block}
		}
		if box := needs[r.rank]; !box.Empty() {
			view, err := array.Make(r.whole.Arrays[a].Elem, box.Lo, box.Hi)
			if err != nil {
				return err
			}
			m.Into, views[a] = &view, &view
		}
		moves = append(moves, m)
	}
	if err := r.couple.exchange.Run(ctx, moves); err != nil {
		return err
	}
	for _, a := range arrays {
		r.change(a, views[a], fields)
		for v := range has {
			if from := views[a]; w.Nest.Values[v].Array == a && has[v].Cells() > 0 {
				shownRows(w, v, &has[v], func(row *shownRow) {
					at, by := row.in(from)
					array.Copy(has[v].Data, row.at, row.step, from.Data, at, by, row.n, from.Size)
				})
			}
		}
	}
	return nil
}

// base returns, for each rank, a box of the cells of array a that spread copies to it, without the cells of its state.
func (r *Rank) base(a int) []redist.Box {
	if known := r.couple.bases[a]; known != nil {
		return known
	}
	p := r.plans[0]
	boxes := make([]redist.Box, p.Ranks)
	for rank := range boxes {
		if lo, hi, ok := p.GivenBox(rank, a); ok && r.lent(a) == nil {
			boxes[rank] = redist.Between(lo, hi)
		}
		if lo, hi, ok := p.ResultBox(rank, a); ok && r.store.Whole.Result == nil {
			boxes[rank] = boxes[rank].Hull(redist.Between(lo, hi))
		}
		if r.saves.From == nil {
			continue
		}
		for _, b := range r.shareOf(rank) {
			if b.Name == p.Nest.Arrays[a].Name {
				boxes[rank] = boxes[rank].Hull(redist.Of(&b.View))
			}
		}
	}
	if r.couple.bases == nil {
		r.couple.bases = map[int][]redist.Box{}
	}
	r.couple.bases[a] = boxes
	return boxes
}

// change copies the cells of from to array a where this rank reads it, and to its final results.
func (r *Rank) change(a int, from *array.View, fields kernel.Fields) {
	marked := append([]*array.View{}, r.saves.final[a]...)
	block, lent := r.couple.blocks[a], r.lent(a)
	switch {
	case r.store.Whole.Result == nil:
		if fields.Result[a].Written != nil {
			marked = append(marked, &fields.Result[a])
		}
	case block != nil: // ranks share this array, and each of its cells is in one rank's block
		redist.CopyOwned(&r.store.Whole.Result[a], block)
	}
	if lent != nil && block != nil {
		redist.CopyOwned(lent, block)
	}
	if from == nil {
		return
	}
	if lent == nil {
		redist.CopyOwned(&fields.Given[a], from)
	}
	for _, v := range marked {
		_ = redist.Owned(v, redist.Of(from), func(cell []int, n int) error { // never fails
			array.Copy(v.Data, v.Offset(cell), 1, from.Data, from.Offset(cell), 1, n, v.Size)
			return nil
		})
	}
}
