package frontend

import (
	"fmt"

	"loopc/ir"
	"loopc/ir/diag"
)

// titled gives nests their titles: the lines of their loops, or where several nests have these, of their statements.
func titled(prog *ir.Program) {
	lines := map[int]int{}
	for _, n := range prog.Nests {
		lines[n.Loops[0].Span.Line]++
	}
	for _, n := range prog.Nests {
		s := n.Body[len(n.Body)-1]
		switch assign, ok := s.(*ir.Assign); {
		case n.Title != "":
			n.Title = (diag.Diagnostic{Message: n.Title}).Reworded(prog.Words).Message
		case ok && lines[n.Loops[0].Span.Line] > 1:
			n.Title = fmt.Sprintf("the nest of line %d", assign.Line)
		default:
			n.Title = fmt.Sprintf("the nest at line %d", n.Loops[0].Span.Line)
		}
	}
}
