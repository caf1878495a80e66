package plan

import "slices"

// The numbers of repeats. A nest in a repeat runs once for each number, and its space, cells and reads may
// depend on the number. One plan serves all runs: its tiles, workers and edges are those of a space that holds
// the spaces of all numbers, and its boxes hold what any run reads or writes. At gives the plan of one run.

// An interval is the values that a parameter has: one, or the numbers of a repeat.
type interval struct{ lo, hi int }

// intervals returns the values of the parameters; ok is false if there is no run.
func (n *Nest) intervals(params []int) (all []interval, ok bool) {
	for _, v := range params {
		all = append(all, interval{v, v})
	}
	ok = true
	first := len(params) - len(n.Numbers)
	for k, bounds := range n.Numbers {
		if bounds[0] == nil {
			continue // of a repeat around other nests: this nest does not depend on the number
		}
		var s interval
		for i, f := range bounds[0] {
			if least, _ := f.values(all); i == 0 || least > s.lo {
				s.lo = least
			}
		}
		for i, f := range bounds[1] {
			if _, most := f.values(all); i == 0 || most < s.hi {
				s.hi = most
			}
		}
		all[first+k] = s
		ok = ok && s.lo <= s.hi
	}
	return all, ok
}

// values returns the least and the greatest value of a form without its iterators.
func (a Affine) values(params []interval) (least, most int) {
	least, most = a.Const, a.Const
	for k, c := range a.Params {
		least += min(c*params[k].lo, c*params[k].hi)
		most += max(c*params[k].lo, c*params[k].hi)
	}
	return least, most
}

// At returns the plan of a run with these parameters, among them the numbers of repeats.
func (p *Plan) At(params []int) *Plan {
	now := *p
	now.Params = params
	if p.Nest.Numbers == nil {
		return &now
	}
	now.intervals = nil
	for _, v := range params {
		now.intervals = append(now.intervals, interval{v, v})
	}
	now.Space = newSpace(p.Nest, now.intervals)
	now.Empty = p.Empty || !now.Space.Shrink(slices.Clone(p.Lo), slices.Clone(p.Hi)) || now.Space.contradictory()
	return &now
}

// several reports whether the plan is for several runs, whose spaces differ.
func (p *Plan) several() bool {
	return p.Nest.Numbers != nil && slices.ContainsFunc(p.intervals, func(s interval) bool { return s.lo < s.hi })
}

// failing returns parameters for which check c fails, nil if there are none. They are params, with the numbers of a run in which c fails.
func (n *Nest) failing(c *Check, params []int) []int {
	first := len(params) - len(n.Numbers)
	s := &Space{Depth: len(n.Numbers)} // of the numbers for which the check fails
	add := func(f Affine, sign int) {
		q := inequality{C: sign * f.Const, A: make([]int, s.Depth)}
		for k, x := range f.Params {
			if k < first {
				q.C += sign * x * params[k]
			} else {
				q.A[k-first] += sign * x
			}
		}
		s.Ineq = append(s.Ineq, q)
	}
	numbered := false
	for _, f := range c.Fails {
		add(f, 1)
		numbered = numbered || slices.ContainsFunc(s.Ineq[len(s.Ineq)-1].A, func(a int) bool { return a != 0 })
	}
	if !numbered {
		if slices.ContainsFunc(s.Ineq, func(q inequality) bool { return q.C < 0 }) {
			return nil
		}
		return params
	}
	intervals, ok := n.intervals(params)
	if !ok {
		return nil
	}
	lo, hi := make([]int, s.Depth), make([]int, s.Depth)
	for k, bounds := range n.Numbers {
		lo[k], hi[k] = intervals[first+k].lo, intervals[first+k].hi
		for end, sign := range [2]int{1, -1} {
			for _, f := range bounds[end] { // sign·(number - f) ≥ 0
				add(f, -sign)
				s.Ineq[len(s.Ineq)-1].A[k] += sign
			}
		}
	}
	at := s.point(lo, hi)
	if at == nil {
		return nil
	}
	return slices.Concat(params[:first], at)
}

// point returns a point of the space in the box lo..hi, nil if there is none.
func (s *Space) point(lo, hi []int) []int {
	lo, hi = slices.Clone(lo), slices.Clone(hi)
	if !s.Shrink(lo, hi) {
		return nil
	}
	if s.BoxInside(lo, hi) {
		return lo
	}
	longest := 0
	for k := range lo {
		if hi[k]-lo[k] > hi[longest]-lo[longest] {
			longest = k
		}
	}
	if lo[longest] == hi[longest] {
		return nil
	}
	half, next := slices.Clone(hi), slices.Clone(lo)
	half[longest] = lo[longest] + (hi[longest]-lo[longest])/2
	next[longest] = half[longest] + 1
	if at := s.point(lo, half); at != nil {
		return at
	}
	return s.point(next, hi)
}
