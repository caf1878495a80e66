package depend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/lattice"
)

// resolve returns the writes that may be the last before x, or the next after it, the nearest
// first; each is taken by some iteration for some parameters. It leaves out writes that are not
// uniform, and reports them. If such a write is after a read, it returns nil without a report:
// values live at iterations, so a later write takes nothing from a read.
func (a *analyzer) resolve(x access, dir direction) []ir.Source {
	var all []ir.Source
	space := a.space.under(x.guard)
	writers := a.nest.Assigns(x.array)
	for _, stmt := range writers {
		w := a.writing(stmt)
		dists, why := a.candidates(x, w, dir)
		if why != nil {
			if dir == forward && x.read >= 0 {
				a.varies[x.read] = true
				return nil
			}
			a.refuse(x, w, dir, why)
			continue
		}
		for _, d := range dists {
			all = append(all, ir.Source{Stmt: stmt, Dist: d})
		}
	}
	if len(writers) < 2 {
		return all
	}
	a.sortNearest(all, dir)
	var kept []ir.Source
	for _, s := range all {
		taken := false
		space.outside(space.reach(dir, s.Dist), dir, distances(kept), func(*lattice.System) bool {
			taken = true
			return false
		})
		if taken {
			kept = append(kept, s)
		}
	}
	return kept
}

// maxDistances bounds the distances of one pair of accesses, and maxSteps the values of k that
// are tried to find them.
const (
	maxDistances = 16
	maxSteps     = 64
)

// candidates returns the distances d at which write w is the nearest write of its own statement
// to access x, nearest first. If the distances are not uniform, why says so.
func (a *analyzer) candidates(x, w access, dir direction) (dists []ir.Vec, why *refusal) {
	space := a.space.under(x.guard)
	line, verdict := a.match(x, w, dir)
	switch verdict {
	case disjoint:
		return nil, nil
	case unlike:
		if space.ordered(x, w, dir) {
			return nil, &refusal{}
		}
		return nil, nil
	}
	if !space.pin(line) {
		return nil, nil
	}
	switch {
	case len(line.open) == 0:
		if space.follows(line.dist, x, w, dir) && !a.idle(x, w, dir, line.dist) && !space.reach(dir, line.dist).Empty() {
			dists = append(dists, line.dist)
		}
		return dists, nil
	case len(line.open) == 1:
		return space.along(line, x, w, a)
	case space.ordered(x, w, dir):
		return nil, &refusal{lacks: line.open}
	}
	return nil, nil
}

// follows reports whether a write d iterations away from x lies on the right side of x, for the
// given direction: d, in steps of the loops, is lexicographically positive; or d is zero and
// the statements are in order. A statement reads before it writes.
func (s *space) follows(d ir.Vec, x, w access, dir direction) bool {
	if sign := s.sign(d); sign != 0 {
		return sign > 0
	}
	switch {
	case dir == backward:
		return w.stmt < x.stmt
	case x.read >= 0:
		return w.stmt >= x.stmt
	}
	return w.stmt > x.stmt
}

// sign returns the sign of the first nonzero entry of d, in steps of the loops.
func (s *space) sign(d ir.Vec) int {
	for k, x := range d {
		if x != 0 {
			return ir.Vec{x * s.step[k]}.Sign()
		}
	}
	return 0
}

// A line is the set of distances at which two accesses meet: an affine function of the number
// of steps along each open loop.
type line struct {
	dir   direction
	dist  ir.Vec // the distance if the steps along open loops are zero
	known []bool // loops whose distance is fixed
	// step[k][o] is the growth of the distance along loop k per step along the open loop o:
	// step[o][o] is 1, or -1 if o runs backward. Other entries are nonzero only if loop k has
	// one iteration that moves with an outer loop, such as i = t+1..t+1.
	step [][]int
	open []int
}

