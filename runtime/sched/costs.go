package sched

import "loopc/transform/plan/cost"

// Costs returns m with the built-in figures of the kernel that prog chooses here for params.
// Figures that were measured with the nest stay. prog has one nest.
func (prog *Program) Costs(params []int, m *cost.Machine) *cost.Machine {
	chosen, err := prog.Choose("")
	if err != nil || len(params) != len(prog.Nest.Params) || m.Measured != "" {
		return m
	}
	return chosen.fit(params).Kernel.Figures(m, prog.Nest)
}

// fit returns prog with the version of its kernel that takes the least time for params. A program whose kernel was named keeps it.
func (prog *Program) fit(params []int) *Program {
	if !prog.free {
		return prog
	}
	out := *prog
	out.free = false
	out.Kernel = prog.Kernel.Fittest(prog.inGo, prog.Nest, params)
	return &out
}
