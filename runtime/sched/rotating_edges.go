package sched

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// An edge is all cells of a slot at one distance beyond a bound of an array. A boundary gives them the content of other cells of the slot.
type edge struct {
	to, from int   // positions in the slot: of the edge's first cell, and of the cell whose content this one gets
	n, by    []int // numbers of cells and strides, for all other dimensions, the innermost last
	size     int   // of a cell
}

// inner returns the position in a slot of the first cell within the bounds.
func inner(below, stride []int) (at int) {
	for m, c := range below {
		at += c * stride[m]
	}
	return at
}

// addEdges adds the edges of an array, those of the last dimension first: edges of earlier dimensions contain cells of these.
func (a *rotated) addEdges(arr *plan.Array, in *kernel.Rotating, stride, params []int) {
	var n, by []int // of the later dimensions, with their exterior cells
	least, extent, _ := arr.Extent(params)
	for m := len(arr.Boundary) - 1; m >= 0; m-- {
		if m == in.Dim {
			continue
		}
		e := edge{n: n, by: by, size: arr.Size}
		inside := a.origin - inner(in.Below[m+1:], stride[m+1:]) // the first cell within the bounds of dimension m and earlier ones
		for x := m - 1; x >= 0; x-- {
			if x != in.Dim {
				e.n, e.by = append([]int{extent[x]}, e.n...), append([]int{stride[x]}, e.by...)
			}
		}
		for x := -in.Below[m]; x < extent[m]+in.Above[m]; x++ {
			from := arr.Boundary[m].Cell(least[m]+x, least[m], least[m]+extent[m]-1) - least[m]
			if from != x && from >= 0 && from < extent[m] {
				e.to, e.from = inside+x*stride[m], inside+from*stride[m]
				a.edges = append(a.edges, e)
			}
		}
		n, by = append([]int{in.Below[m] + extent[m] + in.Above[m]}, n...), append([]int{stride[m]}, by...)
	}
}

// copyEdges gives the exterior cells of a level their content. All other cells of the level have theirs.
func (r *rotating) copyEdges(level int) {
	slot := r.slot(level) * r.cells
	for k := range r.arrays {
		for _, e := range r.arrays[k].edges {
			copyBox(r.arrays[k].data, slot+e.to, e.by, r.arrays[k].data, slot+e.from, e.by, e.n, e.size)
		}
	}
}

// copyBox copies n cells along each dimension, with strides toBy of the copy and by of the source.
func copyBox(dst []byte, to int, toBy []int, src []byte, from int, by, n []int, size int) {
	switch len(n) {
	case 0:
		array.Copy(dst, to, 1, src, from, 1, 1, size)
	case 1:
		array.Copy(dst, to, toBy[0], src, from, by[0], n[0], size)
	default:
		for k := range n[0] {
			copyBox(dst, to+k*toBy[0], toBy[1:], src, from+k*by[0], by[1:], n[1:], size)
		}
	}
}
