package frontend

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir/diag"
)

// The author of a first .loop file writes what C, Go, Fortran, Python, Julia or MATLAB would
// have. The translator finds such habits in the tokens of a file with mistakes. It reports each
// habit once, with the text to write instead, and replaces it. The rest of the file is then
// read as it was meant, and no further error follows from the first. A file without mistakes is
// never translated.
//
// The passes, in order, and their files:
//
//	names       what the file declares, and what it does with it     name, role, init
//	brackets    a { without }, signs that mean the same anywhere     bracket, sign
//	lines       first words, and the order of declarations           line, shape, number, array, typed
//	blocks      blocks without braces get braces                     block, block_rules, block_loop, declaration
//	expression  what stands inside statements, sign by sign          expression, operator, choice, slice, whole, ...
//	statements  loops, conditions, declarations of C, updates        statement, loop, nest, if, frame, update, ...
//
// A report claims nothing that the file does not say. A rule applies to a construct that it knows as a whole, with all uses of
// its names; if these leave the meaning open, the report says what is expected, and offers no text. Text that is offered in the
// place of what was found has been tried (see tried).
//
// If several rules may apply to a piece of text, they stand in a list, and the first that
// applies takes it. A new habit needs one more rule, a row in TestForeignHints or
// TestForeignOnce, and a mistake in testdata/habits.

// maxForeign bounds the work for files full of one habit: the grammar reports further
// occurrences.
const maxForeign = 1000

// maxForeignTokens bounds the search for the end of an expression or a header.
const maxForeignTokens = 400

// A translator rewrites a stream of tokens, the last of which is EOF.
type translator struct {
	fromOne  map[string]bool // by size: see beginsAtOne
	oneBased bool            // arrays begin at 1, as in MATLAB: see makes
	rust     bool            // it has words of Rust
	tokens   []token
	source   []token           // the tokens of the file, without comments
	braces   map[diag.Pos]bool // that the source has
	match    []int             // the index of the partner of each bracket, -1 without one
	diags    []diag.Diagnostic
	counts   map[string]int // occurrences of each habit
	first    map[string]int // where in diags the first occurrence of each habit is

	// The names of the file, by their kinds.
	declared  map[string]bool // all that the file declares
	arrays    map[string]bool
	floats    map[string]bool // arrays of floats
	given     map[string]bool // arrays that the caller gives
	returned  map[string]bool // arrays that are given back whole
	dims      map[string]int  // the number of dimensions of arrays
	uses      map[string]uses // what the file does with the cells of each name
	lets      map[string]bool
	vars      map[string]bool     // that a body declares as in this language
	numbers   map[string]bool     // parameters and constants
	fractions map[string]bool     // names that get a number which is no integer
	reduced   map[string]bool     // reductions that the file declares
	locals    map[string]bool     // names that a body declares with a value
	sums      map[string]bool     // scalars that every iteration updates and none reads
	carries   map[string]bool     // scalars that iterations update and read
	copies    [][2]string         // arrays that are not declared, and those that they are copies of
	changing  map[string]bool     // names that loops assign to
	compared  map[diag.Pos]string // the reductions that ifs compute: see findCompared
	spoiled   map[string]bool     // names about which nothing more is reported
	late      bool                // lines before blocks were read without the arrays of Fortran
	renamed   bool                // a name with parts was replaced by a name that is reported later

	valueLoops map[diag.Pos]bool // fors without braces that loopsOver has replaced

	// The state of a pass.
	dropped  [][2]diag.Pos  // statements that are reported and dropped, by their first and last token
	dimsUsed map[string]int // by the cells of each name, and the tokens in which they are counted: see usedDims
	counted  *token
	loops    []string                 // names of the loops around the token
	bodies   []loopBody               // of the fors so far, outermost first
	unframed [][2]int                 // braces of frames, which are dropped
	ends     map[diag.Pos][]diag.Note // what becomes of the ends of blocks, by their first tokens
	done     int                      // the last token of what was replaced
	quiet    int                      // how many translators this one is within: inner ones report nothing
	chain    int                      // conditions and elses so far, to bound the work
	headers  int                      // fors so far, to bound the work
}

