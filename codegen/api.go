package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// imports prints the import block, sorted.
func (g *generator) imports() {
	// Which packages are used is known only after the rest is printed.
	g.linef("%s", importMark)
}

// importBlock returns the imports of the used packages.
func (g *generator) importBlock(used map[string]bool) string {
	std := []string{"context", "errors", "math", "time", "unsafe"}
	own := []string{"runtime/arith", "runtime/array", "runtime/boundary", "runtime/cli", "runtime/kernel", "runtime/launch", "runtime/ranks", "runtime/sched", "runtime/simd", "runtime/transport/inproc", "transform/plan", "transform/plan/cost"}
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
		if used[name] { // a file need not use each package that the program imports
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
			note = fmt.Sprintf(" // %d in Default%s", *p.Default, g.typeParams)
		}
		g.linef("%s int%s", g.paramFields[k], note)
	}
	for k, p := range n.Floats {
		note := ""
		if p.Default != nil {
			note = fmt.Sprintf(" // %s in Default%s", ir.FloatText(*p.Default), g.typeParams)
		}
		g.linef("%s float64%s", g.floatFields[k], note)
	}
	g.linef("}")
	if slices.ContainsFunc(n.Params, func(p ir.Param) bool { return p.Default != nil }) || slices.ContainsFunc(n.Floats, func(p ir.FloatParam) bool { return p.Default != nil }) {
		name := "Default" + g.typeParams
		g.blank()
		g.linef("// %s returns the parameters that %s declares. Begin with them: a field that is not set is 0.", name, n.File)
		g.linef("func %s() %s {", name, g.typeParams)
		g.linef("return %s{", g.typeParams)
		for k, p := range n.Params {
			if p.Default != nil {
				g.linef("%s: %d,", g.paramFields[k], *p.Default)
			}
		}
		for k, p := range n.Floats {
			if p.Default != nil {
				g.linef("%s: %s,", g.floatFields[k], ir.FloatText(*p.Default))
			}
		}
		g.linef("}")
		g.linef("}")
	}
	g.blank()
	g.linef("func (p %s) values() []int {", g.typeParams)
	g.linef("return []int{%s}", strings.Join(mapped(g.paramFields, func(f string) string { return "p." + f }), ", "))
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
	params := paramNames(g.n)
	var dims []string
	for k := range a.Lo {
		if a.Out != nil && a.Out[k] != nil {
			continue
		}
		dims = append(dims, affine(a.Lo[k], nil, params)+".."+affine(a.Hi[k], nil, params))
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
				at[k] = affine(*x, nil, params)
			}
		}
		if len(dims) == 0 {
			shape = a.Name + ", a slice of one cell"
		}
		return shape + ", given back: " + a.Name + "[" + strings.Join(at, ", ") + "]"
	}
	return shape + ", given back"
}

