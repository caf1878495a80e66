package codegen

import (
	"math"
	"slices"

	"loopc/ir"
)

// A joiner joins nested minima, or nested maxima, into one with all operands: it replaces a let that is used only as an operand of
// another minimum by its value.
type joiner struct {
	n    *ir.Nest // whose lets above the statement at hand are joined already
	uses []int    // of each let
}

func newJoiner(n *ir.Nest) *joiner {
	j := &joiner{n: n, uses: make([]int, len(n.Body))}
	for _, s := range n.Body {
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			if r, ok := e.(*ir.LocalRef); ok {
				j.uses[r.Stmt]++
			}
		})
	}
	return j
}

// joined returns e, a part of the value of statement k, in which lets that are joined are replaced by their values.
func (j *joiner) joined(k int, e ir.Expr) ir.Expr {
	return ir.Map(e, func(x ir.Expr) ir.Expr {
		r, ok := x.(*ir.LocalRef)
		if !ok {
			return j.joined(k, x)
		}
		if _, extreme := e.(*ir.Call); !extreme {
			return r
		}
		let := j.n.Body[r.Stmt].(*ir.Let)
		if let.Type != r.T || r.T != e.Type() || !joins(e, let.Expr) || j.uses[r.Stmt] > 1 || ir.MayFail(let.Expr) || j.overwritten(let.Expr, r.Stmt, k) {
			return r
		}
		ir.Walk(let.Expr, func(x ir.Expr) {
			if r, ok := x.(*ir.Read); ok {
				j.n.ReadStmt[r.ID] = k
			}
		})
		return let.Expr
	})
}

// overwritten reports whether a statement from..to-1 writes an array that e reads.
func (j *joiner) overwritten(e ir.Expr, from, to int) (found bool) {
	ir.Walk(e, func(x ir.Expr) {
		if r, ok := x.(*ir.Read); ok {
			found = found || slices.ContainsFunc(j.n.Assigns(r.Array), func(by int) bool { return from <= by && by < to })
		}
	})
	return found
}

// severalLate reports whether so many terms need the row's previous result that pairs of them shorten the critical path.
func severalLate(all []lateTerm) bool {
	late := 0
	for _, t := range all {
		if !math.IsInf(t.delay, -1) {
			late++
		}
	}
	return late > 2
}

// inPairs returns a minimum or a maximum of terms, which are in order. If several need the row's previous result, terms that are
// known early are compared early, so that they do not wait for later ones.
func inPairs(call *ir.Call, all []lateTerm) ir.Expr {
	of := func(terms ...lateTerm) lateTerm {
		x := *call
		x.Args = nil
		for _, t := range terms {
			x.Args = append(x.Args, t.e)
		}
		return lateTerm{e: &x, delay: terms[len(terms)-1].delay + callPrice(call).latency}
	}
	if !severalLate(all) {
		return of(all...).e
	}
	if early := slices.IndexFunc(all, func(t lateTerm) bool { return !math.IsInf(t.delay, -1) }); early > 1 {
		all = slices.Insert(slices.Clone(all[early:]), 0, of(all[:early]...))
	}
	for len(all) > 1 {
		pair := of(all[:2]...)
		all = all[2:]
		at := slices.IndexFunc(all, func(t lateTerm) bool { return t.delay > pair.delay })
		if at < 0 {
			at = len(all)
		}
		all = slices.Insert(slices.Clone(all), at, pair)
	}
	return all[0].e
}
