package kernel

import (
	"loopc/runtime/arith"
	"loopc/runtime/array"
)

// Fields are the arrays of a run as one rank sees them, by their index in the nest. Given holds the arrays that the caller supplies (in,
// inout); Result receives the arrays that the run returns. All other entries are zero. Reduced is by the index of the reduction, and each
// kernel has its own. Floats are the float parameters, for kernels and workers: a run sets them from its program (sched.Program.With).
// Memory supplies the arrays that the loops as they are written have for themselves; nil: new memory. Looks counts the iterations of these
// loops between two checks whether the run must end; nil: they do not check. Within is about how many iterations of the nest are within one
// of its outermost loop.
type Fields struct {
	Given, Result []array.View
	Reduced       []Reduced
	Floats        []float64
	Memory        *array.Pool
	Looks         *Looks
	Within        int
}

// Looks counts iterations of nests, and repetitions of repeats, down to the next check whether the run must end.
type Looks struct {
	Left int          // iterations and repetitions until the check
	Look func() error // checks, and sets Left anew; an error ends the run
}

// Piece is the number of iterations of a nest of one loop that run together: before each piece, the loop asks whether a check is due. A
// piece must take much longer than that, and a run that is to end must not wait for it.
const Piece = 1 << 14

// Due is called before n iterations of an outermost loop. It reports whether the loop must call Looks.Look. Due must be inlined,
// because the loop's rows may be short.
func (f *Fields) Due(n int) bool { return f.Looks.past(n * f.Within) }

// past counts n iterations, and reports whether a check is due.
func (l *Looks) past(n int) bool {
	if l == nil {
		return false
	}
	l.Left -= n
	return l.Left < 0
}

// A Reduced accumulates the values of one reduction of the nest: of a worker's iterations while it runs, of all iterations at the end.
type Reduced struct {
	// Value has one cell and no dimensions: the max, min or sum of integers so far. A sum of floats is set at the end only.
	Value array.View
	Exact *arith.Sum   // sum of floats so far; nil for other reductions
	Place *arith.Place // of a max or min so far; nil for other reductions
}