// translate returns the tokens without foreign habits, a report for each habit, and the names
// about which nothing more is to be reported. If it reports anything, it drops comments.
func translate(tokens []token) ([]token, []diag.Diagnostic, map[string]bool) {
	t := &translator{tokens: make([]token, 0, len(tokens)), counts: map[string]int{}, first: map[string]int{}}
	for k, tok := range tokens {
		if k+2 < len(tokens) && tok.text == "batch" && tokens[k+2].is("=") {
			tok = asKeyword(tok, tokens[k+1])
		}
		if tok.kind != tokComment {
			t.tokens = append(t.tokens, tok)
		}
	}
	t.source = slices.Clone(t.tokens)
	t.braces = map[diag.Pos]bool{}
	for _, x := range t.tokens {
		if x.is("{") || x.is("}") {
			t.braces[x.pos] = true
		}
	}
	t.grouped()
	t.keywordsAsNames()
	t.reservedNames()
	t.juliaParameters()
	t.headless()
	t.letsOfRust()
	t.madeLike()
	t.findUses()
	t.declarations()
	t.findDeclared()
	t.findVars()
	t.findNumbers()
	t.doubled()
	t.unclosed()
	t.signs()
	t.dotsBeforeEquals()
	t.findArrays()
	t.initLists()
	t.products()
	t.findReductions()
	t.values()
	t.countedWhiles()
	t.loopsOver()
	t.openLines()
	if len(t.diags) > 0 {
		t.findArrays() // there may be more arrays now
		t.likeTheirs()
	}
	t.blocks()
	t.entireLate()
	t.balance()
	t.expressions()
	t.statements()
	if len(t.diags) == 0 && !t.renamed {
		return tokens, nil, nil
	}
	return t.tokens, t.withEnds(t.withoutDropped()), t.spoiled
}

// found counts a habit. It reports the first occurrence, adds notes for the next three, and
// returns false after maxForeign: the habit then stays in the text. It computes the hint only
// for the report.
func (t *translator) found(habit string, at diag.Span, message string, hint func() string, kind ...diag.HintKind) bool {
	if t.quiet > 0 {
		return true
	}
	if t.counts[habit]++; t.counts[habit] <= 4 {
		at = t.withPartners(at)
	}
	switch n := t.counts[habit]; {
	case n > maxForeign:
		return false
	case n == 1:
		t.first[habit] = len(t.diags)
		d := diag.Diagnostic{Code: diag.Foreign, At: at, Message: message, Hint: hint(), Replace: at}
		if len(kind) > 0 {
			d.Kind = kind[0]
		}
		filled := !strings.Contains(d.Hint, "...") // what is open then is a mistake of its own, and the hint cannot be typed
		if d.Kind != diag.Advice {
			d.Hint = t.clean(d.Hint)
		}
		if d.Kind == diag.Replacement && strings.Contains(d.Hint, "...") {
			d.Kind = diag.Example
		}
		if d.Hint != "" && d.Kind != diag.Advice && (filled && strings.Contains(d.Hint, "...") || !readable(d.Hint)) { // the source has other mistakes, too
			d.Hint = ""
		}
		t.diags = append(t.diags, d)
	case n <= 4:
		t.noteToo(&t.diags[t.first[habit]], at, hint)
	}
	return true
}

// hereToo begins the notes of noteToo.
const hereToo = "here too"

// noteToo adds a note to a report: what it is about is there at another place, too, with the text to write there if that
// is another one.
func (t *translator) noteToo(d *diag.Diagnostic, at diag.Span, hint func() string) {
	note := hereToo
	if d.Hint != "" && d.Kind != diag.Advice && d.Kind != diag.Pattern {
		if own := t.clean(hint()); own != d.Hint && own != "" && !strings.Contains(own, "...") && readable(own) {
			note += ": " + own
		}
	}
	d.Notes = append(d.Notes, diag.Note{At: at, Message: note})
}

// rewritten reports a habit at tokens first to last, and replaces these tokens by out, which is
// also the hint.
func (t *translator) rewritten(e edits, first, last int, habit, message string, out []token, kind ...diag.HintKind) bool {
	if !t.found(habit, join(t.at(first).span(), t.at(last).span()), message, func() string { return statementsText(out) }, kind...) {
		return false
	}
	e.drop(first, last)
	e.replace(first, out...)
	return true
}

