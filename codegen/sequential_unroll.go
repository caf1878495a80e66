package codegen

import (
	"slices"
	"strings"

	"loopc/ir"
)

// atATime is how many iterations of a row that wait for one another the loop computes at a time, so that counting costs less, and
// the processor looks ahead to the next row.
const atATime = 4

// mostUnrolled is the length of the longest body, in operations and operands, that is unrolled.
const mostUnrolled = 12

// unrolls reports whether the loop along a row computes several iterations at a time: each waits for the one before it, and the
// body is short.
func (w *seqWriter) unrolls() bool {
	in := &w.in
	if in.lead == nil || in.counts || w.n.Loops[len(w.n.Loops)-1].Backward || len(in.carried) == 0 || w.several || w.rolls() {
		return false
	}
	operations := 0
	for s, stmt := range w.n.Body {
		if w.live[s] {
			ir.Walk(ir.Value(stmt), func(ir.Expr) { operations++ })
		}
	}
	return operations <= mostUnrolled
}

// rolls reports whether the levels of an array that the loops use roll.
func (w *seqWriter) rolls() bool {
	return slices.ContainsFunc(w.arrays, func(st *seqArray) bool { return st.roll >= 0 && w.used(st) })
}

// severalAtATime prints the head of a loop over a row from place first, whose body has several iterations.
func (w *seqWriter) severalAtATime(first int) {
	w.linef("%s := %d", w.in.place, first)
	w.linef("for ; %s < len(%s)-%d; %s++ {", w.in.place, w.in.lead.name, atATime-1, w.in.place)
}

// unrolled prints the loop that computes several iterations at a time. The loop over single ones follows, and begins where this
// one ends.
func (w *seqWriter) unrolled(first int) {
	in, g := &w.in, w.generator
	w.severalAtATime(first)
	body := w.body.buf.String()
	block := strings.Contains(body, ":=") || strings.Contains(body, "var ")
	for k := range atATime {
		if k > 0 {
			g.linef("%s++", in.place)
		}
		if k > 0 && block {
			g.linef("{")
		}
		g.buf.WriteString(body)
		if k > 0 && block {
			g.linef("}")
		}
		for _, step := range in.steps {
			g.linef("%s", step)
		}
		body = withoutComments(body)
	}
	g.linef("}")
}
