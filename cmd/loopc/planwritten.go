package main

import (
	"cmp"
	"runtime"
	"slices"

	"loopc/cmd/loopc/explain"
	"loopc/codegen"
	"loopc/ir"
)

// weigh decides as a run by these plans does. If the run chooses the loops as they are written, weigh sets the times of
// the nests, and returns the time of all runs of nests; else it returns 0, and sets tiled if the program has a batch. tiles is the
// time of all runs in tiles, with what begins and ends each of them, as a run counts it; 0: that takes long to predict.
//
// Errors: the user asks for these loops, and they cannot replace tiles.
func (c *planCommand) weigh(l *lowered, subjects []*explain.Subject) (written, tiles float64, err error) {
	nests, several := l.program.Nests, !l.single()
	batch, forced := l.program.HasBatch(), forcedKernel(c.Kernel)
	all := codegen.Weighing{Asked: subjects[0].Asked.Written}
	each := make([]codegen.Weighing, len(nests))
	for k := range each {
		each[k].Asked = all.Asked
	}
	loops, times := make([]codegen.Loops, len(nests)), make([]float64, len(nests))
	for k := range nests {
		loops[k] = codegen.AsLoops(nests[k], l.lower[k], l.nests[k], usable(forced))
		if forced != "" && loops[k].Front != nil {
			loops[k].Front.Narrow = nil // a run keeps the kernel that the user has named
		}
		loops[k].Named, loops[k].Ranks = forced != "" && !several, batch && l.program.Divides()
		if nests[k].InBatch() {
			loops[k].CPUs = cmp.Or(subjects[k].Asked.CPUs*subjects[k].Plan.Ranks, runtime.GOMAXPROCS(0))
		}
	}
	add := func(k int, params []int, runs int) {
		if batch && beginsItems(l.program, nests[k]) {
			return // the loops do not run
		}
		s := subjects[k]
		p := s.Plan.At(params)
		all.Add(p, s.Asked, runs, loops[k], s.Machine, several)
		times[k] += float64(runs)
		each[k].Add(p, s.Asked, runs, loops[k], s.Machine, several)
	}
	l.eachRun(subjects[0].Plan.Params, add)
	if !all.Written() {
		c.tiled = ""
		if batch {
			c.tiled = all.Tiled()
		}
		if subjects[0].Asked.Written {
			return 0, 0, usagef("--tile none: the loops cannot run as they are written: %s", all.Tiled())
		}
		return 0, all.TiledSeconds(), nil
	}
	for k, s := range subjects {
		s.InArrays = loops[k].Fast(s.Plan)
		s.Loops, s.Tiles = each[k].Loops/max(1, times[k]), each[k].Tiles/max(1, times[k]) // of the mean run
	}
	return all.Loops, all.TiledSeconds(), nil
}

// beginsItems reports whether a nest outside of batches fills an array that only items use (ir.Array.Item). A run of loops skips
// such a nest: see sched.
func beginsItems(p *ir.Program, n *ir.Nest) bool {
	return !n.InBatch() && slices.ContainsFunc(p.Arrays, func(a ir.Array) bool {
		return a.Item > 0 && slices.ContainsFunc(n.Arrays, func(own ir.Array) bool { return own.Name == a.Name && own.Role != ir.Internal })
	})
}

// eachRun calls f for each run of a nest that a launch weighs: with its parameters, and with the number of runs for
// which it stands.
func (l *lowered) eachRun(params []int, f func(nest int, params []int, runs int)) {
	given := len(l.program.Params)
	beyond := func(a ir.Affine) bool { return len(a.Params) > given }
	counts := codegen.Runs[ir.Step]{
		Given: given,
		Step: func(s ir.Step) codegen.CountedStep[ir.Step] {
			r := s.Repeat
			if r == nil {
				return codegen.CountedStep[ir.Step]{Nest: s.Nest, Varies: l.nests[s.Nest].Numbers != nil}
			}
			varies := r.Item != nil || slices.ContainsFunc(r.Lo, beyond) || slices.ContainsFunc(r.Hi, beyond)
			return codegen.CountedStep[ir.Step]{Repeat: true, Index: r.Index, Varies: varies, Within: r.Steps}
		},
		Bounds: func(s ir.Step, params []int) (lo, hi int) {
			r := s.Repeat
			lo, hi = r.Lo[0].Eval(params, nil), r.Hi[0].Eval(params, nil)
			for _, a := range r.Lo[1:] {
				lo = max(lo, a.Eval(params, nil))
			}
			for _, a := range r.Hi[1:] {
				hi = min(hi, a.Eval(params, nil))
			}
			if r.Item != nil {
				lo = max(lo, hi)
			}
			return lo, hi
		},
	}
	counts.Each(codegen.Weighed(), l.program.Steps, params, f)
}
