package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Warnings of reads that come too early.

// earlyRead warns of a read whose cell the nest writes only afterwards, in a later iteration or by
// a statement below, or by its own statement: the read always gets the value of init. If init gives
// the cells along the outermost loop different values, the user may want these values: then it
// warns only of cells that a later iteration of an inner loop writes. Of a read in the statement
// that writes the cell, it warns only if the nest also reads cells that it wrote before.
func earlyRead(n *ir.Nest, id int) *diag.Diagnostic {
	r := n.Reads[id]
	arr := &n.Arrays[r.Array]
	loops, added := writtenAt(n, r.Array)
	if arr.Init == nil || arr.Role == ir.InOut || len(loops)-numbers(loops) != n.Depth() || n.Analysis == nil || len(n.Analysis.Reads[id].Sources) > 0 || !n.Analysis.Reads[id].Initial {
		return nil
	}
	ahead := aheadOf(n, r, loops, added)
	if ahead == nil {
		return nil
	}
	if d := timeInside(n, id, loops, added, ahead); d != nil || ownContent(arr.Init) {
		return d
	}
	inner := slices.IndexFunc(ahead, func(x int) bool { return x != 0 })
	writer := n.Assigns(r.Array)[0]
	own := inner < 0 && n.ReadStmt[id] == writer
	alike := alikeAhead(n, r.Array, loops, added, ahead, own)
	if inner < 1 && !alike || inner < 0 && n.ReadStmt[id] > writer || own && !readsBefore(n, r.Array) {
		return nil
	}
	d := &diag.Diagnostic{
		Severity: diag.Warning, Code: diag.NotSupplied, At: r.At,
		Message: spanText(n.Source, r.At) + " is read before it is written, and then never again: it is always what init gives",
		Kind:    diag.Advice,
	}
	earlyHint(d, n, id, loops, added, ahead, own)
	return d
}

// alikeAhead reports whether the init of an array gives all cells along the outermost loop one value; or whether no other read tells
// the direction in which this loop is to run; or, of a read in the iteration that writes the cell, whether init gives all cells one value
// along a loop in which each comes from the one before: the value is that of the first one. own says that the reading statement writes the cell.
func alikeAhead(n *ir.Nest, array int, loops, added, ahead []int, own bool) bool {
	init, outer := n.Arrays[array].Init, slices.Index(loops, 0)
	inner := slices.IndexFunc(ahead, func(x int) bool { return x != 0 })
	switch {
	case slices.Contains(init.Ignored(), outer):
		return true
	case inner == 0:
		return onlyAhead(n, array, loops, added) || ahead[0] > 0 && !readsBefore(n, array) && steady(init, outer)
	}
	return inner < 0 && !own && alikeAlong(n, array, loops, added)
}

// timeInside warns of read id, whose cell a later iteration of a loop writes, if all reads of the array go back along
// a loop further inside: that loop is like time, and belongs outside. It returns nil for other reads.
func timeInside(n *ir.Nest, id int, loops, added, ahead []int) *diag.Diagnostic {
	r := n.Reads[id]
	inner := slices.IndexFunc(ahead, func(x int) bool { return x != 0 })
	if inner < 0 || ahead[inner] < 0 || !readsBefore(n, r.Array) {
		return nil
	}
	for l := inner + 1; l < n.Depth(); l++ {
		if slices.ContainsFunc(n.Reads, func(x *ir.Read) bool {
			if x.Array != r.Array {
				return false
			}
			at := aheadOf(n, x, loops, added)
			return at == nil || at[l] >= 0
		}) {
			continue
		}
		return &diag.Diagnostic{
			Severity: diag.Warning, Code: diag.NotSupplied, At: r.At,
			Message: spanText(n.Source, r.At) + " is read before it is written, and then never again: it is always what init gives",
			Hint:    fmt.Sprintf("the loop %s outside of the loop %s, if a computed value is meant", n.Loops[l].Name, n.Loops[inner].Name), Kind: diag.Advice,
		}
	}
	return nil
}

// readsBefore reports whether a nest reads cells of an array that an earlier iteration writes.
func readsBefore(n *ir.Nest, array int) bool {
	for id, r := range n.Reads {
		if r.Array == array && len(n.Analysis.Reads[id].Sources) > 0 {
			return true
		}
	}
	return false
}

