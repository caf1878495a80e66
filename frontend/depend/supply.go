package depend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/lattice"
)

// A fault is a set of iterations, or of cells, that must be empty for every value of the
// parameters.
type fault struct {
	where *lattice.System // its first columns are the parameters
	diag  diag.Diagnostic
}

// report makes a diagnostic if the fault occurs whenever the set whole is not empty, for a subscript beyond the bounds
// at some numbers of the repeats around the nest. If the fault
// depends on the parameters, it makes a check at launch instead. It returns true for a
// diagnostic.
//
// If the projection of the fault to the parameters is not exact, the check may be too strict;
// it never misses a fault.
func (a *analyzer) report(f fault, whole *lattice.System) bool {
	fails, certain, never := a.failing(f.where, whole)
	if never {
		return false
	}
	if certain || f.diag.Code == diag.OutOfBounds && a.forSomeNumber(f.where, whole) {
		a.diags = append(a.diags, f.diag)
		return true
	}
	a.checks = append(a.checks, ir.Check{Fails: fails, Code: f.diag.Code, Message: f.diag.Message, Hint: f.diag.Hint, At: f.diag.At})
	return false
}

// checkBounds checks every subscript against the declared bounds: of the body over J, of init
// expressions over the array's cells, and of slices.
func (a *analyzer) checkBounds() {
	names := loopNames(a.nest)
	inside := a.space.iterations(0)
	a.inBody = true
	for _, s := range a.nest.Body {
		if w, ok := s.(*ir.Assign); ok {
			a.checkSubscripts(w.Array, w.Subs, w.Span, domain{inside, inside}, names, nil)
		}
	}
	for id, r := range a.nest.Reads {
		for _, part := range a.parts[id] {
			where := domain{part.sys, part.sys}
			if a.nest.Arrays[r.Array].Boundary == nil {
				where.whole = a.evaluated(inside, part.access.guard)
			}
			a.checkSubscripts(r.Array, part.access.subs, r.At, where, names, nil)
		}
	}
	a.inBody = false
	a.checkConstants()
	for k := range a.nest.Arrays {
		arr := &a.nest.Arrays[k]
		if arr.Init != nil {
			box := a.box(arr)
			guarded(nil, arr.Init.Expr, func(r *ir.Read, g guard) {
				for _, piece := range a.within(g, box) {
					a.checkSubscripts(r.Array, r.Subs, r.At, domain{a.restricted(box, piece), a.evaluated(box, piece)}, arr.Init.Names, arr)
				}
			})
		}
		a.checkSlice(k)
	}
}

// checkSlice checks the fixed dimensions of an array's returned slice.
func (a *analyzer) checkSlice(k int) {
	arr := &a.nest.Arrays[k]
	fixed := make([]ir.Affine, len(arr.Lo))
	for d, at := range arr.Out {
		if at != nil {
			fixed[d] = *at
			a.checkSubscript(k, d, fixed, arr.OutSpan, domain{a.space.parameters(0), a.space.parameters(0)}, nil, nil)
		}
	}
}

// Slices checks the slices of live-out arrays, which no single nest returns. It returns checks
// for the launch, and errors that hold for all parameters.
func Slices(n *ir.Nest, arrays []ir.Array) ([]ir.Check, []diag.Diagnostic) {
	whole := *n
	whole.Arrays = arrays
	a := newAnalyzer(&whole)
	for k := range arrays {
		a.checkSlice(k)
	}
	return sortedChecks(a.checks), a.diags
}

// Subscripts returns the checks of n's subscripts for the launch.
func Subscripts(n *ir.Nest) []ir.Check {
	a := newTrial(n)
	a.checkAccesses()
	return sortedChecks(a.checks)
}

// Subscript checks that dimension d of an array, at which all accesses of n have the given subscript, has this cell: see
// Slices.
func Subscript(n *ir.Nest, array, d int, sub ir.Affine) ([]ir.Check, []diag.Diagnostic) {
	a := newTrial(n)
	inside := a.space.iterations(0)
	subs := make([]ir.Affine, d+1)
	subs[d] = sub
	at := n.Body[n.Assigns(array)[0]].(*ir.Assign).Span
	a.checkSubscript(array, d, subs, at, domain{inside, inside}, nil, nil)
	return a.checks, a.diags
}

// box returns the system over the parameters and indices of an array that describes its cells.
func (a *analyzer) box(arr *ir.Array) *lattice.System {
	box := a.space.parameters(len(arr.Lo))
	a.space.in(box).inside(arr)
	return box
}

// A domain is a set over which the iterators of an access run, and the set that is not empty if a mistake there is
// one for these parameters: see analyzer.evaluated.
type domain struct{ at, whole *lattice.System }

// evaluated returns the points of a set at which a piece of a guard holds, as far as it depends on iterators. A
// mistake under a guard that depends on parameters alone, such as one that chooses a variant, is one at launch.
func (a *analyzer) evaluated(whole *lattice.System, piece []ir.Constraint) *lattice.System {
	return a.restricted(whole, slices.DeleteFunc(slices.Clone(piece), func(c ir.Constraint) bool { return !c.HasIters() }))
}

