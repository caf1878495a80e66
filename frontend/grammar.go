package frontend

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir/diag"
)

// The grammar, one type per kind of statement. A file is first split into statements (see
// splitter), so that each is parsed by itself. Expressions are flat here, operands and
// operators in a row: treeOf (expression.go) handles precedence, and the parser's recursion is
// only as deep as brackets are nested.
type (
	nameSyntax struct {
		Pos  lexer.Position
		Name string `parser:"@(Ident | Keyword)"`
	}

	paramSyntax struct {
		Pos    lexer.Position
		Names  []*nameSyntax `parser:"'param' @@ (',' @@)*"`
		Float  bool          `parser:"@'float64'?"` // not integers
		Values []*exprSyntax `parser:"('=' @@ (',' @@)*)?"`
	}

	constSyntax struct {
		Names  []*nameSyntax `parser:"'const' @@ (',' @@)*"`
		Values []*exprSyntax `parser:"'=' @@ (',' @@)*"`
	}

	// listedSyntax is const w[0..1, 1..2] float64 = [[0.25, 0.5], [0.5, 0.25]].
	listedSyntax struct {
		Name   *nameSyntax    `parser:"'const' @@"`
		Dims   []*rangeSyntax `parser:"'[' @@ (',' @@)* ']'"`
		Type   *nameSyntax    `parser:"@@"`
		Values *listSyntax    `parser:"'=' @@"`
	}
	listSyntax struct {
		Pos   lexer.Position
		Items []*itemSyntax `parser:"'[' @@ (',' @@)* ']'"`
	}
	itemSyntax struct {
		List  *listSyntax `parser:"( @@"`
		Value *exprSyntax `parser:"| @@ )"`
	}

	rangeSyntax struct {
		Lo *exprSyntax `parser:"@@ '..'"`
		Hi *exprSyntax `parser:"@@"`
	}

	arraySyntax struct {
		Name *nameSyntax    `parser:"'array' @@"`
		Dims []*rangeSyntax `parser:"'[' @@ (',' @@)* ']'"`
		Type *nameSyntax    `parser:"@@"`
		Role string         `parser:"@('inout' | 'in' | 'out')?"`
	}

	initSyntax struct {
		Name    *nameSyntax   `parser:"'init' @@"`
		Indices []*nameSyntax `parser:"'[' @@ (',' @@)* ']'"`
		Value   *exprSyntax   `parser:"'=' @@"`
	}

	outSyntax struct {
		Name *nameSyntax      `parser:"'out' @@"`
		Dims []*outItemSyntax `parser:"'[' @@ (',' @@)* ']'"`
	}
	outItemSyntax struct {
		All   bool        `parser:"( @'*'"`
		Index *exprSyntax `parser:"| @@ )"`
	}

	// boundarySyntax is boundary u[*, copied, reflecting..copied].
	boundarySyntax struct {
		Name *nameSyntax   `parser:"'boundary' @@"`
		Dims []*edgeSyntax `parser:"'[' @@ (',' @@)* ']'"`
	}
	edgeSyntax struct {
		Lo *sideSyntax `parser:"@@"`
		Hi *sideSyntax `parser:"('..' @@)?"`
	}
	sideSyntax struct {
		Open bool        `parser:"( @'*'"`
		Name *nameSyntax `parser:"| @@ )"`
	}

	reduceSyntax struct {
		Name   *nameSyntax   `parser:"'reduce' @@"`
		Places []*nameSyntax `parser:"(',' @@)*"`
		Value  *exprSyntax   `parser:"'=' @@"`
		At     []*exprSyntax `parser:"('at' '(' @@ (',' @@)* ')')?"`

		place bool // Name is one of Places, and Value its loop: see apart
	}

	// externSyntax is extern func Flux(a, b float64) float64 = "path".Flux, or
	// without a path, for a function of the package that the nest becomes part of.
	externSyntax struct {
		Name   *nameSyntax          `parser:"'extern' 'func' @@ '('"`
		Params []*externParamSyntax `parser:"(@@ (',' @@)*)? ')'"`
		Result *nameSyntax          `parser:"@@"`
		Path   string               `parser:"('=' @String '.'"`
		Symbol *nameSyntax          `parser:" @@)?"`
	}
	externParamSyntax struct {
		Name *nameSyntax `parser:"@@"`
		Type *nameSyntax `parser:"@@?"`
	}

	forSyntax struct {
		Loops []*loopSyntax `parser:"'for' @@ (',' @@)*"`
	}
	loopSyntax struct {
		Name  *nameSyntax  `parser:"@@ '='"`
		Range *rangeSyntax `parser:"@@"`
		Step  *exprSyntax  `parser:"('step' @@)?"`
	}

	// repeatSyntax is the header of repeat t = 1..T until err < 1e-6 { ... }.
	repeatSyntax struct {
		Name  *nameSyntax  `parser:"'repeat' @@ '='"`
		Range *rangeSyntax `parser:"@@"`
		Step  *exprSyntax  `parser:"('step' @@)?"`
		Until *exprSyntax  `parser:"('until' @@)?"`

		cell *cellSyntax // that is the only number: see batchSyntax
	}
	// batchSyntax is the header of batch b = 1..B, M = len[b] { ... }.
	batchSyntax struct {
		Name  *nameSyntax     `parser:"'batch' @@ '='"`
		Range *rangeSyntax    `parser:"@@"`
		Items []*itemOfSyntax `parser:"(',' @@)*"`
	}
	itemOfSyntax struct {
		Name *nameSyntax `parser:"@@ '='"`
		Cell *cellSyntax `parser:"@@"`
	}

	letSyntax struct {
		Name  *nameSyntax `parser:"'let' @@"`
		Type  *nameSyntax `parser:"@@? '='"`
		Value *exprSyntax `parser:"@@"`
	}

	// ifSyntax is the header of if c { ... }, and elseSyntax that of else { ... } or else if c { ... }, see
	// choices.
	ifSyntax struct {
		Condition *exprSyntax `parser:"'if' @@"`
	}
	elseSyntax struct {
		Else      string      `parser:"@'else'"`
		Condition *exprSyntax `parser:"('if' @@)?"`
	}

	// varSyntax is var s float64 = 0, see variables.
	varSyntax struct {
		Name  *nameSyntax `parser:"'var' @@"`
		Type  *nameSyntax `parser:"@@ '='"`
		Value *exprSyntax `parser:"@@"`
	}

	assignSyntax struct {
		Cell  *cellSyntax       `parser:"@@"`
		Sign  *assignSignSyntax `parser:"@@"`
		Value *exprSyntax       `parser:"@@"`
	}
	assignSignSyntax struct {
		Pos lexer.Position
		Op  string `parser:"@Assign" signs:"'=' | '+=' | '-=' | '*=' | '/=' | '%=' | '&=' | '|=' | '^=' | '<<=' | '>>='"`
	}
	cellSyntax struct {
		Tokens []lexer.Token
		Name   *nameSyntax   `parser:"@@"`
		Subs   []*exprSyntax `parser:"('[' @@ (',' @@)* ']')?"`
	}

	exprSyntax struct {
		Tokens []lexer.Token
		First  *operandSyntax `parser:"@@"`
		Rest   []*tailSyntax  `parser:"@@*"`
	}
	tailSyntax struct {
		Pos     lexer.Position
		Update  bool           // the operator of an update, see assignSyntax.whole
		Op      string         `parser:"@(Binary | Sign)" signs:"'+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '<<' | '>>' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '&&' | '||'"`
		Operand *operandSyntax `parser:"@@"`
	}
	operandSyntax struct {
		Signs   []*signSyntax  `parser:"@@*"`
		Primary *primarySyntax `parser:"@@"`
	}
	signSyntax struct {
		Pos lexer.Position
		Op  string `parser:"@(Sign | '!')" signs:"'-' | '+' | '!'"`
	}
	primarySyntax struct {
		Pos    lexer.Position
		Tokens []lexer.Token
		Name   string        `parser:"( @Ident"` // first what is frequent
		Cell   bool          `parser:"  ( @'['"`
		Subs   []*exprSyntax `parser:"    @@ (',' @@)* ']'"`
		Call   bool          `parser:"  | @'('"`
		Args   []*exprSyntax `parser:"    (@@ (',' @@)*)? ')' )?"`
		Int    string        `parser:"| @Int"`
		Paren  *exprSyntax   `parser:"| '(' @@ ')'"`
		Float  string        `parser:"| @Float )"`
	}
)

