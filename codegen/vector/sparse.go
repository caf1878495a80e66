package vector

import (
	"go/constant"

	"loopc/ir"
)

// The addends of a sum are often zero in all lanes but every second one, as those of the cells of one color are. An exact
// sum then adds two vectors at once: lanes of the second one, moved by a place, to which the first one adds nothing.

// sparse reports whether, of the addend in each lane of a vector and the one that asm.Machine.RotateParts brings there from the
// next vector, at least one is +0.
func (s *Shape) sparse(e ir.Expr, lanes int) bool {
	x, ok := e.(*ir.Select)
	return ok && isZero(x.B) && (s.rare(x.Cond, lanes) || s.sparse(x.A, lanes))
}

// isZero reports whether e is the number +0.
func isZero(e ir.Expr) bool {
	x, ok := e.(*ir.Lit)
	return ok && x.T.Float() && constant.Sign(x.Value) == 0
}

// rare reports whether a condition holds for at most one of the two iterations that sparse compares: it requires one remainder of
// division by a power of two, whose growth along the row overflows of integers do not change.
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

// modulus recognizes an x == y that holds in a row only where some integer has one remainder of division by m. It returns m, and
// the growth of this integer from an iteration to the next.
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