// checkSubscripts checks the subscripts of one access, whose iterators have the given names and run
// over a domain. begun is the array in whose init the access is; nil if it is in no init.
func (a *analyzer) checkSubscripts(array int, subs []ir.Affine, at diag.Span, over domain, names []string, begun *ir.Array) {
	if a.inBody {
		subs = a.withoutMade(subs)
	}
	for d := range subs {
		a.checkSubscript(array, d, subs, at, over, names, begun)
	}
}

// checkSubscript checks dimension d of an access against both bounds.
func (a *analyzer) checkSubscript(array, d int, subs []ir.Affine, at diag.Span, over domain, names []string, begun *ir.Array) {
	if a.settled != nil && a.settled() {
		return
	}
	arr, sub := &a.nest.Arrays[array], subs[d]
	for above, side := range []struct {
		beyond ir.Affine // at least 1 if sub is beyond the bound
		bound  ir.Affine
		text   string
	}{
		{minus(arr.Lo[d], sub), arr.Lo[d], "fall below the lower bound"},
		{minus(sub, arr.Hi[d]), arr.Hi[d], "exceed the upper bound"},
	} {
		beyond := side.beyond
		beyond.Const--
		where := over.at.Clone()
		a.space.in(where).add(beyond)
		if where.Empty() {
			continue
		}
		verb := "may " + side.text
		if _, constant := beside(sub, side.bound); constant {
			verb = []string{"is below the lower bound", "exceeds the upper bound"}[above]
		}
		message := fmt.Sprintf("subscript %s of %s %s %s of dimension %d",
			AffineText(a.nest, sub, names), arr.Name, verb, AffineText(a.nest, side.bound, nil), d+1)
		hint := ""
		switch {
		case a.trial:
		case a.inBody:
			hint = a.withinBounds(array, d, subs, above == 1)
		case begun != nil:
			hint = a.withinInit(begun, array, d, subs, above == 1)
		default:
			hint = a.withinSlice(array, d, sub, above == 1)
		}
		if !a.report(fault{where, diag.Diagnostic{
			Code: diag.OutOfBounds, At: at, Message: message,
			Notes: []diag.Note{{At: arr.Span, Message: arr.Name + " is declared here"}},
			Hint:  hint, Kind: diag.Advice,
		}}, over.whole) {
			continue
		}
		if a.toldAlready(hint, array, at) {
			a.diags = a.diags[:len(a.diags)-1]
		} else if !a.trial && names != nil {
			list := a.loopEnds()
			if begun != nil {
				list = cellEnds(begun)
			}
			a.diags[len(a.diags)-1].Message += cmp.Or(a.witness(sub, where, over.whole, list, names), a.numberWitness(sub, where, over.whole))
		}
	}
}

// supplied reports whether every cell of an array has a value before the nest
// runs.
func supplied(arr *ir.Array) bool {
	return arr.Init != nil || arr.Role == ir.In || arr.Role == ir.InOut
}

// checkReads checks that every read is supplied, by an earlier write or by the content before the
// nest. It makes one diagnostic per array, because the remedy is the same.
func (a *analyzer) checkReads(result *ir.Analysis) {
	for id, r := range a.nest.Reads {
		arr := &a.nest.Arrays[r.Array]
		if supplied(arr) || !result.Reads[id].Initial {
			continue
		}
		for _, part := range a.parts[id] {
			whole := a.evaluated(a.space.iterations(0), part.access.guard)
			a.space.outside(part.sys, backward, distances(part.sources), func(where *lattice.System) bool {
				if a.unsupplied[r.Array] {
					return false
				}
				message := a.unsuppliedText(id, a.regionText(r.Array, part.access.subs, where))
				a.unsupplied[r.Array] = a.report(fault{where, a.notSupplied(r.Array, r.At, message)}, whole)
				return true
			})
		}
	}
}

// unsuppliedText is the message that nothing supplies cells that a read takes. The target of an assignment is a read if the
// assignment updates its cell, or leaves the cell as it is where an if does not hold.
func (a *analyzer) unsuppliedText(id int, cells string) string {
	r, stmt := a.nest.Reads[id], a.nest.ReadStmt[id]
	cell := a.text(r.Array, r.Subs)
	if w, ok := a.nest.Body[stmt].(*ir.Assign); ok && w.Span == r.At {
		if _, chosen := w.Expr.(*ir.Select); chosen && !a.updates(w) {
			return fmt.Sprintf("where the if does not assign to %s, it keeps what it has, and nothing supplies %s", cell, cells)
		}
		return fmt.Sprintf("%s is read to be updated, and nothing supplies %s", cell, cells)
	}
	return fmt.Sprintf("%s may read %s, which nothing supplies", cell, cells)
}

// updates reports whether the source has an operator before the = of an assignment.
func (a *analyzer) updates(w *ir.Assign) bool {
	if w.Span.Line < 1 || w.Span.Line > len(a.nest.Source) || w.Span.Col-1+w.Span.Len > len(a.nest.Source[w.Span.Line-1]) {
		return false
	}
	before, _, _ := strings.Cut(a.nest.Source[w.Span.Line-1][w.Span.Col-1+w.Span.Len:], "=")
	return strings.TrimSpace(before) != ""
}

