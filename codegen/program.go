package codegen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/transform/plan"
)

// Generate returns the files of a program of any number of nests: one formatted Go file,
// with the kernel of each nest and one Run, and for amd64 the files of each nest's vector
// kernels. l, nests and whole are what transform.LowerProgram returns. An error is a bug.
func Generate(p *ir.Program, l []*ir.Lowered, nests []*plan.Nest, whole *plan.Nest, o Options) ([]File, error) {
	o.Runtime, o.Package = cmp.Or(o.Runtime, "loopc"), cmp.Or(o.Package, "main")
	var parts []*generator
	for k, n := range p.Nests {
		part := &generator{n: lateLast(n, l[k]), l: l[k], plan: nests[k], o: o, shift: len(nests[k].Dims) - n.Depth(), part: !p.Single()}
		part.nameAll()
		part.vectorize()
		if o.Warn != nil {
			if d := part.slow(); d != nil {
				o.Warn(d.Reworded(p.Words))
			}
		}
		parts = append(parts, part)
	}
	g, what := parts[0], "nest"
	if !p.Single() {
		// The program as a nest without loops, which defines the names of the user's types.
		g, what = &generator{n: facade(p), l: &ir.Lowered{}, plan: whole, o: o}, "nests"
		g.nameAll()
		for _, part := range parts {
			g.reduceTexts = append(g.reduceTexts, mapped(part.n.Reduces(), part.n.ReduceText)...)
			g.imported = append(g.imported, part.imported...)
		}
		slices.Sort(g.imported)
		g.imported = slices.Compact(g.imported)
	}
	g.header(what, textOfNests(p, parts, (*generator).explain))
	g.imports()
	g.types()
	g.run()
	g.ranks()
	for _, part := range parts {
		part.kernel()
		part.inits()
		part.sequential()
		part.program()
		if part != g {
			g.buf.Write(part.buf.Bytes())
		}
	}
	if !p.Single() {
		g.repeats(p, parts)
		g.steps(p, parts)
	}
	if o.Main {
		g.linef("func main() { cli.Main(%s) }", g.varProgram)
	}
	text, err := g.source(g.n.Name+"_loop.go", g.importBlock)
	if err != nil {
		return nil, err
	}
	files := []File{{"_loop.go", text}}
	for k, part := range parts {
		more, err := part.vectors()
		if err != nil {
			return nil, err
		}
		for _, f := range more {
			files = append(files, File{partSuffix(p, k) + f.Suffix, f.Text})
		}
	}
	return files, nil
}

// partSuffix stands between the name of the program and the suffix of a file that belongs to
// nest k of several.
func partSuffix(p *ir.Program, k int) string {
	if p.Single() {
		return ""
	}
	return "_" + strings.ToLower(strings.TrimPrefix(p.Nests[k].Name, p.Name))
}

// PartSuffixes returns patterns, for path.Match, of partSuffix.
func PartSuffixes() []string {
	var out []string
	for _, s := range Suffixes[1:] {
		out = append(out, "_nest*"+s, "_init*"+s)
	}
	return out
}

// facade returns the program as a nest without loops, for the API of the emitted package:
// parameters, arrays and reductions.
func facade(p *ir.Program) *ir.Nest {
	n := &ir.Nest{Name: p.Name, File: p.File, Source: p.Source, Params: p.Params, Floats: p.Floats, Consts: p.Consts, Arrays: p.Arrays}
	for _, r := range p.Reduces() {
		typed := *r
		typed.Expr = &ir.Lit{T: r.Expr.Type()} // only its type counts; r.Expr may read results of earlier nests, which the facade lacks
		n.Body = append(n.Body, &typed)
	}
	return n
}

// reduceText describes the values of a reduction.
func (g *generator) reduceText(k int, r *ir.Reduce) string {
	if g.reduceTexts != nil {
		return g.reduceTexts[k] + ", in the last run of its nest,"
	}
	return g.n.ReduceText(r)
}

// Explain describes the decisions about the nests of a program, one per line: first with symbols,
// because sizes are known only at launch; then with the numbers of a plan for the declared defaults on
// four ranks, if every parameter has a default. It is the text of the package comment. Before several
// nests, it has their order.
func Explain(p *ir.Program, l []*ir.Lowered, nests []*plan.Nest) string {
	return textOfNests(p, decidedNests(p, l, nests), (*generator).explain)
}

// Decisions returns the text of Explain without the numbers of a plan for the defaults. It is for a
// run that shows the numbers of its own plan.
func Decisions(p *ir.Program, l []*ir.Lowered, nests []*plan.Nest) string {
	return textOfNests(p, decidedNests(p, l, nests), (*generator).decisions)
}