// gone reports a statement, tokens first to last, and drops it. It returns the last token, or
// first after too many reports.
func (t *translator) gone(e edits, first, last int, habit, message string, hint func() string, kind ...diag.HintKind) int {
	if !t.found(habit, join(t.at(first).span(), t.at(last).span()), message, hint, kind...) {
		return first
	}
	t.dropAll(e, first, last)
	return last
}

// dropAll drops a statement, tokens first to last, that is reported as a whole.
func (t *translator) dropAll(e edits, first, last int) {
	e.drop(first, last)
	t.spoil(droppedStatement)
	if len(t.dropped) < maxForeign {
		t.dropped = append(t.dropped, [2]diag.Pos{t.at(first).pos, t.at(last).pos})
	}
}

// withoutDropped returns the diagnostics without those in statements that are reported and dropped as a whole: one
// statement has one report.
func (t *translator) withoutDropped() []diag.Diagnostic {
	return slices.DeleteFunc(t.diags, func(d diag.Diagnostic) bool {
		return len(d.Notes) == 0 && slices.ContainsFunc(t.dropped, func(r [2]diag.Pos) bool {
			return comparePlaces(r[0], d.At.Pos) < 0 && comparePlaces(d.At.Pos, r[1]) <= 0
		})
	})
}

// clean returns the text of a hint without further foreign habits and holes.
func (t *translator) clean(hint string) string {
	tokens, _ := scan([]byte(hint))
	if clean, ok := t.cleaned(tokens[:len(tokens)-1], maxForeignTokens); ok {
		clean = t.ownFunctions(clean)
		if text := textOf(clean); text != textOf(tokens[:len(tokens)-1]) {
			hint = text
		}
	}
	return withoutHoles.Replace(hint)
}

// at returns tokens[k]; EOF beyond the end, and the first token before the beginning.
func (t *translator) at(k int) token {
	return t.tokens[min(max(k, 0), len(t.tokens)-1)]
}

// sameLine reports whether tokens a and b are there and on one line.
func (t *translator) sameLine(a, b int) bool {
	return a >= 0 && b >= 0 && b < len(t.tokens) && t.tokens[a].pos.Line == t.tokens[b].pos.Line
}

// operator makes an operator or keyword that the source does not have, at the place of token
// near.
func operator(text string, near token) token {
	kind := tokOp
	if keywords[text] {
		kind = tokKeyword
	}
	return token{kind: kind, text: text, pos: near.pos, indent: near.indent}
}

// word makes a name or number that the source does not have.
func word(kind lexer.TokenType, text string, near token) token {
	return token{kind: kind, text: text, pos: near.pos, indent: near.indent}
}

// between joins parts with a sign between them.
func between(parts [][]token, sign string, near token) (out []token) {
	for k, p := range parts {
		if k > 0 {
			out = append(out, operator(sign, near))
		}
		out = append(out, p...)
	}
	return out
}

// cellTokens returns a name and, in square brackets, its subscripts or ranges.
func cellTokens(name token, subs [][]token) []token {
	return slices.Concat([]token{name, operator("[", name)}, between(subs, ",", name), []token{operator("]", name)})
}

// textOf lays tokens out as loopc fmt would, on one line; a long text is cut.
func textOf(tokens []token) string {
	return lineOf(tokens, 100)
}

// lineOf is textOf with another limit, in bytes.
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

// An edit replaces one token: by tokens before it, tokens in its place, and tokens behind it.
type edit struct {
	before, instead, behind []token
	replaced                bool
}

// edits has the edit of each token that changes, by its index.
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

// apply returns tokens[from:to] after the edits. The end of the file stays: what looks for the end
// of a statement stops there.
func (e edits) apply(tokens []token, from, to int) []token {
	out := make([]token, 0, to-from)
	for k := from; k < to; k++ {
		x := e[k]
		switch {
		case x == nil:
			out = append(out, tokens[k])
		case x.replaced:
			out = append(append(append(out, x.before...), x.instead...), x.behind...)
			if tokens[k].kind == tokEOF {
				out = append(out, tokens[k])
			}
		default:
			out = append(append(append(out, x.before...), tokens[k]), x.behind...)
		}
	}
	return out
}
