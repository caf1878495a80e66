package halo

import (
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// need finds out which locations of row q iterations of this tile read, for
// every value: the least span that holds those that may have to be filled.
func (c *Column) need(q []int, ghostLo, ghostHi int) {
	w := c.w
	for v := range w.needLo {
		lo, hi := c.needed(v, q)
		w.needLo[v], w.needHi[v] = max(lo, ghostLo), min(hi, ghostHi)
	}
}

// fill gives the locations of row q that are needed and lie outside the
// iteration space what the array's cells contain there: left of the row's
// iterations a..b, or right of them. If there are none, a > b, everything
// counts as left.
//
// The two sides are filled before and after the row is computed, because a cell
// right of it may last have been written by an iteration of this very row.
func (c *Column) fill(q []int, a, b int, left bool) {
	w := c.w
	if a > b && !left {
		return
	}
	for v, lo := range w.needLo {
		hi := w.needHi[v]
		switch {
		case a > b:
		case left:
			hi = min(hi, a-1)
		default:
			lo = max(lo, b+1)
		}
		if lo <= hi {
			w.content(v, c.block, q, lo, hi, 0)
		}
	}
}

// needed returns the least span of row q, the values of whose inequalities are
// in w.row, that holds every location of value v that iterations of this tile
// read and that may have to be filled. Along dimension 0 as mapping dimension
// live levels stay for the tiles to come, so their iterations count too; where levels
// are kept whole, those of all tiles do.
func (c *Column) needed(v int, q []int) (lo, hi int) {
	w, p := c.w, c.w.plan
	last := len(q) - 1
	lo, hi = 1, 0
need:
	for i := range w.readers[v] {
		r := &w.readers[v][i]
		for x := 0; x < last; x++ {
			at, top := q[x]+r.outer[x], w.readTo[x]
			if x == 0 && p.Map == 0 {
				top = p.Hi[0]
			}
			if at < w.readFrom[x] || at > top {
				continue need
			}
		}
		a, b := p.Space.RowSpan(w.row, r.slopes, w.readFrom[last], w.readTo[last])
		if a > b {
			continue
		}
		a, b = a-r.most, b-r.least
		if lo > hi {
			lo, hi = a, b
		} else {
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	return lo, hi
}

// readers are the distances of Need that lead to one row: those that differ in
// the last component only, which lies between least and most.
type readers struct {
	outer       []int
	slopes      []int // see plan.Space.Slopes
	least, most int
}

// readersOf groups the distances of a value's Need, which are in lexicographic
// order.
func readersOf(p *plan.Plan, need [][]int) []readers {
	var out []readers
	last := len(p.Side) - 1
	for _, d := range need {
		if n := len(out); n > 0 && slices.Equal(out[n-1].outer, d[:last]) {
			out[n-1].most = d[last]
			continue
		}
		r := readers{outer: d[:last], slopes: make([]int, p.Space.Inequalities()), least: d[last], most: d[last]}
		p.Space.Slopes(d, r.slopes)
		out = append(out, r)
	}
	return out
}

// A form is an affine form with the parameters put in.
type form struct {
	c    int
	a    []int // of the outer coordinates
	last int   // of the last coordinate
}

// formsOf puts the parameters into affine forms over p.
func formsOf(p *plan.Plan, all []plan.Affine) []form {
	out := make([]form, len(all))
	last := len(p.Side) - 1
	for k, f := range all {
		out[k] = form{c: f.Eval(p.Params, nil), a: make([]int, last)}
		copy(out[k].a, f.Iters)
		if last < len(f.Iters) {
			out[k].last = f.Iters[last]
		}
	}
	return out
}

// along returns the value of f on row q at last coordinate 0, and its
// coefficient there.
func (f *form) along(q []int) (at, c int) {
	at = f.c
	for k, a := range f.a {
		at += a * q[k]
	}
	return at, f.last
}

// across is along for a line of neighbors along coordinate x, which is not the last.
func (f *form) across(q []int, x int) (at, c int) {
	at, _ = f.along(q)
	return at + f.last*q[len(f.a)] - f.a[x]*q[x], f.a[x]
}

// content writes what cells contain at locations lo..hi of row q, which lie
// outside the iteration space: the result of the first fallback from f on that
// is an iteration, else the initial content.
func (w *Worker) content(v int, b *kernel.Block, q []int, lo, hi, f int) {
	if lo > hi {
		return
	}
	p := w.plan
	val := &p.Nest.Values[v]
	if f == len(val.Fallbacks) {
		w.initial(v, b, q, lo, hi)
		return
	}
	last := len(q) - 1
	src := val.Fallbacks[f]
	r := w.r
	held := true
	for x := 0; x < last; x++ {
		r[x] = q[x] - src.Dist[x]
		if x > 0 && (r[x] < b.Origin[x] || r[x] > w.last[x]) {
			held = false // nobody reads this: see needed, whose span is a hull
		}
	}
	d := src.Dist[last]
	from, to := p.Space.Span(r, lo-d, hi-d)
	for k := range w.when[v][f] {
		at, c := w.when[v][f][k].along(q) // ≥ 0 at location x: at + c·x
		from, to = atLeast(at+c*d, c, from, to)
	}
	if from > to {
		w.content(v, b, q, lo, hi, f+1)
		return
	}
	if at, end := max(from, b.Origin[last]), min(to, w.last[last]); held && at <= end {
		r[last] = at
		size := p.Nest.Arrays[val.Array].Size
		source := b.Position(src.Value, r)
		r[last] = at + d
		copy(r, q[:last])
		array.Copy(b.Data[v], b.Position(v, r), 1, b.Data[src.Value], source, 1, end-at+1, size)
	}
	w.content(v, b, q, lo, from+d-1, f+1)
	w.content(v, b, q, to+d+1, hi, f+1)
}

// initial writes the initial content of cells at locations lo..hi of row q, as
// far as they are cells of the array.
func (w *Worker) initial(v int, b *kernel.Block, q []int, lo, hi int) {
	last := len(q) - 1
	copy(w.r, q[:last])
	w.r[last] = 0
	w.initialTo(v, q, lo, hi, b.Data[v], b.Position(v, w.r), 1)
}

// initialTo writes the initial content of cells at locations lo..hi of row q, as
// far as they are cells of the array, or its edges put some in their place, to
// every stride-th cell of dst, at being the place of location 0.
func (w *Worker) initialTo(v int, q []int, lo, hi int, dst []byte, at0, stride int) {
	if lo > hi {
		return
	}
	p := w.plan
	val := &p.Nest.Values[v]
	arr := &p.Nest.Arrays[val.Array]
	if arr.Edges != nil {
		in, end := lo, hi
		for m := range val.Cell {
			at, c := w.cells[v][m].along(q)
			in, end = clip(at, c, w.least[val.Array][m], w.most[val.Array][m], in, end)
		}
		if in > end {
			in, end = hi+1, hi
		}
		w.beyond(v, q, lo, in-1, dst, at0, stride)
		w.beyond(v, q, end+1, hi, dst, at0, stride)
		lo, hi = in, end
		if lo > hi {
			return
		}
	}
	w.initialAlong(v, q, len(q)-1, lo, hi, dst, at0, stride)
}

// initialAlong writes the initial content of cells at locations lo..hi of the line
// through q along coordinate x, as far as they are cells of the array, to every
// stride-th cell of dst, at0 being the place of location 0.
func (w *Worker) initialAlong(v int, q []int, x, lo, hi int, dst []byte, at0, stride int) {
	p := w.plan
	val := &p.Nest.Values[v]
	arr := &p.Nest.Arrays[val.Array]
	line := func(m int) (at, c int) {
		if x == len(q)-1 {
			return w.cells[v][m].along(q)
		}
		return w.cells[v][m].across(q, x)
	}
	given := arr.Initial == plan.Given
	view := &w.fields.Given[val.Array]
	from, step, dim, simple := 0, 0, -1, true
	for m := range val.Cell {
		at, c := line(m)
		var least, most int
		if given {
			least, most = view.Lo[m], view.Hi[m]
			from += (at - least) * view.Stride[m]
			step += c * view.Stride[m]
		} else {
			least, most = w.least[val.Array][m], w.most[val.Array][m]
		}
		if c != 0 {
			// With a triangular T a row moves one index at most, by one.
			simple = simple && dim < 0 && c == 1
			dim = m
		}
		w.cell[m] = at
		lo, hi = clip(at, c, least, most, lo, hi)
	}
	if lo > hi {
		return
	}
	to := at0 + lo*stride
	switch {
	case given:
		array.Copy(dst, to, stride, view.Data, from+lo*step, step, hi-lo+1, arr.Size)
	case arr.Initial == plan.Computed && simple:
		if dim >= 0 {
			w.cell[dim] += lo
		}
		w.kernel.Init(val.Array, w.cell[:len(val.Cell)], dim, hi-lo+1, dst, to, stride)
	case arr.Initial == plan.Computed:
		for k := lo; k <= hi; k++ {
			for m := range val.Cell {
				at, c := line(m)
				w.cell[m] = at + c*k
			}
			w.kernel.Init(val.Array, w.cell[:len(val.Cell)], -1, 1, dst, to+(k-lo)*stride, 1)
		}
	}
}

// beyond is initialTo for locations whose cells are beyond the bounds of an array
// with edges. Content that the rank is not given, nobody reads.
func (w *Worker) beyond(v int, q []int, lo, hi int, dst []byte, at0, stride int) {
	a := w.plan.Nest.Values[v].Array
	arr, view := &w.plan.Nest.Arrays[a], &w.fields.Given[a]
	cell := w.cell[:len(arr.Lo)]
cells:
	for x := lo; x <= hi; x++ {
		from := 0
		for m := range cell {
			at, c := w.cells[v][m].along(q)
			least, most := w.least[a][m], w.most[a][m]
			cell[m] = plan.Cell(arr.Edges[m], at+c*x, least, most)
			if arr.Initial == plan.Given {
				least, most = view.Lo[m], view.Hi[m]
				from += (cell[m] - least) * view.Stride[m]
			}
			if cell[m] < least || cell[m] > most {
				continue cells
			}
		}
		if arr.Initial == plan.Given {
			array.Copy(dst, at0+x*stride, 1, view.Data, from, 1, 1, arr.Size)
		} else if arr.Initial == plan.Computed {
			w.kernel.Init(a, cell, -1, 1, dst, at0+x*stride, 1)
		}
	}
}

// atLeast narrows lo..hi to the x with at + c·x ≥ 0.
func atLeast(at, c, lo, hi int) (int, int) {
	switch {
	case c > 0:
		lo = max(lo, plan.CeilDiv(-at, c))
	case c < 0:
		hi = min(hi, plan.FloorDiv(at, -c))
	case at < 0:
		hi = lo - 1
	}
	return lo, hi
}

// clip narrows lo..hi to the x with least ≤ at + c·x ≤ most.
func clip(at, c, least, most, lo, hi int) (int, int) {
	switch {
	case c == 0:
		if at < least || at > most {
			return lo, lo - 1
		}
	case c == 1: // these are the usual ones
		lo, hi = max(lo, least-at), min(hi, most-at)
	case c == -1:
		lo, hi = max(lo, at-most), min(hi, at-least)
	case c > 0:
		lo = max(lo, plan.CeilDiv(least-at, c))
		hi = min(hi, plan.FloorDiv(most-at, c))
	default:
		lo = max(lo, plan.CeilDiv(at-most, -c))
		hi = min(hi, plan.FloorDiv(at-least, -c))
	}
	return lo, hi
}
