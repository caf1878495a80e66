package frontend

import (
	"fmt"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// constantBeyond warns of the first cell of a constant array that is read beyond the bounds of the array if parameters have their
// defaults: the run finds it out. It looks at cells under no condition, with a loop plus a number in the subscript.
func constantBeyond(n *ir.Nest, params []int) (found *diag.Diagnostic) {
	if params == nil || n.Analysis == nil { // else a mistake is told already
		return nil
	}
	for _, s := range n.Body {
		under := underConditions(ir.Value(s))
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			cell, ok := e.(*ir.ConstCell)
			if !ok || found != nil || under[e] {
				return
			}
			for d, x := range cell.Subs {
				loop, by, ok := loopPlus(x)
				if !ok {
					continue
				}
				lo, hi, known := rangeByDefault(&n.Loops[loop], params)
				if lo > hi || !known {
					continue
				}
				way, end, at := "", 0, 0
				switch {
				case hi+by > cell.Of.Hi[d]:
					way, end, at = "exceeds the upper", cell.Of.Hi[d], hi
				case lo+by < cell.Of.Lo[d]:
					way, end, at = "falls below the lower", cell.Of.Lo[d], lo
				default:
					continue
				}
				name := n.Loops[loop].Name
				found = &diag.Diagnostic{
					Severity: diag.Warning, Code: diag.OutOfBounds, At: cell.At,
					Message: fmt.Sprintf("subscript %s of %s %s bound %d of dimension %d with the default parameters: at %s = %d it is %d",
						subscriptAt(n, cell.At, d, name), cell.Of.Name, way, end, d+1, name, at, at+by),
					Notes: []diag.Note{{At: cell.Of.Span, Message: cell.Of.Name + " is declared here"}},
				}
				return
			}
		})
	}
	return found
}

// underConditions are the expressions in e that are evaluated only under a condition.
func underConditions(e ir.Expr) map[ir.Expr]bool {
	under := map[ir.Expr]bool{}
	mark := func(list ...ir.Expr) {
		for _, x := range list {
			ir.Walk(x, func(e ir.Expr) { under[e] = true })
		}
	}
	ir.Walk(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Select:
			mark(e.A, e.B)
		case *ir.Binary:
			if e.Op == ir.And || e.Op == ir.Or {
				mark(e.Y)
			}
		}
	})
	return under
}

// loopPlus returns the loop and the number of a subscript that is their sum.
func loopPlus(e ir.Expr) (loop, by int, ok bool) {
	switch e := e.(type) {
	case *ir.Convert:
		return loopPlus(e.X)
	case *ir.IterRef:
		return e.Iter, 0, true
	case *ir.Binary:
		number, known := exactly(e.Y, nil, nil)
		x, more, ok := loopPlus(e.X)
		if ok && known && more == 0 && (e.Op == ir.Add || e.Op == ir.Sub) {
			return x, int(number) * map[bool]int{true: 1, false: -1}[e.Op == ir.Add], true
		}
	}
	return 0, 0, false
}

// rangeByDefault are the first and the last value of a loop, in the order of their size, if parameters have their defaults; known is
// false if the loop depends on others, or on a number that has no default.
func rangeByDefault(l *ir.Loop, params []int) (lo, hi int, known bool) {
	for _, bound := range slices.Concat(l.Lo, l.Hi) {
		if bound.HasIters() || len(bound.Params) > len(params) {
			return 0, 0, false
		}
	}
	for k, bound := range l.Lo {
		if v := bound.Eval(params, nil); k == 0 || v > lo {
			lo = v
		}
	}
	for k, bound := range l.Hi {
		if v := bound.Eval(params, nil); k == 0 || v < hi {
			hi = v
		}
	}
	return lo, hi, true
}
