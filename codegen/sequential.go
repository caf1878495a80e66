package codegen

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// A seqWriter prints the sequential reference.
type seqWriter struct {
	*generator
	s        *scope
	body     printer
	in       innermost
	arrays   []*seqArray
	again    bool // the results have the given content already
	lets     map[int]string
	found    map[int]string // by reduction with places: the variable that says whether an iteration is its place
	results  map[int]string // by statement: the variable with what it assigns, if the iteration reads it again
	quo      bool           // an expression may fail, by a panic that the printed function turns into its error
	live     []bool         // per statement: it assigns, reduces or may fail, or a statement that does so needs it
	suffix   string         // of the names of a row's variables
	jam      *seqJam
	call     *rowCall // nil: rows are computed in Go
	most     *seqExtreme
	several  bool        // it prints a group of rows: see seqJam
	versions *seqVersion // of the loop along a row; nil in a group of rows
}

// sequential prints the loops as they are written, without tiles. Arrays are stored completely,
// except internal ones of which a few levels suffice (seqArray.roll).
func (g *generator) sequential() {
	w := newSeqWriter(g)
	w.statements()
	g.pace, g.unpaced, g.reached = w.price(), w.refused(), w.reachedOnly()

	g.constArrays()
	g.blank()
	order := "in the order in which they are written"
	if w.jam != nil {
		order += fmt.Sprintf(", and %d rows together", w.jam.rows)
	}
	g.linef("// %s runs the loops %s.", g.funcSeq, order)
	for a := range g.n.Arrays {
		if init := g.n.Arrays[a].Init; init != nil && ir.MayFail(init.Expr) {
			w.quo = true
		}
	}
	result := "error"
	if w.quo {
		result = "(err error)"
	}
	g.linef("func %s(params []int, fields kernel.Fields) %s {", g.funcSeq, result)
	if w.quo {
		g.linef("defer arith.Catch(&err)")
	}
	g.constants(g.bodyExprs()...)
	for _, p := range g.launched() {
		g.linef("%s := %s", p.name, p.value)
	}
	w.begin()
	w.all()
	g.linef("return nil")
	g.linef("}")
	g.fails = w.quo
}

// begin prints the preparation of a run: arrays, and their initial content.
func (w *seqWriter) begin() {
	if slices.ContainsFunc(w.arrays, func(st *seqArray) bool { return w.initial(st.a) }) {
		w.linef("tile := new(%s)", w.typeKernel)
		w.linef("tile.init(params, fields)")
	}
	w.prepare()
}

// all prints the loops, and what gives results to the caller.
func (w *seqWriter) all() {
	w.reduceBegin()
	w.loops()
	w.finish()
	w.reduceEnd()
}

// newSeqWriter decides how the loops access arrays.
func newSeqWriter(g *generator) *seqWriter {
	w := &seqWriter{generator: g, lets: map[int]string{}, found: map[int]string{}, results: map[int]string{}}
	w.live = w.rooted()
	w.s = g.scope()
	for a := range g.n.Arrays {
		w.arrays = append(w.arrays, w.store(a))
	}
	w.in.from, w.in.to, w.in.place = w.s.name("begin"), w.s.name("end"), w.s.name("x")
	w.jam = w.jammed()
	w.in.named = map[string]string{}
	w.passes()
	w.lead()
	w.versions = w.divided()
	return w
}

// rooted returns which statements assign, reduce or may fail, or are needed by one that does so.
func (w *seqWriter) rooted() []bool {
	return w.liveFrom(func(s int) bool {
		_, let := w.n.Body[s].(*ir.Let)
		return !let
	})
}

// statements prints the body, or those of the versions.
func (w *seqWriter) statements() {
	r := w.refs(w.s)
	line := r.line
	r.line = func(e ir.Expr) string { w.quo = true; return line(e) }
	r.iter = func(k int) string {
		w.in.counts = w.in.counts || k == len(w.n.Loops)-1
		return w.generator.loops[k]
	}
	r.iters = func() (names, values []string) { return loopNames(w.n), w.loopVariables() }
	r.local = func(s int) string { return w.lets[s] }
	r.read, r.cell = w.read, w.lookedUp
	if w.several {
		w.statementsBy(r)
		return
	}
	w.bodies(w.versions, r)
}