// regionText returns the text of the cells that an access reads at the iterations of the system where. A loop
// that has only one value there is replaced by this value: "u[0,i]".
func (a *analyzer) regionText(array int, read []ir.Affine, where *lattice.System) string {
	subs := make([]ir.Affine, len(read))
	for d, sub := range read {
		subs[d] = sub
		loop, ok := index(sub)
		if !ok || loop < 0 {
			continue
		}
		if v, ok := a.value(where, a.space.params+loop); ok {
			fixed := minus(sub, iterator(loop, a.space.depth))
			subs[d] = minus(fixed, minus(ir.Affine{}, v))
		}
	}
	return a.text(array, subs)
}

// value returns the value of a column, affine in the parameters, if the rows of a system allow
// only one.
func (a *analyzer) value(sys *lattice.System, column int) (ir.Affine, bool) {
	for _, r := range sys.Rows() {
		opposite := make(lattice.Row, len(r))
		for k := range r {
			opposite[k] = -r[k]
		}
		if !a.alone(r, column) || !sys.Implies(opposite) {
			continue
		}
		v := constraint(r, a.space.params, 0) // column = -v or v
		if r[column] == 1 {
			v = minus(ir.Affine{}, v)
		}
		return v, true
	}
	return ir.Affine{}, false
}

// indexName returns a name for the index along a dimension of an array: that of the loop with
// which the nest writes it, if there is one.
func (a *analyzer) indexName(array, d int) string {
	for _, stmt := range a.nest.Assigns(array) {
		if loop, ok := index(a.writing(stmt).subs[d]); ok && loop >= 0 {
			return a.nest.Loops[loop].Name
		}
	}
	names := append(loopNames(a.nest), numbersOf(a.nest.Source)...)
	for _, name := range []string{"i", "j", "k", "l", "m", "n"} {
		if !slices.Contains(names, name) && d == 0 {
			return name
		} else if !slices.Contains(names, name) {
			d--
		}
	}
	return fmt.Sprintf("x%d", d+1)
}

// checkReturned checks that an init or a write supplies every returned cell.
func (a *analyzer) checkReturned(result *ir.Analysis) {
	for k := range a.nest.Arrays {
		arr := &a.nest.Arrays[k]
		if !arr.Returned() || supplied(arr) || a.unsupplied[k] {
			continue
		}
		whole := a.box(arr)
		at := arr.Span
		for d, fixed := range arr.Out {
			at = arr.OutSpan
			if fixed != nil {
				pin := minus(iterator(d, len(arr.Lo)), *fixed)
				a.space.in(whole).addZero(pin)
			}
		}
		a.unwritten(result, a.nest.Assigns(k), whole, func(where *lattice.System) bool {
			var parts []string
			for d := range arr.Lo {
				parts = append(parts, a.indexText(arr, d, where))
			}
			message := fmt.Sprintf("%s[%s] is given back, but nothing supplies it", arr.Name, strings.Join(parts, ","))
			a.unsupplied[k] = a.report(fault{where, a.notSupplied(k, at, message)}, whole)
			return !a.unsupplied[k]
		})
	}
}

// indexText returns the text of the indices along dimension d of arr that occur in where: one
// value, a range, or "*" for all.
func (a *analyzer) indexText(arr *ir.Array, d int, where *lattice.System) string {
	column := a.space.params + d
	if v, ok := a.value(where, column); ok {
		return AffineText(a.nest, v, nil)
	}
	lo, hi := AffineText(a.nest, arr.Lo[d], nil), AffineText(a.nest, arr.Hi[d], nil)
	all := lo + ".." + hi
	for _, r := range where.Rows() {
		if !a.alone(r, column) {
			continue
		}
		v := constraint(r, a.space.params, 0)
		switch text := AffineText(a.nest, minus(ir.Affine{}, v), nil); {
		case r[column] == 1 && text != AffineText(a.nest, arr.Lo[d], nil):
			lo = text
		case r[column] == -1 && AffineText(a.nest, v, nil) != AffineText(a.nest, arr.Hi[d], nil):
			hi = AffineText(a.nest, v, nil)
		}
	}
	if lo+".."+hi == all {
		return "*"
	}
	return lo + ".." + hi
}

// alone reports whether a row bounds a column by parameters alone.
func (a *analyzer) alone(r lattice.Row, column int) bool {
	for k := a.space.params; k < len(r)-1; k++ {
		if k != column && r[k] != 0 {
			return false
		}
	}
	return r[column] == 1 || r[column] == -1
}

// unwritten calls visit, until it returns false, for systems whose union is whole, a set of
// cells, without the cells that the statements write.
func (a *analyzer) unwritten(result *ir.Analysis, stmts []int, whole *lattice.System, visit func(*lattice.System) bool) bool {
	if whole.Empty() {
		return true
	}
	if len(stmts) == 0 {
		return visit(whole)
	}
	for _, c := range result.Written[stmts[0]] {
		if !a.unwritten(result, stmts[1:], whole.Without(a.space.in(whole).row(c)), visit) {
			return false
		}
	}
	return true
}
