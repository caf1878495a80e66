package nestrun

import (
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// asWritten returns the program as one whose loops run as they are written, and the plans that these
// replace. nil: they cannot.
func asWritten(prog *sched.Program, job Job) (*sched.Program, []*plan.Plan) {
	options := make([]plan.Options, len(prog.Parts()))
	for k := range options {
		options[k] = plan.Options{Ranks: 1, CPUs: 1}
	}
	plans, err := prog.PlanSteps(job.Params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		return plan.New(nest, params, options[k])
	})
	if err != nil {
		return nil, nil
	}
	free := cheap(prog)
	loops := free.Written(plans, options, nil)
	for k := range options {
		if loops.KernelName(k) != kernel.AsWritten {
			return nil, nil
		}
	}
	return loops, plans
}

// cheap returns the program with loops that seem to take no time, if they have a price.
func cheap(prog *sched.Program) *sched.Program {
	out := *prog
	out.Nests = nil
	for _, part := range prog.Nests {
		out.Nests = append(out.Nests, cheap(part))
	}
	out.Pace = min(prog.Pace, 1e-9)
	return &out
}