// A parserOf returns the parser of a kind of statements. It is built when it is first needed, since
// a file has few kinds, and holds no state of a parse.
type parserOf[T any] func() *participle.Parser[T]

func build[T any]() parserOf[T] {
	return sync.OnceValue(func() *participle.Parser[T] { return participle.MustBuild[T](participle.Lexer(definition{})) })
}

var (
	paramParser    = build[paramSyntax]()
	constParser    = build[constSyntax]()
	listedParser   = build[listedSyntax]()
	arrayParser    = build[arraySyntax]()
	initParser     = build[initSyntax]()
	outParser      = build[outSyntax]()
	reduceParser   = build[reduceSyntax]()
	boundaryParser = build[boundarySyntax]()
	externParser   = build[externSyntax]()
	forParser      = build[forSyntax]()
	repeatParser   = build[repeatSyntax]()
	batchParser    = build[batchSyntax]()
	letParser      = build[letSyntax]()
	ifParser       = build[ifSyntax]()
	elseParser     = build[elseSyntax]()
	varParser      = build[varSyntax]()
	assignParser   = build[assignSyntax]()
)

// forms shows what each kind of statement looks like, for hints.
var forms = map[string]string{
	"param":    "param N, M = 100, 200",
	"const":    "const w = 0.3",
	"array":    "array A[0..N, 1..M] float64 out",
	"init":     "init A[i, j] = 0",
	"out":      "out A[N, *]",
	"boundary": "boundary A[*, copied]",
	"reduce":   "reduce best = max(A[i,j])",
	"extern":   `extern func Flux(a, b float64) float64 = "example.com/phys".Flux`,
	"schedule": "schedule { tile 32x32 }",
	"for":      "for i = 1..N, j = 1..M {",
	"repeat":   "repeat t = 1..T { for i = 1..N { ... } }",
	"batch":    "batch b = 1..B, M = len[b] { for i = 1..M { ... } }",
	"let":      "let s = A[i,j-1] + 1",
	"var":      "var s float64 = 0",
	"if":       "if A[i,j] > 0 { ... } else { ... }",
	"else":     "if A[i,j] > 0 { ... } else { ... }",
	"":         "A[i,j] = A[i-1,j] + 1",
}

