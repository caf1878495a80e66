package codegen

import (
	"fmt"
	"math"

	"loopc/ir"
)

// An unrollAndJam says how many rows of a plane are computed together, and by how many columns
// each lags behind the row above it. At step v, row r is at column v - lag·r, so that the
// iterations of a step are independent. Flow distances are nonnegative, so a lag of 1 is always
// enough. A lag of 0 is enough if every distance (d_a, d_b) within the plane, in rows and
// columns, has d_b ≥ 1: row r - d_a reached column v - lag·r - d_b already lag·d_a + d_b ≥ 1
// steps ago.
type unrollAndJam struct {
	rows  int // 1: rows go one by one
	lag   int
	steps int // steps per iteration of the loop along the rows
	// Cycles of one iteration: the latency from the row's previous result to the iteration's own,
	// and the time of the busiest unit.
	latency, ports float64
}

// mostRows is the most rows that are computed together. More rows lose as much at the edges of a
// box and in registers as they gain.
const mostRows = 8

// mostSteps is the most steps per iteration of the loop along rows that are computed together. Not
// all addresses of rows fit registers, so an iteration has several steps, which share the addresses
// read from the stack, and the loop count. mostCode is the most instructions of such an iteration
// [note vector-constants].
const (
	mostSteps = 4
	mostCode  = 1000
)

// slack is the factor on the number of rows that the count requires: no processor finds the best
// order for its units, and rows wait for loads, too.
const slack = 1.5

// unrollAndJam chooses how many rows are computed together: enough that a step is bound by
// arithmetic and memory, and not by the latency of one row,
//
//	rows ≥ slack · latency / ports,
//
// rounded up to an even number, but no more than keep their carried results in registers.
func (g *generator) unrollAndJam() unrollAndJam {
	last := len(g.plan.Dims) - 1
	live := g.findLive()
	t := unrollAndJam{rows: 1, steps: 1}
	carried := map[int]bool{} // values that a row carries in a variable
	chained := false          // iterations of a row wait for one another
	for k, r := range g.l.Reads {
		if !live[g.n.ReadStmt[k]] || !inPlane(r, last) {
			continue
		}
		if nextInRow(r, last) {
			carried[r.Value] = true
			chained = chained || !g.l.Abreast(g.n, k)
		}
		if r.Dist[last] < 1 {
			t.lag = 1
		}
	}
	if !chained || last < 2 {
		return t
	}
	c := newCriticalPath(g, live, false)
	t.latency, t.ports = c.latency, c.ports()
	rows := 2 * math.Ceil(slack*t.latency/t.ports/2)
	t.rows = int(max(2, min(rows, mostRows, float64(c.registers()/len(carried)))))
	each := float64(t.rows) * (c.instructions + float64(len(c.loads)) + c.stores)
	for t.steps < mostSteps && each*float64(2*t.steps) <= mostCode {
		t.steps *= 2
	}
	return t
}

// rowsInGo is kernel.Traits.Rows of the portable kernel.
func (g *generator) rowsInGo() int {
	if n := g.unrollAndJam().rows; n > 1 {
		return n
	}
	return 0
}

// portableCycles is the time of an iteration of the portable kernel, in cycles.
func (g *generator) portableCycles() float64 {
	c := newCriticalPath(g, g.findLive(), false)
	return max(c.ports(), c.latency/float64(g.unrollAndJam().rows))
}

// text describes t for the package comment.
func (t unrollAndJam) text() string {
	if t.rows == 1 {
		return ""
	}
	lag := ""
	if t.lag > 0 {
		lag = fmt.Sprintf(", each %d behind the one above", t.lag)
	}
	return fmt.Sprintf("portable: %d rows together%s, %.2g cycles a point from ports, %.2g from latency", t.rows, lag, t.ports, t.latency/float64(t.rows))
}

// nextInRow reports whether a read is of the previous iteration's result in its row, along
// dimension last.
func nextInRow(r ir.ReadFrom, last int) bool {
	return inRow(r, last) && r.Dist[last] == 1
}

// inRow reports whether r reads a result of the same row.
func inRow(r ir.ReadFrom, last int) bool {
	return r.From == ir.FromBlock && r.Dist[:last].Sign() == 0
}

// inPlane reports whether r reads a result of the same plane. A plane is the rows that one call
// computes: all coordinates but the last two are equal.
func inPlane(r ir.ReadFrom, last int) bool {
	return r.From == ir.FromBlock && r.Dist[:max(0, last-1)].Sign() == 0
}

