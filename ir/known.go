package ir

import (
	"go/constant"
	"go/token"
)

// Settle returns e without the conditions whose values are known, such as those on the variable of a small loop that was written
// out: a select becomes the side that it takes, if that has the type of the select. The other side would never be evaluated.
func Settle(e Expr) Expr {
	switch x := e.(type) {
	case *Select:
		if taken, ok := known(x.Cond); ok {
			side := x.B
			if taken {
				side = x.A
			}
			if side.Type() == x.T {
				return Settle(side)
			}
		}
	case *Binary:
		if first, ok := known(x.X); ok && (x.Op == And && first || x.Op == Or && !first) {
			return Settle(x.Y)
		}
	}
	return Map(e, Settle)
}

// known returns the value of a condition. ok is false if the value depends on anything but integers that are literals.
func known(e Expr) (value, ok bool) {
	switch e := e.(type) {
	case *Unary:
		if e.Op == Not {
			value, ok = known(e.X)
			return !value, ok
		}
	case *Binary:
		if e.Op == And || e.Op == Or {
			value, ok = known(e.X)
			if !ok || value == (e.Op == Or) {
				return value, ok
			}
			return known(e.Y)
		}
		op, compares := comparisons[e.Op]
		x, isX := e.X.(*Lit)
		y, isY := e.Y.(*Lit)
		if compares && isX && isY && !x.T.Float() && x.Value.Kind() == constant.Int && y.Value.Kind() == constant.Int {
			return constant.Compare(x.Value, op, y.Value), true
		}
	}
	return false, false
}

// comparisons are the comparing operators as package go/constant knows them.
var comparisons = map[Op]token.Token{Eq: token.EQL, Ne: token.NEQ, Lt: token.LSS, Le: token.LEQ, Gt: token.GTR, Ge: token.GEQ}
