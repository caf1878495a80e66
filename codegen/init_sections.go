package codegen

import (
	"fmt"
	"go/constant"
	"slices"
	"strings"

	"loopc/ir"
)

// The initial content of a row often is a few sections, as that of select(j == 0, 1, 0): its conditions compare the last index
// with values that are the same for the whole row. A method then finds out once for each section what its cells are.

// sectionsRow reports whether the initial content of a row of array a is computed section by section.
func (g *generator) sectionsRow(a int) bool {
	arr := &g.n.Arrays[a]
	if len(arr.Lo) == 0 || g.copiesRow(a) || g.fillsRow(a) || calls(arr.Init.Expr) {
		return false
	}
	last := len(arr.Lo) - 1
	choice, ok := arr.Init.Expr.(*ir.Select)
	if !ok {
		return !usesIndex(arr.Init.Expr, last) && !ir.MayFail(arr.Init.Expr) // an empty row must not fail
	}
	_, ok = rowCuts(choice.Cond, last)
	return ok
}

// sections returns the arrays whose initial content is computed in sections, all of which have the same value, or cells of a given array.
func (g *generator) sections() (all []int) {
	for a := range g.n.Arrays {
		if g.initial(a) && (g.copiesRow(a) || g.sectionsRow(a) && g.plainSections(a, g.n.Arrays[a].Init.Expr)) {
			all = append(all, a)
		}
	}
	return all
}

// sectionsField is the field of the program with these arrays; "" if no vector kernel may compute in entire arrays.
func (g *generator) sectionsField() string {
	sections := g.sections()
	if len(sections) == 0 || g.pace == 0 || !g.inArrays() && g.front.shape == nil {
		return ""
	}
	return fmt.Sprintf(", Sections: %#v", sections)
}

// plainSections reports whether e is such content of array a.
func (g *generator) plainSections(a int, e ir.Expr) bool {
	last := len(g.n.Arrays[a].Lo) - 1
	if choice, ok := e.(*ir.Select); ok {
		if _, ok := rowCuts(choice.Cond, last); ok {
			return g.plainSections(a, choice.A) && g.plainSections(a, choice.B)
		}
	}
	return !usesIndex(e, last) || g.copied(e, g.n.Arrays[a].Elem, last)
}

// copied reports whether e is a cell of a row of a given array with cells of type elem, along index last of an init.
func (g *generator) copied(e ir.Expr, elem ir.Type, last int) bool {
	r, ok := e.(*ir.Read)
	if !ok || g.n.Arrays[r.Array].Elem != elem {
		return false
	}
	along, _ := alongIndex(r, last)
	return along
}

// usesIndex reports whether the value of e depends on index k of an init.
func usesIndex(e ir.Expr, k int) (uses bool) {
	ir.Walk(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.IterRef:
			uses = uses || e.Iter == k
		case *ir.Read:
			uses = uses || slices.ContainsFunc(e.Subs, func(sub ir.Affine) bool { return sub.Iter(k) != 0 })
		}
	})
	return uses
}

// rowCuts returns where a condition may change along index last: for each pair of numbers that it compares, of which one grows by 1
// against the other, the number of cells to the one in which both are equal. ok is false if it may change elsewhere.
func rowCuts(cond ir.Expr, last int) (cuts []ir.Expr, ok bool) {
	if !usesIndex(cond, last) {
		return nil, true
	}
	if u, is := cond.(*ir.Unary); is && u.Op == ir.Not {
		return rowCuts(u.X, last)
	}
	b, is := cond.(*ir.Binary)
	switch {
	case !is:
		return nil, false
	case b.Op == ir.And || b.Op == ir.Or:
		x, okX := rowCuts(b.X, last)
		y, okY := rowCuts(b.Y, last)
		return append(x, y...), okX && okY
	case b.X.Type() != ir.Int64:
		return nil, false
	}
	for _, x := range compared(b.X) {
		for _, y := range compared(b.Y) {
			slopeX, okX := rowSlope(x, last)
			slopeY, okY := rowSlope(y, last)
			if !okX || !okY {
				return nil, false
			}
			switch slopeX - slopeY {
			case 0:
			case 1:
				cuts = append(cuts, &ir.Binary{T: ir.Int64, Op: ir.Sub, X: y, Y: x})
			case -1:
				cuts = append(cuts, &ir.Binary{T: ir.Int64, Op: ir.Sub, X: x, Y: y})
			default:
				return nil, false
			}
		}
	}
	return cuts, true
}

// compared returns the numbers of which e is one, by min and max.
func compared(e ir.Expr) (all []ir.Expr) {
	if call, ok := e.(*ir.Call); ok && (call.Fn == ir.Min || call.Fn == ir.Max) {
		for _, x := range call.Args {
			all = append(all, compared(x)...)
		}
		return all
	}
	return []ir.Expr{e}
}

