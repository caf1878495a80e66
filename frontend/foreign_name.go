package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Names of other languages have parts: np.sqrt, u.shape, fmt.Println, std::max. This pass
// replaces each by one token: a name, or its equivalent in this language.

// modules are modules of other languages whose functions and numbers have no module here.
var modules = []string{"np", "numpy", "math", "cmath", "jnp", "std", "scipy", "cp", "cupy", "torch", "tf", "mpmath", "numba"}

// moduleNumbers are numbers that other languages have in modules.
var moduleNumbers = map[string]string{"pi": "3.141592653589793", "e": "2.718281828459045", "tau": "6.283185307179586"}

// fortranWords are the words that Fortran has between dots, as in .and.
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
	head := 0 // where the line begins
	for k := range t.tokens {
		if k == 0 || !t.sameLine(k-1, k) {
			head = k
		}
		if t.at(head).named("import", "use", "using", "include", "require", "namespace") && t.at(head+1).kind == tokIdent {
			continue // reported as a whole
		}
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

// A partedName is a name with parts, tokens first to last.
type partedName struct {
	first, last int
	head, tail  token // its first and its last part
	text        string
	module      bool // its head is a module that is known
}

// dottedRules are the rules for names with parts, in order; the first that applies translates
// the name.
func dottedRules() []func(*translator, edits, partedName) bool {
	return []func(*translator, edits, partedName) bool{
		(*translator).symbolOfGo, (*translator).aggregateOfModule, (*translator).functionOfModule, (*translator).numberOfModule, (*translator).printer,
		(*translator).knownElsewhere, (*translator).copyOfArray, (*translator).sizeOf, (*translator).ofObject, (*translator).aggregateOfArray,
	}
}

// dottedName translates the name with parts that tokens k to last are.
func (t *translator) dottedName(e edits, k, last int) {
	n := partedName{first: k, last: last, head: t.at(k), tail: t.at(last), text: textAt(t.tokens[k : last+1]), module: t.at(k).named(modules...)}
	for _, rule := range dottedRules() {
		if rule(t, e, n) {
			return
		}
	}
	if t.found("attribute "+n.text, t.spanOf(n), "unknown name "+n.text+": names have no parts, and there are neither objects nor modules", func() string { return "" }) {
		t.become(e, n, word(tokIdent, hole, n.head))
		t.dropOperand(e, last)
	}
}

func (t *translator) spanOf(n partedName) diag.Span { return join(n.head.span(), n.tail.span()) }

// become replaces a name with parts by a token.
func (t *translator) become(e edits, n partedName, x token) {
	t.supersede(e, n.first, n.last, []token{x})
}

// renamedTo replaces a name with parts by a name that is reported later.
func (t *translator) renamedTo(e edits, n partedName, text string) bool {
	t.renamed = true
	t.become(e, n, word(tokIdent, text, n.head))
	return true
}

// symbolOfGo puts quotes around the package of a function in an extern: = math.Sqrt.
func (t *translator) symbolOfGo(e edits, n partedName) bool {
	head := n.first
	for head > 0 && t.sameLine(head-1, n.first) {
		head--
	}
	if !t.at(head).is("extern") || !t.at(n.first-1).is("=") || n.last != n.first+2 {
		return false
	}
	path := word(tokString, `"`+n.head.text+`"`, n.head)
	if t.found("package of Go", t.spanOf(n), "the package of a function of Go stands in quotes", func() string { return path.text + "." + n.tail.text }, diag.Advice) {
		t.supersede(e, n.first, n.last, []token{path, operator(".", n.head), n.tail})
	}
	return true
}

// aggregateOfModule drops the module of np.sum(u), and of dtype=np.int32.
func (t *translator) aggregateOfModule(e edits, n partedName) bool {
	k := n.first
	if _, reduces := ir.ReduceNamed(n.tail.text); n.module && reduces && k > 2 && t.at(k-3).is("reduce") {
		if t.found("module "+n.head.text, t.spanOf(n), "functions have no module", func() string { return n.tail.text }, diag.Replacement) {
			t.become(e, n, word(tokIdent, n.tail.text, n.head))
		}
		return true
	}
	if !n.module || t.manyCells(n.tail.text, n.last+1) == "" && !(k > 1 && t.at(k-1).is("=") && t.at(k-2).named("dtype")) {
		return false
	}
	t.become(e, n, word(tokIdent, n.tail.text, n.head))
	return true
}

// functionOfModule translates math.sqrt, and math.Sqrt of Go.
func (t *translator) functionOfModule(e edits, n partedName) bool {
	here := n.tail.text
	if _, builtin := ir.FuncNamed(strings.ToLower(here)); builtin {
		here = strings.ToLower(here)
	} else if here != "select" && ir.TypeNamed(here) == ir.Invalid {
		return false
	}
	if n.module && t.found("module "+n.head.text, t.spanOf(n), "functions have no module", func() string { return here }, diag.Replacement) {
		t.become(e, n, word(tokIdent, here, n.head))
	}
	return n.module
}

// numberOfModule translates math.pi.
func (t *translator) numberOfModule(e edits, n partedName) bool {
	number := moduleNumbers[n.tail.text]
	if !n.module || number == "" || t.at(n.last+1).is("(") {
		return false
	}
	if t.found("number "+n.text, t.spanOf(n), "there is no "+n.text+": a number stands for it", func() string { return number }, diag.Replacement) {
		t.become(e, n, word(tokFloat, number, n.head))
	}
	return true
}

// printer renames fmt.Println, std::cout and np.save to words that later passes report.
func (t *translator) printer(e edits, n partedName) bool {
	switch {
	case n.tail.named("println", "printf", "print", "log", "puts", "write", "fprintf") && n.head.named("console", "fmt", "system", "sys", "io", "std", "os", "log"):
		return t.renamedTo(e, n, "print")
	case n.module && n.tail.named("save", "savetxt", "savez", "dump") || n.tail.named("tofile") && t.arrays[n.head.text]:
		return t.renamedTo(e, n, strings.ToLower(n.tail.text))
	case n.head.text == "std" && n.tail.named("cout", "cerr", "endl", "swap"):
		return t.renamedTo(e, n, n.tail.text)
	}
	return false
}

// knownElsewhere drops the module of another language's function that the checker reports by its name.
func (t *translator) knownElsewhere(e edits, n partedName) bool {
	name := n.tail.text
	_, elsewhere := functionsElsewhere[strings.ToLower(name)]
	return n.module && !t.declared[name] && (elsewhere || arrayMaker(name) || elsewhereToo(name)) && t.renamedTo(e, n, name)
}

// copyOfArray drops the .copy() of an array.
func (t *translator) copyOfArray(e edits, n partedName) bool {
	if !t.arrays[n.head.text] || n.last != n.first+2 || !n.tail.named("copy", "clone", "astype") || !t.at(n.last+1).is("(") {
		return false
	}
	t.renamedTo(e, n, n.head.text)
	t.dropOperand(e, n.last)
	return true
}

// sizeOf translates u.shape[0].
func (t *translator) sizeOf(e edits, n partedName) bool {
	if !n.tail.named("shape", "size", "ndim", "dtype", "length", "len", "rows", "cols") {
		return false
	}
	if t.size(e, n.first, true) {
		return true
	}
	if t.found("attribute", t.spanOf(n), "the size of an array is what its declaration says, of parameters", func() string { return "a param of the file, such as N" }, diag.Advice) {
		t.become(e, n, word(tokIdent, hole, n.head))
		t.dropOperand(e, n.last)
	}
	return true
}

// ofObject translates self.u.
func (t *translator) ofObject(e edits, n partedName) bool {
	if !n.head.named("self", "this") || n.last != n.first+2 {
		return false
	}
	if t.found("attribute self", t.spanOf(n), "there are no objects: arrays and numbers are declared in the file", func() string { return n.tail.text }, diag.Replacement) {
		t.become(e, n, word(tokIdent, n.tail.text, n.head))
	}
	return true
}

// aggregateOfArray translates u.max().
func (t *translator) aggregateOfArray(e edits, n partedName) bool {
	if !t.arrays[n.head.text] || aggregates[strings.ToLower(n.tail.text)] == nil || !t.at(n.last+1).is("(") {
		return false
	}
	if open := n.last + 1; t.match[open] == open+1 { // u.sum() is read as sum(u)
		t.renamed = true
		n.tail.pos = n.head.pos
		t.supersede(e, n.first, open+1, []token{n.tail, operator("(", n.head), n.head, t.at(open + 1)})
		return true
	}
	t.aggregate(e, n.first, n.last+1, n.tail.text, t.cellText(n.head.text))
	return true
}

// findDeclared finds the names that the file declares; they are then not words of other
// languages.
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
		if x.kind == tokIdent && k > head && (declarers[t.at(k-1).text] || inits && k > head+2 || t.listedName(k, head)) {
			t.declared[x.text] = true
			t.reduced[x.text] = t.reduced[x.text] || t.at(head).is("reduce")
		}
	}
}

