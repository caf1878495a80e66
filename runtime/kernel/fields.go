package kernel

import (
	"loopc/runtime/arith"
	"loopc/runtime/array"
)

// Fields are the arrays of a run as one rank sees them, by their index in the nest. Given holds
// the arrays that the caller supplies (in, inout); Result receives the arrays that the run
// returns. All other entries are zero. Reduced is by the index of the reduction, and each
// kernel has its own. Floats are the float parameters, for kernels and workers: a run sets them
// from its program (sched.Program.With). Memory supplies the arrays that the loops as they are
// written have for themselves; nil: new memory. Looks counts the iterations of these loops between two checks whether the
// run must end; nil: they do not check.
type Fields struct {
	Given, Result []array.View
	Reduced       []Reduced
	Floats        []float64
	Memory        *array.Pool
	Looks         *Looks
}

// Looks counts iterations of outermost loops, and repetitions of repeats, down to the next check whether the run must end.
type Looks struct {
	Left int          // iterations and repetitions until the check
	Look func() error // checks, and sets Left anew; an error ends the run
}

// Look is called in each iteration of an outermost loop. It returns the error with which the run must end, nil if it continues.
func (f *Fields) Look() error {
	if f.Looks == nil {
		return nil
	}
	if f.Looks.Left--; f.Looks.Left >= 0 {
		return nil
	}
	return f.Looks.Look()
}

// A Reduced accumulates the values of one reduction of the nest: of a worker's iterations while
// it runs, of all iterations at the end.
type Reduced struct {
	// Value has one cell and no dimensions: the max, min or sum of integers so far. A sum of
	// floats is set at the end only.
	Value array.View
	Exact *arith.Sum   // sum of floats so far; nil for other reductions
	Place *arith.Place // of a max or min so far; nil for other reductions
}
