package codegen

import (
	"fmt"
	"go/constant"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// Options say how to emit a program.
type Options struct {
	Package string // name of the emitted package
	Main    bool   // add a main function: Package is main
	Local   bool   // leave out what ranks in several processes need
	Beside  bool   // the package has its comment in another file
	Runtime string // import path of the module that holds runtime/...; "" means loopc
	// Warn, if not nil, receives the warning of Slow for each nest that has one.
	Warn func(diag.Diagnostic)
}

// A generator emits one file.
type generator struct {
	printer
	n     *ir.Nest
	l     *ir.Lowered
	plan  *plan.Nest
	o     Options
	shift int // dimensions of the plan before the user's loops
	folds int // see fold; 0: the loops are the user's

	// Decisions.
	vector   vectorKernels
	levels   levelKernels
	front    frontKernels
	onArrays answer           // see inArrays
	rotating *kernel.Rotating // after inArrays; nil: no levels rotate
	reached  []int            // arrays that the sequential loops fill only where they reach
	pace     float64          // sched.Program.Pace
	unpaced  string           // sched.Program.Unpaced
	fails    bool             // the loops as they are written may fail

	// Names of emitted types, functions and variables of the package.
	typeParams, typeArrays, typeKernel    string
	typeOptions, typeSummary              string
	funcRun, funcSequential, varProgram   string
	varNest, funcKernel, funcSeq          string
	typeParts, typeBlock, typeRankOptions string // see ranks
	funcRunRanks                          string
	typeBetween, funcCouple               string // see coupling
	typeRunner, funcPrepare               string // see runner

	// Names of emitted fields and methods.
	paramFields, floatFields    []string
	arrayFields, reduceFields   []string
	supplyFields, receiveFields []string
	initMethods                 []string

	// The user's names as emitted functions have them.
	params, loops, arrays, reduces []string
	floatUses                      []floatUse // ordered by parameter and type
	floats                         map[floatUse]string
	consts                         map[string]string
	externs                        []string // functions written in Go, such as "math.Erf"
	imported                       []string // the import declarations of their packages, sorted
	derived                        []string // see derivedNames
	values                         []string // per value: the variable with its live levels

	part        bool                  // one of several nests of a program
	reduceTexts []string              // in a program of several nests, the expressions of its reductions
	funcRepeats map[*ir.Repeat]string // the functions of repeats: see repeats
}

// A File is one emitted file.
type File struct {
	Suffix string // of its name, such as "_loop.go"
	Text   []byte
}

// Suffixes are the suffixes of all files that may be emitted for a nest.
var Suffixes = []string{"_loop.go", "_amd64.go", "_amd64.s", "_levels_amd64.s", "_front_amd64.s"}

// decided returns a generator that has chosen vector kernels and has printed nothing: functions
// that describe a nest, or estimate its time, ask it for its decisions.
func decided(n *ir.Nest, l *ir.Lowered, p *plan.Nest) *generator {
	g := &generator{n: lateLast(n, l), l: l, plan: p, shift: len(p.Dims) - n.Depth(), typeKernel: "kernel"}
	g.vectorize()
	return g
}

// nameAll chooses every name that several functions use.
func (g *generator) nameAll() {
	prefix, kernel, nest := "", "tileKernel", "nest"
	// Names need the name of the nest if several nests may be in one package.
	if g.part || g.o.Package != g.n.Name && !g.o.Main {
		if prefix = goName(g.n.Name); g.part { // goName drops underscores, by which the names of two parts may differ
			prefix = exported(g.n.Name)
		}
		kernel, nest = unexported(prefix)+"Kernel", unexported(prefix)+"Nest"
	}
	g.typeParams, g.typeArrays, g.typeOptions, g.typeSummary = prefix+"Params", prefix+"Arrays", prefix+"Options", prefix+"Summary"
	g.typeParts, g.typeBlock, g.typeRankOptions, g.funcRunRanks = prefix+"Parts", prefix+"Block", prefix+"RankOptions", "Run"+prefix+"Ranks"
	g.typeBetween, g.funcCouple = prefix+"Between", "Couple"+prefix
	g.typeRunner, g.funcPrepare = prefix+"Runner", "Prepare"+prefix
	g.funcRun, g.funcSequential, g.varProgram = "Run"+prefix, "Sequential"+prefix, prefix+"Program"
	g.typeKernel, g.varNest, g.funcKernel, g.funcSeq = kernel, nest, "new"+prefix+"Kernel", "sequential"+prefix
	if g.part {
		g.varProgram = unexported(prefix) + "Program"
	}
	g.derived = derivedNames(g.n)
	s := newScope(append(g.derived, g.typeParams, g.typeArrays, g.typeKernel, g.typeOptions, g.typeSummary, g.funcRun, g.funcSequential, g.varProgram, g.varNest, g.funcKernel, g.funcSeq,
		g.typeParts, g.typeBlock, g.typeRankOptions, g.typeBetween, g.funcCouple, g.funcRunRanks, g.typeRunner, g.funcPrepare)...)
	for _, f := range vectorFields {
		s.used[f] = true
	}
	g.consts = map[string]string{}
	for _, c := range g.n.Consts {
		g.consts[c.Name] = s.name(c.Name)
	}
	for _, c := range g.n.Listed {
		g.consts[c.Name] = s.name(unexported(prefix + exported(c.Name)))
	}
	g.nameExterns(s)
	params, loops, arrays, reduces := paramNames(g.n), loopNames(g.n),
		mapped(g.n.Arrays, func(a ir.Array) string { return a.Name }), mapped(g.n.Reduces(), func(r *ir.Reduce) string { return r.Name })
	g.params, g.loops, g.arrays, g.reduces = rename(s, params), rename(s, loops), rename(s, arrays), rename(s, reduces)
	g.nameFloats(s)
	ofParams := newScope()
	g.paramFields, g.floatFields = rename(ofParams, mapped(params, goName)), rename(ofParams, mapped(floatNames(g.n), goName))
	fields := newScope()
	g.arrayFields, g.reduceFields = rename(fields, mapped(arrays, goName)), rename(fields, mapped(reduces, goName))
	g.nameParts()
	methods := newScope(append(g.derived, g.launchedNames()...)...)
	for _, name := range slices.Concat(g.arrays, g.reduces) {
		methods.name(name)
	}
	for _, a := range arrays {
		g.initMethods = append(g.initMethods, methods.name("init"+exported(a)))
	}
	for v := range g.l.Values {
		a := g.plan.Values[v].Array
		name := g.arrays[a]
		if same := g.n.Assigns(a); len(same) > 1 {
			name = methods.name(fmt.Sprintf("%s%d", name, slices.Index(same, g.l.Values[v])+1))
		}
		g.values = append(g.values, name)
	}
}

// nameExterns chooses the import names of packages with functions written in Go. A function
// without a package is in the emitted package, so nothing else there may have its name.
func (g *generator) nameExterns(s *scope) {
	names := map[string]string{"": ""}
	for _, f := range g.n.Externs {
		if f.Path == "" {
			s.used[f.Symbol] = true
		}
	}
	for _, f := range g.n.Externs {
		name, ok := names[f.Path]
		if !ok {
			base := f.Path[strings.LastIndex(f.Path, "/")+1:]
			name = s.name(identifier(base))
			names[f.Path] = name + "."
			switch {
			case f.Path == "math" && name == "math": // importBlock imports it anyway
			case name == base:
				g.imported = append(g.imported, strconv.Quote(f.Path))
			default:
				g.imported = append(g.imported, name+" "+strconv.Quote(f.Path))
			}
			name += "."
		}
		g.externs = append(g.externs, name+f.Symbol)
	}
	slices.Sort(g.imported)
}

// identifier makes an identifier of the last element of an import path.
func identifier(base string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, base)
	if first, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(first) {
		return "extern"
	}
	return name
}

