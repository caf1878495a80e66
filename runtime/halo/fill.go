package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// A filler fills exterior cells with the content that the array has there. Nothing else writes
// exterior cells of a block.
type filler struct {
	*tile
	when    [][][]form // per value and fallback: the condition of the fallback
	q       []int      // scratch: a location on a line
	r, cell []int      // scratch: a location, and a cell of an array
}

func newFiller(t *tile) *filler {
	p := t.plan
	f := &filler{tile: t, q: make([]int, len(p.Side)), r: make([]int, len(p.Side)), cell: make([]int, t.arrays.rank)}
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		var when [][]form
		for _, s := range val.Fallbacks {
			when = append(when, formsOf(p, s.When))
		}
		f.when = append(f.when, when)
	}
	return f
}

// perform carries out an operation that fills exterior cells of a level.
func (f *filler) perform(b *kernel.Block, op *walk.Op) {
	switch last := len(op.Lo) - 1; op.Form {
	case walk.Copied:
		f.copyBox(b, op, f.walk.Edge.Still())
	case walk.Sparse:
		f.fillRows(b, op)
	case walk.Box:
		f.fillBox(b, op)
	default:
		f.content(op.Value, b, op.Lo, op.Lo[last], op.Hi[last], 0)
	}
}

// content fills the exterior cells lo..hi of row q. A cell gets the result of the first of the
// value's fallbacks (plan.Value), from number k on, that applies to it and whose iteration lies
// in the space. Without one it gets the initial content.
func (f *filler) content(v int, b *kernel.Block, q []int, lo, hi, k int) {
	if lo > hi {
		return
	}
	p := f.plan
	val := &p.Nest.Values[v]
	if k == len(val.Fallbacks) {
		f.initial(v, b, q, lo, hi)
		return
	}
	last := len(q) - 1
	src := val.Fallbacks[k]
	r := f.r
	stored := true // the block holds row r, from which cells are copied
	for x := 0; x < last; x++ {
		r[x] = q[x] - src.Dist[x]
		if x > 0 && (r[x] < b.Origin[x] || r[x] > f.last[x]) {
			// The block lacks row r, so no iteration reads the cells that would come from it:
			// lo..hi also spans cells that are not needed.
			stored = false
		}
	}
	d := src.Dist[last]
	from, to := p.Space.Span(r, lo-d, hi-d)
	for i := range f.when[v][k] {
		at, c := f.when[v][k][i].along(q) // the condition at location x: at + c·x ≥ 0
		from, to = atLeast(at+c*d, c, from, to)
	}
	if from > to {
		f.content(v, b, q, lo, hi, k+1)
		return
	}
	if at, end := max(from, b.Origin[last]), min(to, f.last[last]); stored && at <= end {
		r[last] = at
		size := p.Nest.Arrays[val.Array].Size
		source := b.Position(src.Value, r)
		r[last] = at + d
		copy(r, q[:last])
		array.Copy(b.Data[v], b.Position(v, r), 1, b.Data[src.Value], source, 1, end-at+1, size)
	}
	f.content(v, b, q, lo, from+d-1, k+1)
	f.content(v, b, q, to+d+1, hi, k+1)
}
