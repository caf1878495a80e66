package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A refusal says why two accesses have no finite set of distances.
type refusal struct {
	// lacks are the loops whose absence from the subscripts is the cause; nil if the subscripts
	// differ in kind.
	lacks []int
}

// refuse reports that x and w are not uniform. It reports each pair once, and an array whose
// subscripts lack loops once, because all its accesses have the same remedy.
func (a *analyzer) refuse(x, w access, dir direction, why *refusal) {
	cause := [2]int{min(x.key(), w.key()), max(x.key(), w.key())}
	if why.lacks != nil {
		cause = [2]int{-1, x.array}
	}
	fixed, moving := a.fixedWrite(x.array)
	if fixed >= 0 {
		cause = [2]int{-2, x.array} // all its accesses have the same remedy
	}
	if fixed < 0 && ofTwoPlaces(x, w) {
		cause = [2]int{-4 - min(x.stmt, w.stmt), max(x.stmt, w.stmt)}
	}
	behind := ""
	if fixed < 0 {
		if behind = a.behindInner(x.stmt, w.stmt); behind != "" {
			cause = [2]int{-3, 0} // all of them have the same remedy
		}
	}
	if a.refused[cause] {
		return
	}
	if a.refused[cause] = true; a.brief {
		a.diags = append(a.diags, diag.Diagnostic{Code: diag.NonUniform, At: x.at})
		return
	}
	verb := "reads"
	if x.read < 0 {
		verb = "writes"
	}
	message := fmt.Sprintf("%s %s cells that %s writes", a.text(x.array, x.subs), verb, a.text(w.array, w.subs))
	own := ""
	if behind == "" && why.lacks == nil {
		own, behind = a.ownCell(x, w)
	}
	switch proof := a.evidence(x, w, dir); {
	case own != "":
		message += own
	case proof != "":
		message += " at distances that vary: " + proof
	case why.lacks == nil:
		message += ", with subscripts of another kind: their distance may vary"
	default:
		message += " at distances that depend on the bounds"
	}
	d := diag.Diagnostic{Code: diag.NonUniform, At: x.at, Message: message}
	if x.key() != w.key() {
		d.Notes = append(d.Notes, diag.Note{At: w.at, Message: a.text(w.array, w.subs) + " is written here"})
	}
	if len(why.lacks) > 0 {
		var names []string
		for _, k := range why.lacks {
			names = append(names, a.nest.Loops[k].Name)
		}
		d.Notes = append(d.Notes, diag.Note{
			At:      a.nest.Arrays[x.array].Span,
			Message: fmt.Sprintf("%s has no dimension for %s", a.nest.Arrays[x.array].Name, strings.Join(names, " and ")),
		})
	}
	if fixed >= 0 {
		behind = a.chosenCell(fixed, moving, behind)
	}
	if d.Hint = a.uniform(x, w, behind, why.lacks); d.Hint != "" {
		d.Kind = diag.Advice
	}
	a.diags = append(a.diags, d)
}

// ofTwoPlaces reports whether two accesses of different statements stay at places of one dimension that differ unless parameters make them one,
// such as those of the two ends of a row: all accesses of both statements have the same remedy.
func ofTwoPlaces(x, w access) bool {
	if x.stmt == w.stmt {
		return false
	}
	for d := range x.subs {
		if !x.subs[d].HasIters() && !w.subs[d].HasIters() && !same(x.subs[d], w.subs[d]) {
			return true
		}
	}
	return false
}

// uniform returns the first advice that holds: one that is known already, or one for accesses without uniform distances.
func (a *analyzer) uniform(x, w access, known string, lacks []int) string {
	advice := []func() string{
		func() string { return known },
		func() string { return a.exchangedOf(x, w) },
		func() string {
			if lacks != nil {
				return ""
			}
			return a.fixedAdvice(x, w)
		},
		func() string { return a.reduced(x, w, lacks) },
		func() string { return a.swept(x.array, lacks) },
	}
	for _, f := range advice {
		if text := f(); text != "" {
			return text
		}
	}
	return ""
}

// swept returns advice for a loop within others, such as time, for which an array has no dimension, so that each cell would get
// all its values at once; "" for other loops.
func (a *analyzer) swept(array int, lacks []int) string {
	if len(lacks) != 1 || lacks[0] == 0 || !a.plain(lacks[0]) {
		return ""
	}
	for _, stmt := range a.nest.Assigns(array) {
		if slices.ContainsFunc(a.writing(stmt).subs, func(s ir.Affine) bool { return s.Iter(lacks[0]) != 0 }) {
			return ""
		}
	}
	l := &a.nest.Loops[lacks[0]]
	return fmt.Sprintf("the loop %[1]s = %[2]s before the others, if an iteration of %[1]s goes over all cells", l.Name, a.way(l, l.Lo[0], l.Hi[0]))
}

