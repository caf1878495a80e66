package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// A filler fills exterior cells with the content that the array has there. Nothing else writes exterior cells of a block.
type filler struct {
	*tile
	when    [][][]form // per value and fallback: not negative where the fallback applies, and its iteration lies in the space
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
			forms, last := formsOf(p, s.When), len(p.Side)-1
			for _, in := range p.Space.Ineq {
				forms = append(forms, form{2*in.C - in.At(s.Dist), in.A[:last], in.A[last]}) // C + A·(r - Dist), with At(Dist) = C + A·Dist
			}
			when = append(when, forms)
		}
		f.when = append(f.when, when)
	}
	return f
}

// perform carries out an operation that fills exterior cells of a level.
func (f *filler) perform(b *kernel.Block, op *walk.Op) {
	switch op.Form {
	case walk.Copied:
		f.copyBox(b, op, f.walk.Edge.Still())
	case walk.Sparse:
		f.fillRows(b, op)
	default:
		f.fillBox(b, op)
	}
}

// content fills the exterior cells lo..hi of the line through q along coordinate x, of one level. A cell
// gets the result of the first of the value's fallbacks (plan.Value), from number k on, that applies to it
// and whose iteration lies in the space. Without one it gets the initial content.
func (f *filler) content(v int, b *kernel.Block, q []int, x, lo, hi, k int) {
	if lo > hi {
		return
	}
	val := &f.plan.Nest.Values[v]
	r := f.r
	if k == len(val.Fallbacks) {
		copy(r, q)
		r[x] = 0
		f.initialTo(v, q, x, lo, hi, b.Data[v], b.Position(v, r), b.Strides[x])
		return
	}
	from, to := lo, hi
	for i := range f.when[v][k] {
		at, c := f.when[v][k][i].across(q, x) // the condition at location y of the line: at + c·y ≥ 0
		from, to = AtLeast(at, c, from, to)
	}
	if from > to {
		f.content(v, b, q, x, lo, hi, k+1)
		return
	}
	src := val.Fallbacks[k]
	stored := true // the block holds the line through r, from which cells are copied
	for y := range q {
		r[y] = q[y] - src.Dist[y]
		if y > 0 && y != x && (r[y] < b.Origin[y] || r[y] > f.last[y]) {
			// The block lacks the line. So no iteration reads the cells that would be copied from it: lo..hi may have such cells.
			stored = false
		}
	}
	if at, end := max(from, b.Origin[x]+src.Dist[x]), min(to, f.last[x]+src.Dist[x]); stored && at <= end {
		r[x] = at - src.Dist[x]
		source := b.Position(src.Value, r)
		copy(r, q)
		r[x] = at
		array.Copy(b.Data[v], b.Position(v, r), b.Strides[x], b.Data[src.Value], source, b.Strides[x], end-at+1, f.plan.Nest.Arrays[val.Array].Size)
	}
	f.content(v, b, q, x, lo, from-1, k+1)
	f.content(v, b, q, x, to+1, hi, k+1)
}