// statementsBy prints the body; r names what it reads.
func (w *seqWriter) statementsBy(r *refs) {
	m := &emitter{p: &w.body, r: r}
	reduced, read := 0, w.letsRead(w.live)
	for s, stmt := range w.n.Body {
		switch stmt := stmt.(type) {
		case *ir.Let:
			if w.live[s] {
				w.provenance(&w.body, stmt.Span.Line)
				w.lets[s] = w.name(stmt.Name)
				w.let(m, w.lets[s], s, read)
			}
		case *ir.Assign:
			w.provenance(&w.body, stmt.Line)
			w.assign(m, s, stmt)
		case *ir.Reduce:
			if !stmt.Place {
				w.provenance(&w.body, stmt.Span.Line)
				w.reduction(m, reduced, stmt)
			}
			reduced++
		}
	}
	w.keepResults()
	w.values(r)
}

// loops prints the nest.
func (w *seqWriter) loops() {
	g := w.generator
	rows := len(w.n.Loops) // the number of outer loops that are printed here: w.jam prints the last two
	if w.jam != nil {
		w.jam.function(w)
		rows -= 2
	}
	for k, l := range w.n.Loops {
		lo, hi := extremeOf("max", l.Lo, g.loops, g.params), extremeOf("min", l.Hi, g.loops, g.params)
		if k == 0 {
			for _, st := range w.arrays {
				if st.roll < 0 || !w.initial(st.a) || !w.used(st) {
					continue
				}
				w.enterBefore(st)
			}
		}
		if k == rows {
			w.jam.print(w, k, lo, hi)
			break
		}
		if k == len(w.n.Loops)-1 {
			w.innermostLoop(k, lo, hi)
			break
		}
		header(&g.printer, g.loops[k], lo, hi, l.Backward)
		if k == 0 {
			w.look("fields.Due(1)")
			w.advance()
		}
	}
	for k := min(rows, len(w.n.Loops)-1) - 1; k >= 0; k-- {
		if k == 0 {
			w.keepLevels()
		}
		g.linef("}")
	}
}

// enterBefore prints, before the loops, the calls that give a rolled array the levels before the one that the first iteration
// of the outermost loop adds.
func (w *seqWriter) enterBefore(st *seqArray) {
	g, l := w.generator, w.n.Loops[0]
	for k := range st.most - st.least {
		from, of, c := slices.Clone(l.Lo), "max", st.least+k
		if l.Backward {
			from, of, c = slices.Clone(l.Hi), "min", st.most-k
		}
		for i := range from {
			from[i].Const += c
		}
		g.linef("%s(%s)", w.enter(st), extremeOf(of, from, g.loops, g.params))
	}
}

// advance prints the code at the beginning of an iteration of the outermost loop: rolled arrays
// get a new level.
func (w *seqWriter) advance() {
	g := w.generator
	for _, st := range w.arrays {
		if st.roll < 0 || !w.used(st) {
			continue
		}
		if added := st.most; w.initial(st.a) {
			if w.n.Loops[0].Backward {
				added = st.least
			}
			g.linef("%s(%s)", w.enter(st), sum(term{1, g.loops[0]}, term{added, ""}))
		}
		for c := st.least; c <= st.most; c++ {
			if name, ok := st.positionVars[c]; ok {
				g.linef("%s := arith.Mod(%s, %d) * %s", name, sum(term{1, g.loops[0]}, term{c, ""}), st.levels, strideName(st.name, st.roll))
			}
		}
	}
}

// keepLevels prints, at the end of an iteration of the outermost loop, the code that copies a level
// of a rolled array to the result if the level is returned.
func (w *seqWriter) keepLevels() {
	g := w.generator
	for _, st := range w.arrays {
		if st.roll < 0 || st.result == "" || !w.used(st) { // without accesses, the result keeps its initial content
			continue
		}
		at := affine(*w.n.Arrays[st.a].Out[st.roll], nil, w.params)
		loop := g.loops[0]
		if st.least == st.most {
			g.linef("if %s == %s {", at, sum(term{1, loop}, term{st.most, ""}))
		} else {
			g.linef("if %s >= %s && %s <= %s {", at, sum(term{1, loop}, term{st.least, ""}), at, sum(term{1, loop}, term{st.most, ""}))
		}
		w.copySlice(st, false)
		g.linef("}")
	}
}

// finish prints the code that copies returned slices from internal arrays that are stored completely.
func (w *seqWriter) finish() {
	for _, st := range w.arrays {
		if st.roll < 0 && st.result != "" {
			w.copySlice(st, false)
		}
	}
}
