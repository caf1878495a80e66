package depend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"loopc/ir"
)

// Statements that write one cell of an array in each iteration, beside those that write the cells of the iterations.

// onlyAssignment matches a line with an assignment to a cell and nothing else.
var onlyAssignment = regexp.MustCompile(`^\s*[\pL_][\pL\d_]*\s*\[[^]]*\]\s*=\s*([^={};][^{};]*?)\s*(?://.*)?$`)

// chosenCell returns advice to join two statements of fixedWrite: the moving one selects the value of the
// fixed one where their subscripts are equal. It returns other if the fixed one collects the values of the others.
func (a *analyzer) chosenCell(fixed, moving int, other string) string {
	if a.collects(fixed) {
		return other
	}
	x, y := a.writing(fixed).subs, a.writing(moving).subs
	var conditions []string
	for d := range x {
		p, _ := index(x[d])
		if q, _ := index(y[d]); p < 0 && q >= 0 {
			conditions = append(conditions, AffineText(a.nest, y[d], loopNames(a.nest))+" == "+AffineText(a.nest, x[d], nil))
		}
	}
	cell := a.text(a.writing(moving).array, y)
	value := func(stmt int) string {
		w := a.nest.Body[stmt].(*ir.Assign)
		if w.Line < 1 || w.Line > len(a.nest.Source) {
			return "..."
		}
		m := onlyAssignment.FindStringSubmatch(a.nest.Source[w.Line-1])
		if m == nil || len(m[1]) > 60 {
			return "..."
		}
		return m[1]
	}
	hint := fmt.Sprintf("one statement for both, %s = select(%s, %s, %s)", cell, strings.Join(conditions, " && "), value(fixed), value(moving))
	if a.ofComputed(fixed) {
		return hint
	}
	return fmt.Sprintf("%s; or init or a nest before this one, if %s is to be written once", hint, a.text(a.writing(fixed).array, x))
}

// collects reports whether a statement reads the cell that it writes: each iteration adds to what those before have left there.
func (a *analyzer) collects(stmt int) bool {
	found := false
	ir.Walk(a.valueOf(stmt), func(e ir.Expr) {
		r, read := e.(*ir.Read)
		found = found || read && a.writesCell(stmt, r)
	})
	return found
}

// ofComputed reports whether a statement reads an array that the nest writes: no init, and no nest before, has its value.
func (a *analyzer) ofComputed(stmt int) bool {
	found := false
	ir.Walk(a.valueOf(stmt), func(e ir.Expr) {
		r, read := e.(*ir.Read)
		found = found || read && len(a.nest.Assigns(r.Array)) > 0
	})
	return found
}

// writesCell reports whether a statement writes the cell that e reads.
func (a *analyzer) writesCell(stmt int, e ir.Expr) bool {
	w := a.writing(stmt)
	r, read := e.(*ir.Read)
	return read && r.Array == w.array && slices.EqualFunc(r.Subs, w.subs, same)
}

// valueOf is what a statement assigns: within an if, without the cell itself, which keeps its value otherwise.
func (a *analyzer) valueOf(stmt int) ir.Expr {
	value := ir.Value(a.nest.Body[stmt])
	for {
		choice, ok := value.(*ir.Select)
		switch {
		case ok && a.writesCell(stmt, choice.B):
			value = choice.A
		case ok && a.writesCell(stmt, choice.A):
			value = choice.B
		default:
			return value
		}
	}
}
