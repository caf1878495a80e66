package halo

import (
	"loopc/runtime/element"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// Lanes may hold results in a type that is wider than that of their array (kernel.LaneValue.Elem). Rows of
// lanes and planes then have cells of the wider type, and everything else has cells of the array's:
// blocks, faces, given arrays, returned ones. Cells are converted where they are copied between both.

// A narrowValue says how results of a value are converted; nil: they need not be. The conversion changes
// no number, because lanes hold numbers of the array's type.
type narrowValue struct {
	in, out element.Converter // to the type in which lanes hold them, and from it
	size    int               // bytes of a cell of the array
	cells   []byte            // scratch: cells of the array
}

func newNarrowValue(p *plan.Plan, l *kernel.Temporal, v int) *narrowValue {
	x := l.Values[v]
	if x.At < 0 || x.Elem == "" {
		return nil
	}
	elem, wide := element.Named(p.Nest.Arrays[p.Nest.Values[v].Array].Elem), element.Named(x.Elem)
	return &narrowValue{in: elem.ToLanes(wide), out: elem.FromLanes(wide), size: elem.Size}
}

// scratch returns room for n cells of the array.
func (z *narrowValue) scratch(n int) []byte {
	if len(z.cells) < n*z.size {
		z.cells = make([]byte, 2*n*z.size)
	}
	return z.cells[:n*z.size]
}

// initialTo does what filler.initialTo does, for cells in lanes.
func (z *narrowValue) initialTo(f *filler, v int, q []int, lo, hi int, dst []byte, at0, stride int) {
	if lo > hi {
		return
	}
	cells := z.scratch(hi - lo + 1)
	f.initialTo(v, q, lo, hi, cells, -lo, 1)
	z.in(dst, at0+lo*stride, stride, cells, 0, 1, hi-lo+1)
}
