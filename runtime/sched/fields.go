package sched

import (
	"fmt"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// NewFields returns the empty fields of a nest, with its reductions over no iterations. Give and Take fill them.
func NewFields(nest *plan.Nest) kernel.Fields {
	n := len(nest.Arrays)
	return kernel.Fields{Given: make([]array.View, n), Result: make([]array.View, n), Reduced: newReduced(nest)}
}

// Give sets the content of array k, which is in or inout, to cells in C order; their number must be that of the array. The cells may share
// memory with the array's own result, but with no other result.
func Give[T array.Number](fields *kernel.Fields, nest *plan.Nest, params []int, k int, cells []T) error {
	a := &nest.Arrays[k]
	lo, extent, err := a.Extent(params)
	if err != nil {
		return err
	}
	v, err := array.Of(cells, lo, top(lo, extent))
	if err != nil {
		return fmt.Errorf("array %s of %s: %w", a.Name, nest.Name, err)
	}
	if err := apart(fields, nest, k, &v, false); err != nil {
		return err
	}
	fields.Given[k] = v
	return nil
}

// Take sets the Go slice that receives the result of array k: the cells of the array, or of the part that the nest declares as its result.
// If the Go slice is nil, Take allocates it, or returns an error if this process may not use so much memory: Go ends a process that runs
// out of it. Otherwise the slice must have the length of the result, and share no memory with the slices of other arrays.
func Take[T array.Number](fields *kernel.Fields, nest *plan.Nest, params []int, k int, cells *[]T) error {
	a := &nest.Arrays[k]
	if _, _, err := a.Extent(params); err != nil {
		return err
	}
	lo, extent := a.SliceExtent(params)
	if *cells == nil {
		need, limit := plan.BytesOf(append([]int{a.Size}, extent...)...), MemoryLimit()
		if limit > 0 && need > limit {
			return fmt.Errorf("result of array %s of %s: takes %d MiB, but the limit here is %d MiB; use smaller parameters", a.Name, nest.Name, need>>20, limit>>20)
		}
		*cells = make([]T, need/int64(a.Size))
	}
	v, err := array.Of(*cells, lo, top(lo, extent))
	if err != nil {
		return fmt.Errorf("result of array %s of %s: %w", a.Name, nest.Name, err)
	}
	if err := apart(fields, nest, k, &v, true); err != nil {
		return err
	}
	fields.Result[k] = v
	return nil
}

// Update does what Give and Take do, for an inout array in one Go slice. It reports an error once.
func Update[T array.Number](fields *kernel.Fields, nest *plan.Nest, params []int, k int, cells []T) error {
	if err := Give(fields, nest, params, k, cells); err != nil {
		return err
	}
	return Take(fields, nest, params, k, &cells)
}

// apart returns an error if v, the given content or the result of array k, shares memory with another array of fields and one of the two is
// written: ranks write results while other ranks still read. An inout array may be given in the slice that receives its result.
func apart(fields *kernel.Fields, nest *plan.Nest, k int, v *array.View, written bool) error {
	for j := range nest.Arrays {
		for _, w := range []struct {
			view    *array.View
			written bool
		}{{&fields.Given[j], false}, {&fields.Result[j], true}} {
			begin, end := v.Overlap(w.view)
			if begin == end || !written && !w.written || j == k && (written == w.written || end-begin == max(v.Cells(), w.view.Cells())) {
				continue
			}
			first, last := w.view.Overlap(v)
			return fmt.Errorf("arrays %s and %s overlap in memory: %s[%d:%d] is %s[%d:%d]; what %s writes needs a slice of its own",
				nest.Arrays[k].Name, nest.Arrays[j].Name, nest.Arrays[k].Name, begin, end, nest.Arrays[j].Name, first, last, nest.Name)
		}
	}
	return nil
}

func top(lo, extent []int) []int {
	hi := make([]int, len(lo))
	for k := range lo {
		hi[k] = lo[k] + extent[k] - 1
	}
	return hi
}

// SameSlice reports whether two slices are the same cells.
func SameSlice[T array.Number](x, y []T) bool {
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}
