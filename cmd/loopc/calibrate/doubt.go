package calibrate

import (
	"fmt"
	"maps"

	"loopc/transform/plan"
)

// mostOff is the error beyond which figures are not to be relied upon, if more
// than one run in ten has it. On a machine that does nothing else, nine of ten
// runs are explained to 5 or 10 %.
const mostOff = 0.25

// Doubt says why the figures of m, which were fitted to the samples, are not to
// be relied upon; "" if nothing speaks against it.
func Doubt(m *plan.Machine, samples []*Sample) string {
	s := newTable(rowsOf(samples, m)).Summary
	if s.Most90 <= mostOff {
		return ""
	}
	return fmt.Sprintf("one run in ten differs by more than %s from what the figures say, so that the machine must have been busy", share(s.Most90))
}

// Merge puts into m what latest has and was not measured with the samples: other
// nests, other links, and how many ranks share a node. What m had of these is
// older.
func Merge(m, latest *plan.Machine, samples []*Sample) {
	measured := m.Kernels
	m.Kernels = maps.Clone(latest.Kernels)
	if m.Kernels == nil {
		m.Kernels = map[string]plan.Kernel{}
	}
	for _, nest := range nestsOf(samples) {
		m.Kernels[nest.Digest] = measured[nest.Digest]
	}
	m.Node = latest.Node
	for name, l := range latest.Links {
		switch name {
		case plan.LinkLocal, plan.LinkInproc, plan.LinkTCP:
		default:
			m.Links[name] = l
		}
	}
}
