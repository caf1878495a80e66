package sched

import (
	"loopc/runtime/halo"
	"loopc/transform/plan"
)

// Costs returns m with what is known of the kernel that prog chooses here, for
// params: built-in figures for lanes that are levels, for rows of whole levels, and for
// rows that the portable kernel computes together, where m was not measured with the
// nest. prog has one nest.
func (prog *Program) Costs(params []int, m *plan.Machine) *plan.Machine {
	chosen, err := prog.Choose("")
	if err != nil || len(params) != len(prog.Nest.Params) || m.Measured != "" {
		return m
	}
	if chosen.KernelName == Portable {
		return m.WithTogether(prog.Nest, chosen.kernelRows)
	}
	if !halo.SuitsLevels(prog.Nest) {
		return m
	}
	if k, ok := chosen.Kernel(params, NewFields(prog.Nest)).(halo.LaneKernel); ok && k.Lanes() != nil {
		m = m.WithLevels(prog.Nest, k.Lanes().Count, max(1, k.Lanes().Chains), k.Lanes().Lined != nil)
	}
	return m.WithRows(prog.Nest)
}

// Part returns nest k of a program of several as a program of its own; the program
// itself, if it has one nest.
func (prog *Program) Part(k int) *Program {
	if prog.Nests == nil {
		return prog
	}
	return prog.Nests[k]
}
