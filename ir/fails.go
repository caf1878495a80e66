package ir

import "go/constant"

// MayFail reports whether evaluating e may fail: it looks a cell up, or contains an integer division whose divisor is
// not a constant, or is 0.
func MayFail(e Expr) bool {
	fails := MayFailBesideLookups(e)
	Walk(e, func(e Expr) {
		_, looksUp := e.(*Lookup)
		fails = fails || looksUp
	})
	return fails
}

// MayFailBesideLookups does what MayFail does, but ignores that the subscripts of lookups may be out of bounds.
func MayFailBesideLookups(e Expr) bool {
	fails := false
	Walk(e, func(e Expr) {
		switch e := e.(type) {
		case *Binary:
			fails = fails || e.Op.Divides() && e.T.Integer() && Zeroable(e.Y)
		case *ConstCell:
			fails = fails || !e.Inside
		}
	})
	return fails
}

// Zeroable reports whether e may be zero, by its form.
func Zeroable(e Expr) bool {
	lit, ok := e.(*Lit)
	return !ok || constant.Sign(lit.Value) == 0
}
