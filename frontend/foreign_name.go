package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Names of other languages have parts: np.sqrt, u.shape, fmt.Println, std::max. Before
// expressions are looked at, each such name becomes one token, or what stands for it here.

// modules are names of modules whose functions and numbers are known by themselves.
var modules = []string{"np", "numpy", "math", "cmath", "jnp", "std", "scipy", "cp", "cupy", "torch", "tf", "mpmath", "numba"}

// moduleNumbers are numbers that other languages have in modules.
var moduleNumbers = map[string]string{"pi": "3.141592653589793", "e": "2.718281828459045", "tau": "6.283185307179586"}

// fortranWords stand between points.
var fortranWords = []string{"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "eqv", "neqv", "true", "false"}

// parts returns the last token of the name that begins at token k, and how many parts it has.
func (t *translator) parts(k int) (last, n int) {
	last, n = k, 1
	for {
		next := last + 1
		switch {
		case t.at(next).is(".") && t.at(next).glued:
		case (t.at(next).is(":") && t.at(next+1).is(":") || t.at(next).is("-") && t.at(next+1).is(">")) && t.at(next).glued && t.at(next+1).glued:
			next++
		default:
			return last, n
		}
		name := t.at(next + 1)
		if name.kind != tokIdent && name.kind != tokKeyword || !name.glued || name.named(fortranWords...) && t.at(next+2).is(".") {
			return last, n
		}
		last, n = next+1, n+1
	}
}

// dotted translates every name with parts.
func (t *translator) dotted() {
	t.pair()
	e := edits{}
	t.done = -1
	for k := range t.tokens {
		if k <= t.done || t.tokens[k].kind != tokIdent || k > 0 && (t.at(k-1).is(".") || t.at(k-1).is(":") || t.at(k-1).is(">")) && t.at(k).glued && k > 1 && t.at(k-1).glued {
			continue
		}
		if last, n := t.parts(k); n > 1 {
			t.dottedName(e, k, last)
		}
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
	t.done = -1
}

// dottedName translates the name with parts that tokens k to last are.
func (t *translator) dottedName(e edits, k, last int) {
	first, name := t.at(k), t.at(last)
	at := join(first.span(), name.span())
	text := textAt(t.tokens[k : last+1])
	module := first.named(modules...)
	_, builtin := ir.FuncNamed(strings.ToLower(name.text))
	_, elsewhere := functionsElsewhere[strings.ToLower(name.text)]
	become := func(tokens ...token) { t.supersede(e, k, last, tokens) }
	switch {
	case module && t.manyCells(name.text, last+1) != "", module && k > 1 && t.at(k-1).is("=") && t.at(k-2).named("dtype"):
		become(word(tokIdent, name.text, first))
	case module && (builtin || name.text == "select" || ir.TypeNamed(name.text) != ir.Invalid):
		here := name.text
		if builtin {
			here = strings.ToLower(here)
		}
		if t.found("module "+first.text, at, "functions have no module", func() string { return here }, diag.Replacement) {
			become(word(tokIdent, here, first))
		}
	case module && moduleNumbers[name.text] != "" && !t.at(last+1).is("("):
		number := moduleNumbers[name.text]
		if t.found("number "+text, at, "there is no "+text+": a number stands for it", func() string { return number }, diag.Replacement) {
			become(word(tokFloat, number, first))
		}
	case name.named("println", "printf", "print", "log", "puts", "write", "fprintf") && first.named("console", "fmt", "system", "sys", "io", "std", "os", "log"):
		t.renamed = true
		become(word(tokIdent, "print", first))
	case first.text == "std" && name.named("cout", "cerr", "endl"):
		t.renamed = true
		become(word(tokIdent, name.text, first))
	case module && !t.declared[name.text] && (elsewhere || arrayMaker(name.text) || elsewhereToo(name.text)):
		t.renamed = true
		become(word(tokIdent, name.text, first))
	case t.arrays[first.text] && last == k+2 && name.named("copy", "clone", "astype") && t.at(last+1).is("("):
		t.renamed = true
		become(first)
		t.dropOperand(e, last)
	case name.named("shape", "size", "ndim", "dtype", "length", "len", "rows", "cols"):
		if t.found("attribute", at, "the size of an array is what its declaration says, of parameters", func() string { return "a param of the file, such as N" }, diag.Advice) {
			become(word(tokIdent, hole, first))
			t.dropOperand(e, last)
		}
	case first.named("self", "this") && last == k+2:
		if t.found("attribute self", at, "there are no objects: arrays and numbers are declared in the file", func() string { return name.text }, diag.Replacement) {
			become(word(tokIdent, name.text, first))
		}
	case t.arrays[first.text] && aggregates[strings.ToLower(name.text)] != nil && t.at(last+1).is("("):
		t.aggregate(e, k, last+1, name.text, t.cellText(first.text))
	default:
		if t.found("attribute "+text, at, "unknown name "+text+": names have no parts, and there are neither objects nor modules", func() string { return "" }) {
			become(word(tokIdent, hole, first))
			t.dropOperand(e, last)
		}
	}
}

// findDeclared finds the names that the file declares, which are no words of other languages there.
func (t *translator) findDeclared() {
	t.declared, t.reduced = map[string]bool{}, map[string]bool{}
	head, inits := 0, false
	for k, x := range t.tokens {
		if k > 0 && (!t.sameLine(k-1, k) || t.at(k-1).is(";") || t.at(k-1).is("{")) {
			head, inits = k, x.is("init")
		}
		if x.is("]") {
			inits = false
		}
		listed := k > head && t.at(k-1).is(",") && (t.at(k+1).is("=") || t.at(k+1).is(",")) && (t.at(head).is("param") || t.at(head).is("const") || t.at(head).is("for"))
		if x.kind == tokIdent && (listed || inits && k > head+2 || k > head && declarers[t.at(k-1).text]) {
			t.declared[x.text] = true
			t.reduced[x.text] = t.reduced[x.text] || k > 0 && t.at(k-1).is("reduce")
		}
	}
}

// declarers are the words before a name that they declare.
var declarers = map[string]bool{"array": true, "const": true, "for": true, "func": true, "let": true, "param": true, "reduce": true, "repeat": true}

// textAt is the text of the tokens of one name.
func textAt(tokens []token) string {
	var b strings.Builder
	for _, x := range tokens {
		b.WriteString(x.text)
	}
	return b.String()
}

// dropOperand drops the brackets behind token last, of which nothing is known.
func (t *translator) dropOperand(e edits, last int) {
	for t.at(last+1).opens() && t.at(last+1).glued && t.match[last+1] > last {
		e.drop(last+1, t.match[last+1])
		last = t.match[last+1]
		t.done = max(t.done, last)
	}
}

// arrayMaker reports whether a function of other languages makes an array.
func arrayMaker(name string) bool {
	return slices.Contains([]string{"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "array", "linspace", "arange", "meshgrid", "copy", "eye", "asarray", "loadtxt", "load"}, name)
}

// elsewhereToo reports whether the checker knows a function of other languages by itself.
func elsewhereToo(name string) bool {
	return aggregates[strings.ToLower(name)] != nil || conditionsElsewhere[strings.ToLower(name)] != "" || notNumbers[strings.ToLower(name)] != "" ||
		slices.Contains([]string{"pow", "power", "fmod", "mod", "remainder", "sum"}, strings.ToLower(name))
}
