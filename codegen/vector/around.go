package vector

import (
	"strings"

	"loopc/ir"
)

// aroundEnds is the cure for lookups of an array whose subscripts go around the ends of its dimensions by a remainder, as in
// g[(i+1)%N,j]: a periodic boundary does the same for subscripts that are sums. It is "" for other lookups.
func (s *Shape) aroundEnds(array int) string {
	arr := &s.n.Arrays[array]
	kinds := make([]string, len(arr.Lo))
	for d := range kinds {
		kinds[d] = "*"
	}
	found, others := false, arr.Boundary != nil
	for _, stmt := range s.n.Body {
		ir.Walk(ir.Value(stmt), func(e ir.Expr) {
			l, ok := e.(*ir.Lookup)
			if !ok || l.Array != array {
				return
			}
			for d, sub := range l.Subs {
				if rem, ok := unconverted(sub).(*ir.Binary); ok && rem.Op == ir.Rem {
					goes := ofLoops(rem.X) && lengthOf(arr, d, unconverted(rem.Y))
					found, others, kinds[d] = found || goes, others || !goes, "periodic"
				} else if !ofLoops(sub) {
					others = true
				}
			}
		})
	}
	if !found || others {
		return ""
	}
	return "boundary " + arr.Name + "[" + strings.Join(kinds, ", ") + "], and subscripts without %, that go beyond its bounds"
}

// unconverted is an expression without the conversions around it.
func unconverted(e ir.Expr) ir.Expr {
	for {
		c, ok := e.(*ir.Convert)
		if !ok {
			return e
		}
		e = c.X
	}
}

// ofLoops reports whether an expression is a sum of loops, parameters and numbers.
func ofLoops(e ir.Expr) bool {
	sum := true
	ir.Walk(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.IterRef, *ir.ParamRef, *ir.Lit, *ir.Convert:
		case *ir.Binary:
			sum = sum && (e.Op == ir.Add || e.Op == ir.Sub)
		default:
			sum = false
		}
	})
	return sum
}

// lengthOf reports whether a parameter is the length of dimension d of an array that begins at 0.
func lengthOf(arr *ir.Array, d int, e ir.Expr) bool {
	p, ok := e.(*ir.ParamRef)
	if !ok {
		return false
	}
	last := ir.Affine{Const: -1, Params: make([]int, p.Param+1)}
	last.Params[p.Param] = 1
	return arr.Lo[d].Equal(ir.Affine{}) && arr.Hi[d].Equal(last)
}
