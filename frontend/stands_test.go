package frontend

import (
	"go/constant"
	"math"
	"math/rand"
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/eval"
)

// asItStands executes a file as its statements stand, one after the other, without any of the
// compiler's passes: an oracle for the lowering of bodies. All arrays have type float64.
type asItStands struct {
	t      *testing.T
	names  map[string]float64
	arrays map[string]*eval.Array
	init   map[string]*initSyntax
	trees  map[*statement]any // parsed already
	// headers are the loops so far, by their first tokens, and flat the expressions.
	headers map[*token]*statement
	flat    map[*exprSyntax]*expr
}

// stands runs a file on copies of the arrays that are given, and returns the arrays at the end.
func stands(t *testing.T, src string, given map[string]*eval.Array) map[string]*eval.Array {
	t.Helper()
	tokens, _ := scan([]byte(src))
	o := &asItStands{t: t, names: map[string]float64{}, arrays: map[string]*eval.Array{}, init: map[string]*initSyntax{}, trees: map[*statement]any{}, headers: map[*token]*statement{}, flat: map[*exprSyntax]*expr{}}
	top := split(tokens).top
	for _, st := range top {
		if st.keyword() == "init" {
			s := parsed(o, initParser, st)
			o.init[s.Name.Name] = s
		}
	}
	for _, st := range top {
		switch st.keyword() {
		case "param":
			s := parsed(o, paramParser, st)
			for k, n := range s.Names {
				o.names[n.Name] = o.value(o.tree(s.Values[k]))
			}
		case "const":
			s := parsed(o, constParser, st)
			for k, n := range s.Names {
				o.names[n.Name] = o.value(o.tree(s.Values[k]))
			}
		case "array":
			o.declare(parsed(o, arrayParser, st), given)
		}
	}
	o.body(top)
	return o.arrays
}

// parsed parses a statement.
func parsed[T any](o *asItStands, p parserOf[T], st *statement) *T {
	if tree, ok := o.trees[st].(*T); ok {
		return tree
	}
	tree, m := parseTokens(p, st, st.tokens)
	if m != nil {
		o.t.Fatal(m.d.Message)
	}
	o.trees[st] = tree
	return tree
}

// tree is flatTree, once per expression.
func (o *asItStands) tree(s *exprSyntax) *expr {
	if o.flat[s] == nil {
		o.flat[s] = flatTree(s)
	}
	return o.flat[s]
}

func (o *asItStands) flats(list []*exprSyntax) (out []*expr) {
	for _, s := range list {
		out = append(out, o.tree(s))
	}
	return out
}

// update is the tree of the value that an assignment gives to its cell.
func (o *asItStands) update(s *assignSyntax) *expr {
	if o.flat[s.Value] == nil {
		o.flat[s.Value] = flatTree(s.whole())
	}
	return o.flat[s.Value]
}

var conditionParser = build[exprSyntax]()

func (o *asItStands) declare(s *arraySyntax, given map[string]*eval.Array) {
	var lo, hi []int
	for _, d := range s.Dims {
		lo, hi = append(lo, int(o.value(o.tree(d.Lo)))), append(hi, int(o.value(o.tree(d.Hi))))
	}
	a, err := eval.NewArray(ir.Float64, lo, hi)
	if err != nil {
		o.t.Fatal(err)
	}
	o.arrays[s.Name.Name] = a
	if g := given[s.Name.Name]; g != nil {
		copy(a.Floats, asFloats(g).Floats)
	} else if init := o.init[s.Name.Name]; init != nil {
		for k := range a.Floats {
			for d, x := range a.Cell(k) {
				o.names[init.Indices[d].Name] = float64(x)
			}
			a.Floats[k] = o.value(o.tree(init.Value))
		}
	}
}

