package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// imports prints the import block, sorted.
func (g *generator) imports() {
	// What is used is known only when the rest is printed.
	g.linef("%s", importMark)
}

// importBlock returns the imports of the packages that are used.
func (g *generator) importBlock(used map[string]bool) string {
	std := []string{"context", "errors", "math"}
	own := []string{"runtime/arith", "runtime/array", "runtime/cli", "runtime/kernel", "runtime/ranks", "runtime/sched", "runtime/simd", "runtime/transport/inproc", "transform/plan"}
	var b strings.Builder
	b.WriteString("import (\n")
	for _, path := range std {
		if used[path] {
			fmt.Fprintf(&b, "%q\n", path)
		}
	}
	b.WriteByte('\n')
	for _, path := range own {
		if used[path[strings.LastIndex(path, "/")+1:]] {
			fmt.Fprintf(&b, "%q\n", g.o.Runtime+"/"+path)
		}
	}
	for _, path := range g.imported {
		name, _, renamed := strings.Cut(path, " ")
		if !renamed {
			name = strings.Trim(path[strings.LastIndex(path, "/")+1:], `"`)
		}
		if used[name] { // one of several nests may be the only one to do so
			fmt.Fprintf(&b, "\n%s\n", path)
		}
	}
	b.WriteString(")\n")
	return b.String()
}

// types prints the parameters and the arrays as the user's Go sees them.
func (g *generator) types() {
	n := g.n
	g.blank()
	g.linef("// %s are the parameters of the nest.", g.typeParams)
	g.linef("type %s struct {", g.typeParams)
	for k, p := range n.Params {
		note := ""
		if p.Default != nil {
			note = fmt.Sprintf(" // %d by default", *p.Default)
		}
		g.linef("%s int%s", g.paramFields[k], note)
	}
	g.linef("}")
	defaults := false
	for _, p := range n.Params {
		defaults = defaults || p.Default != nil
	}
	if defaults {
		name := "Default" + g.typeParams
		g.blank()
		g.linef("// %s returns the parameters that %s declares.", name, n.File)
		g.linef("func %s() %s {", name, g.typeParams)
		g.linef("return %s{", g.typeParams)
		for k, p := range n.Params {
			if p.Default != nil {
				g.linef("%s: %d,", g.paramFields[k], *p.Default)
			}
		}
		g.linef("}")
		g.linef("}")
	}
	g.blank()
	g.linef("func (p %s) values() []int {", g.typeParams)
	var list []string
	for _, f := range g.paramFields {
		list = append(list, "p."+f)
	}
	g.linef("return []int{%s}", strings.Join(list, ", "))
	g.linef("}")

	g.blank()
	g.linef("// %s are the arrays that the nest takes and gives back, in C order. A result that", g.typeArrays)
	g.linef("// is nil is allocated.")
	g.linef("type %s struct {", g.typeArrays)
	for k := range n.Arrays {
		if a := &n.Arrays[k]; a.Role == ir.In || a.Returned() {
			g.comment(g.arrayDoc(a))
			g.linef("%s []%s", g.arrayFields[k], a.Elem)
		}
	}
	for k, r := range n.Reduces() {
		g.comment(fmt.Sprintf("%s over all iterations, set by a run that succeeds", g.reduceText(k, r)))
		g.linef("%s %s", g.reduceFields[k], r.Type)
	}
	g.linef("}")
}

// arrayDoc describes an array's shape and who supplies it.
func (g *generator) arrayDoc(a *ir.Array) string {
	var dims []string
	for k := range a.Lo {
		if a.Out != nil && a.Out[k] != nil {
			continue
		}
		dims = append(dims, g.affineText(a.Lo[k], nil)+".."+g.affineText(a.Hi[k], nil))
	}
	shape := a.Name + "[" + strings.Join(dims, ", ") + "]"
	switch {
	case a.Role == ir.In:
		return shape + ", given"
	case a.Role == ir.InOut:
		return shape + ", given, updated and given back"
	case a.Out != nil:
		var at []string
		for k, x := range a.Out {
			at = append(at, "*")
			if x != nil {
				at[k] = g.affineText(*x, nil)
			}
		}
		return shape + ", given back: " + a.Name + "[" + strings.Join(at, ", ") + "]"
	}
	return shape + ", given back"
}