// advance prints the loop over the rows of a plane that are computed together, without its
// closing brace.
func (w *boxWriter) advance(alone *rowWriter, rows []*rowWriter) {
	g := w.generator
	name, from, to, _ := w.rowLoop(w.last - 1)
	n, lag := len(rows), w.jam.lag
	// A row is computed alone if no row is left below it, or if the box has too few rows. Rows with sums are computed alone if too
	// few are left, because a row that is computed twice would count twice. Short rows that lag behind one another are computed
	// alone, because most of their columns would be at the beginnings and ends, which are computed alone anyway.
	few := fmt.Sprintf("%s == %s || hi[%d]-lo[%d] < %d", name, to, w.last-1, w.last-1, n-1)
	if g.sums() {
		few = fmt.Sprintf("%s > %s", name, plus(to, fmt.Sprint(1-n)))
	}
	if lag > 0 {
		few += fmt.Sprintf(" || width < %d", 2*lag*n)
	}
	g.linef("for %s := %s; %s <= %s; {", name, from, name, to)
	g.linef("if %s {", few)
	w.row(alone)
	if len(w.back) > 0 {
		g.linef("{")
		w.begin(w.copied)
		g.linef("}")
	}
	g.linef("%s++", name)
	g.linef("continue")
	g.linef("}")
	if g.sums() {
		g.comment(fmt.Sprintf("%d rows together, so that their latencies overlap.", n))
	} else {
		g.comment(fmt.Sprintf("%d rows together, so that their latencies overlap. If fewer are left, some above them\nare computed again.", n))
		g.linef("%s = min(%s, %s)", name, name, plus(to, fmt.Sprint(1-n)))
	}
	if len(w.back) > 0 {
		g.linef("for %s := range %d {", w.outRow, n)
		g.linef("%s := %s + %s", name, name, w.outRow)
		w.begin(w.streaming)
		g.linef("}")
	}
	if lag == 0 {
		w.row(rows...)
	} else {
		w.lagging(alone, rows, name)
	}
	if len(w.back) > 0 {
		g.linef("for %s := range %d {", w.outRow, n)
		for _, v := range w.back {
			g.linef("%s.End(%s, len(tile.%s))", w.outNames[v], w.outRow, w.backName(v))
		}
		g.linef("}")
	}
	g.linef("%s += %d", name, n)
}

// lagging prints rows that are computed together; each row lags behind the row above it. name is
// the variable of the loop over rows.
func (w *boxWriter) lagging(alone *rowWriter, rows []*rowWriter, name string) {
	g := w.generator
	n, lag := len(rows), w.jam.lag
	lags := func(count string) string { return times(fmt.Sprint(lag), count) }
	row := w.s.name("row")
	g.comment("Each row lags behind the row above it, so all rows but the last begin alone.")
	g.linef("for %s := range %d {", row, n-1)
	g.linef("%s, width := %s + %s, %s", name, name, row, lags(fmt.Sprintf("%d - %s", n-1, row)))
	w.row(alone)
	g.linef("}")
	g.linef("{")
	g.linef("from, width := from + %d, width - %d", lag*(n-1), lag*(n-1))
	w.row(rows...)
	g.linef("}")
	g.comment("All rows but the first end alone.")
	g.linef("for %s := 1; %s < %d; %s++ {", row, row, n, row)
	g.linef("%s, from, width := %s + %s, from + width - %s, %s", name, name, row, lags(row), lags(row))
	w.row(alone)
	g.linef("}")
}

// giveBack prepares values whose results go to returned arrays. Rows that are computed together
// do not write to these arrays, because their addresses would not fit the registers. Instead,
// results are copied whenever simd.StreamedRowBytes of them are complete.
func (w *boxWriter) giveBack() {
	w.outNames = map[int]string{}
	if len(w.back) == 0 {
		return
	}
	w.outRow = w.s.name("row")
	for _, v := range w.back {
		w.outNames[v] = w.s.name(w.arrays[w.plan.Values[v].Array] + "Streamed")
		w.top.linef("var %s simd.StreamedRows[%s]", w.outNames[v], w.n.Arrays[w.plan.Values[v].Array].Elem)
		w.end.linef("simd.Copied(tile.%s)", w.backName(v))
	}
	w.copied = w.backRow(func(_ int, to, from, all string) string {
		return fmt.Sprintf("simd.Copy(%s, %s, %s)", to, from, all)
	})
	w.streaming = w.backRow(func(v int, to, from, all string) string {
		return fmt.Sprintf("%s.Begin(%s, %s, %s, %s)", w.outNames[v], w.outRow, to, from, all)
	})
}

// backRow prints, for each value, an action on a row of results: its cells in the returned
// array, and the number of cells of that array.
func (w *boxWriter) backRow(do func(v int, to, from, all string) string) *rowWriter {
	r := newRowWriter(nil, true)
	w.rowWriter = r
	for _, v := range w.back {
		stmt := w.n.Body[w.l.Values[v]].(*ir.Assign)
		from := w.rowSlice(v, nil, w.arrays[stmt.Array]+"Row")
		r.rows.linef("%s", do(v, w.resultRow(stmt), from, fmt.Sprintf("len(tile.%s)", w.backName(v))))
	}
	return r
}

// backName returns the field with the returned array of value v.
func (w *boxWriter) backName(v int) string {
	return w.resultName(w.n.Body[w.l.Values[v]].(*ir.Assign).Array)
}
