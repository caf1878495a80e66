package frontend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir"
	"loopc/ir/diag"
)

// Most who write their first .loop file know C, Go or Fortran, and write what they
// would write there. A translator finds that in the tokens, before they are split
// into statements, says once for each such habit what is written instead, and puts
// that in its place: the rest of the file is read as it was meant, without errors
// that follow from the first. No file without mistakes has any of these sequences
// of tokens.

// maxForeign is how many times a habit is translated; beyond, the grammar
// complains. It bounds the work for sources that are made of nothing else.
const maxForeign = 1000

// maxForeignTokens is how far the ends of a ?: and of a loop's header are looked
// for.
const maxForeignTokens = 400

// A translator rewrites a stream of tokens, the last of which is EOF.
type translator struct {
	tokens []token
	match  []int // of each ( [ and { its partner and back; -1: none

	chain    int             // of conditions and elses that were looked at
	lets     map[string]bool // names that are lets
	joined   map[int]bool    // elses that are told of with their if
	done     int             // the last token of what has given way to something else
	quiet    int             // how deep in others this one is: it only rewrites
	arrays   map[string]bool // names that are declared as arrays
	floats   map[string]bool // those of floats
	dims     map[string]int  // how many dimensions arrays have
	locals   map[string]bool // names that a body declares with a value
	carries  map[string]bool // names of scalars that iterations update and read
	sums     map[string]bool // names of scalars that are reductions
	reduced  map[string]bool // names of reductions that the file declares
	numbers  map[string]bool // names of parameters and constants
	declared map[string]bool // names that the file declares
	uses     map[string]uses // what is done with the cells of names

	bodies   []loopBody      // of the fors that were looked at, outermost first
	unframed [][2]int        // braces of frames, which go
	loops    []string        // around the token that is looked at
	renamed  bool            // names with parts became names that nothing has, which is told later
	given    map[string]bool // names of arrays that the caller gives
	spoiled  map[string]bool // names of which nothing is to be said any more
	headers  int             // of fors that were looked at
	counts   map[string]int  // occurrences of each habit
	first    map[string]int  // where in diags its first one is
	diags    []diag.Diagnostic
}

// translate returns tokens without foreign habits, what is to be told of those, and the
// names of which nothing more is to be told; if something is told, comments are dropped.
func translate(tokens []token) ([]token, []diag.Diagnostic, map[string]bool) {
	t := &translator{counts: map[string]int{}, first: map[string]int{}}
	for _, tok := range tokens {
		if tok.kind != tokComment {
			t.tokens = append(t.tokens, tok)
		}
	}
	t.findDeclared()
	t.findUses()
	t.findNumbers()
	t.unclosed()
	t.signs()
	t.findArrays()
	t.findReductions()
	if t.openLines(); len(t.diags) > 0 {
		t.findArrays() // of which there may be more now
	}
	t.blocks()
	t.balance()
	t.expressions()
	t.statements()
	if len(t.diags) == 0 && !t.renamed {
		return tokens, nil, nil
	}
	return t.tokens, t.diags, t.spoiled
}

// found notes a habit and reports its first occurrence, with a few more as notes.
// It is false if there have been too many to go on. The hint is made only if it is
// used.
func (t *translator) found(habit string, at diag.Span, message string, hint func() string, kind ...diag.HintKind) bool {
	if t.quiet > 0 {
		return true
	}
	t.counts[habit]++
	switch n := t.counts[habit]; {
	case n > maxForeign:
		return false
	case n == 1:
		t.first[habit] = len(t.diags)
		d := diag.Diagnostic{Code: diag.Foreign, At: at, Message: message, Hint: t.clean(hint()), Replace: at}
		if len(kind) > 0 {
			d.Kind = kind[0]
		}
		if d.Kind == diag.Replacement && strings.Contains(d.Hint, "...") {
			d.Kind = diag.Example
		}
		if d.Kind != diag.Advice && !readable(d.Hint) { // the source is not only foreign
			d.Hint = ""
		}
		t.diags = append(t.diags, d)
	case n <= 4:
		d := &t.diags[t.first[habit]]
		d.Notes = append(d.Notes, diag.Note{At: at, Message: "here too"})
	}
	return true
}

