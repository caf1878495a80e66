package kernel

import (
	"loopc/runtime/arith"
	"loopc/runtime/array"
)

// Fields are the arrays of a run as one rank sees them, by their index in the
// nest: Given holds what the caller supplies (in, inout), Result takes what is
// given back. Other entries are zero. Reduced is by the index of the reduction: a
// kernel has one of its own.
type Fields struct {
	Given, Result []array.View
	Reduced       []Reduced
}

// A Reduced is where the values of one reduction of the nest come together: those
// of a worker's iterations while it runs, of all iterations at the end.
type Reduced struct {
	// Value has one cell, and no dimensions: max, min and sums of integers so far;
	// a sum of floats at the end.
	Value array.View
	Exact *arith.Sum // a sum of floats so far; nil for others
}
