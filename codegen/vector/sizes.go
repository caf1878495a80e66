package vector

import "loopc/ir"

// In the contiguous scheme every value has a vector of its own size, with as many lanes as the
// widest value of the body has in a register (asm.Machine.In). In the other schemes rows have lanes
// of the size of the results. Lanes of 8 bytes compute in int32 what fits it; in lanes of 4 bytes,
// bytes are kept as int32.

// A holding says how wide the widest lane is, in which type integers are held that are wider, or that
// have 64 bits, and whether other values have lanes of their own size.
type holding struct {
	lane     int
	integers ir.Type
	sized    bool
}

// holdings are tried in this order, by scheme: more lanes first.
var holdings = [...][]holding{
	Contiguous: {{1, ir.Uint8, true}, {4, ir.Int32, true}, {8, ir.Int32, true}, {8, ir.Float64, true}},
	Wavefront:  {{1, ir.Int32, false}, {4, ir.Int32, false}, {8, ir.Int32, true}, {8, ir.Float64, false}},
}

// hold chooses the holding of a body whose results have at most least bytes: the first one in which
// all values can be computed. bits bounds the bits of coordinates.
func (s *Shape) hold(least, bits int) {
	var why Refusal
	for _, h := range holdings[s.Scheme] {
		if h.lane < least || s.Scheme != Contiguous && h.lane > least {
			continue
		}
		x := *s
		x.sized, x.lane, x.integers = h.sized, h.lane, h.integers
		if why = x.tryHolding(bits); why.Why == "" {
			*s = x
			return
		}
	}
	panic(why)
}

// tryHolding rewrites the body, and says why it cannot be computed, if so.
func (s *Shape) tryHolding(bits int) (why Refusal) {
	defer refusal(&why)
	s.narrow(bits)
	s.checkAll()
	return why
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
	switch t {
	case ir.Bool:
		return true
	case ir.Float32, ir.Float64, ir.Int32, ir.Uint8:
		return t.Size() <= s.lane
	}
	return false
}

// checkSized refuses what lanes of several sizes cannot compute, besides what check refuses.
func (s *Shape) checkSized(e ir.Expr) {
	t := e.Type()
	if !s.holds(t) {
		refuseAt(e.Span(), s.declared(e), "%s is computed where lanes have %d bytes", t, s.lane)
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
}
