package halo

import (
	"loopc/runtime/element"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// Lanes may hold results in a type that is wider than that of their array (kernel.LaneValue.Elem). Rows of
// lanes and planes then have cells of the wider type. Blocks, faces, given and returned arrays have cells of
// the array's type. Cells are converted where they are copied from one kind to the other.

// A narrowValue converts results of a value; nil: they need no conversion. The conversion changes
// no number, because lanes hold numbers of the array's type.
type narrowValue[T int32 | int64] struct {
	in, out element.Converter         // to the type in which lanes hold them, and from it
	narrow  func(to []byte, from []T) // does what out does, for rows of simd.ConvertLeast cells or more; nil: there is none
	size    int                       // bytes of a cell of the array
	cells   []byte                    // scratch: cells of the array

	rows   []T // of returned arrays: the row of each lane, before it is converted
	row    int // cells from a row to the next
	placed []narrowRow
}

// A narrowRow is the place of n cells of a row in the returned array, from position first on.
type narrowRow struct{ first, n int }

func newNarrowValue[T int32 | int64](w *Worker, l *kernel.Temporal, v int) *narrowValue[T] {
	p, x := w.plan, l.Values[v]
	if x.At < 0 || x.Elem == "" {
		return nil
	}
	elem, wide := element.Named(p.Nest.Arrays[p.Nest.Values[v].Array].Elem), element.Named(x.Elem)
	z := &narrowValue[T]{in: elem.ToLanes(wide), out: elem.FromLanes(wide), size: elem.Size, placed: make([]narrowRow, l.Count)}
	_, z.narrow = rowConverters[T](elem.Name, x.Elem)
	if n := narrowCells(l, p, v); n > 0 {
		z.rows, z.row = vectors[T](w.pool, n), n/l.Count
	}
	return z
}

// narrowCells is the number of cells that narrowValue.rows takes for value v.
func narrowCells(l *kernel.Temporal, p *plan.Plan, v int) int {
	x := l.Values[v]
	if x.At < 0 || x.Elem == "" || !p.Nest.Arrays[p.Nest.Values[v].Array].Returned() {
		return 0
	}
	return l.Count * apart(p.Side[len(p.Side)-1], l.Size)
}

// place returns room for the row of a lane, and notes where store will put it.
func (z *narrowValue[T]) place(lane, first, n int) []T {
	z.placed[lane] = narrowRow{first, n}
	return z.rows[lane*z.row:][:n]
}

// store puts the rows into the returned array, in their order in memory.
func (z *narrowValue[T]) store(data []byte) {
	for lane, to := range z.placed {
		row := z.rows[lane*z.row:][:to.n]
		if z.narrow != nil && to.n >= simd.ConvertLeast {
			z.narrow(data[to.first*z.size:][:to.n*z.size], row)
		} else if to.n > 0 {
			z.out(data, to.first, 1, bytes(row), 0, 1, to.n)
		}
	}
	clear(z.placed)
}

// scratch returns room for n cells of the array.
func (z *narrowValue[T]) scratch(n int) []byte {
	if len(z.cells) < n*z.size {
		z.cells = make([]byte, 2*n*z.size)
	}
	return z.cells[:n*z.size]
}

// initialTo does what filler.initialTo does, for cells in lanes.
func (z *narrowValue[T]) initialTo(f *filler, v int, q []int, lo, hi int, dst []byte, at0, stride int) {
	if lo > hi {
		return
	}
	cells := z.scratch(hi - lo + 1)
	f.initialTo(v, q, len(q)-1, lo, hi, cells, -lo, 1)
	z.in(dst, at0+lo*stride, stride, cells, 0, 1, hi-lo+1)
}
