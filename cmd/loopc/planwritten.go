package main

import (
	"cmp"
	"os"
	"slices"

	"loopc/cmd/loopc/explain"
	"loopc/codegen"
	"loopc/ir"
	"loopc/transform/plan"
)

// weigh sets what the nests take as loops as they are written, if a run by these plans would choose
// these, and returns the time of all runs of nests; 0: the run chooses tiles.
func (c *planCommand) weigh(l *lowered, subjects []*explain.Subject) float64 {
	nests, plans, lowers, runs := []*ir.Nest{l.nest}, []*plan.Nest{l.plan}, []*ir.Lowered{l.lower}, []int{1}
	if p := l.several; p != nil {
		nests, plans, lowers = p.program.Nests, p.nests, p.lower
		runs = p.runs(subjects[0].Plan.Params)
	}
	if cmp.Or(c.Kernel, os.Getenv(kernelVariable)) != "" || runs == nil {
		return 0
	}
	var all codegen.Weighing
	each := make([]codegen.Weighing, len(nests))
	for k, s := range subjects {
		pace := codegen.Pace(nests[k], lowers[k], plans[k])
		all.Add(s.Plan, s.Asked, runs[k], pace, s.Machine, l.several != nil)
		each[k].Add(s.Plan, s.Asked, 1, pace, s.Machine, l.several != nil)
	}
	if !all.Written() {
		return 0
	}
	for k, s := range subjects {
		s.Loops, s.Tiles = each[k].Loops, each[k].Tiles
	}
	return all.Loops
}

// runs returns how often each nest runs, unless a repeat ends early; nil if what a nest does, or how
// often it runs, depends on the numbers of repeats.
func (p *loweredProgram) runs(params []int) []int {
	out := make([]int, len(p.nests))
	given := len(p.program.Params)
	numbered := slices.ContainsFunc(p.nests, func(n *plan.Nest) bool { return n.Numbers != nil })
	var add func(steps []ir.Step, times int)
	add = func(steps []ir.Step, times int) {
		for _, s := range steps {
			r := s.Repeat
			if r == nil {
				out[s.Nest] += times
				continue
			}
			numbered = numbered || slices.ContainsFunc(slices.Concat(r.Lo, r.Hi), func(a ir.Affine) bool { return len(a.Params) > given })
			lo, hi := r.Lo[0].Eval(params, nil), r.Hi[0].Eval(params, nil)
			for _, a := range r.Lo[1:] {
				lo = max(lo, a.Eval(params, nil))
			}
			for _, a := range r.Hi[1:] {
				hi = min(hi, a.Eval(params, nil))
			}
			add(r.Steps, times*max(0, hi-lo+1))
		}
	}
	add(p.program.Steps, 1)
	if numbered {
		return nil
	}
	return out
}
