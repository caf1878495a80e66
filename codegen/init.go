package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// inits prints a method per init expression, and Init.
func (g *generator) inits() {
	any := false
	for a := range g.n.Arrays {
		if g.initial(a) {
			g.initMethod(a)
			any = true
		}
	}
	g.blank()
	g.linef("// Init implements kernel.Loops.")
	if !any {
		g.linef("func (tile *%s) Init(int, []int, int, int, []byte, int, int) {}", g.typeKernel)
		return
	}
	g.linef("func (tile *%s) Init(arr int, cell []int, dim, n int, dst []byte, at, stride int) {", g.typeKernel)
	g.linef("switch arr {")
	for a := range g.n.Arrays {
		if !g.initial(a) {
			continue
		}
		rank := len(g.n.Arrays[a].Lo)
		var args, from, by []string
		for k := range rank {
			args = append(args, fmt.Sprintf("c%d", k))
			from = append(from, fmt.Sprintf("cell[%d]", k))
			by = append(by, fmt.Sprintf("by[%d]", k))
		}
		names := strings.Join(args, ", ")
		g.linef("case %d:", a)
		g.linef("cells := array.Cast[%s](dst)", g.n.Arrays[a].Elem)
		if rank == 0 {
			g.linef("cells[at] = tile.%s()", g.initMethods[a])
			continue
		}
		g.linef("%s := %s", names, strings.Join(from, ", "))
		g.linef("if dim == %d && stride == 1 {", rank-1)
		g.linef("row := cells[at:][:n]")
		switch {
		case g.copiesRow(a):
			g.linef("copy(row, tile.%s(%s, n))", g.initRow(a), names)
		case g.fillsRow(a), g.sectionsRow(a):
			g.linef("tile.%s(%s, row)", g.initRow(a), names)
		default:
			g.linef("for x := range row {")
			g.linef("row[x] = tile.%s(%s+x)", g.initMethods[a], names)
			g.linef("}")
		}
		g.linef("return")
		g.linef("}")
		g.linef("var by [%d]int", rank)
		g.linef("if dim >= 0 {\nby[dim] = 1\n}")
		g.linef("for range n {")
		g.linef("cells[at] = tile.%s(%s)", g.initMethods[a], names)
		g.linef("at += stride")
		sums := make([]string, rank)
		for k := range sums {
			sums[k] = args[k] + "+" + by[k]
		}
		g.linef("%s = %s", names, strings.Join(sums, ", "))
		g.linef("}")
	}
	g.linef("}")
	g.linef("}")
}

// copiesRow reports whether the initial content of a row of array a is a row of a given array.
func (g *generator) copiesRow(a int) bool {
	arr := &g.n.Arrays[a]
	return len(arr.Lo) > 0 && g.copied(arr.Init.Expr, arr.Elem, len(arr.Lo)-1)
}

// initRow is the name of the method that returns a row of a's initial content, if copiesRow, or computes it, if
// fillsRow or sectionsRow.
func (g *generator) initRow(a int) string { return g.initMethods[a] + "Row" }

// initMethod prints the method that computes the initial content of a cell.
func (g *generator) initMethod(a int) {
	arr := &g.n.Arrays[a]
	init := arr.Init
	s := g.scope()
	names := make([]string, len(init.Names))
	used := make([]bool, len(init.Names))
	for k, name := range init.Names {
		// An index may have the name of a loop: in this method the name belongs to the index.
		delete(s.used, name)
		names[k] = newScope(g.launchedNames()...).name(name)
		for slices.Contains(names[:k], names[k]) {
			names[k] += "_"
		}
		s.used[names[k]] = true
	}
	body := &printer{}
	r := g.refs(s)
	r.iter = func(k int) string { used[k] = true; return names[k] }
	r.iters = func() ([]string, []string) {
		for k := range used {
			used[k] = true
		}
		return init.Names, names
	}
	r.read = func(r *ir.Read) string {
		array := "tile." + g.givenName(r.Array)
		return fmt.Sprintf("%s[%s]", array, position(array, len(r.Subs), len(r.Subs)-1, func(m int) string {
			for k, c := range r.Subs[m].Iters {
				used[k] = used[k] || c != 0
			}
			return affine(r.Subs[m], names, g.params)
		}))
	}
	r.cell = func(e *ir.Lookup, subs []string) string {
		a := e.Array
		array := "tile." + g.givenName(a)
		return fmt.Sprintf("%s[%s]", array, position(array, len(subs), len(subs)-1, func(m int) string { return subs[m] }))
	}
	m := &emitter{p: body, r: r}
	value := m.expr(init.Expr)
	if g.fillsRow(a) {
		g.rowMethod(a, names, used)
	} else if g.sectionsRow(a) {
		g.sectionsMethod(a, names, r)
	}
	g.blank()
	g.linef("// %s is the initial content of %s.", g.initMethods[a], arr.Name)
	for k := range names {
		if !used[k] {
			names[k] = "_"
		}
	}
	g.linef("func (tile *%s) %s(%s int) %s {", g.typeKernel, g.initMethods[a], strings.Join(names, ", "), arr.Elem)
	g.constants(init.Expr)
	g.loadLaunched()
	g.provenance(&g.printer, init.Span.Line)
	g.buf.Write(body.buf.Bytes())
	g.linef("return %s", value)
	g.linef("}")
	if g.copiesRow(a) {
		g.blank()
		g.linef("// %s is the initial content of n neighboring cells of %s, of which the first is given.", g.initRow(a), arr.Name)
		n := newScope(append(slices.Clone(names), g.launchedNames()...)...).name("n")
		params := append(slices.Clone(names), n)
		g.linef("func (tile *%s) %s(%s int) []%s {", g.typeKernel, g.initRow(a), strings.Join(params, ", "), arr.Elem)
		g.loadLaunched()
		// The value is a cell, name[position].
		at := strings.TrimSuffix(value, "]")
		name, position, _ := strings.Cut(at, "[")
		g.linef("return %s[%s:][:%s]", name, position, n)
		g.linef("}")
	}
}
