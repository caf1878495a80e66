package codegen

import (
	"fmt"
	"go/token"
	"slices"

	"loopc/ir"
)

// A boxWriter prints Box: the loops over the rows of a box, and the body.
//
// If an iteration needs the previous one of its row, each operation waits for the one before it,
// so that latency bounds the time of a row. Then several rows are computed together: see
// unrollAndJam.
type boxWriter struct {
	*generator
	*rowWriter
	s       *scope
	top     printer      // set-up per call
	end     printer      // actions at the end of a call
	last    int          // the last dimension of the plan
	index   string       // of the iteration within the row
	strides []string     // variables with the strides, per dimension
	jam     unrollAndJam // rows that are computed together
	back    []int        // values whose rows are copied to the returned array while rows are computed together

	outNames          map[int]string // by value in back: the variable with its rows
	outRow            string         // variable with the number of a row
	streaming, copied *rowWriter     // actions when rows begin, and for a row that is computed by itself

	straight bool     // T is unit lower triangular: each dimension is a loop, shifted
	coords   []string // variables with the coordinates of a row, unless straight

	live   []bool            // per statement: see findLive
	levels map[[2]int]string // (value, distance along dimension 0) to a variable
	firsts map[int]string    // loop to the variable with its value where a row begins
	tables map[int]string    // array to the variable with its cells, which are looked up
}

// A rowWriter collects the text for a row that is computed by itself, or for one of the rows
// that are computed together.
type rowWriter struct {
	below  int      // rows below the first
	lowest bool     // it is the lowest of the rows that are computed together
	body   printer  // text of one iteration
	parts  []string // values of the reductions at this iteration; "": already combined
	rows   printer  // set-up per row

	slices  map[string]string // from the expression of a row slice to its name
	news    map[int]string    // value to the variable with this iteration's result
	lets    map[int]string
	carried map[int]string // value to the variable with the last iteration's result
	above   []*rowWriter   // the rows above, the first one first
}

func newRowWriter(above []*rowWriter, lowest bool) *rowWriter {
	return &rowWriter{slices: map[string]string{}, news: map[int]string{}, lets: map[int]string{}, carried: map[int]string{}, above: above, below: len(above), lowest: lowest}
}

// local returns a new variable for the row being printed.
func (w *boxWriter) local(name string) string {
	if w.below > 0 {
		name += fmt.Sprint("Below", w.below)
	}
	return w.s.name(name)
}

// box prints the Box method.
func (g *generator) box() {
	w := &boxWriter{
		generator: g, s: g.scope(),
		last: len(g.plan.Dims) - 1, live: g.findLive(), levels: map[[2]int]string{},
		straight: g.plan.Triangular(), firsts: map[int]string{}, tables: map[int]string{},
	}
	w.index = w.s.name("x")
	for x := range g.plan.Dims {
		w.strides = append(w.strides, w.s.name("stride"+exported(g.dimName(x))))
		if !w.straight {
			w.coords = append(w.coords, w.s.name(fmt.Sprint("p", x)))
		}
	}
	if !w.straight {
		for k := range g.loops {
			if w.along(k) != 0 {
				w.firsts[k] = w.s.name(g.loops[k] + "First")
			}
		}
	}
	jam := g.unrollAndJam()
	for v, s := range w.l.Values {
		if jam.rows > 1 && w.live[s] && !w.l.Dead[v] && w.plan.Values[v].Direct {
			w.back = append(w.back, v)
		}
	}
	alone := newRowWriter(nil, true)
	w.rowWriter = alone
	w.statements()
	var rows []*rowWriter
	if w.jam = jam; w.jam.rows > 1 {
		for r := range w.jam.rows {
			w.rowWriter = newRowWriter(rows, r == w.jam.rows-1)
			w.statements()
			rows = append(rows, w.rowWriter)
		}
		w.reduceRows(rows)
	}
	w.giveBack()
	w.rowWriter = alone
	g.blank()
	g.linef("// Box computes iterations lo..hi of one level: rows along %s.", g.plan.Dims[w.last])
	g.linef("func (tile *%s) Box(lo, hi []int) {", g.typeKernel)
	g.constants(g.bodyExprs()...)
	w.loops(alone, rows)
	g.linef("}")
}

