package sched

import (
	"loopc/runtime/halo"
	"loopc/transform/plan"
)

// Costs returns m with what is known of the kernel that prog chooses here, for
// params: built-in figures for lanes that are levels, and for rows of whole levels,
// where m was not measured with the nest. prog has one nest.
func (prog *Program) Costs(params []int, m *plan.Machine) *plan.Machine {
	chosen, err := prog.Choose("")
	if err != nil || len(params) != len(prog.Nest.Params) || m.Measured != "" || !halo.SuitsLevels(prog.Nest) {
		return m
	}
	if k, ok := chosen.Kernel(params, NewFields(prog.Nest)).(halo.LaneKernel); ok && k.Lanes() != nil {
		m = m.WithLevels(prog.Nest, k.Lanes().Count, max(1, k.Lanes().Chains))
	}
	if chosen.KernelName != Portable {
		m = m.WithRows(prog.Nest)
	}
	return m
}

// Part returns nest k of a program of several as a program of its own; the program
// itself, if it has one nest.
func (prog *Program) Part(k int) *Program {
	if prog.Nests == nil {
		return prog
	}
	return prog.Nests[k]
}