func decidedNests(p *ir.Program, l []*ir.Lowered, nests []*plan.Nest) (parts []*generator) {
	for k, n := range p.Nests {
		parts = append(parts, decided(n, l[k], nests[k]))
	}
	return parts
}

// textOfNests returns a text for each nest, after the order of several nests.
func textOfNests(p *ir.Program, parts []*generator, text func(*generator) string) string {
	if p.Single() {
		return text(parts[0])
	}
	var b strings.Builder
	b.WriteString(p.StepsText())
	for _, g := range parts {
		fmt.Fprintf(&b, "\n%s, %s\n%s", g.n.Name, g.where(g.n.Loops[0].Span.Line), text(g))
	}
	return b.String()
}

// steps prints the Program for the runtime.
func (g *generator) steps(p *ir.Program, parts []*generator) {
	g.blank()
	g.linef("// %s is the program as the runtime sees it: its nests, and how they follow one another.", g.varProgram)
	g.linef("var %s = &sched.Program{", g.varProgram)
	g.linef("Nest: %s,", g.varNest)
	g.linef("Nests: []*sched.Program{")
	for _, part := range parts {
		g.linef("%s,", part.varProgram)
	}
	g.linef("},")
	if p.Divides() {
		g.linef("Divides: true,")
	}
	if slices.ContainsFunc(p.Repeats(), func(r *ir.Repeat) bool { return r.Until != nil && ir.MayFail(r.Until.Cond) }) {
		g.linef("Fails: true,")
	}
	g.linef("Steps: []sched.Step{")
	g.stepList(p, p.Steps)
	g.linef("},")
	g.linef("}")
	g.blank()
	g.linef("var %s = &%s", g.varNest, goLiteral(*g.plan))
	g.blank()
}

// stepList prints steps as elements of a list.
func (g *generator) stepList(p *ir.Program, steps []ir.Step) {
	for _, s := range steps {
		r := s.Repeat
		if r == nil {
			g.linef("{Nest: %d}, // %s", s.Nest, p.Nests[s.Nest].Name)
			continue
		}
		g.linef("{Repeat: &sched.Repeat{")
		g.linef("Name: %q,", r.Name)
		g.linef("Index: %d,", r.Index)
		g.linef("Lo: %s,", goLiteral(planForms(r.Lo)))
		g.linef("Hi: %s,", goLiteral(planForms(r.Hi)))
		if r.Backward {
			g.linef("Backward: true,")
		}
		if r.Batch {
			g.linef("Batch: true,")
		}
		if x := r.Item; x != nil {
			g.linef("Item: &sched.Item{Array: %d, Batch: %d, At: %q},", x.Array, x.Batch, fmt.Sprintf("%s:%d:%d", p.File, r.Span.Line, r.Span.Col))
		}
		if u := r.Until; u != nil {
			g.until(u)
		}
		if name := g.funcRepeats[r]; name != "" {
			g.linef("Sequential: %s,", name)
		}
		g.linef("Steps: []sched.Step{")
		g.stepList(p, r.Steps)
		g.linef("},")
		g.linef("}},")
	}
}

// until prints the field of a repeat with the condition that ends it.
func (g *generator) until(u *ir.Until) {
	g.linef("Until: &sched.Until{Reduces: %s, Holds: func(params []int, floats []float64, reduced []array.View) bool {", placesText(u.Reduces))
	g.constants(u.Cond)
	s := newScope("params", "floats", "reduced")
	for _, c := range g.consts {
		s.used[c] = true
	}
	r := g.refs(s)
	r.param = func(k int) string { return fmt.Sprintf("params[%d]", k) }
	r.float = func(e *ir.FloatRef) string {
		if e.T == ir.Float32 {
			return fmt.Sprintf("float32(floats[%d])", e.Float)
		}
		return fmt.Sprintf("floats[%d]", e.Float)
	}
	r.reduced = func(e *ir.ReduceRef) string { return fmt.Sprintf("array.Cells[%s](reduced[%d])[0]", e.T, e.Reduce) }
	r.numbers = r.iters
	value := (&emitter{p: &g.printer, r: r}).expr(u.Cond)
	g.linef("return %s", value)
	g.linef("}},")
}

func planForms(list []ir.Affine) []plan.Affine {
	var out []plan.Affine
	for _, a := range list {
		out = append(out, plan.Affine{Const: a.Const, Params: a.Params})
	}
	return out
}
