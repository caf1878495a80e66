package codegen

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// kernel prints the kernel: its type, constructor and Bind, and Box.
func (g *generator) kernel() {
	g.blank()
	g.linef("// %s computes rows of tiles for one worker.", g.typeKernel)
	g.linef("type %s struct {", g.typeKernel)
	g.paramFieldsOfKernel()
	g.linef("block *kernel.Block")
	for v, name := range g.values {
		if !g.l.Dead[v] {
			g.linef("%s []%s // live levels", name, g.elemOf(v))
		}
	}
	for _, a := range g.written() {
		g.viewFields(g.resultName(a), a, len(g.n.Arrays[a].Lo)-1, "given back")
	}
	for _, a := range g.readGiven() {
		what := "as given"
		if g.plan.Arrays[a].RowDim != 0 {
			what = "in the order of rows"
		}
		g.viewFields(g.givenName(a), a, g.rowDim(a), what)
	}
	g.reduceFieldsOfKernel()
	g.linef("}")
	g.blank()

	params, fields := "params", "fields"
	if len(g.params) == 0 {
		params = "_"
	}
	if len(g.readGiven())+len(g.written())+len(g.reduces)+len(g.floatUses) == 0 {
		fields = "_"
	}
	g.linef("func %s(params []int, fields kernel.Fields) kernel.Loops {", g.funcKernel)
	g.linef("tile := new(%s)", g.typeKernel)
	g.linef("tile.init(params, fields)")
	g.linef("return tile")
	g.linef("}")
	g.blank()
	g.linef("func (tile *%s) init(%s []int, %s kernel.Fields) {", g.typeKernel, params, fields)
	for _, p := range g.launched() {
		g.linef("tile.%s = %s", p.name, p.value)
	}
	g.reduceBind()
	for _, a := range g.written() {
		g.viewBind(g.resultName(a), a, len(g.n.Arrays[a].Lo)-1, fmt.Sprintf("fields.Result[%d]", a))
	}
	for _, a := range g.readGiven() {
		g.viewBind(g.givenName(a), a, g.rowDim(a), fmt.Sprintf("fields.Given[%d]", a))
	}
	g.linef("}")
	g.blank()
	g.linef("// Bind implements kernel.Loops.")
	g.linef("func (tile *%s) Bind(block *kernel.Block) {", g.typeKernel)
	g.linef("tile.block = block")
	for v, name := range g.values {
		if !g.l.Dead[v] {
			g.linef("tile.%s = array.Cast[%s](block.Data[%d])", name, g.elemOf(v), v)
		}
	}
	g.linef("}")
	g.box()
}

// rowDim is the dimension along which the given cells of array a are neighbors.
func (g *generator) rowDim(a int) int { return len(g.n.Arrays[a].Lo) - 1 - g.plan.Arrays[a].RowDim }

// viewFields prints the fields for a view of array a. The view has stride 1 along dimension row.
func (g *generator) viewFields(name string, a, row int, what string) {
	g.linef("%s []%s // %s, %s", name, g.n.Arrays[a].Elem, g.n.Arrays[a].Name, what)
	g.linef("%sOrigin int // position of the cell with all indices zero", name)
	for k := range g.n.Arrays[a].Lo {
		if k != row {
			g.linef("%s int", strideName(name, k))
		}
	}
}

// viewBind prints the code that sets the fields of viewFields from view, a Go expression. A
// caller that runs no tiles may have no view.
func (g *generator) viewBind(name string, a, row int, view string) {
	g.linef("if view := %s; view.Data != nil {", view)
	g.linef("tile.%s, tile.%sOrigin = array.Cells[%s](view), view.Origin()", name, name, g.n.Arrays[a].Elem)
	for k := range g.n.Arrays[a].Lo {
		if k != row {
			g.linef("tile.%s = view.Stride[%d]", strideName(name, k), k)
		}
	}
	g.linef("}")
}

// written returns the arrays whose results the kernel stores in the returned array itself.
func (g *generator) written() []int {
	var out []int
	for v := range g.values {
		if a := g.plan.Values[v].Array; g.plan.Values[v].Direct && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// resultName is the kernel's field for the cells of the returned array a.
func (g *generator) resultName(a int) string { return g.arrays[a] + "Result" }

func (g *generator) elemOf(v int) ir.Type { return g.n.Arrays[g.plan.Values[v].Array].Elem }

// readGiven returns the given arrays that the kernel or an init reads directly.
func (g *generator) readGiven() []int {
	var out []int
	for k, r := range g.n.Reads {
		if g.l.Reads[k].From == ir.FromInitial && g.given(r.Array) {
			out = append(out, r.Array)
		}
	}
	out = append(out, g.tables()...)
	for _, a := range g.n.Arrays {
		if a.Init != nil {
			ir.Walk(a.Init.Expr, func(e ir.Expr) {
				if r, ok := e.(*ir.Read); ok {
					out = append(out, r.Array)
				}
			})
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// givenName is the kernel's field for the given cells of array a. For an inout array, the plain
// name is the variable with its live levels.
func (g *generator) givenName(a int) string {
	if g.n.Arrays[a].Role == ir.InOut {
		return g.arrays[a] + "Given"
	}
	return g.arrays[a]
}

func strideName(array string, k int) string { return fmt.Sprintf("%sStride%d", array, k) }

// mayFail reports whether a statement of the nest may fail.
func (g *generator) mayFail() bool {
	return slices.ContainsFunc(g.n.Body, func(s ir.Stmt) bool { return ir.MayFail(ir.Value(s)) })
}

// let prints the let at Body[s] as a variable. If no live statement reads the let, it is printed
// because its evaluation may fail.
func (g *generator) let(m *emitter, name string, s int, read []bool) {
	m.define(name, g.n.Body[s].(*ir.Let).Expr)
	if !read[s] {
		m.p.linef("_ = %s", name)
	}
}

// letsRead returns, for each statement, whether it is a let that a live statement reads.
func (g *generator) letsRead(live []bool) []bool {
	read := make([]bool, len(live))
	for k, stmt := range g.n.Body {
		if live[k] {
			ir.Walk(ir.Value(stmt), func(e ir.Expr) {
				if l, ok := e.(*ir.LocalRef); ok {
					read[l.Stmt] = true
				}
			})
		}
	}
	return read
}

// findLive finds the live statements: assignments whose value is read later or returned,
// reductions, statements that may fail, and all statements that these need.
func (g *generator) findLive() []bool {
	return g.liveFrom(func(s int) bool {
		v := slices.Index(g.l.Values, s)
		_, reduce := g.n.Body[s].(*ir.Reduce)
		return v >= 0 && !g.l.Dead[v] || reduce
	})
}

// liveFrom finds the statements that are roots or may fail, and the statements of the same
// iteration that these need.
func (g *generator) liveFrom(root func(s int) bool) []bool {
	live := make([]bool, len(g.n.Body))
	for s := len(g.n.Body) - 1; s >= 0; s-- {
		e := ir.Value(g.n.Body[s])
		if live[s] = live[s] || root(s) || ir.MayFail(e); !live[s] {
			continue
		}
		ir.Walk(e, func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.LocalRef:
				live[e.Stmt] = true
			case *ir.Read:
				if from := g.l.Reads[e.ID]; from.From == ir.FromLocal {
					live[g.l.Values[from.Value]] = true
				}
			}
		})
	}
	return live
}
