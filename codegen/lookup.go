package codegen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loopc/codegen/vector"
	"loopc/ir"
)

// computed returns a cell with computed subscripts.
func (m *emitter) computed(e ir.Expr) string {
	if cell, ok := e.(*ir.ConstCell); ok {
		return m.constCell(cell)
	}
	return m.lookup(e.(*ir.Lookup))
}

// lookup returns the cell that a lookup finds. It prints the subscripts before, each with its check.
func (m *emitter) lookup(e *ir.Lookup) string {
	return m.r.cell(e, m.subscripts(e, e.Subs, m.r.arrays[e.Array], func(d int) (lo, hi string) { return m.r.bounds(e.Array, d) }))
}

// constCell returns a cell of a constant array. It prints the subscripts before, each with its check.
func (m *emitter) constCell(e *ir.ConstCell) string {
	array := e.Of
	subs := m.subscripts(e, e.Subs, array.Name, func(d int) (lo, hi string) { return fmt.Sprint(array.Lo[d]), fmt.Sprint(array.Hi[d]) })
	at := ""
	for d, x := range subs {
		if d > 0 {
			at = fmt.Sprintf("(%s)*%d + ", at, array.Hi[d]-array.Lo[d]+1)
		}
		at += x
		if array.Lo[d] != 0 {
			at += fmt.Sprintf(" - (%d)", array.Lo[d])
		}
	}
	return fmt.Sprintf("%s[%s]", m.r.consts[array.Name], at)
}

// subscripts prints the subscripts of a cell of an array, each with its check, and returns their names.
func (m *emitter) subscripts(e ir.Expr, subs []ir.Expr, array string, bounds func(d int) (lo, hi string)) []string {
	names := make([]string, len(subs))
	for d, x := range subs {
		name, value := m.r.names.name("index"), m.index(x)
		lo, hi := bounds(d)
		m.p.linef("%s := %s", name, value)
		m.p.linef("if %s < %s || %s > %s {", name, lo, name, hi)
		args := []string{strconv.Quote(array), fmt.Sprint(d + 1), name, lo, hi, strconv.Quote(fmt.Sprintf("%s:%d", m.r.line(e), e.Span().Col))}
		args = append(args, m.r.iteration()...)
		m.p.linef("panic(arith.Outside(%s))", strings.Join(args, ", "))
		m.p.linef("}")
		names[d] = name
	}
	return names
}

// index returns an int64 as an int.
func (m *emitter) index(x ir.Expr) string {
	switch e := x.(type) {
	case *ir.IterRef:
		return m.r.iter(e.Iter)
	case *ir.ParamRef:
		return m.r.param(e.Param)
	case *ir.Convert:
		if e.X.Type().Integer() {
			x = e.X
		}
	}
	return fmt.Sprintf("int(%s)", m.expr(x))
}

// lookedUp returns a cell of a given array whose indices are variables.
func (w *boxWriter) lookedUp(e *ir.Lookup, subs []string) string {
	a := e.Array
	table, ok := w.tables[a]
	if !ok {
		table = w.s.name(w.arrays[a] + "Table")
		w.tables[a] = table
		field := "tile." + w.givenName(a)
		w.top.linef("%s := %s", table, field)
		w.top.linef("%sOrigin := %sOrigin", table, field)
		for m := range subs {
			if m != w.rowDim(a) {
				w.top.linef("%s := %s", strideName(table, m), strideName(field, m))
			}
		}
	}
	return fmt.Sprintf("%s[%s]", table, position(table, len(subs), w.rowDim(a), func(m int) string { return subs[m] }))
}

// lookedUp returns a cell of an array whose indices are variables. If all iterations of the innermost loop look up the same row,
// the place of this row is computed before the loop.
func (w *seqWriter) lookedUp(e *ir.Lookup, subs []string) string {
	st := w.arrays[e.Array]
	row, held := st.name+"Origin", true
	for m := range len(subs) - 1 {
		at, ok := w.held(e.Subs[m])
		if held = held && ok; held {
			row = plus(row, times(at, st.stride(m)))
		}
	}
	if !held || len(subs) == 1 {
		return fmt.Sprintf("%s[%s]", st.name, st.position(len(subs), func(m int) string { return times(subs[m], st.stride(m)) }))
	}
	return fmt.Sprintf("%s[%s]", st.name, plus(w.once(st.name+"Here", row), subs[len(subs)-1]))
}

// held returns subscript x as an int, if x is an array cell that is the same in all iterations of the innermost loop; else false.
func (w *seqWriter) held(x ir.Expr) (at string, ok bool) {
	if c, ok := x.(*ir.Convert); ok && c.X.Type().Integer() {
		x = c.X
	}
	r, ok := x.(*ir.Read)
	if !ok || !w.fixed(r, len(w.n.Loops)-1) {
		return "", false
	}
	return fmt.Sprintf("int(%s)", w.read(r)), true
}

// tableName is the vector kernel's field for the view of array a, whose cells lanes look up.
func (g *generator) tableName(a int) string { return g.arrays[a] + "Table" }

// lookedUpInLanes returns the arrays whose cells the vector kernels look up.
func (g *generator) lookedUpInLanes() (all []int) {
	if s := g.vector.shape; s != nil {
		all = s.Tables()
	}
	if s := g.levels.shape; s != nil {
		all = append(all, s.Tables()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// checkWrong prints, after a call, what happens if a lane has found a subscript that is beyond the bounds of its array.
func (w *vectorWriter) checkWrong() {
	if w.s.Checks() {
		w.linef("if [%d]int(frame[%d:]) != [%d]int{} {", vector.WrongWords, w.s.FrameWrong(), vector.WrongWords)
		w.linef("tile.wrong(lo, hi)")
		w.linef("}")
	}
}

// wrongMethod prints the method that reports a wrong subscript in a box.
func (w *vectorWriter) wrongMethod() {
	at, again := w.s.LooksUp()
	if at == "" {
		return
	}
	w.blank()
	w.linef("// wrong reports a subscript that is beyond the bounds of its array, in a box.")
	w.linef("func (tile *%s) wrong(lo, hi []int) {", w.typeVector())
	if again {
		w.linef("%s(lo, hi) // finds it again", w.others())
	}
	w.linef("panic(arith.Unplaced(%q))", at)
	w.linef("}")
}

// tableOfLive reports whether live statements look cells of array a up.
func (g *generator) tableOfLive(a int, live []bool) bool {
	for s, stmt := range g.n.Body {
		if live[s] && ir.LooksUp(ir.Value(stmt), a) {
			return true
		}
	}
	return false
}

// tables returns the arrays whose cells the body or an init looks up.
func (g *generator) tables() (all []int) {
	for a := range g.n.Arrays {
		init := func(b ir.Array) bool { return b.Init != nil && ir.LooksUp(b.Init.Expr, a) }
		if g.n.LooksUp(a) || slices.ContainsFunc(g.n.Arrays, init) {
			all = append(all, a)
		}
	}
	return all
}
