package codegen

import (
	"fmt"
	"strings"

	"loopc/ir"
)

// isCalled reports whether the package is for calls by the user's program, and no command.
func (g *generator) isCalled() bool { return !g.o.Main && g.o.Package != "main" && !g.part }

// hasRanks reports whether the package has functions to run on ranks that are processes of the
// user's program. A command needs none: its command line starts ranks.
func (g *generator) hasRanks() bool { return g.isCalled() && !g.o.Local }

// nameParts chooses the names of the functions that supply and receive each array.
func (g *generator) nameParts() {
	fields := newScope(append(append([]string{g.typeArrays}, g.arrayFields...), g.reduceFields...)...)
	for _, f := range g.arrayFields {
		g.supplyFields = append(g.supplyFields, fields.name("Supply"+f))
		g.receiveFields = append(g.receiveFields, fields.name("Receive"+f))
	}
}

// ranks prints the functions for runs on ranks, each of which supplies and receives its own
// part of the arrays.
func (g *generator) ranks() {
	if g.hasRanks() || g.couples() {
		g.blank()
		g.linef("// %s is a box of cells: see its fields and methods.", g.typeBlock)
		g.linef("type %s[T array.Number] = array.Block[T]", g.typeBlock)
	}
	if g.hasRanks() {
		g.rankOptions()
	}
	g.coupling()
	if !g.hasRanks() {
		return
	}
	g.blank()
	g.linef("// %s are the arrays of a run on ranks. An array has a function, which every rank", g.typeParts)
	g.linef("// calls for the boxes of cells that it reads or has computed, or a slice with the")
	g.linef("// whole array. Only the process that leads needs the slices. If an array has a")
	g.linef("// function, it has one in all processes. An error of a function ends the run.")
	g.linef("type %s struct {", g.typeParts)
	g.linef("%s", g.typeArrays)
	for k := range g.n.Arrays {
		a := &g.n.Arrays[k]
		if g.given(k) {
			g.comment(fmt.Sprintf("%s fills a block of %s. Blocks of several ranks, and of one, may overlap.", g.supplyFields[k], shapeOf(g.arrayDoc(a))))
			g.linef("%s func(%s[%s]) error", g.supplyFields[k], g.typeBlock, a.Elem)
		}
		if a.Returned() {
			g.comment(fmt.Sprintf("%s takes a block of %s. Every cell is received once, by one rank, when all ranks have computed.", g.receiveFields[k], shapeOf(g.arrayDoc(a))))
			g.linef("%s func(%s[%s]) error", g.receiveFields[k], g.typeBlock, a.Elem)
		}
	}
	g.linef("}")
	g.blank()
	g.linef("// %s runs the nest on ranks. The ranks are the processes of this program that a", g.funcRunRanks)
	g.linef("// launcher has started: srun, mpiexec, mpirun, Kubernetes, or whoever sets LOOPC_RANK,")
	g.linef("// LOOPC_SIZE, LOOPC_ROOT (host:port of rank 0) and LOOPC_SECRET_FILE. All of them must")
	g.linef("// make the same calls. Without a launcher, the ranks are goroutines of this process.")
	g.linef("// The result has the same bits as that of %s. The process that leads gets the", g.funcSequential)
	g.linef("// summary of the whole run, with Rank -1; each other process gets that of its rank.")
	g.linef("//")
	g.linef("// Errors are the same in all processes, and name the rank that failed.")
	g.linef("func %s(ctx context.Context, p %s, a *%s, o %s) (%s, error) {", g.funcRunRanks, g.typeParams, g.typeParts, g.typeRankOptions, g.typeSummary)
	g.linef("blocks := ranks.NewBlocks(%s, p.values())", g.varNest)
	for k := range g.n.Arrays {
		f := g.arrayFields[k]
		if g.given(k) {
			g.linef("ranks.Supply(blocks, %d, %q, a.%s.%s, a.%s)", k, f, g.typeArrays, f, g.supplyFields[k])
		}
		if g.n.Arrays[k].Returned() {
			g.linef("ranks.Receive(blocks, %d, %q, &a.%s.%s, a.%s)", k, f, g.typeArrays, f, g.receiveFields[k])
		}
	}
	g.returnSummary(fmt.Sprintf("ranks.Run(ctx, %s, p.values(), blocks, ranks.Options{Options: o.%s.run(), Security: o.Security, Patience: o.Patience})", g.withFloats(), g.typeOptions), "blocks.Fields()")
	g.linef("}")
}

