package halo

import (
	"loopc/runtime/array"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A levelEdge fills what lies outside the iteration space, by boxes of a level. Row by
// row, what a row has to find out takes as long as some hundred iterations.
type levelEdge struct {
	w    *Worker
	edge *plan.LevelEdge
	q    []int // scratch: of a line
}

// newLevelEdge returns nil if rows have to be looked at one by one.
func newLevelEdge(w *Worker) *levelEdge {
	edge := plan.NewLevelEdge(w.plan)
	if edge == nil {
		return nil
	}
	return &levelEdge{w, edge, make([]int, len(w.q))}
}

// fill gives the locations of a level that the tile owns, that lie outside the space
// and that iterations read, what their cells contain, and reports true; or does nothing
// and reports false if levels are not boxes: then it is easier row by row.
func (r *levelEdge) fill(c *Column, level int) bool {
	out, ok := r.edge.Outside(level)
	for k, f := range out.Boxes {
		r.w.counts.AddBox(walk.Fill, level, f.Lo, f.Hi)
		switch {
		case k < out.Copied:
			r.copyBox(c, f, level, r.edge.Still())
		case out.Sparse:
			r.fillRows(c, f, level)
		default:
			r.fillBox(c, f, level)
		}
	}
	return ok
}

// fillRows gives the locations of f, of a level without iterations, what their cells
// contain, as far as iterations read them.
func (r *levelEdge) fillRows(c *Column, f plan.ValueBox, level int) {
	q := r.q
	copy(q, f.Lo)
	q[0] = level
	for {
		lo, hi := r.edge.Read(f.Value, q)
		r.w.fill.initial(f.Value, c.block, q, lo, hi)
		if !nextRow(q, f.Lo, f.Hi) {
			return
		}
	}
}

// lineLeast is how many cells of a row are worth a line of their own, where lines
// along another dimension are longer.
const lineLeast = 16

// copyBox gives the locations of f of a level what those contain that lie a vector before
// them.
func (r *levelEdge) copyBox(c *Column, f plan.ValueBox, level int, by []int) {
	b, v := c.block, f.Value
	data, size := b.Data[v], r.w.plan.Nest.Arrays[r.w.plan.Nest.Values[v].Array].Size
	back := b.Row0(v, level-by[0]) - b.Row0(v, level)
	for x := 1; x < len(by); x++ {
		back -= by[x] * b.Strides[x]
	}
	r.lines(c, f, level, func(x, at int) {
		at += f.Lo[x] * b.Strides[x]
		array.Copy(data, at, b.Strides[x], data, at+back, b.Strides[x], f.Hi[x]-f.Lo[x]+1, size)
	})
}

// fillBox gives the locations of f of a level what their cells contain.
func (r *levelEdge) fillBox(c *Column, f plan.ValueBox, level int) {
	b := c.block
	r.lines(c, f, level, func(x, at int) {
		r.w.fill.initialAlong(f.Value, r.q, x, f.Lo[x], f.Hi[x], b.Data[f.Value], at, b.Strides[x])
	})
}

// lines calls do for each line of f, of a level, with the dimension that lines go along and
// the place in the block of location 0 of the line, of which location q of the worker is
// one.
func (r *levelEdge) lines(c *Column, f plan.ValueBox, level int, do func(x, at int)) {
	b := c.block
	n := len(f.Lo)
	x := n - 1
	for y := n - 2; y >= 1 && f.Hi[n-1]-f.Lo[n-1]+1 < lineLeast; y-- {
		if f.Hi[y]-f.Lo[y] > f.Hi[x]-f.Lo[x] {
			x = y
		}
	}
	q := r.q
	copy(q, f.Lo)
	q[0] = level
	base := b.Row0(f.Value, level)
	for {
		at := base
		for y := 1; y < n; y++ {
			if y != x {
				at += q[y] * b.Strides[y]
			}
		}
		do(x, at)
		y := n - 1
		for ; y >= 1; y-- {
			if y == x {
				continue
			}
			if q[y]++; q[y] <= f.Hi[y] {
				break
			}
			q[y] = f.Lo[y]
		}
		if y < 1 {
			return
		}
	}
}
