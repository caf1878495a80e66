package calibrate

import (
	"maps"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Merge copies from latest to m the figures that the samples did not measure: those of other nests with
// their trials, those of links other than local, inproc and tcp, and the number of ranks per node.
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
