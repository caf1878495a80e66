package sched

import (
	"fmt"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/transform/plan"
)

// NewFields returns the empty fields of a nest, for Give and Take to fill, with
// its reductions over no iterations.
func NewFields(nest *plan.Nest) halo.Fields {
	n := len(nest.Arrays)
	return halo.Fields{Given: make([]array.View, n), Result: make([]array.View, n), Reduced: newReduced(nest)}
}

// Give makes cells, in C order, the content of array k, which is in or inout.
// The length must be that of the array.
func Give[T array.Number](fields *halo.Fields, nest *plan.Nest, params []int, k int, cells []T) error {
	a := &nest.Arrays[k]
	lo, extent, err := a.Extent(params)
	if err != nil {
		return err
	}
	v, err := array.Of(cells, lo, top(lo, extent))
	if err != nil {
		return fmt.Errorf("array %s: %w", a.Name, err)
	}
	fields.Given[k] = v
	return nil
}

// Take makes *cells take what is given back of array k: the whole array, or its
// slice. A nil slice is allocated; another must have the length of the result.
func Take[T array.Number](fields *halo.Fields, nest *plan.Nest, params []int, k int, cells *[]T) error {
	a := &nest.Arrays[k]
	if _, _, err := a.Extent(params); err != nil {
		return err
	}
	lo, extent := a.SliceExtent(params)
	if *cells == nil {
		n := 1
		for _, e := range extent {
			n *= e
		}
		*cells = make([]T, n)
	}
	v, err := array.Of(*cells, lo, top(lo, extent))
	if err != nil {
		return fmt.Errorf("result of array %s: %w", a.Name, err)
	}
	fields.Result[k] = v
	return nil
}

func top(lo, extent []int) []int {
	hi := make([]int, len(lo))
	for k := range lo {
		hi[k] = lo[k] + extent[k] - 1
	}
	return hi
}