// returnSummary prints the return of a call's summary and error. If the nest has reductions, their results go from fields to a.
func (g *generator) returnSummary(call, fields string) {
	if len(g.reduces) == 0 {
		g.linef("return %s", call)
		return
	}
	g.linef("summary, err := %s", call)
	g.linef("if err == nil {\na.reduced(%s)\n}", fields)
	g.linef("return summary, err")
}

// shapeOf returns the shape in an array's description.
func shapeOf(doc string) string {
	shape, _, _ := strings.Cut(doc, "], ")
	return strings.TrimSuffix(shape, "]") + "]"
}

// usage prints, in the package comment, how a program of the user runs the nest.
func (g *generator) usage() {
	if !g.isCalled() {
		return
	}
	pkg := g.o.Package + "."
	params := make([]string, len(g.n.Params))
	for k, p := range g.n.Params {
		v := 100
		if p.Default != nil {
			v = *p.Default
		}
		params[k] = fmt.Sprintf("%s: %d", g.paramFields[k], v)
	}
	for k, p := range g.n.Floats {
		v := 0.5
		if p.Default != nil {
			v = *p.Default
		}
		params = append(params, fmt.Sprintf("%s: %s", g.floatFields[k], ir.FloatText(v)))
	}
	g.comment("")
	g.comment("On slices with whole arrays, in this process:")
	g.comment("")
	var fields []string
	taken := map[string]bool{"ctx": true, "summary": true, "err": true, "parts": true}
	for k := range g.n.Arrays {
		if g.given(k) {
			name := strings.ToLower(g.arrayFields[k])
			taken[name] = true
			fields = append(fields, fmt.Sprintf("%s: %s", g.arrayFields[k], name))
		}
	}
	p, a := freeName(taken, "p"), freeName(taken, "a")
	g.comment(fmt.Sprintf("\t%s := %s%s{%s}", p, pkg, g.typeParams, strings.Join(params, ", ")))
	g.comment(fmt.Sprintf("\t%s := %s%s{%s}", a, pkg, g.typeArrays, strings.Join(fields, ", ")))
	g.comment(fmt.Sprintf("\tsummary, err := %s%s(ctx, %s, &%s, %s%s{})", pkg, g.funcRun, p, a, pkg, g.typeOptions))
	g.comment("")
	g.comment("Often, with the same parameters:")
	g.comment("")
	r := freeName(taken, "r")
	g.comment(fmt.Sprintf("\t%s, err := %s%s(%s, %s%s{})", r, pkg, g.funcPrepare, p, pkg, g.typeOptions))
	g.comment(fmt.Sprintf("\tsummary, err := %s.Run(ctx, &%s) // as often as you like", r, a))
	if !g.hasRanks() {
		return
	}
	g.comment("")
	g.comment("On the ranks that a launcher has started, each with its own part of the arrays: here")
	g.comment("mine has the cells lo..hi, in C order:")
	g.comment("")
	g.comment(fmt.Sprintf("\tparts := %s%s{", pkg, g.typeParts))
	for k := range g.n.Arrays {
		block := fmt.Sprintf("%s%s[%s]", pkg, g.typeBlock, g.n.Arrays[k].Elem)
		if g.given(k) {
			g.comment(fmt.Sprintf("\t\t%s: func(b %s) error { return b.CopyFrom(mine, lo, hi) },", g.supplyFields[k], block))
		}
		if g.n.Arrays[k].Returned() {
			g.comment(fmt.Sprintf("\t\t%s: func(b %s) error { return b.CopyTo(mine, lo, hi) },", g.receiveFields[k], block))
		}
	}
	g.comment("\t}")
	g.comment(fmt.Sprintf("\tsummary, err := %s%s(ctx, %s, &parts, %s%s{})", pkg, g.funcRunRanks, p, pkg, g.typeRankOptions))
}

// freeName returns name or, if it is taken, name with another letter.
func freeName(taken map[string]bool, name string) string {
	for taken[name] {
		name += name[:1]
	}
	return name
}
