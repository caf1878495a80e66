package sched

import (
	"loopc/runtime/array"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// A shownRow is a row of results in a state; no later result has overwritten these cells of the array. Its slices are
// valid during one call only.
type shownRow struct {
	cell, by []int // the cell of the first result, and the step to that of the next
	at, step int   // the place of the first result in the state's view, and the distance to the next
	n        int
}

// in returns the position of the first cell in a view, and the distance to the next one.
func (r *shownRow) in(v *array.View) (at, step int) {
	for x, d := range r.by {
		step += d * v.Stride[x]
	}
	return v.Offset(r.cell), step
}

// showValue copies into v the results of value k in the last levels of window w, unless they are overwritten in these levels.
func showValue(w *plan.Plan, k int, of, v *array.View) {
	shownRows(w, k, of, func(r *shownRow) {
		to, by := r.in(v)
		array.Copy(v.Data, to, by, of.Data, r.at, r.step, r.n, v.Size)
		v.MarkWritten(to, r.n, by)
	})
}

// shownRows calls f with the results of value k in a view of the state after window w: those that are
// marked, if the view tracks writes, and not overwritten in the levels of the state.
func shownRows(w *plan.Plan, k int, of *array.View, f func(r *shownRow)) {
	val := &w.Nest.Values[k]
	_, _, at := w.State(0, k)
	n := len(w.Lo)
	s := shownSearch{w: w, val: val, of: of, at: at, f: f, next: make([]int, n), place: make([]int, len(at))}
	s.row.cell, s.row.by = make([]int, len(val.Cell)), make([]int, len(val.Cell))
	for m := range val.Cell {
		s.row.by[m] = slope(&val.Cell[m], n-1)
	}
	for y := range at {
		s.row.step += slope(&at[y], n-1) * of.Stride[y]
	}
	lo, hi := make([]int, n), make([]int, n)
	for level := w.Hi[0] - val.Levels() + 2; level <= w.Hi[0]; level++ { // Levels() - 1 levels are in a state
		if w.LevelBox(level, lo, hi) {
			redist.Box{Lo: lo, Hi: hi}.Rows(func(q []int) bool {
				first := q[n-1]
				s.inRow(q, lo[n-1], hi[n-1])
				q[n-1] = first
				return true
			})
		}
	}
}

// A shownSearch finds the rows of shownRows.
type shownSearch struct {
	w   *plan.Plan
	val *plan.Value
	of  *array.View
	at  []plan.Affine // the coordinates of a result in the view
	f   func(r *shownRow)

	row         shownRow
	next, place []int    // scratch: an iteration that overwrites; the coordinates of a result in the view
	list, left  [][2]int // scratch: spans that are not overwritten
}

// inRow finds shown rows among the iterations of the row through q, from lo to hi. It changes the last coordinate of q.
func (s *shownSearch) inRow(q []int, lo, hi int) {
	last := len(q) - 1
	from, to := s.w.Space.Span(q, lo, hi)
	q[last] = 0
	for y := range s.at {
		from, to = within(s.at[y].Eval(s.w.Params, q), slope(&s.at[y], last), s.of.Lo[y], s.of.Hi[y], from, to)
	}
	for _, span := range s.notOverwritten(q, from, to) {
		for x := span[0]; x <= span[1]; x += s.row.n { // n cells that are all marked, or all not
			q[last] = x
			for y := range s.at {
				s.place[y] = s.at[y].Eval(s.w.Params, q)
			}
			for m := range s.row.cell {
				s.row.cell[m] = s.val.Cell[m].Eval(s.w.Params, q)
			}
			s.row.at = s.of.Offset(s.place)
			var marked bool
			if s.row.n, marked = alike(s.of, s.row.at, s.row.step, span[1]-x+1); marked {
				s.f(&s.row)
			}
		}
	}
}

// notOverwritten returns the spans of those iterations from..to of the row through q whose results no iteration of the window overwrites.
func (s *shownSearch) notOverwritten(q []int, from, to int) [][2]int {
	last := len(q) - 1
	s.list = append(s.list[:0], [2]int{from, to})
	for _, o := range s.val.Overwrites {
		for x := range s.next {
			s.next[x] = q[x] + o[x]
		}
		if s.next[0] > s.w.Hi[0] {
			continue
		}
		a, b := s.w.Space.Span(s.next, from+o[last], to+o[last])
		if a > b {
			continue
		}
		s.left = s.left[:0]
		for _, span := range s.list {
			s.left = append(s.left, [2]int{span[0], min(span[1], a-o[last]-1)}, [2]int{max(span[0], b-o[last]+1), span[1]})
		}
		s.list, s.left = s.left, s.list
	}
	return s.list
}

// slope is the factor of coordinate x in an affine form.
func slope(f *plan.Affine, x int) int {
	if x < len(f.Iters) {
		return f.Iters[x]
	}
	return 0
}

// within narrows from..to to the x with lo ≤ c + d·x ≤ hi.
func within(c, d, lo, hi, from, to int) (int, int) {
	switch {
	case d == 0 && (c < lo || c > hi):
		return from, from - 1
	case d > 0:
		return max(from, plan.CeilDiv(lo-c, d)), min(to, plan.FloorDiv(hi-c, d))
	case d < 0:
		return max(from, plan.CeilDiv(c-hi, -d)), min(to, plan.FloorDiv(c-lo, -d))
	}
	return from, to
}

// alike returns how many of n cells, from the first one on, have the same mark, and this mark. Every cell
// counts as marked if the view does not track writes.
func alike(v *array.View, at, step, n int) (count int, marked bool) {
	if v.Written == nil {
		return n, true
	}
	is := func(at int) bool { return v.Written[at>>6]>>(at&63)&1 != 0 }
	marked = is(at)
	for count = 1; count < n && is(at+count*step) == marked; count++ {
	}
	return count, marked
}
