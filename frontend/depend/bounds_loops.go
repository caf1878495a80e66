package depend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/lattice"
)

// Ranges of loops with which all accesses are within the bounds.

// loopsWithin returns ranges for the loops that must change so that all subscripts of the body are
// within the bounds, and the nest with them; "" if there are no such ranges, or if no loop needs to change.
// sameLength reports that every changed range is as long as now. Reads that conditions keep within the bounds need no change.
func (a *analyzer) loopsWithin() (changed *ir.Nest, text string, sameLength bool) {
	conditional := func(x access, _ int) bool { return x.read >= 0 && !a.guards[x.read].unconditional() }
	if slices.ContainsFunc(a.guards, func(g guard) bool { return !g.unconditional() }) {
		if changed, text, sameLength = a.loopsFor(conditional); text != "" && allWithin(changed, true) {
			return changed, text, sameLength
		}
	}
	return a.loopsFor(a.staysWithin)
}

// allWithin reports whether all subscripts of a nest are within the bounds, for all parameters, or, if byDefault, for their defaults,
// which count in inits anyway.
func allWithin(n *ir.Nest, byDefault bool) bool {
	t := newTrial(n)
	t.settled = func() bool {
		return slices.ContainsFunc(t.diags, func(x diag.Diagnostic) bool { return x.Code == diag.OutOfBounds }) ||
			slices.ContainsFunc(t.checks, func(x ir.Check) bool {
				return x.Code == diag.OutOfBounds && (!byDefault && !inInit(n, x) || holdsByDefault(n, x.Fails))
			})
	}
	t.checkAccesses()
	return !t.settled()
}

// newTrial returns the analyzer of a nest that a hint makes.
func newTrial(n *ir.Nest) *analyzer {
	a := newAnalyzer(n)
	a.trial, a.brief = true, true
	return a
}

// checkAccesses checks the bounds of all accesses, and nothing that needs more than the parts of reads.
func (a *analyzer) checkAccesses() {
	a.findGuards()
	a.findCongruences()
	a.findSources(&ir.Analysis{Reads: make([]ir.Resolution, len(a.nest.Reads)), Beyond: map[int]bool{}})
	a.checkBounds()
}

// holdsByDefault reports whether forms of parameters are at least 0 for their defaults. A parameter without one counts as any,
// and so does the number of a repeat, within its range.
func holdsByDefault(n *ir.Nest, forms []ir.Constraint) bool {
	return !slices.ContainsFunc(forms, func(f ir.Constraint) bool {
		most, known := greatestByDefault(n, ir.Affine{Const: f.Const, Params: f.Params})
		return known && most < 0
	})
}

// greatestByDefault is the greatest value of a form of parameters for their defaults and any numbers of repeats; false if the
// form has a parameter without a default, or a number with several bounds.
func greatestByDefault(n *ir.Nest, f ir.Affine) (most int, known bool) {
	for _, number := range slices.Backward(n.Numbers) { // the bounds of inner ones have outer ones
		c := f.Param(number.Param)
		ends := number.Hi
		if c < 0 {
			ends = number.Lo
		}
		if c == 0 {
			continue
		}
		if len(ends) != 1 {
			return 0, false
		}
		f.Params = slices.Clone(f.Params)
		f.Params[number.Param] = 0
		f = f.PlusTimes(c, ends[0])
	}
	most = f.Const
	for k, p := range n.Params {
		switch {
		case f.Param(k) == 0:
		case p.Default == nil:
			return 0, false
		default:
			most += f.Param(k) * *p.Default
		}
	}
	return most, true
}

// failing returns the forms that are at least 0 for the parameters with which a set has points; certain says that it has some
// whenever the whole has, and never that it has none.
func (a *analyzer) failing(where, whole *lattice.System) (fails []ir.Constraint, certain, never bool) {
	projection, always := a.always(where, whole)
	if projection.Never() {
		return nil, false, true
	}
	assumed := a.space.parameters(where.Columns() - a.space.params)
	for _, r := range projection.Rows() {
		if !assumed.Implies(r) {
			fails = append(fails, constraint(r, a.space.params, 0))
		}
	}
	return fails, always || len(fails) == 0, false
}

// staysWithin reports whether conditions keep subscript d of a read within the bounds, for the defaults of parameters.
func (a *analyzer) staysWithin(x access, d int) bool {
	if x.read < 0 || x.read >= len(a.guards) || a.guards[x.read].unconditional() {
		return false
	}
	return !a.leavesUnder(x, d, a.guards[x.read])
}