// affineText prints an affine form with the user's names.
func (g *generator) affineText(a ir.Affine, iters []string) string {
	var terms []term
	for k, c := range a.Iters {
		terms = append(terms, term{c, iters[k]})
	}
	for k, c := range a.Params {
		terms = append(terms, term{c, g.n.Params[k].Name})
	}
	return sum(append(terms, term{a.Const, ""})...)
}

// run prints Run, Sequential and the binding of the caller's slices.
func (g *generator) run() {
	g.blank()
	g.linef("// bind makes the fields of a run from a's slices.")
	g.linef("func (a *%s) bind(params []int) (kernel.Fields, error) {", g.typeArrays)
	g.linef("if a == nil {\nreturn kernel.Fields{}, errors.New(\"there are no arrays\")\n}")
	g.linef("fields := sched.NewFields(%s)", g.varNest)
	var binds []string
	for k := range g.n.Arrays {
		a := &g.n.Arrays[k]
		f := g.arrayFields[k]
		if a.Role == ir.In || a.Role == ir.InOut {
			binds = append(binds, fmt.Sprintf("sched.Give(&fields, %s, params, %d, a.%s)", g.varNest, k, f))
		}
		if a.Returned() {
			binds = append(binds, fmt.Sprintf("sched.Take(&fields, %s, params, %d, &a.%s)", g.varNest, k, f))
		}
	}
	g.linef("return fields, errors.Join(")
	for _, b := range binds {
		g.linef("%s,", b)
	}
	g.linef(")")
	g.linef("}")

	g.reducedMethod()
	g.blank()
	g.linef("// %s say how to run the nest; the zero value leaves everything to the planner.", g.typeOptions)
	g.linef("type %s = sched.Options", g.typeOptions)
	g.blank()
	g.linef("// %s is what a run did.", g.typeSummary)
	g.linef("type %s = sched.Summary", g.typeSummary)
	g.blank()
	g.linef("// %s runs the nest on the ranks and CPUs that o asks for, in this process. The result", g.funcRun)
	g.linef("// has the same bits as that of %s, whatever o says.", g.funcSequential)
	g.linef("func %s(ctx context.Context, p %s, a *%s, o %s) (%s, error) {", g.funcRun, g.typeParams, g.typeArrays, g.typeOptions, g.typeSummary)
	g.linef("fields, err := a.bind(p.values())")
	g.linef("if err != nil {\nreturn %s{}, err\n}", g.typeSummary)
	if len(g.reduces) > 0 {
		g.linef("summary, err := sched.Run(ctx, %s, p.values(), fields, o, inproc.Mesh)", g.varProgram)
		g.linef("if err == nil {\na.reduced(fields)\n}")
		g.linef("return summary, err")
	} else {
		g.linef("return sched.Run(ctx, %s, p.values(), fields, o, inproc.Mesh)", g.varProgram)
	}
	g.linef("}")
	g.blank()
	g.linef("// %s runs the loops as they are written in %s.", g.funcSequential, g.n.File)
	g.linef("func %s(p %s, a *%s) error {", g.funcSequential, g.typeParams, g.typeArrays)
	g.linef("fields, err := a.bind(p.values())")
	g.linef("if err != nil {\nreturn err\n}")
	if len(g.reduces) > 0 {
		g.linef("if err := %s; err != nil {\nreturn err\n}", g.sequentialCall())
		g.linef("a.reduced(fields)")
		g.linef("return nil")
	} else {
		g.linef("return %s", g.sequentialCall())
	}
	g.linef("}")
}

