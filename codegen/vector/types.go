package vector

import (
	"fmt"
	"reflect"
	"slices"

	"loopc/ir"
	"loopc/runtime/boundary"
	"loopc/transform/plan"
)

// types chooses the size of lanes, and refuses what does not vectorize. Coordinates have at most bits
// bits.
func (s *Shape) types(bits int) {
	defer func() {
		r := recover()
		if refused, ok := r.(Refusal); ok && refused.Cure != "" {
			s.formless()
		}
		if r != nil {
			panic(r)
		}
	}()
	s.writeOut()
	s.moveNegations()
	s.joinExtremes()
	for k, stmt := range s.n.Body {
		if w, ok := stmt.(*ir.Assign); ok && s.live[k] {
			size := s.n.Arrays[w.Array].Elem.Size()
			if s.lane != 0 && s.lane != size && s.Scheme != Contiguous && !s.widens {
				s.oneRow()
				refuseAt(w.Span, fmt.Sprintf("give all results types of %d bytes", max(size, s.lane)), "results have more than one width")
			}
			s.lane = max(s.lane, size)
		}
	}
	if s.lane == 0 {
		refuse("nothing that is computed is needed")
	}
	if s.widens {
		s.lane = max(s.lane, narrowestWidened)
	}
	s.narrowResults()
	s.hold(s.lane, bits)
}

// formless refuses what has no vector form whatever the types are, so that another type is no cure.
func (s *Shape) formless() {
	for k, stmt := range s.n.Body {
		if s.live[k] {
			ir.Walk(ir.Value(stmt), s.checkForm)
		}
	}
}

// checkForm refuses an expression that has no vector form, without its operands.
func (s *Shape) checkForm(e ir.Expr) {
	switch e := e.(type) {
	case *ir.Call:
		if write, _ := formOf(e); write == nil {
			refuseAt(e.At, "", "%s has no vector form", e.Fn)
		}
	case *ir.ExternCall:
		refuseAt(e.At, "", "%s is written in Go", s.n.Externs[e.Extern].Name)
	}
}

// narrowResults refuses vectors across rows if all results are narrower than the lanes of such vectors.
func (s *Shape) narrowResults() {
	if s.Scheme == Contiguous || s.lane >= narrowestWidened {
		return
	}
	s.oneRow()
	for k, stmt := range s.n.Body {
		if w, ok := stmt.(*ir.Assign); ok && s.live[k] {
			refuseAt(w.Span, "give all results types of 4 bytes, such as int32", "results are %s, and lanes across rows hold results of 4 or 8 bytes", s.n.Arrays[w.Array].Elem)
		}
	}
}

// beyond reports whether a read of initial content may be beyond the bounds of its array.
func (s *Shape) beyond(r *ir.Read) bool {
	return s.l.Reads[r.ID].From == ir.FromInitial && s.n.Analysis != nil && s.n.Analysis.Reads[r.ID].Beyond
}

// readsInside refuses reads of given arrays beyond a boundary.
func (s *Shape) readsInside() {
	for id, r := range s.n.Reads {
		if s.live[s.n.ReadStmt[id]] && s.n.Arrays[r.Array].Boundary != nil && s.beyond(r) {
			refuseAt(r.At, "", "%s is read beyond its boundary", s.n.Arrays[r.Array].Name)
		}
	}
}

// Within returns forms over the dimensions of the plan that are ≥ 0 at the iterations at which the given arrays
// have the cells of all reads. Elsewhere guards keep iterations from them, or boundaries move the reads, but vectors
// would load them. Forms of rows are those of subscripts with a boundary that all iterations of a row share: vectors may
// compute such a row by itself, because the boundary moves all its reads alike (see Inward). ends says that vectors take
// the cells beyond the ends of rows.
func (s *Shape) Within(ends bool) (cells, rows []plan.Affine) {
	for id, r := range s.n.Reads {
		if !s.live[s.n.ReadStmt[id]] || !s.beyond(r) {
			continue
		}
		for m, sub := range r.Subs {
			kinds := s.Inward(r.Array, m, sub)
			if ends && s.TakesEnd(id) && s.Coefficient(sub, s.last) != 0 {
				continue
			}
			leaves, within := s.Leaves(r.Array, m, sub), s.inBounds(r.Array, m, sub)
			for side, f := range within {
				if !leaves[side] {
					continue
				}
				forms := &cells
				if kinds[side] != boundary.None {
					forms = &rows
				}
				if !slices.ContainsFunc(*forms, func(g plan.Affine) bool { return reflect.DeepEqual(f, g) }) {
					*forms = append(*forms, f)
				}
			}
		}
	}
	return cells, rows
}

