package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// overwritten warns of a returned array if every iteration of a loop overwrites the same cell and no
// iteration reads what another one wrote: only the last iteration counts. It warns only if the
// assigned value depends on that loop, since otherwise all iterations assign the same. If the loop is
// not the innermost one, it may be one of time, whose last result is meant, unless its iterations do
// not depend on one another.
func overwritten(n *ir.Nest, array int) *diag.Diagnostic {
	writers := n.Assigns(array)
	if len(writers) == 0 || n.Analysis == nil || !n.Arrays[array].Returned() {
		return nil
	}
	inner := lastCounts(n, writers)
	if inner < 0 {
		return nil
	}
	first, last := n.Body[writers[0]].(*ir.Assign), n.Body[writers[len(writers)-1]].(*ir.Assign)
	if readLater(n, array) {
		return nil
	}
	at, value, begins := first.Span, first.Expr, len(writers) > 1
	itself := readsOf(n, last.Expr, func(r *ir.Read) bool { return r.Array == array })
	if let := begunBy(n, last); let != nil {
		at, value, begins, itself = let.Span, let.Expr, true, true
	}
	constant := !readsOf(n, value, func(*ir.Read) bool { return true })
	if begins && !(itself && constant) || !begins && itself {
		return nil
	}
	moves, collected := varies(n, last, inner)
	if !moves || collected && inner < len(n.Loops)-1 {
		return nil
	}
	cell, loop := strings.TrimSpace(spanText(n.Source, last.Span)), n.Loops[inner].Name
	d := &diag.Diagnostic{
		Severity: diag.Warning, Code: diag.NoResult, At: last.Span, Kind: diag.Advice,
		Message: fmt.Sprintf("%s is overwritten in every iteration of %s, and never read between: only the last one counts", cell, loop),
	}
	d.Hint = meantInstead(n, array, cell, loop, collected, begins)
	if begins && !collected && !madeArray(n, array) {
		d.At = at
	}
	return d
}

// lastCounts is the innermost loop that no subscript of the writers of an array has, and, unless it is the innermost of the nest, along
// which no iteration depends on another one; -1 if there is none.
func lastCounts(n *ir.Nest, writers []int) int {
	for l := range slices.Backward(n.Loops) {
		if runsOnce(&n.Loops[l]) || slices.ContainsFunc(writers, func(k int) bool { return follows(n.Body[k].(*ir.Assign).Subs, l) }) || l < len(n.Loops)-1 && goesBack(n, l) {
			continue
		}
		return l
	}
	return -1
}

// begunBy returns the let that letsOfCells has made of an earlier assignment to the cell of last, or nil.
func begunBy(n *ir.Nest, last *ir.Assign) *ir.Let {
	for _, stmt := range n.Body {
		if let, ok := stmt.(*ir.Let); ok && spanText(n.Source, let.Span) == spanText(n.Source, last.Span) {
			return let
		}
	}
	return nil
}

// varies reports whether the value of an assignment may change along a loop (moves), and whether it
// reads a cell of another written array that all iterations of the loop share, such as a sum that
// they collect (collected).
func varies(n *ir.Nest, w *ir.Assign, loop int) (moves, collected bool) {
	moves = readsOf(n, w.Expr, func(r *ir.Read) bool {
		here := r.Array != w.Array && len(n.Assigns(r.Array)) > 0 && !follows(r.Subs, loop)
		collected = collected || here
		return here || r.Array != w.Array && follows(r.Subs, loop)
	})
	return moves, collected
}

// meantInstead is the hint for a cell of which only the last value counts. collected says that the value is what the
// iterations have collected, and begins that the body also gives the cell a first value.
func meantInstead(n *ir.Nest, array int, cell, loop string, collected, begins bool) string {
	switch {
	case collected:
		return fmt.Sprintf("the statement of %s behind the inner for of %s, or behind this nest in one of its own", cell, loop)
	case madeArray(n, array):
		return fmt.Sprintf("%s += ..., if the iterations of %s are to be summed", cell, loop)
	case begins:
		return fmt.Sprintf("init %s = 0 before the for, in place of the %s = 0 in the body: the iterations of %s are summed then", cell, cell, loop)
	}
	if n.Arrays[array].Init != nil {
		return fmt.Sprintf("+= in place of =, if the iterations of %s are to be summed", loop)
	}
	return fmt.Sprintf("%[1]s = %[1]s + ..., with an init of %[2]s, if the iterations of %[3]s are to be summed", cell, n.Arrays[array].Name, loop)
}