// statements prints the body of one iteration.
func (w *boxWriter) statements() {
	exit := &printer{} // actions at the end of the iteration
	m := &emitter{p: &w.body, r: w.refs()}
	read := w.letsRead(w.live)
	for s, stmt := range w.n.Body {
		switch stmt := stmt.(type) {
		case *ir.Let:
			if w.live[s] {
				w.quote(stmt.Span.Line)
				w.lets[s] = w.local(stmt.Name)
				w.let(m, w.lets[s], s, read)
			}
		case *ir.Assign:
			w.assignment(m, exit, s, stmt)
		case *ir.Reduce:
			w.reduction(m, stmt)
		}
	}
	w.body.buf.Write(exit.buf.Bytes())
}

// quote prints the source line of a statement as a comment. If rows are computed together, only the
// lowest row, which is printed first, has these comments.
func (w *boxWriter) quote(line int) {
	if w.lowest {
		w.provenance(&w.body, line)
	}
}

// assignment prints statement s: the result goes to the row of the value. It also stays in a
// variable if this iteration or the next one along the row reads it.
func (w *boxWriter) assignment(m *emitter, exit *printer, s int, stmt *ir.Assign) {
	v := slices.Index(w.l.Values, s)
	if !w.live[s] {
		return
	}
	local, carry, carryLater := w.uses(v, s)
	w.quote(stmt.Line)
	row := ""
	if !w.l.Dead[v] {
		row = w.rowSlice(v, nil, w.arrays[stmt.Array]+"Here")
	}
	target := fmt.Sprintf("%s[%s]", row, w.index)
	keep := func(result string) {
		if row != "" {
			w.body.linef("%s = %s", target, result)
		}
		if w.plan.Values[v].Direct && !slices.Contains(w.back, v) {
			w.body.linef("%s[%s] = %s", w.resultRow(stmt), w.index, result)
		}
	}
	_, choice := stmt.Expr.(*ir.Select)
	switch {
	case row == "" && !local:
		w.body.linef("_ = %s", m.expr(stmt.Expr)) // it may fail
	case carry && !carryLater:
		w.news[v] = w.carry(v)
		m.assign(w.news[v], stmt.Expr)
		keep(w.news[v])
	case carry || local || choice || w.plan.Values[v].Direct && !slices.Contains(w.back, v):
		w.news[v] = w.local(w.arrays[stmt.Array] + "New")
		m.define(w.news[v], stmt.Expr)
		keep(w.news[v])
		if carry {
			exit.linef("%s = %s", w.carry(v), w.news[v])
		}
	default:
		m.assign(target, stmt.Expr)
	}
}

// uses reports where value v of statement s is read: later in the same iteration (local); in the
// next iteration of the row (carry); in the next iteration by a statement after s (carryLater).
func (w *boxWriter) uses(v, s int) (local, carry, carryLater bool) {
	for k, r := range w.l.Reads {
		if r.Value != v || r.From == ir.FromInitial || !w.live[w.n.ReadStmt[k]] {
			continue
		}
		switch {
		case r.From == ir.FromLocal:
			local = true
		case nextInRow(r, w.last):
			carry = true
			carryLater = carryLater || w.n.ReadStmt[k] > s
		}
	}
	return local, carry, carryLater
}