// aheadOf returns, by loop and in the loop's direction, how many iterations after the read r the
// cell of r is written; nil if the subscripts of r lack the loops of the write. loops and added are
// those of writtenAt.
func aheadOf(n *ir.Nest, r *ir.Read, loops, added []int) []int {
	ahead := make([]int, n.Depth())
	for d, sub := range r.Subs {
		l := loops[d]
		if l < 0 && plainNumber(sub) && sub.Const == added[d] {
			continue
		}
		if l < 0 || len(sub.Params) > 0 || len(sub.Iters) != l+1 || sub.Iters[l] != 1 || slices.ContainsFunc(sub.Iters[:l], func(x int) bool { return x != 0 }) {
			return nil
		}
		ahead[l] = (sub.Const - added[d]) * n.Loops[l].Step()
	}
	return ahead
}

// onlyAhead reports whether a nest reads cells of an array that it writes before, but none that an earlier
// iteration of its outermost loop writes.
func onlyAhead(n *ir.Nest, array int, loops, added []int) bool {
	return readsBefore(n, array) && !readsBehind(n, array, loops, added)
}

// readsBehind reports whether a nest reads cells of an array that an earlier iteration of its outermost loop
// writes. loops and added are those of writtenAt.
func readsBehind(n *ir.Nest, array int, loops, added []int) bool {
	d := slices.Index(loops, 0)
	return slices.ContainsFunc(n.Reads, func(r *ir.Read) bool {
		return r.Array == array && (r.Subs[d].Const-added[d])*n.Loops[0].Step() < 0
	})
}

// earlyHint completes the warning of earlyRead. loops and added are those of writtenAt, and ahead tells by loop
// how many iterations later the cell is written; own says that the reading statement writes it.
func earlyHint(d *diag.Diagnostic, n *ir.Nest, id int, loops, added, ahead []int, own bool) {
	if slices.ContainsFunc(n.Loops, func(l ir.Loop) bool { return strideOf(n.Source, l.Span) != "1" }) {
		return // the steps may leave the cell out
	}
	array := n.Reads[id].Array
	inner := slices.IndexFunc(ahead, func(x int) bool { return x != 0 })
	w := n.Body[n.Assigns(array)[0]].(*ir.Assign)
	back := recurrence(n, array, loops, added)
	switch {
	case own && n.Reads[id].At == w.Span:
		ownTarget(d, n, w, cellBefore(n, id, loops, back, 1))
	case own:
		d.Hint = cellBefore(n, id, loops, back, 1) + ", if the cell is to have the value computed last"
	case inner < 0:
		d.Hint = cellBefore(n, id, loops, back, 1) + ", if the iteration before is meant"
		if !writtenOut(n, n.Reads[id], loops) {
			d.Hint = "the statement that writes it above this one, or " + d.Hint
		}
		d.Notes = []diag.Note{{At: w.Span, Message: spanText(n.Source, w.Span) + " is written here"}}
	case inner == 0 && readsBefore(n, array) && readsBehind(n, array, loops, added):
		d.Hint = fmt.Sprintf("%s, or loop %s in the other direction, if the cell is to have a computed value", cellBefore(n, id, loops, 0, 2*ahead[0]), n.Loops[0].Name)
	case inner == 0:
		d.Hint = fmt.Sprintf("loop %s in the other direction, if the cell is to have its new value", n.Loops[0].Name)
	case readsAlong(n, array, loops, added, inner):
		d.Hint = fmt.Sprintf("loop %[1]s in the other direction, if the cell is to have its new value, like others that are read; or a cell of an earlier iteration of %[2]s",
			n.Loops[inner].Name, n.Loops[inner-1].Name)
	case !goesBack(n, inner-1):
		d.Hint = fmt.Sprintf("loop %s in the other direction, if the cell is to have its new value", n.Loops[inner].Name)
	default:
		d.Hint = fmt.Sprintf("a cell of an earlier iteration of %s, or loop %s in the other direction, if the cell is to have its new value",
			n.Loops[inner-1].Name, n.Loops[inner].Name)
	}
}