// listedName reports whether token k is another name of the declaration, or another loop of the
// header, that begins with token head.
func (t *translator) listedName(k, head int) bool {
	first, next := t.at(head), t.at(k+1)
	return t.at(k-1).is(",") && (next.is("=") || next.is(",")) && (first.is("param") || first.is("const") || first.is("for") || first.is("reduce"))
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

// dropOperand drops the brackets behind token last, whose meaning is not known.
func (t *translator) dropOperand(e edits, last int) {
	for t.at(last+1).opens() && t.at(last+1).glued && t.match[last+1] > last {
		e.drop(last+1, t.match[last+1])
		last = t.match[last+1]
		t.done = max(t.done, last)
	}
}

// arrayMaker reports whether a function of other languages makes an array.
func arrayMaker(name string) bool {
	return slices.Contains([]string{"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "array", "linspace", "arange", "meshgrid", "copy", "eye", "asarray", "loadtxt", "load", "rand", "randn", "random", "make", "fill", "similar"}, name)
}

// elsewhereToo reports whether the checker itself knows a function of other languages.
func elsewhereToo(name string) bool {
	return aggregates[strings.ToLower(name)] != nil || conditionsElsewhere[strings.ToLower(name)] != "" || notNumbers[strings.ToLower(name)] != "" ||
		slices.Contains([]string{"pow", "power", "fmod", "mod", "remainder", "sum"}, strings.ToLower(name))
}
