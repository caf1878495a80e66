package sched

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// The items of a batch do not depend on one another. Where the loops run as they are written, each CPU takes the next item
// and computes it alone, with parameters, memory and reductions of its own. Items with the most iterations come first.

// leastShared is the least predicted time, in seconds, of a program whose items CPUs share.
const leastShared = 20e-6

// sharedNests are the nests that run as items of batches whose functions CPUs may call for one item each. within says that
// the steps are those of such a batch.
func sharedNests(steps []Step, within bool) map[int]bool {
	all := map[int]bool{}
	for _, s := range steps {
		if s.Repeat == nil {
			all[s.Nest] = within
			continue
		}
		for k, shared := range sharedNests(s.Repeat.Steps, within || s.Repeat.Batch && s.Repeat.Sequential != nil) {
			all[k] = shared
		}
	}
	return all
}

// sharesItems reports whether CPUs share the items of a batch. The last item must have the last results of reductions:
// a repeat that runs nothing would leave those of another item.
func (s *sequence) sharesItems(r *Repeat) bool {
	return s.prog.cpus > 1 && s.prog.weighed.Loops > leastShared && !s.leavesResults(r.Steps, false)
}

// leavesResults reports whether steps have a nest with reductions that may not run. within says that the steps may not run.
func (s *sequence) leavesResults(steps []Step, within bool) bool {
	return slices.ContainsFunc(steps, func(x Step) bool {
		if x.Repeat == nil {
			return within && len(s.nests[x.Nest].Reduced) > 0
		}
		return s.leavesResults(x.Repeat.Steps, within || x.Repeat.Item == nil)
	})
}

// An itemSize is an item of a batch and its number of iterations.
type itemSize struct {
	number int
	points int64
}

// shareItems runs a batch, for the items lo..hi, on several CPUs.
func (s *sequence) shareItems(step Step, lo, hi int) error {
	if err := s.between(); err != nil {
		return err
	}
	r, at := step.Repeat, s.given+step.Repeat.Index
	items, all := s.items[:0], int64(0)
	for t := lo; t <= hi; t++ {
		s.params[at] = t
		points := s.count(r.Steps, 1)
		items, all = append(items, itemSize{t, points}), all+points
	}
	s.items, s.repeats[r.Index] = items, len(items)
	slices.SortStableFunc(items, func(x, y itemSize) int { return cmp.Compare(y.points, x.points) })
	cpus := min(s.prog.cpus, len(items))
	for len(s.helpers) < cpus {
		s.helpers = append(s.helpers, s.helper())
	}
	for _, h := range s.helpers {
		h.ctx = s.ctx
		copy(h.params, s.params)
		h.take(s)
	}
	var next atomic.Int64
	errs := make([]error, cpus)
	s.crew.do(cpus, func(k int) {
		h := s.helpers[k]
		for errs[k] == nil {
			i := int(next.Add(1)) - 1
			if i >= len(items) {
				return
			}
			if errs[k] = h.repeat(step, items[i].number, items[i].number); items[i].number == hi {
				s.take(h) // no other CPU does
			}
		}
	})
	s.done += all
	return cmp.Or(errs...)
}

// helper returns a sequence that runs items of s on another CPU.
func (s *sequence) helper() *sequence {
	h := &sequence{prog: s.prog, given: s.given, params: slices.Clone(s.params), fields: s.fields, arrays: s.arrays, sizes: s.sizes, all: 1}
	h.repeats, h.runs = make([]int, len(s.repeats)), make([]int, len(s.runs))
	for k, part := range s.prog.Parts() {
		h.nests = append(h.nests, h.bind(k, part))
		var r *inArrays
		if s.inArrays[k] != nil {
			alone := *s.plans[k]
			alone.CPUs = 1
			r = newInArrays(part, &alone, h.params, h.nests[k])
		}
		h.inArrays = append(h.inArrays, r)
	}
	h.repeatable()
	return h
}

// take takes the results of reductions that another sequence has.
func (s *sequence) take(of *sequence) {
	for k := range s.nests {
		for i := range s.nests[k].Reduced {
			copy(s.nests[k].Reduced[i].Value.Data, of.nests[k].Reduced[i].Value.Data)
		}
	}
}