// readsAlong reports whether a nest reads cells of an array that it wrote before in the same iteration of the
// loops outside of loop inner: the nest sweeps. loops and added are those of writtenAt.
func readsAlong(n *ir.Nest, array int, loops, added []int, inner int) bool {
	return slices.ContainsFunc(n.Reads, func(r *ir.Read) bool {
		moves, before := false, true
		for d := range r.Subs {
			if r.Array != array {
				return false
			}
			if loops[d] < 0 {
				continue
			}
			by := (r.Subs[d].Const - added[d]) * n.Loops[loops[d]].Step()
			moves = moves || by != 0
			before = before && (by == 0 || loops[d] >= inner && by < 0)
		}
		return moves && before
	})
}

// ownTarget completes the warning of earlyRead of what no expression of the text reads: the target of an update, or
// the cell that stays where an if is not taken. before is the cell that was computed last.
func ownTarget(d *diag.Diagnostic, n *ir.Nest, w *ir.Assign, before string) {
	cell := spanText(n.Source, w.Span)
	rest := w.Span
	rest.Col, rest.Len = rest.Col+rest.Len, 1<<16
	sign, _, _ := strings.Cut(strings.TrimSpace(spanText(n.Source, rest)), " ")
	if op, updates := strings.CutSuffix(sign, "="); updates && op != "" && sign != "==" {
		d.Message = fmt.Sprintf("%s is updated once: before, it is always what init gives", cell)
		d.Hint = fmt.Sprintf("= in place of %s, if it is not to have what init gives in it", sign)
		if before != cell {
			d.Hint = fmt.Sprintf("one of these: %s = %s %s ..., if what it was before is to be in it; or %s", cell, before, op, d.Hint)
		}
		return
	}
	d.Message = fmt.Sprintf("where the if does not assign to %s, it is always what init gives", cell)
	d.Hint = fmt.Sprintf("else { %s = %s }, if it is to stay what it was; else the value that it has then", cell, before)
}

// recurrence is the outermost loop along which a nest reads cells of an array that it wrote before; if there is none, the same of
// the first other array that has one; else a loop before whose first iteration the array has cells; else loop 0. loops and added are those of writtenAt.
func recurrence(n *ir.Nest, array int, loops, added []int) int {
	least := n.Depth()
	see := func(array int, loops, added []int) {
		for id, r := range n.Reads {
			if r.Array != array || loops == nil || len(n.Analysis.Reads[id].Sources) == 0 {
				continue
			}
			if k := slices.IndexFunc(aheadOf(n, r, loops, added), func(x int) bool { return x != 0 }); k >= 0 {
				least = min(least, k)
			}
		}
	}
	first := firstCells(&n.Arrays[array], n, loops, added)
	see(array, loops, added)
	for other := 0; other < len(n.Arrays) && least == n.Depth(); other++ {
		loops, added = writtenAt(n, other)
		see(other, loops, added)
	}
	if least == n.Depth() {
		return max(first, 0)
	}
	return least
}

// goesBack reports whether a read of the nest takes a result of an earlier iteration of the loop.
func goesBack(n *ir.Nest, loop int) bool {
	for id := range n.Reads {
		if slices.ContainsFunc(n.Analysis.Reads[id].Sources, func(s ir.Source) bool { return s.Dist[loop] != 0 }) {
			return true
		}
	}
	return false
}

// cellBefore is the cell that a read would get in an earlier iteration: back is how many iterations
// of the loop earlier. loops are those of writtenAt.
func cellBefore(n *ir.Nest, id int, loops []int, loop, back int) string {
	r := n.Reads[id]
	var subs []string
	for d, sub := range r.Subs {
		if loops[d] < 0 {
			subs = append(subs, readSubscript(n, r, d))
			continue
		}
		if loops[d] == loop {
			sub.Const -= back * n.Loops[loop].Step()
		}
		text := n.Loops[loops[d]].Name
		if sub.Const != 0 {
			text += fmt.Sprintf("%+d", sub.Const)
		}
		subs = append(subs, text)
	}
	return n.Arrays[r.Array].Name + "[" + strings.Join(subs, ",") + "]"
}
