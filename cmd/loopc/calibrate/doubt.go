package calibrate

import (
	"fmt"

	"loopc/transform/plan/cost"
)

// Figures are doubtful if more than one prediction in ten has a relative error of more than this. Quick calibrations
// pass, though they explain their runs less well than thorough ones.
const doubtfulError = 0.25

// doubtfulShare is the fraction of samples without an undisturbed run above which figures are
// doubtful, even if errors are small: the runs may all have been slowed down alike.
const doubtfulShare = 0.25

// Doubt says why the figures of m, which were fitted to the samples, are doubtful; "" if they are
// not. Plans by doubtful figures may be worse than plans by the built-in ones.
func Doubt(m *cost.Machine, samples []*Sample) (why string) {
	s := newTable(rowsOf(samples, m)).Summary
	disturbed := 0
	for _, x := range samples {
		if x.Disturbed {
			disturbed++
		}
	}
	switch {
	case s.Decile9 > doubtfulError:
		return fmt.Sprintf("one run in ten differs by more than %s from what the figures say: the machine was busy", percentage(s.Decile9))
	case float64(disturbed) > doubtfulShare*float64(len(samples)):
		return fmt.Sprintf("others used CPUs during every run of %d of the %d configurations: the machine was busy, and the figures may be too high", disturbed, len(samples))
	}
	return ""
}
