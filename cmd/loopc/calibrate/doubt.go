package calibrate

import (
	"fmt"
	"maps"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Errors beyond which figures are to be doubted, and not to be relied upon, if
// more than one run in ten has them. A quick calibration explains its runs less
// well than a thorough one.
const (
	doubtfulError = 0.25
	uselessError  = 0.5
)

// doubtfulShare is the part of the samples of which every run may be disturbed before the
// figures are to be doubted: they may explain runs well that were slowed down alike.
const doubtfulShare = 0.25

// Doubt says what speaks against the figures of m, which were fitted to the
// samples, "" if nothing does; and whether they are useless.
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

// Merge copies from latest into m what was not measured with the samples: other nests,
// trials of these, other links, and how many ranks share a node. It replaces what m had
// of these, which is older.
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