// reduced returns advice for a var outside of several inner loops that has their sum, maximum or minimum: the language says
// this as a reduction. It is "" for other statements.
func (a *analyzer) reduced(x, w access, lacks []int) string {
	s, ok := a.nest.Body[x.stmt].(*ir.Assign)
	if !ok || x.stmt != w.stmt || len(lacks) == 0 || !a.isVar(x.array) {
		return ""
	}
	own := func(e ir.Expr) bool {
		r, ok := e.(*ir.Read)
		return ok && r.Array == x.array
	}
	op := ""
	switch e := s.Expr.(type) {
	case *ir.Binary:
		if e.Op == ir.Add && (own(e.X) || own(e.Y)) {
			op = "sum"
		}
	case *ir.Call:
		if (e.Fn == ir.Max || e.Fn == ir.Min) && slices.ContainsFunc(e.Args, own) {
			op = e.Fn.String()
		}
	}
	if op == "" {
		return ""
	}
	advice := fmt.Sprintf("a reduction: let step = ... in this place, and reduce %s = %s(step) before the for", a.nest.Arrays[x.array].Name, op)
	if outer := lacks[0]; outer > 0 {
		advice += fmt.Sprintf(" of %s, within repeat for the loops around it", a.nest.Loops[outer].Name)
	}
	return advice
}

// isVar reports whether an array stands for a var of the source.
func (a *analyzer) isVar(array int) bool {
	line := a.nest.Arrays[array].Span.Line
	return line > 0 && line <= len(a.nest.Source) && strings.HasPrefix(strings.TrimSpace(a.nest.Source[line-1]), "var ")
}

// fixedWrite finds two statements that write an array: in some dimension, the subscript of the first is
// fixed, and that of the second moves with a loop and may have the same value. It returns -1 if there are
// none.
func (a *analyzer) fixedWrite(array int) (fixed, moving int) {
	writers := a.nest.Assigns(array)
	for _, f := range writers {
		for _, m := range writers {
			x, y := a.writing(f).subs, a.writing(m).subs
			for d := range x {
				p, okP := index(x[d])
				q, okQ := index(y[d])
				if okP && okQ && p < 0 && q >= 0 && a.meet(x[d], y[d]) {
					return f, m
				}
			}
		}
	}
	return -1, -1
}

// readsIn reports whether a statement has a read for which wanted returns true.
func readsIn(s ir.Stmt, wanted func(*ir.Read) bool) (found bool) {
	w, ok := s.(*ir.Assign)
	if ok {
		ir.Walk(w.Expr, func(e ir.Expr) {
			r, read := e.(*ir.Read)
			found = found || read && wanted(r)
		})
	}
	return found
}

// meet reports whether two subscripts may be equal in some iteration.
func (a *analyzer) meet(x, y ir.Affine) bool {
	where := a.space.iterations(0).Clone()
	a.space.in(where).addZero(minus(x, y))
	return !where.Empty()
}

// fixedAdvice returns advice if one of two accesses stays at one place in a dimension in which
// the other one moves with a loop; "" if there is no such dimension.
func (a *analyzer) fixedAdvice(x, w access) string {
	reduction, reduced := a.nest.Body[x.stmt].(*ir.Reduce)
	elsewhere := func(subs []ir.Affine, d int) []ir.Affine {
		return slices.Delete(slices.Clone(subs), d, d+1)
	}
	for d := range w.subs {
		read, okRead := index(x.subs[d])
		written, okWritten := index(w.subs[d])
		switch {
		case !okRead || !okWritten || (read < 0) == (written < 0):
		case written < 0 && x.read >= 0 && (a.ofComputed(w.stmt) || a.isWrittenOut(w, d)):
		case written < 0 && x.read >= 0:
			return fmt.Sprintf("give %s its value by init, or in a nest of its own before this one", a.text(w.array, w.subs))
		case read < 0 && reduced && w.subs[d].Const == 0 && a.text(x.array, elsewhere(x.subs, d)) == a.text(w.array, elsewhere(w.subs, d)):
			return fmt.Sprintf("what is wanted at one place only is chosen by select(%s == %s, %s, %s)",
				a.nest.Loops[written].Name, AffineText(a.nest, x.subs[d], nil), a.text(w.array, w.subs), neutral(reduction.Op, a.nest.Arrays[w.array].Elem))
		}
	}
	return ""
}