// run prints Run, Sequential and the binding of the caller's slices.
func (g *generator) run() {
	g.blank()
	g.linef("// bind makes the fields of a run from a's slices. If it returns an error, a is as before.")
	g.linef("func (a *%s) bind(params []int) (kernel.Fields, error) {", g.typeArrays)
	g.linef("if a == nil {\nreturn kernel.Fields{}, errors.New(\"%s: there are no arrays\")\n}", g.n.Name)
	g.linef("fields := sched.NewFields(%s)", g.varNest)
	var given, results []string
	for k := range g.n.Arrays {
		a := &g.n.Arrays[k]
		f := g.arrayFields[k]
		switch {
		case g.given(k) && a.Returned():
			given = append(given, fmt.Sprintf("sched.Update(&fields, %s, params, %d, a.%s)", g.varNest, k, f))
		case g.given(k):
			given = append(given, fmt.Sprintf("sched.Give(&fields, %s, params, %d, a.%s)", g.varNest, k, f))
		case a.Returned():
			results = append(results, fmt.Sprintf("sched.Take(&fields, %s, params, %d, &a.%s)", g.varNest, k, f))
		}
	}
	g.linef("before := *a")
	first, then := given, results
	if len(given) == 0 {
		first, then = results, nil
	}
	g.linef("err := errors.Join(")
	g.lines(first)
	g.linef(")")
	if len(then) > 0 {
		g.linef("if err == nil { // results are not allocated for content that is refused\nerr = errors.Join(")
		g.lines(then)
		g.linef(")\n}")
	}
	g.linef("if err != nil {\n*a = before\n}")
	g.linef("return fields, err")
	g.linef("}")

	g.reducedMethod()
	g.options()
	g.blank()
	g.linef("// %s is what a run did.", g.typeSummary)
	g.linef("type %s = sched.Summary", g.typeSummary)
	g.blank()
	g.linef("// %s runs the nest on the ranks and CPUs that o asks for, in this process. The result", g.funcRun)
	g.linef("// has the same bits as that of %s, whatever o says. If it returns an error, as when ctx ends, inout arrays have", g.funcSequential)
	g.linef("// the content that they had before, and the content of out arrays is not defined.")
	g.linef("func %s(ctx context.Context, p %s, a *%s, o %s) (%s, error) {", g.funcRun, g.typeParams, g.typeArrays, g.typeOptions, g.typeSummary)
	g.linef("prepared, err := sched.PrepareRecent(ctx, %s, p.values(), o.run(), inproc.Mesh)", g.withFloats())
	g.linef("if err != nil {\nreturn %s{}, err\n}", g.typeSummary)
	g.linef("defer prepared.End()")
	g.linef("return (&%s{prepared: prepared, params: p.values()}).Run(ctx, a)", g.typeRunner)
	g.linef("}")
	g.runner()
	g.blank()
	g.linef("// %s runs the loops as they are written in %s.", g.funcSequential, g.n.File)
	g.linef("func %s(p %s, a *%s) error {", g.funcSequential, g.typeParams, g.typeArrays)
	g.linef("fields, err := a.bind(p.values())")
	g.linef("if err != nil {\nreturn err\n}")
	call := fmt.Sprintf("sched.RunSequential(%s, p.values(), fields)", g.withFloats())
	if len(g.reduces) > 0 {
		g.linef("if err := %s; err != nil {\nreturn err\n}", call)
		g.linef("a.reduced(fields)")
		g.linef("return nil")
	} else {
		g.linef("return %s", call)
	}
	g.linef("}")
}

// lines prints arguments of a call, one a line.
func (g *generator) lines(arguments []string) {
	for _, a := range arguments {
		g.linef("%s,", a)
	}
}