// madeArray reports whether lowering made an array from a var.
func madeArray(n *ir.Nest, array int) bool {
	return spanText(n.Source, n.Arrays[array].Span) != n.Arrays[array].Name
}

// runsOnce reports whether both ends of a loop are the same.
func runsOnce(l *ir.Loop) bool {
	if len(l.Lo) != 1 || len(l.Hi) != 1 {
		return false
	}
	lo, hi := l.Lo[0], l.Hi[0]
	return lo.Const == hi.Const && slices.Equal(trimmed(lo.Iters), trimmed(hi.Iters)) && slices.Equal(trimmed(lo.Params), trimmed(hi.Params))
}

// follows reports whether a subscript depends on a loop.
func follows(subs []ir.Affine, loop int) bool {
	return slices.ContainsFunc(subs, func(s ir.Affine) bool { return loop < len(s.Iters) && s.Iters[loop] != 0 })
}

// readLater reports whether an iteration reads cells of an array that it did not write itself.
func readLater(n *ir.Nest, array int) bool {
	for id, r := range n.Reads {
		if x := n.Analysis.Reads[id]; r.Array == array && (x.Initial || slices.ContainsFunc(x.Sources, func(s ir.Source) bool { return s.Dist.Sign() != 0 })) {
			return true
		}
	}
	return false
}

// readsOf reports whether an expression, or a let that it uses, has a read for which wanted
// returns true.
func readsOf(n *ir.Nest, e ir.Expr, wanted func(*ir.Read) bool) (found bool) {
	ir.WalkLets(n.Body, e, func(x ir.Expr) {
		switch x := x.(type) {
		case *ir.Read:
			found = found || wanted(x)
		case *ir.Lookup:
			found = found || wanted(&ir.Read{T: x.T, ID: -1, Array: x.Array, At: x.At})
		}
	})
	return found
}

// meantToCollect returns the hint for a second let of one name, statement k with value e. If the
// first let is a number, and the result goes to a cell that several iterations write, the cell
// should collect the values.
func (c *checker) meantToCollect(k int, e *expr) string {
	name := c.body[k].let.Name.Name
	below := renamedBelow(name, bare(e))
	if e.kind != binaryExpr || e.op != ir.Add || e.args[0].kind != nameExpr || e.args[0].name != name {
		return below
	}
	if ent := c.names[name]; ent == nil || c.body[ent.index].let == nil || flatTree(c.body[ent.index].let.Value).kind != numberExpr {
		return below
	}
	for _, b := range c.body[k+1:] {
		if b.assign == nil {
			continue
		}
		if v := flatTree(b.assign.Value); v.kind == nameExpr && v.name == name && len(b.assign.Cell.Subs) < len(c.nest.Loops) {
			var subs []string
			for _, s := range b.assign.Cell.Subs {
				subs = append(subs, bare(flatTree(s)))
			}
			cell := b.assign.Cell.Name.Name + "[" + strings.Join(subs, ",") + "]"
			return fmt.Sprintf("a let lives for one iteration and collects nothing: %[1]s = %[1]s + %[2]s, with init %[1]s = 0", cell, bare(e.args[1]))
		}
	}
	return below
}

// onlyOf reports whether e reads arrays, and only arrays of type t.
func (c *checker) onlyOf(t ir.Type, e *expr) bool {
	reads, others := false, false
	var walk func(e *expr)
	walk = func(e *expr) {
		if ent := c.names[e.name]; e.kind == cellExpr && ent != nil && ent.kind == arrayEntity {
			reads = true
			others = others || c.nest.Arrays[ent.index].Elem != t
		}
		for _, x := range e.args {
			walk(x)
		}
	}
	walk(e)
	return reads && !others
}
