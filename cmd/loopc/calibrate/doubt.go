package calibrate

import (
	"fmt"
	"maps"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Figures are doubtful, or useless, if predictions of more than one run in ten are off by more
// than this part. Quick calibrations, which explain their runs less well than thorough ones,
// pass.
const (
	doubtfulError = 0.25
	uselessError  = 0.5
)

// doubtfulShare is a fraction of the samples. If all runs of more samples were disturbed, the
// figures are doubtful, even if errors are small: the runs may all have been slowed down alike.
const doubtfulShare = 0.25

// Doubt says why the figures of m, which were fitted to the samples, are doubtful, "" if
// they are not, and whether they are useless.
func Doubt(m *cost.Machine, samples []*Sample) (why string, useless bool) {
	s := newTable(rowsOf(samples, m)).Summary
	disturbed := 0
	for _, x := range samples {
		if x.Disturbed {
			disturbed++
		}
	}
	switch {
	case s.Most90 > doubtfulError:
		return fmt.Sprintf("one run in ten differs by more than %s from what the figures say: the machine was busy", share(s.Most90)), s.Most90 > uselessError
	case float64(disturbed) > doubtfulShare*float64(len(samples)):
		return fmt.Sprintf("others used CPUs during every run of %d of the %d configurations: the machine was busy, and the figures may be too high", disturbed, len(samples)), false
	}
	return "", false
}

// Merge replaces those figures of m that the samples did not measure by those of latest:
// other nests and their trials, other links, and the number of ranks per node.
func Merge(m, latest *cost.Machine, samples []*Sample) {
	measured := m.Kernels
	m.Kernels = maps.Clone(latest.Kernels)
	if m.Kernels == nil {
		m.Kernels = map[string]cost.Kernel{}
	}
	for _, key := range keysOf(samples) {
		m.Kernels[key] = measured[key]
	}
	m.Trials = slices.DeleteFunc(slices.Clone(latest.Trials), func(t cost.Trial) bool {
		return slices.ContainsFunc(nestsOf(samples), func(n *plan.Nest) bool { return n.Digest == t.Nest })
	})
	m.Node = latest.Node
	for name, l := range latest.Links {
		switch name {
		case cost.LinkLocal, cost.LinkInproc, cost.LinkTCP:
		default:
			m.Links[name] = l
		}
	}
}