// runner prints Prepare, and the type of its result.
func (g *generator) runner() {
	g.blank()
	g.linef("// A %s runs the nest again and again with the same parameters and options, and keeps what does not", g.typeRunner)
	g.linef("// depend on the content of the arrays: plan, workers and memory.")
	g.linef("type %s struct {", g.typeRunner)
	g.linef("prepared *sched.Prepared")
	g.linef("params []int")
	g.linef("arrays %s // of the last run", g.typeArrays)
	g.linef("fields kernel.Fields")
	g.linef("}")
	g.blank()
	g.linef("// %s plans runs of the nest in this process, and %s.Run then runs it: use them where the same parameters", g.funcPrepare, g.typeRunner)
	g.linef("// come again, as a run may take less time than its plan. A batch of one item, prepared for the greatest sizes, takes items of any size.")
	g.linef("// %s has no context: it waits for nothing, and the limit of its search is a count, which takes milliseconds.", g.funcPrepare)
	g.linef("func %s(p %s, o %s) (*%s, error) {", g.funcPrepare, g.typeParams, g.typeOptions, g.typeRunner)
	g.linef("prepared, err := sched.Prepare(context.Background(), %s, p.values(), o.run(), inproc.Mesh)", g.withFloats())
	g.linef("if err != nil {\nreturn nil, err\n}")
	g.linef("return &%s{prepared: prepared, params: p.values()}, nil", g.typeRunner)
	g.linef("}")
	g.blank()
	g.linef("// Run does what %s does. If the slices of a are those of the last run, whose content may have changed, a", g.funcRun)
	g.linef("// run of one nest on one rank, or of loops as they are written, allocates nothing, unless CPUs share the items of")
	g.linef("// a batch; its summary then has no Ranks and no Reductions: a has all results. Small arrays in other slices cost a")
	g.linef("// copy, large ones a new preparation. Several goroutines may call Run: a call waits until the one before has")
	g.linef("// returned, or ctx ends.")
	g.linef("func (r *%s) Run(ctx context.Context, a *%s) (%s, error) {", g.typeRunner, g.typeArrays, g.typeSummary)
	g.linef("if r == nil {\nr = &%s{}\n}", g.typeRunner)
	g.linef("if err := r.prepared.Enter(ctx); err != nil {\nreturn %s{}, err\n}", g.typeSummary)
	g.linef("defer r.prepared.Leave()")
	g.linef("if r.fields.Given == nil || !r.arrays.same(a) {")
	g.linef("fields, err := a.bind(r.params)")
	g.linef("if err != nil {\nreturn %s{}, err\n}", g.typeSummary)
	g.linef("r.arrays, r.fields = *a, fields")
	g.linef("r.prepared.Bind(fields)")
	g.linef("}")
	g.returnSummary("r.prepared.Run(ctx)", "r.fields")
	g.linef("}")
	g.blank()
	g.linef("// same reports whether b has the same slices as a, none of them nil.")
	g.linef("func (a *%s) same(b *%s) bool {", g.typeArrays, g.typeArrays)
	terms := []string{"b != nil"}
	for k := range g.n.Arrays {
		if arr := &g.n.Arrays[k]; arr.Role == ir.In || arr.Returned() {
			f := g.arrayFields[k]
			terms = append(terms, fmt.Sprintf("b.%s != nil", f), fmt.Sprintf("sched.SameSlice(a.%s, b.%s)", f, f))
		}
	}
	g.linef("return %s", strings.Join(terms, " &&\n"))
	g.linef("}")
}

// program prints the Program that the runtime runs.
func (g *generator) program() {
	g.blank()
	if g.part {
		g.linef("// %s is nest %s of the program.", g.varProgram, g.n.Name)
	} else {
		g.linef("// %s is the nest as the runtime and the planner see it.", g.varProgram)
	}
	rows, scalar := g.rowsInGo(), ""
	if why := g.scalar(); why != "" {
		scalar = fmt.Sprintf(", Scalar: %q", why)
	}
	written := "" // the fields that describe the loops as they are written
	if g.pace == 0 {
		written = fmt.Sprintf(", Unpaced: %q", g.unpaced)
	}
	if g.pace > 0 {
		written = ", Pace: " + cycles(g.pace)
		if g.inArrays() {
			written += ", InArrays: true"
			if waits := g.waits(); waits > 0 {
				written += ", Waits: " + cycles(waits)
			}
			if apart := g.apart(); apart != nil {
				written += fmt.Sprintf(", Apart: %#v", apart)
			}
		}
		if once := g.writtenOnce(); len(once) > 0 && (g.inArrays() || g.front.shape != nil) {
			written += fmt.Sprintf(", WrittenOnce: %#v", once)
		}
	}
	if g.inArrays() && g.rotating != nil && g.ownLevels() {
		written += ", OwnLevels: true"
	}
	if len(g.reached) > 0 && g.pace > 0 {
		written += fmt.Sprintf(", Reached: %#v", g.reached)
	}
	written += g.sectionsField()
	if g.fails {
		written += ", Fails: true"
	}
	g.linef("var %s = &sched.Program{Nest: %s, Kernel: kernel.InGo(%s, %d).Paced(%s)%s, Sequential: %s%s%s}", g.varProgram, g.varNest, g.funcKernel, rows, cycles(g.portableCycles()), scalar, g.funcSeq, written, g.earlier())
	g.blank()
	g.linef("var %s = &%s", g.varNest, goLiteral(*g.plan))
	g.blank()
}