// A sighting is a distance found at an iteration.
type sighting struct {
	dist, at ir.Vec
}

// mostWork bounds the work done to explain the refusals of a nest: a unit is an iteration looked at for evidence, or an access
// and a write of its array, or a statement, in a nest that is analyzed on trial. Many accesses may be refused, each of which is
// tried with many changes. Refusals beyond that have neither evidence nor hints that need a trial.
const mostWork = 1 << 17

// affords reports whether an amount of work is left, and takes it.
func (a *analyzer) affords(work int) bool {
	a.work += work
	return a.work <= mostWork
}

// workOf is the work to analyze a nest on trial.
func workOf(n *ir.Nest) int {
	writers := make([]int, len(n.Arrays))
	for k := range n.Arrays {
		writers[k] = len(n.Assigns(k))
	}
	work := len(n.Body)
	for _, r := range n.Reads {
		work += 1 + writers[r.Array]
	}
	for _, count := range writers {
		work += count * count
	}
	return work
}

// Evidence is searched in spaces of at most maxPoints iterations, with parameters up to
// maxParam.
const (
	maxPoints = 4000
	maxParam  = 10
)

// evidence searches small spaces for two iterations at which the nearest write of w to the cell
// of x is at different distances: first in the given direction, then in the other one, which
// depends on the same bounds. It describes the two in words, or returns "".
func (a *analyzer) evidence(x, w access, dir direction) string {
	order := map[direction]string{backward: "before", forward: "after"}
	for _, dir := range []direction{dir, -dir} {
		for size := 3; size <= maxParam; size++ {
			params := make([]int, len(a.nest.Params))
			for k := range params {
				params[k] = size
			}
			seen := a.sightings(x, w, dir, params)
			for _, s := range seen {
				if !slices.Equal(s.dist, seen[0].dist) {
					return fmt.Sprintf("%v iterations %s (%s), %v %s (%s)",
						seen[0].dist, order[dir], iterationText(a.nest, seen[0].at),
						s.dist, order[dir], iterationText(a.nest, s.at))
				}
			}
		}
	}
	return ""
}

// sightings returns, for each iteration at which there is one, the distance of
// the nearest write of w to the cell of x.
func (a *analyzer) sightings(x, w access, dir direction, params []int) []sighting {
	if a.work > mostWork/2 { // the rest is for hints
		return nil
	}
	iterations := walk(a.nest, params)
	a.work += len(iterations)
	if dir == forward {
		slices.Reverse(iterations)
	}
	cell := func(y access, j ir.Vec) string {
		var key strings.Builder
		for _, s := range y.subs {
			fmt.Fprintf(&key, "%d ", s.Eval(params, j))
		}
		return key.String()
	}
	var seen []sighting
	written := map[string]ir.Vec{}
	for _, j := range iterations {
		here := cell(w, j)
		if a.space.follows(make(ir.Vec, len(j)), x, w, dir) {
			written[here] = j
		}
		if from, ok := written[cell(x, j)]; ok {
			dist := make(ir.Vec, len(j))
			for k := range j {
				dist[k] = int(dir) * (from[k] - j[k])
			}
			seen = append(seen, sighting{dist, j})
		}
		written[here] = j
	}
	return seen
}

// walk returns the iterations of n in order, the first maxPoints of them.
func walk(n *ir.Nest, params []int) []ir.Vec {
	var out []ir.Vec
	j := make(ir.Vec, n.Depth())
	var loop func(k int)
	loop = func(k int) {
		if k == n.Depth() {
			out = append(out, slices.Clone(j))
			return
		}
		lo, hi := n.Loops[k].Lo[0].Eval(params, j), n.Loops[k].Hi[0].Eval(params, j)
		for _, b := range n.Loops[k].Lo {
			lo = max(lo, b.Eval(params, j))
		}
		for _, b := range n.Loops[k].Hi {
			hi = min(hi, b.Eval(params, j))
		}
		// A loop may be long without running anything, so its trips are limited, too.
		step := n.Loops[k].Step()
		if step < 0 {
			lo, hi = hi, lo
		}
		for trips := 0; (hi-lo)*step >= 0 && trips <= maxPoints && len(out) < maxPoints; trips++ {
			j[k] = lo
			loop(k + 1)
			lo += step
		}
		j[k] = 0
	}
	loop(0)
	return out
}
