package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// lostValue warns of statement k if a later one gives its cell another value in every iteration, and nothing reads the cell between.
// A number is no mistake: some write it first, to be on the safe side.
func lostValue(n *ir.Nest, k int) *diag.Diagnostic {
	first := n.Body[k].(*ir.Assign)
	cell := spanText(n.Source, first.Span)
	if n.Analysis == nil || !readsOf(n, first.Expr, func(*ir.Read) bool { return true }) || madeArray(n, first.Array) {
		return nil
	}
	for id := range n.Reads {
		for _, s := range n.Analysis.Reads[id].Sources {
			if s.Stmt == k {
				return nil
			}
		}
	}
	var again *ir.Assign
	for _, s := range n.Body[k+1:] {
		if w, ok := s.(*ir.Assign); ok && w.Array == first.Array && sameCell(w.Subs, first.Subs) {
			again = w
		}
	}
	if again == nil {
		return nil
	}
	d := &diag.Diagnostic{Severity: diag.Warning, Code: diag.NoResult, At: first.Span, Kind: diag.Advice}
	d.Message = fmt.Sprintf("this value of %s is lost: line %d gives %[1]s another one in every iteration", cell, again.Span.Line)
	d.Hint = fmt.Sprintf("one of the two is of another cell; or += at line %d, if both are to count", again.Span.Line)
	if again.Span == first.Span { // a loop is written out
		d.Message = fmt.Sprintf("%s is overwritten in every iteration of the loop around it, and never read between: only the last one counts", cell)
		d.Hint = "+= in place of =, if the iterations are to be summed"
	}
	return d
}

// lostVar warns of let k, a value of a var that nothing reads, if the same statement of a loop that is written out sets the var again.
func lostVar(n *ir.Nest, k int) (found *diag.Diagnostic) {
	first := n.Body[k].(*ir.Let)
	again := slices.ContainsFunc(n.Body[k+1:], func(s ir.Stmt) bool {
		l, ok := s.(*ir.Let)
		return ok && l.Span == first.Span
	})
	if !again || !readsOf(n, first.Expr, func(*ir.Read) bool { return true }) {
		return nil
	}
	for _, s := range n.Body {
		used := false
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			l, ok := e.(*ir.LocalRef)
			used = used || ok && l.Stmt == k
		})
		if used {
			return nil
		}
	}
	return &diag.Diagnostic{
		Severity: diag.Warning, Code: diag.NoResult, At: first.Span, Kind: diag.Advice,
		Message: fmt.Sprintf("%s is set in every iteration of the loop around it, and never read between: only the last one counts", strings.TrimSpace(spanText(n.Source, first.Span))),
		Hint:    "+= in place of =, if the iterations are to be summed",
	}
}