// Inward returns the boundary that moves reads of a given array with subscript sub along dimension m into the array, if all
// iterations of a row have the same subscript.
func (s *Shape) Inward(array, m int, sub ir.Affine) (kinds boundary.Ends) {
	if arr := &s.n.Arrays[array]; arr.Boundary != nil && s.n.Analysis != nil && s.n.Analysis.Beyond[array] && s.Coefficient(sub, s.last) == 0 {
		for side, leaves := range s.Leaves(array, m, sub) {
			if leaves {
				kinds[side] = arr.Boundary[m][side]
			}
		}
	}
	return kinds
}

// inBounds returns the forms that are ≥ 0 where subscript sub is not below, and not above the bounds of dimension m of an array.
func (s *Shape) inBounds(array, m int, sub ir.Affine) [2]plan.Affine {
	arr := &s.n.Arrays[array]
	return [2]plan.Affine{s.overPlan(sub, 1, arr.Lo[m]), s.overPlan(sub, -1, arr.Hi[m])}
}

// Beyond returns the forms of inBounds that may be negative.
func (s *Shape) Beyond(array, m int, sub ir.Affine) (forms []plan.Affine) {
	within := s.inBounds(array, m, sub)
	for side, leaves := range s.Leaves(array, m, sub) {
		if leaves {
			forms = append(forms, within[side])
		}
	}
	return forms
}

// overPlan returns sign·(sub - bound) over the dimensions of the plan.
func (s *Shape) overPlan(sub ir.Affine, sign int, bound ir.Affine) plan.Affine {
	f := plan.Affine{Const: sign * (sub.Const - bound.Const)}
	for k := range max(len(sub.Params), len(bound.Params)) {
		f.Params = append(f.Params, sign*(sub.Param(k)-bound.Param(k)))
	}
	for x := range s.p.Dims {
		f.Iters = append(f.Iters, sign*s.Coefficient(sub, x))
	}
	return f
}

// checkAll checks the live statements.
func (s *Shape) checkAll() {
	for k, stmt := range s.n.Body {
		if s.live[k] {
			s.checkResult(stmt)
			s.check(ir.Value(stmt))
		}
		if r, ok := stmt.(*ir.Reduce); ok && s.live[k] && r.Type.Size() != s.lane {
			refuseAt(r.Span, s.widerReduction(r), "%s is %s, and lanes of %d bytes hold the results", r.Name, r.Type, s.lane)
		}
	}
}

// widerReduction is the cure for a reduction of floats that are narrower than lanes: to convert the cells that it reads. It is "" for
// other reductions.
func (s *Shape) widerReduction(r *ir.Reduce) (cure string) {
	if r.Type != ir.Float32 || s.lane != ir.Float64.Size() {
		return ""
	}
	ir.Walk(r.Expr, func(e ir.Expr) {
		if read, ok := e.(*ir.Read); ok && cure == "" && read.T == r.Type {
			cure = fmt.Sprintf("write float64(...) around the cells of %s that %s reads", s.n.Arrays[read.Array].Name, r.Name)
		}
	})
	return cure
}

// narrowestWidened is the least size of lanes that hold results of narrower types.
const narrowestWidened = 4

// checkResult refuses a result that lanes do not hold in its type, unless they can hold it widened.
func (s *Shape) checkResult(stmt ir.Stmt) {
	w, ok := stmt.(*ir.Assign)
	if !ok {
		return
	}
	t := s.n.Arrays[w.Array].Elem
	if t == ir.Int64 && s.integers != t {
		refuseAt(w.Span, "", "int64 is computed, which its lanes of %d bytes do not hold", s.lane)
	}
	if s.Scheme == Contiguous {
		return
	}
	if t.Size() < s.lane && (s.sized || !t.Integer()) {
		refuseAt(w.Span, fmt.Sprintf("give all results types of %d bytes", s.lane), "results have more than one width")
	}
}

