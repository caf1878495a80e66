package halo

import "loopc/transform/plan"

// A levelEdge fills what lies outside the iteration space, by boxes of a level. Row by
// row, what a row has to find out takes as long as some hundred iterations.
type levelEdge struct {
	w    *Worker
	edge *plan.LevelEdge
}

// newLevelEdge returns nil if rows have to be looked at one by one.
func newLevelEdge(w *Worker) *levelEdge {
	edge := plan.NewLevelEdge(w.plan)
	if edge == nil {
		return nil
	}
	return &levelEdge{w, edge}
}

// fill gives the locations of a level that the tile owns, that lie outside the space
// and that iterations read, what their cells contain, and reports true; or does nothing
// and reports false if levels are not boxes: then it is easier row by row.
func (r *levelEdge) fill(c *Column, level int) bool {
	boxes, sparse, ok := r.edge.Outside(level)
	for _, f := range boxes {
		if sparse {
			r.fillRows(c, f, level)
		} else {
			r.fillBox(c, f, level)
		}
	}
	return ok
}

// fillRows gives the locations of f, of a level without iterations, what their cells
// contain, as far as iterations read them.
func (r *levelEdge) fillRows(c *Column, f plan.ValueBox, level int) {
	q := r.w.q
	copy(q, f.Lo)
	q[0] = level
	for {
		lo, hi := r.edge.Read(f.Value, q)
		r.w.initial(f.Value, c.block, q, lo, hi)
		if !nextRow(q, f.Lo, f.Hi) {
			return
		}
	}
}

// lineLeast is how many cells of a row are worth a line of their own, where lines
// along another dimension are longer.
const lineLeast = 16

// fillBox gives the locations of f of a level what their cells contain.
func (r *levelEdge) fillBox(c *Column, f plan.ValueBox, level int) {
	w := r.w
	b := c.block
	n := len(f.Lo)
	x := n - 1 // lines run along it
	for y := n - 2; y >= 1 && f.Hi[n-1]-f.Lo[n-1]+1 < lineLeast; y-- {
		if f.Hi[y]-f.Lo[y] > f.Hi[x]-f.Lo[x] {
			x = y
		}
	}
	q := w.q
	copy(q, f.Lo)
	q[0] = level
	base := b.Row0(f.Value, level)
	for {
		at := base
		for y := 1; y < n; y++ {
			if y != x {
				at += q[y] * b.stride[y]
			}
		}
		w.initialAlong(f.Value, q, x, f.Lo[x], f.Hi[x], b.Data[f.Value], at, b.stride[x])
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