// loops prints the loops around the body. rows are the rows that are computed together; none if
// each is computed by itself.
func (w *boxWriter) loops(alone *rowWriter, rows []*rowWriter) {
	g := w.generator
	g.loadLaunched()
	g.linef("block := tile.block")
	g.buf.Write(w.top.buf.Bytes())
	for x := 1; x < w.last; x++ {
		g.linef("%s := block.Stride(%d)", w.stride(x), x)
	}
	if w.straight && w.shift == 0 {
		g.linef("%s := lo[0]", g.loops[0])
	}
	g.linef("from := lo[%d]", w.last)
	g.linef("width := hi[%d] - lo[%d] + 1", w.last, w.last)
	for x := 1; x < w.last; x++ {
		name, from, to, _ := w.rowLoop(x)
		if x == w.last-1 && len(rows) > 0 {
			w.advance(alone, rows)
			continue
		}
		g.linef("for %s := %s; %s <= %s; %s++ {", name, from, name, to, name)
	}
	if len(rows) == 0 {
		w.row(alone)
	}
	for x := 1; x < w.last; x++ {
		g.linef("}")
	}
	g.buf.Write(w.end.buf.Bytes())
}

// row prints the loop along one row, or along several that are computed together: the current row
// and the rows below it. The loop has width iterations and begins at column from.
func (w *boxWriter) row(rows ...*rowWriter) {
	w.begin(rows...)
	w.alongRow(rows...)
}

// begin prints the set-up before row.
func (w *boxWriter) begin(rows ...*rowWriter) {
	g := w.generator
	var at []string
	for x := 1; x < w.last; x++ {
		_, _, _, p := w.rowLoop(x)
		at = append(at, times(p, w.stride(x)))
	}
	g.linef("at := %s", plus(append(at, "from")...))
	if !w.straight {
		w.recover()
	} else {
		g.linef("first := %s", sum(append([]term{{1, "from"}}, w.skewTerms(w.last, -1)...)...))
	}
	for _, r := range rows {
		g.buf.Write(r.rows.buf.Bytes())
	}
}

// rowLoop returns, for the loop over the rows along dimension x > 0, the variable, its first and
// last value, and the coordinate as an expression of the variable. If the dimension is a shifted
// loop of the user, the variable is the user's; otherwise it is the coordinate itself.
func (w *boxWriter) rowLoop(x int) (name, from, to, coordinate string) {
	lo, hi := fmt.Sprintf("lo[%d]", x), fmt.Sprintf("hi[%d]", x)
	if !w.straight {
		return w.coords[x], lo, hi, w.coords[x]
	}
	name = w.generator.loops[x-w.shift]
	off := w.skewTerms(x, -1)
	from = sum(append([]term{{1, lo}}, off...)...)
	to = sum(append([]term{{1, hi}}, off...)...)
	return name, from, to, sum(append([]term{{1, name}}, w.skewTerms(x, 1)...)...)
}

// recover prints the values of the user's loops on a row, j = T⁻¹·p. For loops that change
// along the row, it prints the value at its beginning.
func (w *boxWriter) recover() {
	for k, name := range w.generator.loops {
		if first, moves := w.firsts[k]; moves {
			name = first
		}
		var terms []term
		for x, c := range w.l.Unskew[k+w.shift] {
			p := w.coords[x]
			switch x {
			case 0:
				p = "lo[0]"
			case w.last:
				p = "from"
			}
			terms = append(terms, term{c, p})
		}
		w.generator.linef("%s := %s", name, sum(terms...))
	}
}

// along is the change of loop k from an iteration to the next in its row.
func (w *boxWriter) along(k int) int { return w.l.Unskew[k+w.shift][w.last] }

// dimName returns a Go identifier for dimension x.
func (g *generator) dimName(x int) string {
	if name := g.plan.Dims[x]; token.IsIdentifier(name) {
		return name
	}
	return fmt.Sprint("P", x)
}

// first returns the variable with the value of loop k at the first iteration of a row.
func (w *boxWriter) first(k int) string {
	if name, ok := w.firsts[k]; ok {
		return name
	}
	return "first"
}

// skewTerms returns the difference between dimension x of the plan and its loop, multiplied by
// sign.
func (w *boxWriter) skewTerms(x, sign int) []term {
	var out []term
	// p_x = j_x + Σ T[x][y]·j_y, over the loops y before x.
	for y := w.shift; y < x; y++ {
		if c := w.l.Skew[x][y]; c != 0 {
			out = append(out, term{sign * c, w.generator.loops[y-w.shift]})
		}
	}
	return out
}