// derivedNames are the names of origins and strides, which emitted code derives from names of
// arrays. None of the user's names may equal a derived one.
func derivedNames(n *ir.Nest) []string {
	var out []string
	for k := range 8 {
		out = append(out, fmt.Sprintf("cell%d", k)) // the variables of loops over the cells of an array
	}
	for _, a := range n.Arrays {
		for _, name := range []string{a.Name, a.Name + "_"} { // the latter if a's own name is taken: see scope
			for _, view := range []string{name, name + "Given", name + "Result"} {
				out = append(out, view+"Origin")
				for k := range a.Lo {
					out = append(out, strideName(view, k))
				}
			}
			out = append(out, name+"Given", name+"Result", name+"Enter")
		}
	}
	return out
}

// scope returns a scope for a function, in which the user's names and the names derived from
// them are taken.
func (g *generator) scope() *scope {
	s := newScope(slices.Concat(g.derived, g.launchedNames(), g.loops, g.arrays, g.reduces, g.values)...)
	for _, c := range g.consts {
		s.used[c] = true
	}
	for _, f := range g.externs {
		s.used[f[:max(0, strings.Index(f, "."))]], s.used[f] = true, true
	}
	return s
}

// constants prints the declared constants that the expressions use.
func (g *generator) constants(exprs ...ir.Expr) {
	used := map[string]bool{}
	for _, e := range exprs {
		ir.Walk(e, func(e ir.Expr) {
			if lit, ok := e.(*ir.Lit); ok && lit.Name != "" {
				used[lit.Name] = true
			}
		})
	}
	for _, c := range g.n.Consts {
		if used[c.Name] {
			g.linef("const %s = %s", g.consts[c.Name], number(c.Value, ir.Float64))
		}
	}
}

// constArrays prints the constant arrays with cells that are not known before the run.
func (g *generator) constArrays() {
	exprs := g.bodyExprs()
	for _, a := range g.n.Arrays {
		if a.Init != nil {
			exprs = append(exprs, a.Init.Expr)
		}
	}
	for _, c := range g.n.Listed {
		found := false
		for _, e := range exprs {
			ir.Walk(e, func(e ir.Expr) {
				cell, ok := e.(*ir.ConstCell)
				found = found || ok && cell.Of.Name == c.Name
			})
		}
		if found {
			g.blank()
			g.linef("// %s is %s, the last subscript first.", g.consts[c.Name], c.Name)
			g.linef("var %s = [...]%s{%s}", g.consts[c.Name], c.Elem, strings.Join(mapped(c.Values, func(v constant.Value) string { return number(v, c.Elem) }), ", "))
		}
	}
}

// bodyExprs returns the expressions of the body.
func (g *generator) bodyExprs() []ir.Expr {
	var out []ir.Expr
	for _, s := range g.n.Body {
		out = append(out, ir.Value(s))
	}
	return out
}

// provenance prints a statement's place in the source, and its text.
func (g *generator) provenance(p *printer, line int) {
	text := ""
	if line >= 1 && line <= len(g.n.Source) {
		text = strings.TrimSpace(g.n.Source[line-1])
	}
	p.comment(fmt.Sprintf("%s:%d: %s", g.n.File, line, text))
}

// initial reports whether array a has cells that an init expression supplies.
func (g *generator) initial(a int) bool { return g.n.Arrays[a].Init != nil }

// given reports whether the caller supplies array a.
func (g *generator) given(a int) bool {
	return g.n.Arrays[a].Role == ir.In || g.n.Arrays[a].Role == ir.InOut
}