// settle derives step and open from dist and known.
func (s *space) settle(l *line) {
	l.step, l.open = make([][]int, s.depth), nil
	for k := range s.depth {
		l.step[k] = make([]int, s.depth)
		switch {
		case l.known[k]:
		case s.single[k] == nil:
			l.open = append(l.open, k)
			l.step[k][k] = s.step[k]
		default:
			l.dist[k], l.known[k] = 0, true
			for outer := range k {
				c := s.single[k].Iter(outer)
				l.dist[k] += c * l.dist[outer]
				for o, step := range l.step[outer] {
					l.step[k][o] += c * step
					l.known[k] = l.known[k] && l.step[k][o] == 0
				}
			}
		}
	}
}

// at returns the distance on a line with one open loop, k steps along it.
func (l *line) at(k int64) ir.Vec {
	d := slices.Clone(l.dist)
	for i := range d {
		d[i] += int(k) * l.step[i][l.open[0]]
	}
	return d
}

// hasParams reports whether a parameter has a coefficient other than zero.
func hasParams(f ir.Affine) bool {
	return slices.ContainsFunc(f.Params, func(c int) bool { return c != 0 })
}

// How the subscripts of two accesses relate.
type relation int

const (
	alike    relation = iota // they meet at the distances of a line
	disjoint                 // they never meet
	unlike                   // they may meet at varying distances
)

// match compares the subscripts of x and w dimension by dimension.
func (a *analyzer) match(x, w access, dir direction) (*line, relation) {
	n := a.nest.Depth()
	l := &line{dir: dir, dist: make(ir.Vec, n), known: make([]bool, n)}
	verdict := alike
	for d := range x.subs {
		diff := minus(x.subs[d], w.subs[d])
		loop, one := index(x.subs[d])
		switch {
		case diff.HasIters() || hasParams(diff) || !one:
			verdict = unlike
		case loop < 0:
			if diff.Const != 0 {
				return nil, disjoint
			}
		default:
			// x reaches at j the cell that w reaches at j + dir·d.
			dist := int(dir) * diff.Const
			if l.known[loop] && l.dist[loop] != dist {
				return nil, disjoint
			}
			l.dist[loop], l.known[loop] = dist, true
		}
	}
	return l, verdict
}

// index returns the loop that a subscript of the form loop + constant or loop + parameters
// uses, -1 if it uses none; ok is false for other forms.
func index(sub ir.Affine) (loop int, ok bool) {
	loop = -1
	for k, c := range sub.Iters {
		switch {
		case c == 0:
		case c == 1 && loop < 0:
			loop = k
		default:
			return -1, false
		}
	}
	return loop, true
}

// pin settles l and fixes the distances that have only one value. It returns false if no two
// iterations of J are on the line.
func (s *space) pin(l *line) bool {
	for {
		s.settle(l)
		sys := s.line(l)
		if sys.Empty() {
			return false
		}
		pinned := false
		for k, loop := range l.open {
			lo, hi, hasLo, hasHi := sys.Bounds(s.params + s.depth + k)
			if hasLo && hasHi && lo == hi {
				l.dist[loop], l.known[loop] = int(lo)*s.step[loop], true
				pinned = true
			}
		}
		if !pinned {
			return true
		}
	}
}

// line returns the system "j and j + dir·d lie in J" for the distances d of l. The steps along
// the open loops are the columns after j.
func (s *space) line(l *line) *lattice.System {
	sys := s.iterations(len(l.open))
	for _, c := range s.constraints {
		sys.Add(s.atLine(sys, c, l, 0))
	}
	return sys
}

// atLine returns a row for sys, a system of line: constraint c of J at iteration j + dir·d for the
// distances d of l. Along each open loop, back is the number of steps by which the distance is
// shortened.
func (s *space) atLine(sys *lattice.System, c ir.Constraint, l *line, back int) lattice.Row {
	r := s.at(sys, c, l.dir, l.dist)
	for k, o := range l.open {
		along := l.slope(c, o)
		r[s.params+s.depth+k] = int64(along)
		r[sys.Columns()] -= int64(along * back)
	}
	return r
}

// slope is the growth of constraint c, at j + dir·d, per step of the distance along an open loop.
func (l *line) slope(c ir.Constraint, open int) int {
	sum := 0
	for k := range l.step {
		sum += c.Iter(k) * l.step[k][open]
	}
	return int(l.dir) * sum
}