// rowSlope returns by how much e, an affine integer, grows with index last. ok is false if e may be none, or may wrap:
// parameters and indices have at most 48 bits.
func rowSlope(e ir.Expr, last int) (slope int, ok bool) {
	small := func(e ir.Expr, most int64) (int, bool) {
		lit, is := e.(*ir.Lit)
		if !is {
			return 0, false
		}
		c, exact := constant.Int64Val(constant.ToInt(lit.Value))
		return int(c), exact && -most <= c && c <= most
	}
	switch e := e.(type) {
	case *ir.Lit:
		_, ok = small(e, 1<<48)
		return 0, ok
	case *ir.ParamRef:
		return 0, e.T == ir.Int64
	case *ir.IterRef:
		if e.Iter == last {
			slope = 1
		}
		return slope, e.T == ir.Int64
	case *ir.Binary:
		x, okX := rowSlope(e.X, last)
		y, okY := rowSlope(e.Y, last)
		_, scaled := small(e.X, 1<<8)
		switch {
		case !okX || !okY || e.T != ir.Int64:
		case e.Op == ir.Add:
			return x + y, true
		case e.Op == ir.Sub:
			return x - y, true
		case e.Op == ir.Mul && scaled && y == 0:
			return 0, leaf(e.Y)
		}
	}
	return 0, false
}

// leaf reports whether e is a single number.
func leaf(e ir.Expr) bool { return len(ir.Operands(e)) == 0 }

// A sectionsWriter prints the method that computes the initial content of a row section by section.
type sectionsWriter struct {
	*emitter
	g            *generator
	names        []string // of the indices
	used         []bool
	last         int
	row, n, part string
	elem         ir.Type
}

// sectionsMethod prints this method for array a, whose indices have the given names. r is what the method of a cell has.
func (g *generator) sectionsMethod(a int, names []string, r *refs) {
	arr, s, own := &g.n.Arrays[a], g.scope(), *r
	for _, name := range names {
		s.used[name] = true
	}
	w := sectionsWriter{emitter: &emitter{p: &printer{}, r: &own}, g: g, names: names, used: make([]bool, len(names)), last: len(names) - 1, row: s.name("row"), n: s.name("n"), elem: arr.Elem}
	own.names, own.iter, own.read = s, w.index, w.cell
	own.iters = func() ([]string, []string) {
		for k := range names {
			w.index(k)
		}
		return arr.Init.Names, names
	}
	whole := !usesIndex(arr.Init.Expr, w.last)
	if w.part = w.row; !whole {
		w.p.linef("%s := len(%s)", w.n, w.row)
		w.part = fmt.Sprintf("%s[:%s]", w.row, w.n)
	}
	w.cuts(arr.Init.Expr)
	w.section(arr.Init.Expr)
	params := make([]string, len(names))
	for k := range params {
		if params[k] = "_"; w.used[k] || k == w.last && !whole {
			params[k] = names[k]
		}
	}
	g.blank()
	g.linef("// %s computes the initial content of cells of %s, from one on, section by section.", g.initRow(a), arr.Name)
	g.linef("func (tile *%s) %s(%s int, %s []%s) {", g.typeKernel, g.initRow(a), strings.Join(params, ", "), w.row, arr.Elem)
	g.constants(arr.Init.Expr)
	g.loadLaunched()
	g.provenance(&g.printer, arr.Init.Span.Line)
	if !whole {
		g.linef("for len(%s) > 0 {", w.row)
	}
	g.buf.Write(w.p.buf.Bytes())
	if !whole {
		last := names[w.last]
		g.linef("%s, %s = %s[%s:], %s+%s", w.row, last, w.row, w.n, last, w.n)
		g.linef("}")
	}
	g.linef("}")
}

// index returns the name of an index.
func (w *sectionsWriter) index(k int) string {
	w.used[k] = true
	return w.names[k]
}

// cell returns a cell of a given array.
func (w *sectionsWriter) cell(r *ir.Read) string {
	array := "tile." + w.g.givenName(r.Array)
	return fmt.Sprintf("%s[%s]", array, position(array, len(r.Subs), len(r.Subs)-1, func(m int) string {
		for k, c := range r.Subs[m].Iters {
			w.used[k] = w.used[k] || c != 0
		}
		return affine(r.Subs[m], w.names, w.g.params)
	}))
}

// cuts prints the statements that end the section where a condition of e may change.
func (w *sectionsWriter) cuts(e ir.Expr) {
	choice, ok := e.(*ir.Select)
	if !ok {
		return
	}
	cuts, ok := rowCuts(choice.Cond, w.last)
	if !ok {
		return
	}
	for _, ahead := range cuts {
		w.p.linef("%s = array.Alike(%s, %s)", w.n, w.n, w.expr(ahead))
	}
	w.cuts(choice.A)
	w.cuts(choice.B)
}

// section prints the statements that give the cells of the section the values of e.
func (w *sectionsWriter) section(e ir.Expr) {
	if choice, ok := e.(*ir.Select); ok {
		if _, ok := rowCuts(choice.Cond, w.last); ok {
			w.p.linef("if %s {", w.operand(choice.Cond, 0, false))
			w.section(choice.A)
			w.p.linef("} else {")
			w.section(choice.B)
			w.p.linef("}")
			return
		}
	}
	if !usesIndex(e, w.last) {
		w.p.linef("array.Fill(%s, %s)", w.part, w.expr(e))
		return
	}
	if w.g.copied(e, w.elem, w.last) {
		w.p.linef("copy(%s, %s:])", w.part, strings.TrimSuffix(w.cell(e.(*ir.Read)), "]"))
		return
	}
	x := w.r.names.name("x")
	w.p.linef("for %s := range %s {", x, w.part)
	w.p.linef("%s := %s + %s", w.names[w.last], w.names[w.last], x)
	w.p.linef("%s[%s] = %s", w.row, x, w.expr(e))
	w.p.linef("}")
}