// whole reports whether lanes can compute values of type t.
func (s *Shape) whole(t ir.Type) bool {
	switch t {
	case ir.Float32, ir.Int32:
		return s.lane == 4
	case ir.Float64:
		return s.lane == 8
	}
	return t == ir.Bool || short(t) && s.lane == 4 // widened to int32: see narrowBody
}

// short reports whether t is a type of integers narrower than int32.
func short(t ir.Type) bool { return t.Integer() && t.Size() < 4 }

// unchanged reports whether e has a type narrower than int32 and can be kept as an int32 of the same value,
// because nothing is computed with it.
func unchanged(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Read, *ir.Lookup, *ir.ConstCell, *ir.Lit, *ir.LocalRef:
		return true
	case *ir.Select:
		return unchanged(e.A) && unchanged(e.B)
	case *ir.Convert:
		return e.X.Type() == ir.Int32 // see integer
	}
	return false
}

// widened returns the read that e converts from a narrower type to a type with wider lanes; nil if e
// is no such conversion.
func (s *Shape) widened(e *ir.Convert) *ir.Read {
	r, ok := e.X.(*ir.Read)
	if !ok || s.sized && s.Scheme == Contiguous || s.lane != 8 || s.l.Reads[r.ID].From != ir.FromInitial {
		return nil
	}
	switch {
	case r.T.Size() == 8:
	case e.T == ir.Float64, e.T == ir.Int64 && s.holds(e.T) && r.T.Integer():
		return r
	}
	return nil
}

// checkType refuses expressions of types that lanes do not have.
func (s *Shape) checkType(e ir.Expr) {
	switch t := e.Type(); {
	case s.sized:
		s.checkSized(e)
	case !s.whole(t):
		refuseAt(e.Span(), s.declared(e), "%s is computed, which its lanes of %d bytes do not hold", t, s.lane)
	case short(t) && !unchanged(e):
		refuseAt(e.Span(), "", "%s is computed with", t)
	}
}

// checkConvert refuses conversions from or to types of another size than lanes have, if all lanes
// have one size.
func (s *Shape) checkConvert(e *ir.Convert) {
	switch t, from := e.T, e.X.Type(); {
	case s.sized:
	case from == t, t == ir.Float32 && from == ir.Int32, t == ir.Int32 && from == ir.Float32, short(from) && (t == ir.Int32 || t == ir.Float32), from == ir.Int32 && short(t):
	default:
		refuseAt(e.At, s.declared(e), "%s is converted to %s", from, t)
	}
}

// checkBits refuses operations on integers that lanes do not have.
func (s *Shape) checkBits(e *ir.Binary) {
	switch e.Op {
	case ir.Rem:
		refuseAt(e.At, "", "integers are divided by what is not a constant")
	case ir.Shl, ir.Shr:
		refuseAt(e.At, "", "%s by so many bits has no vector form", e.Op)
	}
}

// check refuses expressions that lanes cannot compute.
func (s *Shape) check(e ir.Expr) {
	s.checkType(e)
	switch e := e.(type) {
	case *ir.Convert:
		if s.widened(e) != nil || s.heldAs(e) {
			return
		}
		if l := s.foundAs(e); l != nil {
			s.checkLookup(l)
			return
		}
		if e.T == ir.Float32 && e.X.Type() == ir.Int64 && s.holds(ir.Int64) {
			refuseAt(e.At, "", "int64 is converted to %s", e.T)
		}
		s.checkConvert(e)
	case *ir.Binary:
		if e.Op == ir.Quo && !e.T.Float() && s.divisorOf(e) == 0 {
			refuseAt(e.At, "", "integers are divided by what is not a constant")
		}
		s.checkBits(e)
	case *ir.Lookup:
		s.checkLookup(e)
	case *ir.ConstCell:
		s.checkConstCell(e)
	default:
		s.checkForm(e)
	}
	for _, x := range ir.Operands(e) {
		s.check(x)
	}
}
