package vector

import (
	"go/constant"

	"loopc/ir"
)

// The addends of a sum are often zero in all lanes but every second one, as those of the cells of one color are. An exact
// sum then adds two vectors at once: lanes of the second one, moved by a place, to which the first one adds nothing.

// sparse reports whether an addend is +0 in each lane of a vector, or in the lane before it in the next vector, if lanes move as
// asm.Machine.RotateParts moves them.
func (s *Shape) sparse(e ir.Expr, lanes int) bool {
	x, ok := e.(*ir.Select)
	return ok && isZero(x.B) && (s.rare(x.Cond, lanes) || s.sparse(x.A, lanes))
}

// isZero reports whether e is the number +0.
func isZero(e ir.Expr) bool {
	x, ok := e.(*ir.Lit)
	return ok && x.T.Float() && constant.Sign(x.Value) == 0
}

// rare reports whether a condition never holds for both of two lanes that sparse mentions, because it compares a remainder of division
// by a power of two, which overflows of integers keep, with what has one value for a row.
func (s *Shape) rare(cond ir.Expr, lanes int) bool {
	e, ok := cond.(*ir.Binary)
	switch {
	case !ok:
		return false
	case e.Op == ir.And:
		return s.rare(e.X, lanes) || s.rare(e.Y, lanes)
	case e.Op != ir.Eq:
		return false
	}
	p := &patterns{s: s, lanes: 1}
	by, m, ok := p.modulus(e.X, e.Y)
	if !ok {
		by, m, ok = p.modulus(e.Y, e.X)
	}
	part := 16/s.lane - 1
	meets := func(lanes int) bool { return by*lanes%m == 0 }
	return ok && m&(m-1) == 0 && !meets(lanes-1) && !meets(lanes+1) && !meets(lanes-part) && !meets(lanes+part)
}

// modulus returns what an integer grows by from an iteration to the next, and a number m, if x == y holds only for integers with one
// remainder of division by m in a row.
func (p *patterns) modulus(x, y ir.Expr) (by, m int, ok bool) {
	if of, m, ok := p.quotients(y); ok && p.s.alike(of, x) {
		by, ok = p.growth(x)
		return by, m, ok
	}
	b, ok := x.(*ir.Binary)
	if !ok || !p.s.fixedInRow(y, nil) {
		return 0, 0, false
	}
	of, m, quotient := p.quotients(b.Y)
	mask, number := small(b.Y)
	switch {
	case b.Op == ir.Sub && quotient && p.s.alike(of, b.X):
	case b.Op == ir.BitAnd && number && mask > 0 && mask&(mask+1) == 0:
		m = mask + 1
	default:
		return 0, 0, false
	}
	by, ok = p.growth(b.X)
	return by, m, ok
}
