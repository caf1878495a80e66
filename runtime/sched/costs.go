package sched

import (
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Costs returns m with the built-in figures of the kernel that prog chooses here for params:
// for temporal vectorization, for rows in skewed storage, and for unroll-and-jam of the
// portable kernel. Figures that were measured with the nest stay. prog has one nest.
func (prog *Program) Costs(params []int, m *cost.Machine) *cost.Machine {
	chosen, err := prog.Choose("")
	if err != nil || len(params) != len(prog.Nest.Params) || m.Measured != "" {
		return m
	}
	if chosen.Kernel.Name == kernel.Portable {
		return m.With(prog.Nest, cost.Kernel{Rows: chosen.Kernel.Rows, Across: plan.AcrossRows})
	}
	if !prog.Nest.InitialOnly() {
		return m
	}
	if l := chosen.Kernel.Temporal; l != nil {
		m = m.With(prog.Nest, cost.Kernel{Rows: l.Count * max(1, l.Streams), Lanes: l.Count, Across: plan.AcrossLevels, Lines: l.Streaming != nil})
	}
	return m.With(prog.Nest, cost.Kernel{Across: plan.AlongRow})
}