func (o *asItStands) body(list []*statement) {
	taken := false // the if before
	outer := map[string]float64{}
	for name, x := range o.names {
		outer[name] = x
	}
	declared := map[string]bool{}
	for _, st := range list {
		switch st.keyword() {
		case "for":
			o.loops(branchesOf(st), st.body)
		case "repeat":
			o.loops(branchesOf(st), st.body)
		case "batch":
			parts := commas(st.tokens[1:])
			var lets []*statement
			for _, x := range parts[1:] {
				lets = append(lets, &statement{tokens: append([]token{madeKeyword("let", x[0])}, x...)})
			}
			o.loops([]*branch{{name: parts[0][0].text, tokens: parts[0]}}, append(lets, st.body...))
		case "if", "else":
			o.choice(st, &taken)
		case "let":
			s := parsed(o, letParser, st)
			o.names[s.Name.Name] = o.value(o.tree(s.Value))
			declared[s.Name.Name] = true
		case "var":
			s := parsed(o, varParser, st)
			o.names[s.Name.Name] = o.value(o.tree(s.Value))
			declared[s.Name.Name] = true
		case "":
			s := parsed(o, assignParser, st)
			x := o.value(o.update(s))
			if len(s.Cell.Subs) == 0 {
				o.names[s.Cell.Name.Name] = x
			} else {
				a, k := o.cell(s.Cell.Name.Name, o.flats(s.Cell.Subs))
				a.Floats[k] = x
			}
		}
	}
	for name := range declared {
		delete(o.names, name)
		if x, ok := outer[name]; ok {
			o.names[name] = x
		}
	}
}

// choice runs an if, or the else behind one; taken tells whether one before it was.
func (o *asItStands) choice(st *statement, taken *bool) {
	tokens := st.tokens[1:]
	if st.keyword() == "if" {
		*taken = false
	} else if len(tokens) > 0 {
		tokens = tokens[1:]
	}
	if len(tokens) > 0 && o.headers[&tokens[0]] == nil {
		o.headers[&tokens[0]] = &statement{tokens: tokens}
	}
	if *taken || len(tokens) > 0 && !o.holds(o.tree(parsed(o, conditionParser, o.headers[&tokens[0]]))) {
		return
	}
	*taken = true
	o.body(st.body)
}

func (o *asItStands) loops(list []*branch, body []*statement) {
	if len(list) == 0 {
		o.body(body)
		return
	}
	b := list[0]
	if o.headers[&b.tokens[0]] == nil {
		o.headers[&b.tokens[0]] = &statement{tokens: append([]token{madeKeyword("for", b.tokens[0])}, b.tokens...)}
	}
	header := parsed(o, forParser, o.headers[&b.tokens[0]])
	l := header.Loops[0]
	lo, hi, step := o.value(o.tree(l.Range.Lo)), o.value(o.tree(l.Range.Hi)), 1.0
	if l.Step != nil {
		step = o.value(o.tree(l.Step))
	}
	for x := lo; (hi-x)*step >= 0; x += step {
		o.names[b.name] = x
		o.loops(list[1:], body)
	}
}

func (o *asItStands) cell(name string, subs []*expr) (*eval.Array, int) {
	a := o.arrays[name]
	cell := make([]int, len(subs))
	for k, s := range subs {
		cell[k] = int(o.value(s))
	}
	k, ok := a.Offset(cell)
	if !ok {
		o.t.Fatalf("%s has no cell %v", name, cell)
	}
	return a, k
}