// clean returns the text of a hint without further foreign habits and holes.
func (t *translator) clean(hint string) string {
	tokens, _ := scan([]byte(hint))
	if clean, ok := t.cleaned(tokens[:len(tokens)-1], maxForeignTokens); ok {
		if text := textOf(clean); text != textOf(tokens[:len(tokens)-1]) {
			hint = text
		}
	}
	return withoutHoles.Replace(hint)
}

// at returns tokens[k], or EOF beyond the end.
func (t *translator) at(k int) token {
	return t.tokens[min(max(k, 0), len(t.tokens)-1)]
}

// sameLine reports whether tokens a and b are there and on one line.
func (t *translator) sameLine(a, b int) bool {
	return a >= 0 && b >= 0 && b < len(t.tokens) && t.tokens[a].pos.Line == t.tokens[b].pos.Line
}

// operator is an operator or keyword that the source does not have, at the place of
// the token near.
func operator(text string, near token) token {
	kind := tokOp
	if keywords[text] {
		kind = tokKeyword
	}
	return token{kind: kind, text: text, pos: near.pos, indent: near.indent}
}

// word is a name or number that the source does not have.
func word(kind lexer.TokenType, text string, near token) token {
	return token{kind: kind, text: text, pos: near.pos, indent: near.indent}
}

// textOf lays tokens out as loopc fmt would, on one line; a long text is cut.
func textOf(tokens []token) string {
	return lineOf(tokens, 100)
}

