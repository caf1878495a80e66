package kernel

import (
	"iter"
	"math"
	"slices"
)

// The runs of the nests of a program are counted without running them: all, or a sample of the repetitions of its repeats.

// A Sampling says how many repetitions are looked at, instead of all: of each repeat, and of all repeats that are nested in one another.
// The zero Sampling looks at the first one, which stands for all.
type Sampling struct{ Each, Nested int }

// Weighed is the sample of repetitions that a Weighing looks at.
func Weighed() Sampling { return Sampling{5, 36} }

// Of yields a sample of the repetitions lo..hi of a repeat. Each is the middle one of some successive repetitions, and comes with
// their number. nested is how many repeats nested in one another are sampled, this one included.
func (s Sampling) Of(lo, hi, nested int) iter.Seq2[int, int] {
	return func(yield func(t, runs int) bool) {
		if s.Each == 0 {
			if lo <= hi {
				yield(lo, hi-lo+1)
			}
			return
		}
		most := math.Pow(float64(s.Nested), 1/float64(nested))
		stride := max(1, int(float64(hi-lo)/max(1, min(float64(s.Each), most))))
		for t := lo; t <= hi; t += stride {
			runs := min(stride, hi-t+1)
			if !yield(t+(runs-1)/2, runs) {
				return
			}
		}
	}
}

// Runs says what the steps of a program are, for counting. S is the type of steps.
type Runs[S any] struct {
	Given  int                                     // how many parameters there are before the numbers of repeats
	Step   func(S) CountedStep[S]                  // what a step is
	Bounds func(step S, params []int) (lo, hi int) // the first and the last number of a repeat
}

// A CountedStep is a run of nest Nest or, if Repeat is true, a repeat of the steps Within.
type CountedStep[S any] struct {
	Nest   int
	Repeat bool
	Index  int  // of the repeat, in the program
	Varies bool // with the numbers of repeats: the plan of the nest, or the numbers of the repeat
	Within []S
}

// Numbered returns how many repeats nested in one another, the one of the steps included, have runs that differ with their
// numbers; 0 if no run in steps differs.
func (r *Runs[S]) Numbered(steps []S) (nested int) {
	for _, s := range steps {
		step := r.Step(s)
		in := r.Numbered(step.Within)
		switch {
		case step.Repeat && (in > 0 || step.Varies):
			nested = max(nested, 1+in)
		case step.Varies:
			nested = max(nested, 1)
		}
	}
	return nested
}

// Each calls f for the runs of nests, if no repeat ends early, with their parameters and with a number of runs for which each
// stands: for all if they do not differ, and for several if there are more than sampled.
func (r *Runs[S]) Each(sampled Sampling, steps []S, params []int, f func(nest int, params []int, runs int)) {
	var walk func(steps []S, params []int, runs, around int)
	walk = func(steps []S, params []int, runs, around int) {
		for _, s := range steps {
			step := r.Step(s)
			if !step.Repeat {
				f(step.Nest, params, runs)
				continue
			}
			lo, hi := r.Bounds(s, params)
			nested, sampled := r.Numbered(step.Within), sampled
			if nested == 0 {
				sampled = Sampling{}
			}
			for t, times := range sampled.Of(lo, hi, around+nested) {
				params = slices.Clone(params)
				params[r.Given+step.Index] = t
				walk(step.Within, params, runs*times, around+1)
			}
		}
	}
	walk(steps, params, 1, 0)
}
