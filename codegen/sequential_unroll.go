package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// atATime is how many iterations an iteration of the emitted loop computes if each waits for the one before it in the row: so
// counting costs less, and the processor looks ahead to the next row.
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
	return w.operations() <= mostUnrolled
}

// operations is the length of the body, in operations and operands.
func (w *seqWriter) operations() (n int) {
	for s, stmt := range w.n.Body {
		if w.live[s] {
			ir.Walk(ir.Value(stmt), func(ir.Expr) { n++ })
		}
	}
	return n
}

// forward prints the head of the loop over a row from place first on; for a row that is written out, it prints all iterations but the
// last one. value is the statement that defines the loop's variable from the place in the row.
func (w *seqWriter) forward(first int, value string) {
	in, start := &w.in, fmt.Sprintf("%s := %d", w.in.place, first)
	n := w.writesOut()
	switch {
	case w.most != nil && !in.counts:
		w.most.fours(w, first)
		start = ""
	case n > 0:
		w.writtenOut(first, n, value)
		return
	case w.unrolls():
		w.unrolled(first)
		start = ""
	}
	w.linef("for %s; %s < len(%s); %s++ {", start, in.place, in.lead.name, in.place)
}

// mostWritten and mostWrittenLong are the most iterations of a row that are written out, and their greatest length together.
const mostWritten, mostWrittenLong = 8, 24 * mostUnrolled

// writesOut returns how many iterations a row has, if it always has a few and they are short: then they are written one after the other. It
// returns 0 for other rows.
func (w *seqWriter) writesOut() int {
	if n := w.few(); n*w.operations() <= mostWrittenLong {
		return n
	}
	return 0
}

// few returns how many iterations a row has, if it always has a few, such as those of the channels of a pixel: then Go proves that the cells
// are within the row. It returns 0 for other rows.
func (w *seqWriter) few() int {
	last := len(w.n.Loops) - 1
	l := &w.n.Loops[last]
	if last == 0 || len(l.Lo) != 1 || len(l.Hi) != 1 {
		return 0
	}
	extent := l.Hi[0].PlusTimes(-1, l.Lo[0])
	switch n := extent.Const + 1; {
	case l.Backward || n < 2 || n > mostWritten:
		return 0
	case slices.ContainsFunc(append(slices.Clone(extent.Params), extent.Iters...), func(c int) bool { return c != 0 }):
		return 0
	default:
		return n
	}
}

// writtenOut prints the first n-1 of the n iterations of a row from place first, and the head of the last one. value is the statement
// that defines the loop's variable in each iteration; "" if the body does not need it.
func (w *seqWriter) writtenOut(first, n int, value string) {
	w.linef("%s := %d", w.in.place, first)
	w.copies(n-1, value)
	w.linef("%s++", w.in.place)
	w.linef("{")
}

// rolls reports whether the loops use an array that stores only a few levels: see seqArray.roll.
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
	w.severalAtATime(first)
	w.copies(atATime, "")
	w.linef("}")
}

// copies prints n iterations of a row, each with what precedes its body, and moves the place from one to the next.
func (w *seqWriter) copies(n int, before string) {
	in, g := &w.in, w.generator
	body := before + w.body.buf.String()
	block := strings.Contains(body, ":=") || strings.Contains(body, "var ")
	for k := range n {
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
}
