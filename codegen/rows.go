package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// alongRow prints the loop along a row, or along rows that are computed together.
func (w *boxWriter) alongRow(rows ...*rowWriter) {
	g := w.generator
	over := "width" // what the loop ranges over: the number of columns, or a slice of a row, whose accesses then need no check
	for v := range w.values {
		if name, ok := rows[0].slices[fmt.Sprint(v, ir.Vec(nil))]; ok {
			over = name
			break
		}
	}
	// The lowest row first, because it reads variables that the rows above it set one step ago.
	body := ""
	for _, r := range slices.Backward(rows) {
		body += r.body.buf.String()
	}
	// The user's loops that change along the row.
	var moving []string
	for k, name := range g.loops {
		if c := w.along(k); c != 0 {
			moving = append(moving, fmt.Sprintf("%s := %s", name, sum(term{1, w.first(k)}, term{c, w.index})))
		}
	}
	once := func(body string) {
		for _, m := range moving {
			g.linef("%s", m)
		}
		g.linef("%s", strings.TrimRight(body, "\n"))
	}
	if len(rows) > 1 && (w.jam.steps > 1 || len(w.back) > 0) {
		if over != "width" {
			over = fmt.Sprintf("len(%s)", over)
		}
		w.bySteps(over, body, once)
		return
	}
	g.linef("for %s := range %s {", w.index, over)
	once(body)
	g.linef("}")
}

// bySteps prints the loop along rows that are computed together; over is the number of columns, and
// once prints one step. If an iteration has several steps, a second loop has the remaining columns.
// If results are copied to returned arrays, the first loop tells how many columns are complete.
func (w *boxWriter) bySteps(over, body string, once func(string)) {
	g, x, n := w.generator, w.index, w.jam.steps
	whole, before := over, over // the end of the columns of whole iterations, and of those at which one may begin
	if n > 1 {
		g.comment(fmt.Sprintf("%d steps at a time, then those that are left.", n))
		whole, before = fmt.Sprintf("%s/%d*%d", over, n, n), fmt.Sprintf("%s-%d", over, n-1)
	}
	if len(w.back) == 0 {
		g.linef("for %s := 0; %s < %s; %s += %d {", x, x, before, x, n)
	} else {
		size := 0
		for _, v := range w.back {
			size = max(size, w.n.Arrays[w.plan.Values[v].Array].Elem.Size())
		}
		g.linef("%s := 0", x)
		g.linef("for %s < %s {", x, whole)
		g.linef("for end := min(%s + simd.StreamedRowBytes/%d, %s); %s < end; %s += %d {", x, size, whole, x, x, n)
	}
	once(body)
	body = withoutComments(body)
	for k := 1; k < n; k++ {
		g.linef("{")
		g.linef("%s := %s + %d", x, x, k)
		once(body)
		g.linef("}")
	}
	g.linef("}")
	if len(w.back) > 0 {
		for _, v := range w.back {
			g.linef("%s.Upto(%s)", w.outNames[v], x)
		}
		g.linef("}")
	}
	if n == 1 {
		return
	}
	rest := ""            // the second loop goes on where the first has ended
	if len(w.back) == 0 { // the first loop has declared the index for itself
		rest = fmt.Sprintf("%s := %s / %d * %d", x, over, n, n)
	}
	g.linef("for %s; %s < %s; %s++ {", rest, x, over, x)
	once(body)
	g.linef("}")
}

// withoutComments returns statements without the lines that are comments.
func withoutComments(body string) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}