// formOf is what a statement like st looks like.
func formOf(st *statement) string {
	switch word := st.keyword(); {
	case word == "const" && isListed(st):
		return listedForm
	case word == "param" && slices.ContainsFunc(st.tokens, token.isType):
		return "param omega float64 = 1.5"
	case word != "" && forms[word] != "":
		return forms[word]
	case !assigns(st.tokens): // it is not known what it is to be
		return ""
	}
	return forms[""]
}

// parseStatement parses st with p. After a mistake it marks st as bad, and reports the first
// token that does not fit and further mistakes behind it. It returns the tree with holes for
// mistakes, see readOn, or nil.
func parseStatement[T any](p parserOf[T], st *statement) (*T, []diag.Diagnostic) {
	tree, m := parseTokens(p, st, st.tokens)
	if m == nil {
		return tree, nil
	}
	if st.bad = true; m.asBatch(st) {
		return nil, []diag.Diagnostic{m.d}
	}
	tree, more := readOn(p, st, m)
	return tree, append([]diag.Diagnostic{m.d}, more...)
}

// A mistake is the first token that does not fit.
type mistake struct {
	d  diag.Diagnostic
	at int // its index, or the number of tokens for the end of the statement
}

// parseTokens parses tokens in place of those of st. It returns either a tree or a mistake;
// neither if there are no tokens.
func parseTokens[T any](p parserOf[T], st *statement, tokens []token) (*T, *mistake) {
	if len(tokens) == 0 {
		return nil, nil
	}
	key := keyOf[T](tokens)
	if tree, ok := kept.tree(key, tokens).(*T); ok {
		return tree, nil
	}
	stop := st.end()
	peeking, err := lexer.Upgrade(&replay{tokens: tokens, end: stop.Pos})
	if err != nil {
		panic("BUG: replaying tokens failed: " + err.Error())
	}
	tree, err := p().ParseFromLexer(peeking)
	if err == nil {
		if key != "" {
			kept.keep(key, tokens, tree)
		}
		return tree, nil
	}
	m := &mistake{at: len(tokens), d: diag.Diagnostic{Code: diag.Syntax, At: stop, Message: "unexpected " + newline, Hint: formOf(st), Kind: diag.Pattern}}
	var unexpected *participle.UnexpectedTokenError
	var perr participle.Error
	switch {
	case errors.As(err, &unexpected):
		if t := unexpected.Unexpected; !t.EOF() {
			m.at = t.Pos.Offset
			behind := slices.ContainsFunc(tokens[:m.at], func(x token) bool { return x.assigns() })
			if k := m.at + 1; behind && binaryOps[t.Value].precedence > 0 && k < len(tokens) && tokens[k].kind == tokOp && !tokens[k].opens() { // the second of two signs
				m.at, t = k, lexer.Token{Value: tokens[k].text, Pos: lexer.Position{Line: tokens[k].pos.Line, Column: tokens[k].pos.Col}}
			}
			m.d.At = tokenSpan(t)
			m.d.Message = "unexpected " + t.Value
			if m.at < len(tokens) {
				m.lacking(st, tokens, m.at, behind)
			}
		} else if st.block {
			m.d.Message = "unexpected {"
		}
	case errors.As(err, &perr):
		m.at = perr.Position().Offset
		m.d.At = diag.Span{Pos: diag.Pos{Line: perr.Position().Line, Col: perr.Position().Column}, Len: 1}
		m.d.Message = "this statement cannot be read"
	default:
		panic(fmt.Sprintf("BUG: participle: %v", err))
	}
	return nil, m
}

// lacking makes the hint what may be missing before token k. behind says that it stands behind an =.
func (m *mistake) lacking(st *statement, tokens []token, k int, behind bool) {
	x, y := tokens[max(0, k-1)], tokens[k]
	switch key := st.keyword(); {
	case key == "array" && x.named("out", "inout"):
		m.slice(tokens, k)
	case key == "boundary":
		m.kinds(tokens, k)
	case (key == "repeat" || key == "batch") && k == 2 && y.is("in"):
		m.d.Hint, m.d.Kind, m.d.Replace = "=", diag.Replacement, y.span()
	case !behind:
	case key == "for" && k+1 < len(tokens) && y.kind == tokIdent && tokens[k+1].is("="):
		m.d.Message += ": a comma stands between loops"
		m.d.Hint, m.d.Kind, m.d.Replace = x.text+", "+y.text, diag.Replacement, join(x.span(), y.span())
	case y.assigns() && m.goesOn(tokens, k):
	case key != "for" && key != "repeat" && key != "batch":
		m.factor(tokens, k)
	}
}

const newline = "end of the statement"