// leavesUnder reports whether subscript d of an access leaves the bounds somewhere where a guard holds, for the defaults of
// parameters.
func (a *analyzer) leavesUnder(x access, d int, where guard) bool {
	arr, inside := &a.nest.Arrays[x.array], a.space.iterations(0)
	for _, piece := range where {
		at := a.restricted(inside, piece)
		for _, beyond := range []ir.Affine{minus(arr.Lo[d], x.subs[d]), minus(x.subs[d], arr.Hi[d])} {
			beside := a.restricted(at, []ir.Constraint{plusConst(beyond, -1)})
			if beside.Empty() {
				continue
			}
			if fails, certain, never := a.failing(beside, a.evaluated(inside, piece)); !never && (certain || holdsByDefault(a.nest, fails)) {
				return true
			}
		}
	}
	return false
}

// loopsFor does what loopsWithin does, for the subscripts for which skip returns false.
func (a *analyzer) loopsFor(skip func(x access, d int) bool) (changed *ir.Nest, text string, sameLength bool) {
	var ranges []string
	n := *a.nest
	n.Loops = slices.Clone(n.Loops)
	changed, sameLength = &n, true
	for k := range a.nest.Loops {
		r, ok := a.roomOf(k, skip)
		if !ok {
			return changed, "", false
		}
		if !r.found || r.low <= 0 && r.high >= 0 {
			continue
		}
		l := &a.nest.Loops[k]
		low, high := max(0, r.low), min(0, r.high)
		if r.low == r.high {
			low, high = r.low, r.high
		}
		sameLength = sameLength && low == high
		n.Loops[k].Lo, n.Loops[k].Hi = []ir.Affine{plusConst(l.Lo[0], low)}, []ir.Affine{plusConst(l.Hi[0], high)}
		ranges = append(ranges, l.Name+" = "+a.way(l, plusConst(l.Lo[0], low), plusConst(l.Hi[0], high)))
	}
	switch len(ranges) {
	case 0:
		return changed, "", false
	case 1:
		return changed, "the loop " + ranges[0], sameLength
	}
	return changed, "the loops " + strings.Join(ranges, ", "), sameLength
}

// A room tells by how much the bounds of a loop must move so that the subscripts seen so far just
// reach the bounds of their arrays.
type room struct {
	low, high int
	found     bool // a subscript with the loop has been seen
}

// roomOf returns the room of a loop. ok is false if the room is not known, or if the bounds of
// another loop depend on this loop. It leaves out the subscripts for which skip returns true.
func (a *analyzer) roomOf(loop int, skip func(x access, d int) bool) (r room, ok bool) {
	if !a.plain(loop) || slices.ContainsFunc(a.nest.Loops, func(l ir.Loop) bool {
		return slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), func(f ir.Affine) bool { return loop < len(f.Iters) && f.Iters[loop] != 0 })
	}) {
		return r, false
	}
	for array := range a.nest.Arrays {
		for _, x := range a.accesses(array) {
			for d, sub := range x.subs {
				bounded := a.nest.Arrays[array].Boundary == nil || x.read < 0 || a.nest.Arrays[array].Boundary[d][0].String() == "*"
				if bounded && sub.Iter(loop) != 0 && !skip(x, d) && !a.narrow(&r, loop, array, d, sub) {
					return r, false
				}
			}
		}
	}
	return r, true
}

// narrow reduces r so that one more subscript stays within the bounds of its array. It returns
// false if it is not known how.
func (a *analyzer) narrow(r *room, loop, array, d int, sub ir.Affine) bool {
	arr, l := &a.nest.Arrays[array], &a.nest.Loops[loop]
	if loop >= len(sub.Iters) || sub.Iters[loop] == 0 {
		return true
	}
	if at, ok := index(sub); !ok || at != loop {
		return false
	}
	rest := minus(sub, iterator(loop, a.space.depth))
	low, known := beside(minus(arr.Lo[d], rest), l.Lo[0])
	high, also := beside(minus(arr.Hi[d], rest), l.Hi[0])
	if !known || !also {
		return false
	}
	if r.found {
		low, high = max(low, r.low), min(high, r.high)
	}
	*r = room{low, high, true}
	return true
}