// along returns the distances at which w is the nearest write of its statement to x, if only
// the number k of steps along one loop is open: see the package comment for the method. The
// distances grow with k in the order of the loops, because k moves that loop and possibly inner
// ones.
func (s *space) along(l *line, x, w access, a *analyzer) ([]ir.Vec, *refusal) {
	loop := l.open[0]
	lo, _, hasLo, _ := s.line(l).Bounds(s.params + s.depth)
	if s.sign(l.dist[:loop]) < 0 {
		return nil, nil
	}
	first := lo
	if s.sign(l.dist[:loop]) == 0 {
		least := int64(0)
		if !s.follows(l.at(0), x, w, l.dir) || a.idle(x, w, l.dir, l.at(0)) {
			least = 1
		}
		first = least
		if hasLo {
			first = max(lo, least)
		}
	} else if !hasLo {
		// The nearest write is at the far end of the loop, at any distance.
		return nil, &refusal{lacks: l.open}
	}
	var dists []ir.Vec
	k := first
	for range maxSteps {
		if k == first && !s.exactly(l, k).Empty() || k > first && s.nearest(l, k, true) != nil {
			dists = append(dists, l.at(k))
		}
		if len(dists) > maxDistances {
			return nil, &refusal{lacks: l.open}
		}
		next := s.nearest(l, k+1, false)
		if next == nil {
			return dists, nil
		}
		k = *next
	}
	return nil, &refusal{lacks: l.open}
}

// atLeast returns the system of line l with a distance of at least k along the open loop.
func (s *space) atLeast(l *line, k int64) *lattice.System {
	sys := s.line(l)
	r := make(lattice.Row, sys.Columns()+1)
	r[s.params+s.depth], r[sys.Columns()] = 1, -k
	sys.Add(r)
	return sys
}

// exactly returns the system of line l with a distance of k along the open loop.
func (s *space) exactly(l *line, k int64) *lattice.System {
	sys := s.atLeast(l, k)
	r := make(lattice.Row, sys.Columns()+1)
	r[s.params+s.depth], r[sys.Columns()] = -1, k
	sys.Add(r)
	return sys
}

// nearest searches for iterations j whose nearest write on l is k steps away along the open
// loop: j + dir·d(k) lies in J and j + dir·d(k-1) does not. k must be at least from, or, if only
// is set, equal to from. nearest returns the least such k, or a lower bound of it; nil if there is
// none.
func (s *space) nearest(l *line, from int64, only bool) *int64 {
	kappa := s.params + s.depth
	sys := s.atLeast(l, from)
	if only {
		sys = s.exactly(l, from)
	}
	var least *int64
	for _, c := range s.constraints {
		if l.slope(c, l.open[0]) <= 0 {
			continue // grows with k: if it holds at k-1 it holds at k
		}
		part := sys.Without(s.atLine(sys, c, l, 1))
		if part.Empty() {
			continue
		}
		lo, _, hasLo, _ := part.Bounds(kappa)
		if !hasLo || lo < from {
			lo = from
		}
		if least == nil || lo < *least {
			least = &lo
		}
	}
	return least
}

// ordered reports whether some write of w may reach a cell that x reaches, on the right side of
// x. It compares the accesses at two independent iterations.
func (s *space) ordered(x, w access, dir direction) bool {
	sys := s.iterations(s.depth)
	atX, atW := s.in(sys), point{sys, s.params + s.depth}
	for _, c := range s.constraints {
		atW.add(c)
	}
	atX.meet(x.subs, atW, w.subs)
	if sys.Empty() {
		return false
	}
	for k := range s.depth {
		ahead := sys.Clone()
		exceed(ahead, atW.first+k, atX.first+k, int(dir)*s.step[k])
		if !ahead.Empty() {
			return true
		}
		equate(sys, atW.first+k, atX.first+k)
	}
	return s.follows(make(ir.Vec, s.depth), x, w, dir) && !sys.Empty()
}
