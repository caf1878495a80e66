package frontend

import (
	"fmt"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// wrappingCount warns of a statement that adds a number, or one of two numbers, to a cell of 8 bits that an earlier iteration computed,
// if so many iterations follow one another that the count leaves the type, with the defaults of parameters. If a condition around the
// sum reads the array, the count may begin anew in time.
func wrappingCount(n *ir.Nest, s *ir.Assign, params []int) (found *diag.Diagnostic) {
	arr := &n.Arrays[s.Array]
	if n.Analysis == nil || params == nil || !arr.Elem.Integer() || arr.Elem.Size() > 1 {
		return nil
	}
	holds := arr.Elem.Cell()
	eachCount(n, s.Array, s.Expr, func(r *ir.Read, by int64) {
		if found != nil || r.ID < 0 || r.ID >= len(n.Analysis.Reads) {
			return
		}
		for _, source := range n.Analysis.Reads[r.ID].Sources {
			if steps, known := chainLength(n, source.Dist, params); known && int64(steps)*by > holds.Hi {
				found = &diag.Diagnostic{
					Severity: diag.Warning, Code: diag.ConstantOverflow, At: s.Span,
					Message: fmt.Sprintf("%s may count to %d with the default parameters, and wraps: %s holds %d to %d", spanText(n.Source, s.Span), int64(steps)*by, arr.Elem, holds.Lo, holds.Hi),
					Hint:    fmt.Sprintf("declare %s as int32; %s(...) around the sum says that it is to wrap", arr.Name, arr.Elem), Kind: diag.Advice,
				}
				return
			}
		}
	})
	return found
}

// eachCount calls f for each sum in e, the value of a cell of an array, of a cell of this array (or the greatest of several) and of by,
// the greatest of the numbers that are added. It leaves out what is an operand of anything but min, max and select, and numbers greater
// than half of the type's greatest: these are added in order to wrap.
func eachCount(n *ir.Nest, array int, e ir.Expr, f func(r *ir.Read, by int64)) {
	most := n.Arrays[array].Elem.Cell().Hi
	switch e := e.(type) {
	case *ir.LocalRef:
		if let, ok := n.Body[e.Stmt].(*ir.Let); ok {
			eachCount(n, array, let.Expr, f)
		}
	case *ir.Select:
		if !readsOf(n, e.Cond, func(r *ir.Read) bool { return r.Array == array }) {
			eachCount(n, array, e.A, f)
			eachCount(n, array, e.B, f)
		}
	case *ir.Call:
		if e.Fn != ir.Max {
			return // a min keeps it small
		}
		for _, x := range e.Args {
			eachCount(n, array, x, f)
		}
	case *ir.Binary:
		for _, pair := range [][2]ir.Expr{{e.X, e.Y}, {e.Y, e.X}} {
			if by := added(pair[1]); e.Op == ir.Add && by > 0 && by <= most/2 {
				eachChosen(n, array, pair[0], func(r *ir.Read) { f(r, by) })
				return
			}
		}
	}
}

// eachChosen calls f for each cell of an array that may be the value of e, as it is or as the greatest of several.
func eachChosen(n *ir.Nest, array int, e ir.Expr, f func(r *ir.Read)) {
	switch e := e.(type) {
	case *ir.LocalRef:
		if let, ok := n.Body[e.Stmt].(*ir.Let); ok {
			eachChosen(n, array, let.Expr, f)
		}
	case *ir.Call:
		for _, x := range e.Args {
			if e.Fn == ir.Max {
				eachChosen(n, array, x, f)
			}
		}
	case *ir.Read:
		if e.Array == array {
			f(e)
		}
	}
}

// added is the greatest value of a number or of a select between numbers that are not negative; 0 for other expressions.
func added(e ir.Expr) int64 {
	if s, ok := e.(*ir.Select); ok {
		a, known := exactly(s.A, nil, nil)
		b, also := exactly(s.B, nil, nil)
		if known && also && min(a, b) >= 0 {
			return max(a, b)
		}
		return 0
	}
	v, _ := exactly(e, nil, nil)
	return v
}

// chainLength is how many iterations may follow one another at a distance, if parameters have their defaults; known is false if loops
// depend on one another, or on numbers without a default.
func chainLength(n *ir.Nest, dist ir.Vec, params []int) (steps int, known bool) {
	var lengths []int
	for l, by := range dist {
		if by == 0 {
			continue
		}
		lo, hi, ok := rangeByDefault(&n.Loops[l], params)
		if !ok || lo > hi {
			return 0, false
		}
		lengths = append(lengths, (hi-lo+1)/max(by, -by))
	}
	if len(lengths) == 0 {
		return 0, false
	}
	return slices.Min(lengths), true
}

// rangeByDefault are the first and the last value of a loop, in the order of their size, if parameters have their defaults; known is
// false if the loop depends on others, or on numbers without a default.
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
