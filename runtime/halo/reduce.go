package halo

import (
	"loopc/runtime/arith"
	"loopc/runtime/array"
)

// A Reduced is where the values of one reduction of the nest come together: those
// of a worker's iterations while it runs, of all iterations at the end.
type Reduced struct {
	// Value has one cell, and no dimensions: max, min and sums of integers so far;
	// a sum of floats at the end.
	Value array.View
	Exact *arith.Sum // a sum of floats so far; nil for others
}
