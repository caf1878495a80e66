package halo

import (
	"loopc/runtime/array"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// initialTo writes the initial content at locations lo..hi of the line through q along coordinate x to every
// stride-th cell of dst, where at0 is the position of location 0. A location has content if its cell is in
// the array, or if the array has a boundary, which says whose content it has instead.
func (f *filler) initialTo(v int, q []int, x, lo, hi int, dst []byte, at0, stride int) {
	val := &f.plan.Nest.Values[v]
	if f.plan.Nest.Arrays[val.Array].Boundary != nil && lo <= hi {
		in, end := lo, hi
		for m := range val.Cell {
			at, c := f.arrays.cells[v][m].across(q, x)
			in, end = walk.Clip(at, c, f.arrays.least[val.Array][m], f.arrays.most[val.Array][m], in, end)
		}
		if in > end {
			in, end = hi+1, hi
		}
		f.beyond(v, q, x, lo, in-1, dst, at0, stride)
		f.beyond(v, q, x, end+1, hi, dst, at0, stride)
		lo, hi = in, end
	}
	f.initialAlong(v, q, x, lo, hi, dst, at0, stride)
}

// initialAlong writes the initial content at locations lo..hi of the line through q along coordinate x to every stride-th cell of dst,
// where at0 is the position of location 0. Locations whose cell is not in the array stay as they are.
func (f *filler) initialAlong(v int, q []int, x, lo, hi int, dst []byte, at0, stride int) {
	p := f.plan
	val := &p.Nest.Values[v]
	arr := &p.Nest.Arrays[val.Array]
	given := arr.Initial == plan.Given
	view := &f.fields.Given[val.Array]
	from, step, dim, by, simple := 0, 0, -1, 1, true
	for m := range val.Cell {
		at, c := f.arrays.cells[v][m].across(q, x)
		var least, most int
		if given {
			least, most = view.Lo[m], view.Hi[m]
			from += (at - least) * view.Stride[m]
			step += c * view.Stride[m]
		} else {
			least, most = f.arrays.least[val.Array][m], f.arrays.most[val.Array][m]
		}
		if c != 0 {
			// If the line moves along one array index only, by one up or down, a single call of Init suffices.
			simple = simple && dim < 0 && (c == 1 || c == -1)
			dim, by = m, c
		}
		f.cell[m] = at
		lo, hi = walk.Clip(at, c, least, most, lo, hi)
	}
	if lo > hi {
		return
	}
	to := at0 + lo*stride
	switch {
	case given:
		array.Copy(dst, to, stride, view.Data, from+lo*step, step, hi-lo+1, arr.Size)
	case arr.Initial == plan.Computed && simple:
		if dim >= 0 && by > 0 {
			f.cell[dim] += lo
		} else if dim >= 0 { // from the lowest cell on, which is at the last location
			f.cell[dim] -= hi
			to, stride = at0+hi*stride, -stride
		}
		f.kernel.Init(val.Array, f.cell[:len(val.Cell)], dim, hi-lo+1, dst, to, stride)
	case arr.Initial == plan.Computed:
		for k := lo; k <= hi; k++ {
			for m := range val.Cell {
				at, c := f.arrays.cells[v][m].across(q, x)
				f.cell[m] = at + c*k
			}
			f.kernel.Init(val.Array, f.cell[:len(val.Cell)], -1, 1, dst, to+(k-lo)*stride, 1)
		}
	}
}

// beyond does what initialTo does, for locations whose cells are beyond the bounds of an array with a boundary. It skips content that this
// rank has not been given: nobody reads it.
func (f *filler) beyond(v int, q []int, x, lo, hi int, dst []byte, at0, stride int) {
	a := f.plan.Nest.Values[v].Array
	arr, view := &f.plan.Nest.Arrays[a], &f.fields.Given[a]
	cell := f.cell[:len(arr.Lo)]
cells:
	for y := lo; y <= hi; y++ {
		from := 0
		for m := range cell {
			at, c := f.arrays.cells[v][m].across(q, x)
			least, most := f.arrays.least[a][m], f.arrays.most[a][m]
			cell[m] = arr.Boundary[m].Cell(at+c*y, least, most)
			if arr.Initial == plan.Given {
				least, most = view.Lo[m], view.Hi[m]
				from += (cell[m] - least) * view.Stride[m]
			}
			if cell[m] < least || cell[m] > most {
				continue cells
			}
		}
		if arr.Initial == plan.Given {
			array.Copy(dst, at0+y*stride, 1, view.Data, from, 1, 1, arr.Size)
		} else if arr.Initial == plan.Computed {
			f.kernel.Init(a, cell, -1, 1, dst, at0+y*stride, 1)
		}
	}
}
