package halo

import "loopc/transform/plan/walk"

// level fills the exterior cells of one level and, if own, computes the iterations of the tile in it. It returns the number of iterations.
func (c *Column) level(level int, own bool) (points int) {
	w := c.w
	rows := w.walk.Level(level, own)
	points = c.perform()
	for rows {
		if w.counts != nil {
			w.counts.Looked++
		}
		rows = w.walk.Row()
		points += c.perform()
	}
	return points
}

// perform performs the operations of a turn of the walk and returns the number of iterations.
func (c *Column) perform() (points int) {
	w := c.w
	for i := range w.walk.Ops {
		op := &w.walk.Ops[i]
		if op.Kind == walk.Fill {
			w.fill.perform(c.block, op)
			continue
		}
		points += op.Cells()
		if op.Form == walk.Box && w.whole != nil {
			w.whole.strips(c, op)
		} else {
			w.kernel.Box(op.Lo, op.Hi)
		}
	}
	if w.counts != nil {
		w.counts.Add(w.walk.Ops)
	}
	return points
}
