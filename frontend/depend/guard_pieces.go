package depend

import (
	"slices"

	"loopc/ir"
)

// unconditional reports whether g always holds.
func (g guard) unconditional() bool {
	return slices.ContainsFunc(g, func(piece []ir.Constraint) bool { return len(piece) == 0 })
}

// or returns the union of two guards.
func (g guard) or(h guard) guard {
	all := simplified(append(slices.Clip(g), h...))
	if len(all) > maxPieces {
		return always
	}
	return all
}

// and returns the intersection of two guards. If that has too many pieces, and returns a guard that includes it: the one
// of g and h with fewer pieces.
func (g guard) and(h guard) guard {
	both := guard{}
	for _, p := range g {
		for _, q := range h {
			all := append(slices.Clip(p), q...)
			both = append(both, all[max(0, len(all)-maxForms):])
		}
	}
	both = simplified(both)
	switch {
	case len(both) <= maxPieces:
		return both
	case len(h) < len(g):
		return h
	}
	return g
}

// simplified returns a guard that holds at the same points, without pieces that plainly have no points or are within
// another piece: conditions behind one another, such as those of an else if, have many of them.
func simplified(g guard) guard {
	kept := guard{}
	for _, p := range g {
		piece, possible := tightest(p)
		if !possible || slices.ContainsFunc(kept, func(q []ir.Constraint) bool { return includes(q, piece) }) {
			continue
		}
		kept = slices.DeleteFunc(kept, func(q []ir.Constraint) bool { return includes(piece, q) })
		kept = append(kept, piece)
	}
	return kept
}

// tightest returns the inequalities of a piece that do not follow from another one of them. It is not possible if two of
// them exclude one another.
func tightest(piece []ir.Constraint) (kept []ir.Constraint, possible bool) {
	for n, c := range piece {
		if constantForm(c) {
			if c.Const < 0 {
				return nil, false
			}
			continue
		}
		implied := false
		for m, other := range piece {
			if other.Const < -c.Const && multiples(c, other, -1) {
				return nil, false
			}
			implied = implied || (other.Const < c.Const || other.Const == c.Const && m < n) && multiples(c, other, 1)
		}
		if !implied {
			kept = append(kept, c)
		}
	}
	return kept, true
}

// includes reports whether each inequality of p follows from one of q, so that q has no points that p lacks.
func includes(p, q []ir.Constraint) bool {
	return !slices.ContainsFunc(p, func(c ir.Constraint) bool {
		return !slices.ContainsFunc(q, func(d ir.Constraint) bool { return d.Const <= c.Const && multiples(c, d, 1) })
	})
}

// multiples reports whether the coefficients of f are those of g times by.
func multiples(f, g ir.Affine, by int) bool {
	for k := range max(len(f.Params), len(g.Params)) {
		if f.Param(k) != by*g.Param(k) {
			return false
		}
	}
	for k := range max(len(f.Iters), len(g.Iters)) {
		if f.Iter(k) != by*g.Iter(k) {
			return false
		}
	}
	return true
}