// sequentialCall is the call of the sequential reference.
func (g *generator) sequentialCall() string {
	if len(g.plan.Dims) == 0 { // the whole of a program
		return fmt.Sprintf("sched.RunSequential(%s, p.values(), fields)", g.varProgram)
	}
	return g.funcSeq + "(p.values(), fields)"
}

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
		if g.copiesRow(a) {
			g.linef("copy(row, tile.%s(%s, n))", g.initRow(a), names)
		} else {
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

// copiesRow reports whether the initial content of a row of an array is a row of a given
// one.
func (g *generator) copiesRow(a int) bool {
	arr := &g.n.Arrays[a]
	r, ok := arr.Init.Expr.(*ir.Read)
	last := len(arr.Lo) - 1
	if !ok || last < 0 || g.n.Arrays[r.Array].Elem != arr.Elem {
		return false
	}
	for k, sub := range r.Subs {
		c := 0
		if last < len(sub.Iters) {
			c = sub.Iters[last]
		}
		if k < len(r.Subs)-1 && c != 0 || k == len(r.Subs)-1 && c != 1 {
			return false
		}
	}
	return len(r.Subs) > 0
}

// initRow is the method that returns the row that copiesRow is about.
func (g *generator) initRow(a int) string { return g.initMethods[a] + "Row" }

// initMethod prints the method that computes the initial content of a cell.
func (g *generator) initMethod(a int) {
	arr := &g.n.Arrays[a]
	init := arr.Init
	s := g.scope()
	names := make([]string, len(init.Names))
	used := make([]bool, len(init.Names))
	for k, name := range init.Names {
		// An index name may be that of a loop; it is another variable here.
		delete(s.used, name)
		names[k] = newScope(g.params...).name(name)
		for slices.Contains(names[:k], names[k]) {
			names[k] += "_"
		}
		s.used[names[k]] = true
	}
	body := &printer{}
	affine := func(x ir.Affine) string {
		var terms []term
		for k, c := range x.Iters {
			if c != 0 {
				used[k] = true
				terms = append(terms, term{c, names[k]})
			}
		}
		for k, c := range x.Params {
			if c != 0 {
				terms = append(terms, term{c, g.params[k]})
			}
		}
		return sum(append(terms, term{x.Const, ""})...)
	}
	m := &emitter{p: body, r: &refs{
		names: s, consts: g.consts, externs: g.externs,
		iter:  func(k int) string { used[k] = true; return names[k] },
		param: func(k int) string { return g.params[k] },
		local: func(int) string { panic("BUG: a let in an init expression") },
		line:  func(e ir.Expr) string { return fmt.Sprintf("%s:%d", g.n.File, e.Span().Line) },
		iters: func() string {
			for k := range used {
				used[k] = true
			}
			return strings.Join(names, ", ")
		},
		read: func(r *ir.Read) string {
			array := "tile." + g.givenName(r.Array)
			at := []string{array + "Origin"}
			for k, sub := range r.Subs {
				stride := "1"
				if k < len(r.Subs)-1 {
					stride = "tile." + strideName(g.givenName(r.Array), k)
				}
				at = append(at, times(affine(sub), stride))
			}
			return fmt.Sprintf("%s[%s]", array, plus(at...))
		},
	}}
	value := m.expr(init.Expr)
	g.blank()
	g.linef("// %s is the initial content of %s.", g.initMethods[a], arr.Name)
	for k := range names {
		if !used[k] {
			names[k] = "_"
		}
	}
	g.linef("func (tile *%s) %s(%s int) %s {", g.typeKernel, g.initMethods[a], strings.Join(names, ", "), arr.Elem)
	g.constants(init.Expr)
	for _, p := range g.params {
		g.linef("%s := tile.%s", p, p)
	}
	g.provenance(&g.printer, init.Span.Line)
	g.buf.Write(body.buf.Bytes())
	g.linef("return %s", value)
	g.linef("}")
	if g.copiesRow(a) {
		g.blank()
		g.linef("// %s is the initial content of n cells of %s, from one on.", g.initRow(a), arr.Name)
		n := newScope(append(slices.Clone(names), g.params...)...).name("n")
		params := append(slices.Clone(names), n)
		g.linef("func (tile *%s) %s(%s int) []%s {", g.typeKernel, g.initRow(a), strings.Join(params, ", "), arr.Elem)
		for _, p := range g.params {
			g.linef("%s := tile.%s", p, p)
		}
		// The value is a cell: name[position].
		at := strings.TrimSuffix(value, "]")
		name, position, _ := strings.Cut(at, "[")
		g.linef("return %s[%s:][:%s]", name, position, n)
		g.linef("}")
	}
}

// program prints what the runtime gets.
func (g *generator) program() {
	g.blank()
	if g.part {
		g.linef("// %s is nest %s of the program.", g.varProgram, g.n.Name)
	} else {
		g.linef("// %s is the nest as the runtime and the planner see it.", g.varProgram)
	}
	rows, scalar := 0, ""
	if n := g.together().rows; n > 1 {
		rows = n
	}
	if why := g.scalar(); why != "" {
		scalar = fmt.Sprintf(", Scalar: %q", why)
	}
	g.linef("var %s = &sched.Program{Nest: %s, Kernel: kernel.InGo(%s, %d)%s, Sequential: %s}", g.varProgram, g.varNest, g.funcKernel, rows, scalar, g.funcSeq)
	g.blank()
	g.linef("var %s = &%s", g.varNest, goLiteral(*g.plan))
	g.blank()
}
