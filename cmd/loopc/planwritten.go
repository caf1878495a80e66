package main

import (
	"cmp"
	"os"
	"runtime"
	"slices"

	"loopc/cmd/loopc/explain"
	"loopc/codegen"
	"loopc/ir"
)

// weigh decides as a run by these plans does. If the run chooses the loops as they are written, weigh sets the times of
// the nests, and returns the time of all runs of nests; else it returns 0, and sets tiled if the program has a batch.
func (c *planCommand) weigh(l *lowered, subjects []*explain.Subject) float64 {
	if cmp.Or(c.Kernel, os.Getenv(kernelVariable)) != "" {
		return 0
	}
	nests, several := l.program.Nests, !l.single()
	batch := l.program.HasBatch()
	var all codegen.Weighing
	each := make([]codegen.Weighing, len(nests))
	loops, times := make([]codegen.Loops, len(nests)), make([]float64, len(nests))
	for k := range nests {
		loops[k] = codegen.AsLoops(nests[k], l.lower[k], l.nests[k], several, usableHere)
		loops[k].Looks, loops[k].Ranks = batch, batch && l.program.Divides()
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
		return 0
	}
	for k, s := range subjects {
		s.InArrays = loops[k].Fast(s.Plan)
		s.Loops, s.Tiles = each[k].Loops/max(1, times[k]), each[k].Tiles/max(1, times[k]) // of the mean run
	}
	return all.Loops
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
	var numbered func(steps []ir.Step) int // as of sched.Program
	numbered = func(steps []ir.Step) (nested int) {
		for _, s := range steps {
			r := s.Repeat
			if r == nil {
				if l.nests[s.Nest].Numbers != nil {
					nested = max(nested, 1)
				}
				continue
			}
			in := numbered(r.Steps)
			if in > 0 || r.Item != nil || slices.ContainsFunc(slices.Concat(r.Lo, r.Hi), func(a ir.Affine) bool { return len(a.Params) > given }) {
				nested = max(nested, 1+in)
			}
		}
		return nested
	}
	var walk func(steps []ir.Step, params []int, runs, around int)
	walk = func(steps []ir.Step, params []int, runs, around int) {
		for _, s := range steps {
			r := s.Repeat
			if r == nil {
				f(s.Nest, params, runs)
				continue
			}
			lo, hi := r.Lo[0].Eval(params, nil), r.Hi[0].Eval(params, nil)
			for _, a := range r.Lo[1:] {
				lo = max(lo, a.Eval(params, nil))
			}
			for _, a := range r.Hi[1:] {
				hi = min(hi, a.Eval(params, nil))
			}
			if r.Item != nil {
				lo = max(lo, hi)
			}
			nested, sampled := numbered(r.Steps), codegen.Weighed()
			if nested == 0 {
				sampled = codegen.Sampling{}
			}
			for t, times := range sampled.Of(lo, hi, around+nested) {
				params = slices.Clone(params)
				params[given+r.Index] = t
				walk(r.Steps, params, runs*times, around+1)
			}
		}
	}
	walk(l.program.Steps, params, 1, 0)
}
