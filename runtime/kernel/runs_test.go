package kernel

import (
	"math"
	"testing"
)

// TestSampling counts the repetitions of samples, and those that they stand for.
func TestSampling(t *testing.T) {
	for _, c := range []struct {
		s                 Sampling
		nested, lo, hi, n int
	}{
		{Sampling{}, 1, 1, 100, 1}, {Sampling{5, 36}, 1, 1, 100, 6}, {Sampling{5, 36}, 2, 1, 100, 6}, {Sampling{5, 36}, 8, 1, 100, 2},
		{Sampling{math.MaxInt, math.MaxInt}, 1, 1, 100, 100}, {Sampling{math.MaxInt, math.MaxInt}, 3, -5, 1000, 1006}, {Sampling{5, 36}, 1, 3, 2, 0},
	} {
		n, all, off := 0, 0, 0.0
		for at, runs := range c.s.Of(c.lo, c.hi, c.nested) {
			n++
			all += runs
			off += float64(at) * float64(runs)
		}
		// A cost in proportion to the number is right, but for half a number where no repetition is the middle one.
		if off -= float64(c.lo+c.hi) / 2 * float64(all); c.s.Each > 0 && math.Abs(off) > float64(all)/2 {
			t.Errorf("%v of %d..%d, %d nested: the numbers add up to %g too many", c.s, c.lo, c.hi, c.nested, off)
		}
		if n != c.n || all != max(0, c.hi-c.lo+1) {
			t.Errorf("%v of %d..%d, %d nested: %d stand for %d", c.s, c.lo, c.hi, c.nested, n, all)
		}
	}
}

// A runStep is a step of TestRuns: a nest, or a repeat from 1 to hi, or to the number of the repeat around it if hi is 0.
type runStep struct {
	varies bool
	index  int
	hi     int
	within []runStep
}

// TestRuns counts the runs of repeats inside of one another: all of them, and a sample that stands for as many.
func TestRuns(t *testing.T) {
	runs := Runs[*runStep]{
		Given: 1,
		Step: func(s *runStep) CountedStep[*runStep] {
			var within []*runStep
			for k := range s.within {
				within = append(within, &s.within[k])
			}
			return CountedStep[*runStep]{Nest: s.index, Repeat: within != nil, Index: s.index, Varies: s.varies || within != nil && s.hi == 0, Within: within}
		},
		Bounds: func(s *runStep, params []int) (lo, hi int) {
			if s.hi == 0 {
				return 1, params[s.index] // the number of the repeat around, whose index is less by one
			}
			return 1, s.hi
		},
	}
	plain, varying := runStep{index: 0}, runStep{index: 1, varies: true}
	for _, c := range []struct {
		step             runStep
		nested           int
		looked, standing [2]int // of both nests, if all that may differ is looked at
	}{
		{plain, 0, [2]int{1, 0}, [2]int{1, 0}},
		{varying, 1, [2]int{0, 1}, [2]int{0, 1}},
		{runStep{hi: 7, within: []runStep{plain}}, 0, [2]int{1, 0}, [2]int{7, 0}},
		{runStep{hi: 7, within: []runStep{plain, varying}}, 2, [2]int{7, 7}, [2]int{7, 7}},
		{runStep{hi: 4, within: []runStep{{index: 1, hi: 5, within: []runStep{plain}}}}, 0, [2]int{1, 0}, [2]int{20, 0}},
		{runStep{hi: 4, within: []runStep{{index: 1, hi: 5, within: []runStep{varying}}}}, 3, [2]int{0, 20}, [2]int{0, 20}},
		{runStep{hi: 6, within: []runStep{{index: 1, within: []runStep{plain}}}}, 2, [2]int{6, 0}, [2]int{21, 0}},
		{runStep{hi: 3, within: []runStep{plain, {index: 1, within: []runStep{varying}}}}, 3, [2]int{3, 6}, [2]int{3, 6}},
	} {
		steps := []*runStep{&c.step}
		if got := runs.Numbered(steps); got != c.nested {
			t.Errorf("%+v: %d repeats have runs that differ, want %d", c.step, got, c.nested)
		}
		var looked, standing [2]int
		runs.Each(Sampling{math.MaxInt, math.MaxInt}, steps, []int{9, 0, 0}, func(nest int, params []int, n int) {
			looked[nest]++
			standing[nest] += n
		})
		if looked != c.looked || standing != c.standing {
			t.Errorf("%+v: %v runs stand for %v, want %v for %v", c.step, looked, standing, c.looked, c.standing)
		}
	}
}
