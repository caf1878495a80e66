package vector

import (
	"fmt"

	"loopc/ir"
)

// types chooses the width of a lane, which is that of the results, and refuses what does not
// vectorize. bits bounds the bits of coordinates.
func (s *Shape) types(bits int) {
	for id, r := range s.n.Reads {
		if s.live[s.n.ReadStmt[id]] && s.l.Reads[id].From == ir.FromInitial && s.n.Analysis != nil && s.n.Analysis.Reads[id].Beyond {
			refuseAt(r.At, "", "%s is read beyond its boundary", s.n.Arrays[r.Array].Name)
		}
	}
	for k, stmt := range s.n.Body {
		if w, ok := stmt.(*ir.Assign); ok && s.live[k] {
			size := s.n.Arrays[w.Array].Elem.Size()
			if s.lane != 0 && s.lane != size {
				refuseAt(w.Span, fmt.Sprintf("give all results types of %d bytes", max(size, s.lane)), "results have more than one width")
			}
			s.lane = size
		}
	}
	if s.lane == 0 {
		refuse("nothing that is computed is needed")
	}
	s.narrow(bits)
	for k, stmt := range s.n.Body {
		if !s.live[k] {
			continue
		}
		s.check(ir.Value(stmt))
	}
}

// whole reports whether values of type t are computed in lanes.
func (s *Shape) whole(t ir.Type) bool {
	switch t {
	case ir.Float32, ir.Int32:
		return s.lane == 4
	case ir.Float64:
		return s.lane == 8
	case ir.Uint8:
		return s.lane == 4 // widened to int32: see narrow
	}
	return t == ir.Bool
}

// narrow reports whether e has type uint8 and can be kept as an int32 of the same value,
// because nothing is computed with it.
func narrow(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Read, *ir.Lit, *ir.LocalRef:
		return true
	case *ir.Select:
		return narrow(e.A) && narrow(e.B)
	case *ir.Convert:
		return e.X.Type() == ir.Int32 // see integer
	}
	return false
}

// widened returns the read of a narrower type that e converts to a type with wider lanes, or
// nil.
func (s *Shape) widened(e *ir.Convert) *ir.Read {
	r, ok := e.X.(*ir.Read)
	if !ok || s.lane != 8 || e.T != ir.Float64 || s.l.Reads[r.ID].From != ir.FromInitial {
		return nil
	}
	switch r.T {
	case ir.Uint8, ir.Int32, ir.Float32:
		return r
	}
	return nil
}

// check refuses expressions that lanes cannot compute.
func (s *Shape) check(e ir.Expr) {
	t := e.Type()
	if !s.whole(t) {
		refuseAt(e.Span(), s.declared(e), "%s is computed where lanes have %d bytes", t, s.lane)
	}
	if t == ir.Uint8 && !narrow(e) {
		refuseAt(e.Span(), "", "uint8 is computed with")
	}
	switch e := e.(type) {
	case *ir.Convert:
		from := e.X.Type()
		switch {
		case s.widened(e) != nil:
			return
		case from == t, t == ir.Float32 && from == ir.Int32, t == ir.Int32 && from == ir.Float32, from == ir.Uint8 && (t == ir.Int32 || t == ir.Float32), from == ir.Int32 && t == ir.Uint8:
		default:
			refuseAt(e.At, s.declared(e), "%s is converted to %s", from, t)
		}
	case *ir.Binary:
		if e.Op == ir.Quo && !t.Float() && divisorOf(e) == 0 {
			refuseAt(e.At, "", "integers are divided by what is not a constant")
		}
	case *ir.Call:
		if write, _ := formOf(e); write == nil {
			refuseAt(e.At, "", "%s has no vector form", e.Fn)
		}
	case *ir.ExternCall:
		refuseAt(e.At, "", "%s is written in Go", s.n.Externs[e.Extern].Name)
	}
	for _, x := range ir.Operands(e) {
		s.check(x)
	}
}
