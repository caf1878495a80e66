package ir

import "slices"

// Divides reports whether ranks that exchange nothing can share the items of the batches of p: all repeats are in batches, no
// step behind a batch reads what its items have left, and the last item leaves the results of reductions.
func (p *Program) Divides() bool {
	batches := false
	for at, step := range p.Steps {
		r := step.Repeat
		if r == nil {
			continue
		}
		if batches = true; !r.Batch || p.leavesResults(r.Steps, false) {
			return false
		}
		inside, later := NestsOf(r.Steps), NestsOf(p.Steps[at+1:])
		for _, k := range later {
			if slices.ContainsFunc(p.Nests[k].Floats, func(f FloatParam) bool { return f.Of != nil && slices.Contains(inside, f.Of.Nest) }) {
				return false
			}
		}
		for a := range p.Arrays {
			written := slices.ContainsFunc(inside, func(k int) bool { return len(p.Nests[k].Assigns(a)) > 0 })
			used := slices.ContainsFunc(later, func(k int) bool { return p.Nests[k].Arrays[a].Role != Internal })
			if written && (used || p.Arrays[a].Out != nil) {
				return false
			}
		}
	}
	return batches
}

// leavesResults reports whether steps have a nest with reductions that perhaps does not run. perhaps says that the steps
// themselves perhaps do not run.
func (p *Program) leavesResults(steps []Step, perhaps bool) bool {
	return slices.ContainsFunc(steps, func(s Step) bool {
		if s.Repeat == nil {
			return perhaps && len(p.Nests[s.Nest].Reduces()) > 0
		}
		return p.leavesResults(s.Repeat.Steps, perhaps || s.Repeat.Item == nil)
	})
}

// NestsOf returns the nests of steps, in their order, also of those within repeats.
func NestsOf(steps []Step) (all []int) {
	for _, s := range steps {
		if s.Repeat != nil {
			all = append(all, NestsOf(s.Repeat.Steps)...)
		} else {
			all = append(all, s.Nest)
		}
	}
	return all
}