// lineOf is textOf with a text of so many bytes before it is cut.
func lineOf(tokens []token, most int) string {
	s := lineState{stmt: &statement{tokens: tokens}}
	var b strings.Builder
	for k, t := range tokens {
		if b.Len() > most {
			return b.String() + " ..."
		}
		if k > 0 && s.space(t) || k > 0 && t.text == "step" {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		s.advance(t)
	}
	return b.String()
}

// An edit is what becomes of one token: tokens put before it, what stands in its
// place, and tokens put behind it.
type edit struct {
	before, instead, behind []token
	replaced                bool
}

// edits are those of some tokens, by their index.
type edits map[int]*edit

func (e edits) at(k int) *edit {
	if e[k] == nil {
		e[k] = &edit{}
	}
	return e[k]
}

// replace puts tokens in the place of token k; none drops it.
func (e edits) replace(k int, tokens ...token) {
	x := e.at(k)
	x.replaced, x.instead = true, tokens
}

// apply returns tokens[from:to] after the edits.
func (e edits) apply(tokens []token, from, to int) []token {
	var out []token
	for k := from; k < to; k++ {
		x := e[k]
		switch {
		case x == nil:
			out = append(out, tokens[k])
		case x.replaced:
			out = append(append(append(out, x.before...), x.instead...), x.behind...)
		default:
			out = append(append(append(out, x.before...), tokens[k]), x.behind...)
		}
	}
	return out
}

// foreignTypes are the names that other languages have for types.
var foreignTypes = map[string]ir.Type{
	"double": ir.Float64, "real": ir.Float64, "float": ir.Float32,
	"int": ir.Int32, "int32_t": ir.Int32, "integer": ir.Int32, "unsigned": ir.Int32,
	"long": ir.Int64, "int64_t": ir.Int64, "size_t": ir.Int64, "ptrdiff_t": ir.Int64,
	"char": ir.Uint8, "uint8_t": ir.Uint8, "byte": ir.Uint8,
}

// typeName is the type that a name stands for here or elsewhere, "" for none.
func typeName(name string) string {
	if t, ok := foreignTypes[name]; ok {
		return t.String()
	}
	if ir.TypeNamed(name) != ir.Invalid {
		return name
	}
	return ""
}

// expressions translates what stands inside statements.
func (t *translator) expressions() {
	t.dotted()
	t.pair()
	e := edits{}
	t.done = -1
	around := loopStack{}
	head := 0 // where the line of the token begins
	for k := range t.tokens {
		if k > 0 && (!t.sameLine(k-1, k) || t.at(k-1).is(";") || t.at(k-1).is("{")) {
			head = k
		}
		if around.see(t, k) {
			t.loops = around.names()
		}
		switch tok := t.tokens[k]; {
		case k <= t.done, t.passedOver(head):
		case tok.is("[") && (t.slices(e, k, head) || t.list(e, k, head)), tok.kind == tokIdent && (t.aggregated(e, k, head) || t.nothing(e, k)):
		case tok.kind == tokString:
			t.text(e, k, head)
		case tok.kind == tokIdent && t.withKind(e, k):
		case tok.is("let") && t.letInside(e, k):
		case tok.is("]"):
			t.brackets(e, k)
		case tok.is("(") && k > 1 && t.at(k-2).is("array") && t.at(k-1).kind == tokIdent && t.match[k] > k:
			t.subscripts(e, k-1, t.match[k])
			for j := k; j < t.match[k]; j++ {
				if t.at(j).is(":") {
					e.replace(j, operator("..", t.at(j)))
				}
			}
		case tok.is("(") && t.listed(k):
			t.unlisted(e, k)
		case tok.is("(") && t.subscripted(k):
			if !t.sliced(k) || !t.slices(e, k, head) {
				t.subscripts(e, k-1, t.match[k])
			}
		case tok.is("("):
			t.cast(e, k)
		case tok.is(".") && t.at(k+1).glued && binaryOps[t.at(k+1).text].precedence > 0, tok.is(".") && t.at(k+1).glued && t.at(k+1).is("^"):
			sign := t.at(k + 1)
			if t.found("dot "+sign.text, join(tok.span(), sign.span()), "a body works on one cell at a time: the operator is "+sign.text, func() string { return sign.text }, diag.Replacement) {
				e.replace(k)
			}
		case t.comparedForeign(k):
			t.compares(e, k)
		case tok.kind == tokInt || tok.kind == tokFloat:
			t.suffix(e, k)
		case tok.is("//"):
			t.quotient(e, k)
		case t.isPower(k):
			t.power(e, k)
		case tok.is("%") && !t.at(k+1).is("="):
			t.remainder(e, k)
		case (tok.is("+") || tok.is("-")) && t.incremented(e, k, head):
		case (tok.is("<") || tok.is(">")) && t.at(k+1).is(tok.text) && t.at(k+1).glued && !t.at(k+2).is("=") && !t.at(k+2).is("<="):
			t.shift(e, k)
		case t.declared[tok.text]:
		case tok.is(".") || tok.named("and", "or", "not") || tok.text == "is" && tok.kind == tokIdent:
			t.words(e, k)
		case tok.kind == tokIdent && tok.text == "if":
			t.chosen(e, k)
		case tok.kind == tokIdent && tok.text == "lambda" && len(t.loops) > 0:
			t.lambda(e, k)
		case tok.is(".."):
			t.halfOpen(e, k)
		case tok.is("?"):
			t.ternary(e, k)
		}
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
}

// comparedForeign reports whether token k begins a comparison of another language: a
// single =, /= in parentheses, or <>.
func (t *translator) comparedForeign(k int) bool {
	next := t.at(k + 1)
	switch tok := t.at(k); {
	case tok.is("="):
		return t.equality(k)
	case tok.is("/"):
		return next.is("=") && next.glued && t.inParentheses(k)
	case tok.is("<"):
		return next.is(">") && next.glued
	}
	return false
}

// subscripted reports whether the ( at token k begins the subscripts of an array.
func (t *translator) subscripted(k int) bool {
	return k > 0 && t.match[k] > k+1 && t.at(k-1).kind == tokIdent && t.arrays[t.at(k-1).text] && !(k > 1 && t.at(k-2).is("array"))
}

// findArrays notes which names are declared as arrays.
func (t *translator) findArrays() {
	t.dims, t.given = map[string]int{}, map[string]bool{}
	t.arrays, t.floats, t.lets, t.joined = map[string]bool{}, map[string]bool{}, map[string]bool{}, map[int]bool{}
	for k, tok := range t.tokens {
		if tok.is("let") && t.at(k+1).kind == tokIdent {
			t.lets[t.at(k+1).text] = true
		}
		if !tok.is("array") {
			continue
		}
		name := t.at(k + 1)
		if typeName(name.text) != "" && t.at(k+2).kind == tokIdent {
			name = t.at(k + 2)
		}
		if _, builtin := ir.FuncNamed(name.text); name.kind == tokIdent && !builtin {
			t.arrays[name.text] = true
			t.dims[name.text] = t.dimensions(k)
			for j := k + 1; t.sameLine(k, j); j++ {
				if elem := ir.TypeNamed(typeName(t.at(j).text)); elem.Float() {
					t.floats[name.text] = true
				}
				t.given[name.text] = t.given[name.text] || t.at(j).is("in") || t.at(j).is("inout")
			}
		}
	}
}

// dimensions is how many the array has that is declared from token k on.
func (t *translator) dimensions(k int) int {
	n, depth := 0, 0
	for j := k; t.sameLine(k, j) && j-k < maxForeignTokens; j++ {
		switch x := t.at(j); {
		case x.opens():
			if depth++; depth == 1 {
				n++
			}
		case x.closes():
			depth--
		case x.is(",") && depth == 1:
			n++
		}
	}
	return n
}

// brackets translates a[i][j], k being the first ] of it.
func (t *translator) brackets(e edits, k int) {
	if !t.at(k+1).is("[") || !t.sameLine(k, k+1) || t.match[k] < 0 || t.match[k+1] < 0 {
		return
	}
	first, last := t.match[k]-1, t.match[k+1]
	if first < 0 || t.at(first).kind != tokIdent {
		// A further pair of the same cell is part of what was found at the first.
		if first >= 0 && t.at(first).is("]") && e[first] != nil {
			e.replace(k)
			e.replace(k+1, operator(",", t.at(k)))
		}
		return
	}
	e.replace(k)
	e.replace(k+1, operator(",", t.at(k)))
	for t.at(last+1).is("[") && t.match[last+1] >= 0 {
		last = t.match[last+1]
	}
	whole := func() string {
		f := edits{}
		for j := k; j < last; j++ {
			if t.at(j).is("]") && t.at(j+1).is("[") {
				f.replace(j)
				f.replace(j+1, operator(",", t.at(j)))
			}
		}
		return textOf(f.apply(t.tokens, first, last+1))
	}
	kind := first - 1
	if t.at(kind).is("array") {
		return // of which more is to be said, too
	}
	if t.at(kind).is("*") {
		kind--
	}
	if kind >= 0 && typeName(t.at(kind).text) != "" {
		return // a declaration, of which more is to be said
	}
	t.found("brackets", join(t.at(first).span(), t.at(last).span()), "all subscripts stand in one pair of brackets", whole)
}

// cast translates (double)x, k being the first bracket.
func (t *translator) cast(e edits, k int) {
	name := typeName(t.at(k + 1).text)
	if name == "" || !t.at(k+2).is(")") || k > 0 && t.at(k-1).operand() {
		return
	}
	end := k + 3 // the last token of the operand
	switch x := t.at(end); {
	case x.kind == tokIdent:
		for (t.at(end+1).is("[") || t.at(end+1).is("(")) && t.match[end+1] >= 0 {
			end = t.match[end+1]
		}
	case x.is("(") && t.match[end] >= 0:
		end = t.match[end]
	case x.kind != tokInt && x.kind != tokFloat:
		return
	}
	if !t.found("cast", join(t.at(k).span(), t.at(end).span()), "a type converts like a function", func() string {
		if t.at(k + 3).is("(") {
			return name + textOf(t.tokens[k+3:end+1])
		}
		return name + "(" + textOf(t.tokens[k+3:end+1]) + ")"
	}) {
		return
	}
	e.replace(k, word(tokIdent, name, t.at(k)), operator("(", t.at(k)))
	e.replace(k + 1)
	e.replace(k + 2)
	e.at(end).behind = append(e.at(end).behind, operator(")", t.at(end)))
}

// suffix drops the f of 1.0f.
func (t *translator) suffix(e edits, k int) {
	tail := t.at(k + 1)
	if t.product(e, k) || t.kindSuffix(e, k) {
		return
	}
	if !tail.glued || tail.kind != tokIdent || strings.Trim(strings.ToLower(tail.text), "ful") != "" {
		return
	}
	e.replace(k + 1)
	t.found("suffix", join(t.at(k).span(), tail.span()), "numbers have no suffix: they are exact until they meet a type", func() string { return t.at(k).text })
}

// exponent reads the d of 1.5d0 and 1d-3 as e.
func (t *translator) exponent(e edits, k int) bool {
	tail := t.at(k + 1)
	if !tail.glued || tail.kind != tokIdent || tail.text[0] != 'd' && tail.text[0] != 'D' || strings.Trim(tail.text[1:], "0123456789") != "" {
		return false
	}
	last, digits := k+1, tail.text[1:]
	if sign := t.at(k + 2); digits == "" && (sign.is("-") || sign.is("+")) && sign.glued && t.at(k+3).glued && t.at(k+3).kind == tokInt {
		last, digits = k+3, sign.text+t.at(k+3).text
	}
	if digits == "" {
		return false
	}
	number := t.at(k).text + "e" + digits
	if digits == "0" {
		number = t.at(k).text
	}
	if literal(tokFloat, number) == nil || !t.found("exponent", join(t.at(k).span(), t.at(last).span()), "the exponent of a number begins with e, and numbers are exact until they meet a type", func() string { return number }, diag.Replacement) {
		return false
	}
	e.drop(k, last)
	e.replace(k, word(tokFloat, number, t.at(k)))
	return true
}

// halfOpen translates 0..<N.
func (t *translator) halfOpen(e edits, k int) {
	sign := t.at(k + 1)
	if !sign.is("<") && !sign.is("<=") && !sign.is("=") && !sign.is(".") {
		return
	}
	first, last := t.operandBefore(k), t.operandBehind(k+1)
	if first < 0 || last < 0 || !t.sameLine(first, last) {
		return
	}
	for (t.at(last+1).is("+") || t.at(last+1).is("-") || t.at(last+1).is("*")) && t.operandBehind(last+1) > 0 {
		last = t.operandBehind(last + 1)
	}
	end := t.tokens[k+2 : last+1]
	if sign.is("<") {
		end = plus(end, -1)
	}
	text := strings.ReplaceAll(textOf(slices.Concat(t.tokens[first:k+1], end)), " ", "")
	t.found("half-open", join(t.at(first).span(), t.at(last).span()), "both ends of a range belong to it", func() string { return text }, diag.Replacement)
	t.supersede(e, k+1, last, end)
}

// ternary translates c ? a : b, k being the question mark.
func (t *translator) ternary(e edits, k int) {
	first, colon, last := t.operandStart(k), -1, k
	waiting := 0
	for step := 0; step < maxForeignTokens; step++ {
		x := t.at(last + 1)
		if x.is("(") || x.is("[") {
			if t.match[last+1] < 0 {
				return
			}
			last = t.match[last+1]
			continue
		}
		if x.is("?") {
			waiting++
		}
		if x.is(":") && waiting == 0 && colon < 0 {
			colon = last + 1
		} else if x.is(":") {
			waiting--
		}
		if x.is(")") || x.is("]") || x.is(",") || x.is(";") || x.is("}") || x.kind == tokEOF ||
			x.pos.Line > t.at(last).pos.Line && t.at(last).operand() {
			break
		}
		last++
	}
	if colon < 0 || colon == last || first == k {
		return
	}
	if !t.found("ternary", join(t.at(first).span(), t.at(last).span()), "the language has no ?: but select", func() string {
		return fmt.Sprintf("select(%s, %s, %s)", textOf(t.tokens[first:k]), textOf(t.tokens[k+1:colon]), textOf(t.tokens[colon+1:last+1]))
	}) {
		return
	}
	near := t.at(first)
	e.at(first).before = slices.Concat([]token{word(tokIdent, "select", near), operator("(", near)}, e.at(first).before)
	e.replace(k, operator(",", t.at(k)))
	e.replace(colon, operator(",", t.at(colon)))
	e.at(last).behind = append(e.at(last).behind, operator(")", t.at(last)))
}
