package sched

import (
	"math"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// WrittenWays returns programs that run the loops of prog as they are written, whatever that costs: one in Go, and one for
// each kernel that can compute the rows of such loops. plans are the plans in tiles that they do without. There are no such
// programs if some loops run in tiles only.
func (prog *Program) WrittenWays(params []int) (all []*Program, plans []*plan.Plan) {
	options := make([]plan.Options, len(prog.Parts()))
	for k := range options {
		options[k] = plan.Options{Ranks: 1, CPUs: 1}
	}
	plans, err := prog.PlanSteps(params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		return plan.New(nest, params, options[k])
	})
	if err != nil {
		return nil, nil
	}
	// add adds a program if its loops run as written, and a kernel computes their rows exactly if rows is set.
	add := func(of *Program, rows bool) {
		loops, err := of.Written(plans, options, nil)
		if err != nil {
			return
		}
		if loops.weighed != nil {
			loops.weighed.Tiles = math.Inf(1)
		}
		byKernel := false
		for k := range options {
			name := loops.KernelName(k)
			if name == loops.Parts()[k].Kernel.Name {
				return
			}
			byKernel = byKernel || name != kernel.AsWritten
		}
		if byKernel == rows {
			all = append(all, loops)
		}
	}
	add(cheap(prog), false)
	for _, name := range prog.Kernels() {
		if name != kernel.Portable && (!prog.chosen || name == prog.Kernel.Name) {
			add(cheapRows(prog, name), true)
		}
	}
	return all, plans
}

// cheap returns the program with loops in Go that seem to take no time, so that Written chooses them. Loops without a
// price cannot run as they are written.
func cheap(prog *Program) *Program {
	out := *prog
	out.Nests = nil
	for _, part := range prog.Nests {
		out.Nests = append(out.Nests, cheap(part))
	}
	out.Pace = min(prog.Pace, 1e-9)
	return &out
}

// cheapRows returns the program with the named kernel, whose rows on entire arrays seem to take no time, where it computes such rows.
func cheapRows(prog *Program, name string) *Program {
	out := *prog
	out.Nests, out.Versions = nil, nil
	for _, part := range prog.Nests {
		out.Nests = append(out.Nests, cheapRows(part, name))
	}
	out.Pace = min(prog.Pace, 1e-9)
	for _, v := range prog.Versions {
		if v.Name == name {
			if v.Cycles > 0 && prog.InArrays && prog.Pace > 0 {
				v.Cycles, out.Pace = 1e-9, 1e4
			}
			if v.Front != nil && prog.Pace > 0 {
				front := *v.Front
				front.Cycles, out.Pace = 1e-9, 1e4
				v.Front = &front
			}
			out.Versions = []kernel.Version{v}
		}
	}
	return &out
}
