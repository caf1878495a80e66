package depend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/lattice"
)

// A witness is one iteration of a set, as evidence for the message about the set.

// always projects where, the set of a fault, to the parameters, without rows that others imply, and reports whether the fault occurs
// whenever the set whole is not empty.
func (a *analyzer) always(where, whole *lattice.System) (projection *lattice.System, always bool) {
	return alwaysFor(where, whole, func(column int) bool { return column < a.space.params })
}

// forSomeNumber reports whether a fault in where occurs for some numbers of the repeats around the nest, whenever the set whole is
// not empty. Numbers that the caller gives, of the items of a batch, count as parameters.
func (a *analyzer) forSomeNumber(where, whole *lattice.System) bool {
	repeated := map[int]bool{}
	for _, x := range a.nest.Numbers {
		if x.Item || x.Batch {
			return false
		}
		repeated[x.Param] = true
	}
	if len(repeated) == 0 {
		return false
	}
	_, always := alwaysFor(where, whole, func(column int) bool { return column < a.space.params && !repeated[column] })
	return always
}

// alwaysFor does what always does, for a projection to the given columns.
func alwaysFor(where, whole *lattice.System, params func(column int) bool) (projection *lattice.System, always bool) {
	projection, always = where.Project(params)
	if projection.Never() {
		return projection, false
	}
	condition, _ := whole.Project(params)
	projection = projection.Minimal()
	for _, r := range projection.Rows() {
		always = always && condition.Implies(r)
	}
	return projection, always
}

// ends are the bounds of each iterator of an access: the bounds at which it begins, then those at which it ends.
type ends [][2][]ir.Affine

// loopEnds are the ends of the loops of the nest.
func (a *analyzer) loopEnds() (list ends) {
	for _, l := range a.nest.Loops {
		if l.Backward {
			list = append(list, [2][]ir.Affine{l.Hi, l.Lo})
		} else {
			list = append(list, [2][]ir.Affine{l.Lo, l.Hi})
		}
	}
	return list
}

// cellEnds are the ends of the subscripts that an init names.
func cellEnds(arr *ir.Array) (list ends) {
	for d := range arr.Lo {
		list = append(list, [2][]ir.Affine{{arr.Lo[d]}, {arr.Hi[d]}})
	}
	return list
}

// At begins the witness of a message.
const At = ": at "

// witness says what a subscript is at one iteration of the set where, as ": at i = N it is N+1". Each iterator of the
// subscript is at one of its ends there, for all parameters for which whole is not empty; "" without such an iteration.
func (a *analyzer) witness(sub ir.Affine, where, whole *lattice.System, list ends, names []string) string {
	where = where.Clone()
	var at []string
	value := ir.Affine{Const: sub.Const, Params: sub.Params}
	fixed := make([]*ir.Affine, len(list))
	for k := range list {
		if sub.Iter(k) == 0 {
			continue
		}
		fixed[k] = a.endWithin(where, whole, k, list[k], fixed)
		if fixed[k] == nil {
			return ""
		}
		a.space.in(where).addZero(minus(iterator(k, len(list)), *fixed[k]))
		at = append(at, names[k]+" = "+AffineText(a.nest, *fixed[k], nil))
		value = value.PlusTimes(sub.Iter(k), *fixed[k])
	}
	if len(at) == 0 {
		return ""
	}
	return At + strings.Join(at, ", ") + " it is " + AffineText(a.nest, value, nil)
}

// numberWitness does what witness does, for the number of a repeat in a subscript without iterators: at its first or last value.
func (a *analyzer) numberWitness(sub ir.Affine, where, whole *lattice.System) string {
	at := a.numbers(sub)
	if at < 0 || sub.HasIters() {
		return ""
	}
	x := a.nest.Numbers[at]
	for _, end := range []ir.Affine{x.Lo[0], x.Hi[0]} {
		number := ir.Affine{Params: make([]int, x.Param+1)}
		number.Params[x.Param] = 1
		trial := where.Clone()
		a.space.in(trial).addZero(minus(number, end))
		if a.forSomeNumber(trial, whole) {
			return At + a.nest.Params[x.Param].Name + " = " + AffineText(a.nest, end, nil) + " it is " + AffineText(a.nest, plusConst(end, sub.Const), nil)
		}
	}
	return ""
}

// withoutMade returns subscripts without loops of one value that the source does not have: lowering puts them into the second of
// two equal subscripts.
func (a *analyzer) withoutMade(subs []ir.Affine) []ir.Affine {
	out := slices.Clone(subs)
	for d, sub := range subs {
		loop, ok := index(sub)
		if !ok || loop < 0 || !a.plain(loop) || !same(a.nest.Loops[loop].Lo[0], a.nest.Loops[loop].Hi[0]) {
			continue
		}
		l := &a.nest.Loops[loop]
		if line := l.Span.Line; line >= 1 && line <= len(a.nest.Source) {
			text := []rune(a.nest.Source[line-1])
			if first := min(l.Span.Col-1, len(text)); !strings.HasPrefix(string(text[first:]), l.Name) {
				out[d] = l.Lo[0].PlusTimes(1, ir.Affine{Const: sub.Const, Params: sub.Params})
			}
		}
	}
	return out
}

// endWithin returns an end of iterator k at which the set where has an iteration, for all parameters for which whole is not
// empty; nil without such an end. outer has the values of the iterators further outside.
func (a *analyzer) endWithin(where, whole *lattice.System, k int, both [2][]ir.Affine, outer []*ir.Affine) *ir.Affine {
	for _, side := range both {
		for _, end := range side {
			f := ir.Affine{Const: end.Const, Params: end.Params}
			known := true
			for l, c := range end.Iters {
				if c != 0 && (l >= k || outer[l] == nil) {
					known = false
				} else if c != 0 {
					f = f.PlusTimes(c, *outer[l])
				}
			}
			trial := where.Clone()
			a.space.in(trial).addZero(minus(iterator(k, len(outer)), f))
			if _, always := a.always(trial, whole); known && always {
				return &f
			}
		}
	}
	return nil
}
