package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// fillsRow reports whether the initial content of a row of array a is computed from rows of given arrays and from
// cells that are the same for the whole row. All of these are read for every cell of the row.
func (g *generator) fillsRow(a int) bool {
	arr := &g.n.Arrays[a]
	last, rows, ok := len(arr.Lo)-1, 0, len(arr.Lo) > 0 && !g.copiesRow(a)
	ir.Walk(arr.Init.Expr, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Select, *ir.ExternCall:
			ok = false
		case *ir.Binary:
			ok = ok && e.Op != ir.And && e.Op != ir.Or
		case *ir.Read:
			along, plain := alongIndex(e, last)
			ok = ok && plain
			if along {
				rows++
			}
		}
	})
	return ok && rows > 0
}

// alongIndex reports whether the cells that a read takes for successive values of the index last of an init are neighbors in
// their row (along). plain is false if they are neither neighbors nor one cell.
func alongIndex(r *ir.Read, last int) (along, plain bool) {
	for m, sub := range r.Subs {
		c := sub.Iter(last)
		if c != 0 && (m < len(r.Subs)-1 || c != 1) {
			return false, false
		}
		along = c != 0
	}
	return along, true
}

// rowMethod prints the method that computes the initial content of a row of array a, whose indices have the given
// names. used says which of them initMethod uses.
func (g *generator) rowMethod(a int, names []string, used []bool) {
	init, last := g.n.Arrays[a].Init, len(names)-1
	s := g.scope()
	for _, name := range names {
		s.used[name] = true
	}
	row, x := s.name("row"), s.name("x")
	var slicesOf, cells []string // statements, and the cells that the row reads
	rows := map[string]string{}
	counts := false // the index of the cell is used
	r := g.refs(s)
	index := func(k int) string {
		counts = counts || k == last
		return names[k]
	}
	r.iter = index
	r.iters = func() ([]string, []string) { counts = true; return init.Names, names }
	r.read = func(r *ir.Read) string {
		array := "tile." + g.givenName(r.Array)
		at := position(array, len(r.Subs), len(r.Subs)-1, func(m int) string { return affine(r.Subs[m], names, g.params) })
		along, _ := alongIndex(r, last)
		key := array + "[" + at
		if rows[key] == "" {
			rows[key] = s.name(g.givenName(r.Array) + "Row")
			text := fmt.Sprintf("%s[%s]", array, at)
			if along {
				text = fmt.Sprintf("%s[%s:][:len(%s)]", array, at, row)
			}
			cells = append(cells, text)
			slicesOf = append(slicesOf, rows[key]+" := "+text)
		}
		if along {
			return rows[key] + "[" + x + "]"
		}
		return rows[key]
	}
	body := &printer{}
	m := &emitter{p: body, r: r}
	value := m.expr(init.Expr)
	params := slices.Clone(names)
	for k := range params {
		if !used[k] {
			params[k] = "_"
		}
	}
	g.blank()
	g.linef("// %s computes the initial content of neighboring cells of %s, of which the first is given.", g.initRow(a), g.n.Arrays[a].Name)
	g.linef("func (tile *%s) %s(%s int, %s []%s) {", g.typeKernel, g.initRow(a), strings.Join(params, ", "), row, g.n.Arrays[a].Elem)
	g.constants(init.Expr)
	g.loadLaunched()
	for _, text := range slicesOf {
		g.linef("%s", text)
	}
	g.linef("for %s := range %s {", x, row)
	if counts {
		g.linef("%s := %s + %s", names[last], names[last], x)
	}
	g.buf.Write(body.buf.Bytes())
	g.linef("%s[%s] = %s", row, x, value)
	g.linef("}")
	g.linef("}")
	if k := g.initOf(a); k != nil {
		k.print(g, names, params, cells, row)
	}
}
