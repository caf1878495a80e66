package codegen

import (
	"cmp"
	"math"
	"slices"

	"loopc/ir"
)

// lateLast returns nest n with the operands of sums of integers, and of minima and maxima of any
// type, in the order in which they become known: the operand that needs the row's previous result
// comes last, so that the critical path has one operation instead of all. Results are the same:
// such sums wrap, and Go's min and max treat NaN and signed zeros alike in any order. Lets that each add an operand to a minimum
// or a maximum, such as those of a small loop that is written out, are joined into one.
func lateLast(n *ir.Nest, l *ir.Lowered) *ir.Nest {
	o := &lateness{l: l, of: make([]float64, len(n.Body))}
	out := *n
	out.Body, out.ReadStmt = slices.Clone(n.Body), slices.Clone(n.ReadStmt)
	j := newJoiner(&out)
	for k, s := range n.Body {
		switch s := s.(type) {
		case *ir.Let:
			x := *s
			x.Expr = o.ordered(j.joined(k, s.Expr))
			out.Body[k] = &x
		case *ir.Assign:
			x := *s
			x.Expr = o.ordered(j.joined(k, s.Expr))
			out.Body[k] = &x
		}
		o.of[k] = o.delay(ir.Value(out.Body[k]))
	}
	return &out
}

// lateness is the time from the row's previous result to the values of a body.
type lateness struct {
	l  *ir.Lowered
	of []float64 // of statements, in cycles; -Inf: it does not need that result
}

// delay is the time to the value of e.
func (o *lateness) delay(e ir.Expr) float64 {
	own := 1.0
	switch e := e.(type) {
	case *ir.LocalRef:
		return o.of[e.Stmt]
	case *ir.Read:
		from := o.l.Reads[e.ID]
		switch {
		case from.From == ir.FromLocal:
			return o.of[o.l.Values[from.Value]]
		case inRow(from, len(from.Dist)-1):
			return 0
		}
		return math.Inf(-1)
	case *ir.Binary:
		own = binaryPrice(e).latency
	case *ir.Call:
		own = callPrice(e).latency
	}
	most := math.Inf(-1)
	for _, x := range ir.Operands(e) {
		most = max(most, o.delay(x))
	}
	return most + own
}

// A lateTerm is an operand of a sum or of a minimum.
type lateTerm struct {
	e        ir.Expr
	subtract bool
	delay    float64
}

// ordered returns e with its operands in order.
func (o *lateness) ordered(e ir.Expr) ir.Expr {
	if !joins(e, e) {
		return ir.Map(e, o.ordered)
	}
	var all []lateTerm
	for k, x := range ir.Operands(e) {
		all = terms(e, x, k == 1 && subtracts(e), all)
	}
	for k := range all {
		all[k].e = o.ordered(all[k].e)
		all[k].delay = o.delay(all[k].e)
	}
	byDelay := func(x, y lateTerm) int { return cmp.Compare(x.delay, y.delay) }
	if slices.IsSortedFunc(all, byDelay) && !severalLate(all) {
		return replaced(e, all)
	}
	slices.SortStableFunc(all, byDelay)
	first := slices.IndexFunc(all, func(x lateTerm) bool { return !x.subtract })
	all = slices.Insert(slices.Delete(slices.Clone(all), first, first+1), 0, all[first])
	if call, ok := e.(*ir.Call); ok {
		return inPairs(call, all)
	}
	sum := all[0].e
	for _, t := range all[1:] {
		op := ir.Add
		if t.subtract {
			op = ir.Sub
		}
		sum = &ir.Binary{T: e.Type(), Op: op, X: sum, Y: t.e, At: e.Span()}
	}
	return sum
}

// terms appends e, an operand of root whose order is free; or, instead of it, its operands, if their order is free, too.
func terms(root, e ir.Expr, subtract bool, all []lateTerm) []lateTerm {
	if !joins(root, e) {
		return append(all, lateTerm{e: e, subtract: subtract})
	}
	for k, x := range ir.Operands(e) {
		all = terms(root, x, subtract != (k == 1 && subtracts(e)), all)
	}
	return all
}

// replaced returns root with each of its terms replaced by the next one of all.
func replaced(root ir.Expr, all []lateTerm) ir.Expr {
	var next func(e ir.Expr) ir.Expr
	next = func(e ir.Expr) ir.Expr {
		if joins(root, e) {
			return ir.Map(e, next)
		}
		term := all[0].e
		all = all[1:]
		return term
	}
	return next(root)
}

// joins reports whether the operands of e are operands of root, in an order that is free. Expression e is root, or an operand of root.
func joins(root, e ir.Expr) bool {
	switch of := root.(type) {
	case *ir.Binary:
		x, ok := e.(*ir.Binary)
		return ok && wraps(of) && wraps(x)
	case *ir.Call:
		x, ok := e.(*ir.Call)
		return ok && (of.Fn == ir.Min || of.Fn == ir.Max) && x.Fn == of.Fn
	}
	return false
}

// subtracts reports whether e is a difference.
func subtracts(e ir.Expr) bool {
	x, ok := e.(*ir.Binary)
	return ok && x.Op == ir.Sub
}

// wraps reports whether e is a sum or a difference of integers whose terms may be added in any order. What is known
// of sums of narrower integers depends on their order.
func wraps(e *ir.Binary) bool {
	return (e.Op == ir.Add || e.Op == ir.Sub) && e.T.Integer() && e.T.Size() >= 4
}
