package vector

import (
	"slices"

	"loopc/ir"
)

// In the contiguous scheme, all vectors have the same number of lanes: as many as a register holds of
// the body's widest values. Vectors of narrower values have fewer bytes (asm.Machine.In). In the other
// schemes, all lanes have the size of the results. If lanes have 8 bytes, integers that fit int32 are
// computed in int32, or in float64, and those of 64 bits in int64; if lanes have 4 bytes, narrower integers
// are held as int32. Lanes across levels also hold results of narrower integer types: package halo converts
// their cells where it copies them between lanes and arrays.

// A holding says how lanes hold values.
type holding struct {
	lane     int     // bytes of the widest lane
	integers ir.Type // the type as which lanes hold integers of 64 bits, and integers wider than a lane
	sized    bool    // values have lanes of their own size
}

// holdings are tried in this order, by scheme: more lanes first.
var holdings = [...][]holding{
	Contiguous: {{1, ir.Uint8, true}, {2, ir.Int16, true}, {4, ir.Int32, true}, {8, ir.Int32, true}, {8, ir.Float64, true}, {8, ir.Int64, true}},
	Wavefront:  {{4, ir.Int32, false}, {8, ir.Int32, true}, {8, ir.Float64, false}, {8, ir.Int64, true}},
}

// hold chooses the holding of the body: the first one in which all values can be computed. least is the
// size of the widest result in bytes, bits an upper bound for the bits of a coordinate.
func (s *Shape) hold(least, bits int) {
	var why Refusal
	for _, h := range holdings[s.Scheme] {
		if h.lane < least || s.Scheme != Contiguous && h.lane > least {
			continue
		}
		x := *s
		x.sized, x.lane, x.integers = h.sized, h.lane, h.integers
		not := x.tryHolding(bits)
		if not.Why == "" {
			*s = x
			return
		}
		if h.integers != ir.Int64 || s.longResults() {
			why = not
		}
	}
	panic(why)
}

// longResults reports whether results are integers of 64 bits. Other nests try int64 lanes last. If those
// fail too, the reason that an earlier holding gave helps the user more.
func (s *Shape) longResults() bool {
	return slices.ContainsFunc(s.l.Values, func(stmt int) bool { return ir.Value(s.n.Body[stmt]).Type() == ir.Int64 })
}

// tryHolding rewrites the body for its holding. If lanes cannot compute the body in this way, it returns
// the reason.
func (s *Shape) tryHolding(bits int) (why Refusal) {
	defer refusal(&why)
	s.narrowBody(bits)
	s.checkAll()
	s.checkIndices(bits)
	return why
}

// checkIndices refuses indices that may not fit int32, the type in which lanes hold them: skewed coordinates
// are small, but an index may be many times as great. Indices of type int32 may wrap: see narrowing.
func (s *Shape) checkIndices(bits int) {
	w := newNarrowing(s, bits)
	s.each(func(e ir.Expr) {
		if r, ok := e.(*ir.IterRef); ok && r.T != ir.Int32 && w.bound(w.form(r)) > 1<<31-1 {
			refuseAt(r.At, "", "an index may have more than 31 bits where dependences span many iterations")
		}
	})
}

// unsigned reports whether t is a type of integers without a sign.
func unsigned(t ir.Type) bool { return t.Integer() && t.Cell().Lo == 0 }

// sizeOf is the size of the lanes that hold values of type t.
func (s *Shape) sizeOf(t ir.Type) int {
	if s.sized && t != ir.Bool {
		return t.Size()
	}
	return s.lane
}

// holds reports whether values of type t are computed in lanes of their own size.
func (s *Shape) holds(t ir.Type) bool {
	switch {
	case t == ir.Bool:
		return true
	case t == ir.Int64:
		return s.integers == ir.Int64
	case short(t) && s.Scheme != Contiguous:
		return t == ir.Uint8 && s.integers != ir.Int64 // int64 lanes hold a cell as a wider integer
	}
	return t.Size() <= s.lane
}

// checkSized refuses expressions that lanes of one size could compute, but lanes of several sizes
// cannot; check refuses the others.
func (s *Shape) checkSized(e ir.Expr) {
	t := e.Type()
	if !s.holds(t) {
		refuseAt(e.Span(), s.declared(e), "%s is computed, which its lanes of %d bytes do not hold", t, s.lane)
	}
	switch e := e.(type) {
	case *ir.IterRef:
		if s.lane < 4 {
			refuseAt(e.At, "", "an index is a value where lanes have %d bytes", s.lane)
		}
	case *ir.Read:
		if s.Scheme != Contiguous && t.Size() != s.lane {
			refuseAt(e.At, s.declared(e), "%s values are narrower than the results", t)
		}
	}
	if c, ok := e.(*ir.Convert); ok && t == ir.Int64 && c.X.Type().Float() { // which vectors have no instructions for
		refuseAt(c.At, "", "%s is converted to int64", c.X.Type())
	}
}