func (o *asItStands) value(e *expr) float64 {
	switch e.kind {
	case numberExpr:
		x, _ := constant.Float64Val(e.value)
		return x
	case nameExpr:
		x, ok := o.names[e.name]
		if !ok {
			o.t.Fatalf("unknown name %s", e.name)
		}
		return x
	case cellExpr:
		a, k := o.cell(e.name, e.args)
		return a.Floats[k]
	case unaryExpr:
		if e.op == ir.Neg {
			return -o.value(e.args[0])
		}
		return o.value(e.args[0])
	case binaryExpr:
		x, y := o.value(e.args[0]), o.value(e.args[1])
		switch e.op {
		case ir.Add:
			return x + y
		case ir.Sub:
			return x - y
		case ir.Mul:
			return x * y
		}
		return x / y
	}
	if e.name == "select" {
		if o.holds(e.args[0]) {
			return o.value(e.args[1])
		}
		return o.value(e.args[2])
	}
	x := o.value(e.args[0])
	for _, a := range e.args[1:] {
		if y := o.value(a); e.name == "max" {
			x = max(x, y)
		} else {
			x = min(x, y)
		}
	}
	switch e.name {
	case "sqrt":
		return math.Sqrt(x)
	case "abs":
		return math.Abs(x)
	}
	return x
}

func (o *asItStands) holds(e *expr) bool {
	switch e.op {
	case ir.And:
		return o.holds(e.args[0]) && o.holds(e.args[1])
	case ir.Or:
		return o.holds(e.args[0]) || o.holds(e.args[1])
	case ir.Not:
		return !o.holds(e.args[0])
	}
	x, y := o.value(e.args[0]), o.value(e.args[1])
	switch e.op {
	case ir.Eq:
		return x == y
	case ir.Ne:
		return x != y
	case ir.Lt:
		return x < y
	case ir.Le:
		return x <= y
	case ir.Gt:
		return x > y
	}
	return x >= y
}

// asFloats returns an array with the same numbers of type float64.
func asFloats(a *eval.Array) *eval.Array {
	out := &eval.Array{Elem: ir.Float64, Lo: a.Lo, Hi: a.Hi, Floats: a.Floats}
	for _, x := range a.Ints {
		out.Floats = append(out.Floats, float64(x))
	}
	return out
}

// sameAsStands compiles a file, interprets the result on random arrays, and compares every returned
// array with that of the statements executed as written. It returns the diagnostics of the
// compiler.
func sameAsStands(t *testing.T, name, src string) (*ir.Program, []diag.Diagnostic) {
	t.Helper()
	return formAsStands(t, name, src, src)
}

// formAsStands does what sameAsStands does, with another form of the file for the compiler.
func formAsStands(t *testing.T, name, src, form string) (*ir.Program, []diag.Diagnostic) {
	t.Helper()
	p, diags := compileProgram(name, []byte(form))
	if p == nil {
		return nil, diags
	}
	rng := rand.New(rand.NewSource(1))
	var params []int
	for _, x := range p.Params {
		params = append(params, *x.Default)
	}
	in := map[string]*eval.Array{}
	for k := range p.Arrays {
		arr := &p.Arrays[k]
		if arr.Role != ir.In && arr.Role != ir.InOut {
			continue
		}
		var lo, hi []int
		for d := range arr.Lo {
			lo, hi = append(lo, arr.Lo[d].Eval(params, nil)), append(hi, arr.Hi[d].Eval(params, nil))
		}
		a, err := eval.NewArray(arr.Elem, lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		for c := range a.Floats {
			a.Floats[c] = 0.5 + rng.Float64()
		}
		for c := range a.Ints {
			a.Ints[c] = rng.Int63n(4)
		}
		in[arr.Name] = a
	}
	want := stands(t, src, in)
	given := map[string]*eval.Array{}
	for name, a := range in {
		given[name] = a.Clone()
	}
	got, err := eval.RunProgram(p, params, given)
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, src)
		return p, diags
	}
	compared := 0
	for k := range p.Arrays {
		if arr := &p.Arrays[k]; arr.Returned() && arr.Out == nil {
			compared++
			if cell, ok := eval.Diff(asFloats(got[arr.Name]), want[arr.Name]); !ok {
				t.Errorf("%s: %s%v differs from the loops as they stand:\n%s", name, arr.Name, cell, src)
			}
		}
	}
	if compared == 0 {
		t.Errorf("%s: nothing was compared", name)
	}
	return p, diags
}
