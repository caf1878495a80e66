package frontend

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"loopc/ir"
	"loopc/ir/diag"
)

// Parse reads one nest. file is the name that the user typed; only its base name goes into the
// nest. The nest is nil if any diagnostic is an error; with warnings alone there is a nest.
// Diagnostics are sorted by position. Analysis is nil.
func Parse(file string, src []byte) (*ir.Nest, []diag.Diagnostic) {
	if d := tooLarge(src); d != nil {
		return nil, d
	}
	tokens, lexical := scan(src)
	n, diags := parseAs(file, src, tokens, lexical, nil, nil)
	if n != nil && !misread(tokens) {
		return n, diags // its names may suggest habits of other languages, but it is right
	}
	translated, foreign, spoiled := translate(tokens)
	meant, told := parseAs(file, src, translated, lexical, foreign, spoiled)
	if meant != nil && n == nil {
		return nil, diags // the translation has removed all mistakes without a report: report the original ones
	}
	return meant, told
}

// parseAs does what Parse does, for the tokens of a source, some of whose mistakes are reported already.
func parseAs(file string, src []byte, tokens []token, lexical, foreign []diag.Diagnostic, spoiled map[string]bool) (*ir.Nest, []diag.Diagnostic) {
	return parseLowered(file, src, lowered(file, src, tokens, manner{}), lexical, foreign, spoiled)
}

// parseLowered does what parseAs does, for the statements of a source.
func parseLowered(file string, src []byte, s *splitter, lexical, foreign []diag.Diagnostic, spoiled map[string]bool) (*ir.Nest, []diag.Diagnostic) {
	c := newChecker(file, src)
	if s.ends {
		return nil, s.told(lexical, foreign)
	}
	c.diags = slices.Concat(lexical, foreign, s.diags)
	maps.Copy(c.spoiled, spoiled)
	f := c.parseFile(s.top)
	c.declareAll(f)
	c.resolveAll(f)
	c.finish()
	c.diags = onlyExamples(c.diags, foreign)
	diag.Sort(c.diags)
	if !diag.HasErrors(c.diags) {
		c.diags = s.faultless(c.diags)
	}
	if diag.HasErrors(c.diags) {
		return nil, c.diags
	}
	return c.nest, c.diags
}

// newChecker returns a checker that has read nothing yet.
func newChecker(file string, src []byte) *checker {
	return &checker{
		nest: &ir.Nest{
			Name: nestName(file), File: filepath.Base(file), Source: sourceLines(src),
		},
		names: map[string]*entity{}, spoiled: map[string]bool{hole: true, remainderHole: true},
		written: map[string]bool{}, lines: map[int][]rune{}, quotients: map[*ir.Binary]*expr{},
	}
}

// tooLarge reports a source of more than maxSourceBytes.
func tooLarge(src []byte) []diag.Diagnostic {
	if len(src) <= maxSourceBytes {
		return nil
	}
	return []diag.Diagnostic{{
		Code: diag.TooLarge, At: diag.Span{Pos: diag.Pos{Line: 1, Col: 1}},
		Message: fmt.Sprintf("the file has %d bytes; the limit is %d", len(src), maxSourceBytes),
	}}
}

// sourceLines splits src into lines without line ends.
func sourceLines(src []byte) []string {
	lines := strings.Split(strings.TrimPrefix(string(src), string(bom)), "\n")
	for k, l := range lines {
		lines[k] = strings.TrimSuffix(l, "\r")
	}
	if n := len(lines) - 1; lines[n] == "" {
		lines = lines[:n]
	}
	return lines
}

// nestName makes a Go identifier of the file's base name: characters that a name cannot have
// become _, and n precedes a leading digit.
func nestName(file string) string {
	base := filepath.Base(file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	name := strings.Map(func(r rune) rune {
		if letter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, base)
	if strings.Trim(name, "_") == "" {
		return "nest"
	}
	if r, _ := utf8.DecodeRuneInString(name); !letter(r) {
		name = "n" + name
	}
	return name
}

// fileSyntax is the syntax of the statements of a file, each kind in textual order.
type fileSyntax struct {
	params     []*paramSyntax
	consts     []*constSyntax
	listed     []*listedSyntax
	arrays     []*arraySyntax
	inits      []*initSyntax
	outs       []*outSyntax
	reduces    []*reduceSyntax
	externs    []*externSyntax
	boundaries []*boundarySyntax
	loops      *forSyntax      // nil without a for, or after a mistake in its header
	strays     []*assignSyntax // assignments outside of bodies
	body       []*statement    // of the first for
	schedule   *statement      // nil without one
	nests      int             // number of fors
	bare       bool            // the last for has no block: the following statements are meant to be its body
}

// parseStmt parses st with p; after a mistake, which it reports, it returns nil.
func parseStmt[T any](c *checker, p parserOf[T], st *statement) *T {
	if st.bad {
		c.spoil(st)
		return nil
	}
	if tree := parseHoles(c, p, st); !st.bad {
		return tree
	}
	c.spoil(st)
	return nil
}

// parseHoles parses a let or an assignment st with p. After mistakes, which it reports, the
// tree has holes; nil if not even that can be read.
func parseHoles[T any](c *checker, p parserOf[T], st *statement) *T {
	if st.bad {
		c.spoil(st)
		return nil
	}
	tree, diags := parseStatement(p, st)
	c.diags = append(c.diags, diags...)
	if tree == nil {
		c.spoil(st)
	}
	return tree
}

// keep appends what parseStmt returned, if anything.
func keep[T any](list []*T, tree *T) []*T {
	if tree == nil {
		return list
	}
	return append(list, tree)
}

// parseFile parses the statements at top level.
func (c *checker) parseFile(top []*statement) *fileSyntax {
	f := &fileSyntax{}
	for _, st := range top {
		switch st.keyword() {
		case "param":
			f.params = keep(f.params, parseStmt(c, paramParser, st))
		case "const":
			c.parseConst(f, st)
		case "array":
			f.arrays = keep(f.arrays, parseStmt(c, arrayParser, st))
		case "init":
			f.inits = keep(f.inits, parseStmt(c, initParser, st))
		case "out":
			f.outs = keep(f.outs, parseStmt(c, outParser, st))
		case "for":
			c.parseFor(f, st)
		case "boundary":
			f.boundaries = keep(f.boundaries, parseStmt(c, boundaryParser, st))
		case "reduce":
			if r := parseStmt(c, reduceParser, st); r != nil {
				f.reduces = append(f.reduces, c.apart(r)...)
			}
		case "extern":
			f.externs = keep(f.externs, parseStmt(c, externParser, st))
		case "schedule":
			if c.scheduleSyntax(st) {
				c.oneSchedule(f, st)
			}
		case "repeat", "batch":
			c.parseIdle(st)
			if !st.bad {
				c.errorf(diag.OneNest, st.first().span(), "one nest is wanted here, and this is a %s", st.keyword())
			}
		case "let", "var", "if", "else":
			c.outsideBody(f, st)
		default:
			if a := parseStmt(c, assignParser, st); a != nil && !f.bare {
				f.strays = append(f.strays, a)
			}
		}
	}
	c.strays(f)
	return f
}

// outsideBody reports a let, a var, an if or an else outside of a for.
func (c *checker) outsideBody(f *fileSyntax, st *statement) {
	switch st.keyword() {
	case "var":
		c.checkVar(st, false)
	case "let":
		if l := parseStmt(c, letParser, st); l != nil {
			c.spoil(st)
			r := c.errorf(diag.Misplaced, st.first().span(), "a let belongs in the body of the for")
			if value := flatTree(l.Value); ofNumbers(value) {
				r.hint("const %s = %s", l.Name.Name, bare(value))
			} else if c.ofReduction(f, value) {
				c.afterReduction(r, l.Name.Name, value)
			}
		}
	default:
		c.checkChoice(st, false, false)
	}
}

// scheduleSyntax reports mistakes in the word before a schedule block; the block itself may
// contain anything. It returns false after a mistake.
func (c *checker) scheduleSyntax(st *statement) bool {
	if !st.bad && (!st.block || len(st.tokens) > 1) {
		st.bad = true
		r := c.errorf(diag.Syntax, st.first().span(), "a schedule is the word followed by a block")
		switch l := st.tokens[1:]; {
		case len(l) > 1 && isEntry(l[0].text) && !st.block:
			r.fix(join(st.first().span(), l[len(l)-1].span()), "schedule { %s %s }", l[0].text, sizesText(l[1:]))
		case len(l) > 0 && l[0].is("("): // a clause of OpenMP
			r.d.Message += ", and which iterations run side by side is found out"
			r.d.At = join(r.d.At, l[len(l)-1].span())
			r.advise(leaveOut)
		default:
			r.pattern("%s", forms["schedule"])
		}
	}
	return !st.bad
}

// parseFor parses the header of a for. Only the first counts.
func (c *checker) parseFor(f *fileSyntax, st *statement) {
	f.nests++
	if f.nests > 1 {
		c.errorf(diag.OneNest, st.first().span(), "one nest is wanted here, and this is for number %d", f.nests)
		c.parseIdle(st)
		return
	}
	f.loops = parseStmt(c, forParser, st)
	f.body = st.body
	c.loopless = f.loops == nil
	if !st.block && !st.bad {
		c.errorf(diag.Syntax, st.end(), "unexpected %s: the body of the for is missing, in braces", newline).
			pattern("%s", forms["for"])
		c.spoil(st)
		f.loops, f.bare = nil, true
	}
}

// parseIdle reports syntax mistakes in a misplaced statement and in its body, and ignores the statement.
func (c *checker) parseIdle(st *statement) {
	for todo := []*statement{st}; len(todo) > 0; {
		st, todo = todo[0], append(todo[1:], todo[0].body...)
		switch st.keyword() {
		case "param":
			parseStmt(c, paramParser, st)
		case "const":
			c.parseConst(&fileSyntax{}, st)
		case "array":
			parseStmt(c, arrayParser, st)
		case "init":
			parseStmt(c, initParser, st)
		case "out":
			parseStmt(c, outParser, st)
		case "for":
			parseStmt(c, forParser, st)
		case "boundary":
			parseStmt(c, boundaryParser, st)
		case "repeat":
			parseStmt(c, repeatParser, st)
		case "batch":
			parseStmt(c, batchParser, st)
		case "reduce":
			parseStmt(c, reduceParser, st)
		case "extern":
			parseStmt(c, externParser, st)
		case "schedule":
			c.scheduleSyntax(st)
		case "let":
			parseStmt(c, letParser, st)
		case "var":
			parseStmt(c, varParser, st)
		case "if":
			parseStmt(c, ifParser, st)
		case "else":
			parseStmt(c, elseParser, st)
		default:
			parseStmt(c, assignParser, st)
		}
	}
}

// A bodyStatement is a let, an assignment, or a reduction, which is declared before the for and
// evaluated after the entire body.
type bodyStatement struct {
	let    *letSyntax
	assign *assignSyntax
	reduce *reduceSyntax
	line   int

	// What resolving adds:
	expr    ir.Expr     // nil after a mistake
	op      ir.ReduceOp // of a reduction
	array   int         // that is assigned to, -1 after a mistake
	subs    []ir.Affine // its subscripts
	spoiled bool        // a mistake in the declared or assigned name was reported
	refused *refusal    // of an assignment to an in array
}

// parseBody parses the statements of the body. It reports whether some statement is, or was meant to be, an assignment.
func (c *checker) parseBody(body []*statement) (assigns bool) {
	if len(body) > maxStatements {
		c.errorf(diag.TooMany, body[maxStatements].tokens[0].span(), "the body has %d statements; the limit is %d", len(body), maxStatements)
		body = body[:maxStatements]
	}
	broken := false // the last if or else
	for _, st := range body {
		switch key := st.keyword(); key {
		case "let":
			told := len(c.diags)
			l := parseHoles(c, letParser, st)
			if assigns = assigns || diag.HasErrors(c.diags[told:]); l != nil { // what cannot be read may have been an assignment
				c.body = append(c.body, bodyStatement{let: l, line: st.first().pos.Line})
			}
		case "var":
			assigns = true
			c.checkVar(st, true)
		case "if", "else":
			assigns = true
			broken = c.checkChoice(st, true, broken && key == "else")
		case "for":
			assigns = true
			c.spoil(st)
			c.parseIdle(st)
			if !badWithin(st) && !c.loopless && !c.spoiled[droppedStatement] {
				c.notNested(st)
			}
		case "repeat", "batch":
			assigns = true
			c.spoil(st)
			c.parseIdle(st)
			if !st.bad {
				c.errorf(diag.Misplaced, st.first().span(), "a %[1]s inside a for: it is the for that stands in a %[1]s", key).
					pattern("%s", forms[key])
			}
		case "param", "const", "array", "init", "out", "boundary", "reduce", "extern", "schedule":
			assigns = assigns || key == "reduce" // which was to do something
			c.declaredWithin(st, key)
		default:
			assigns = true
			if a := parseHoles(c, assignParser, st); a != nil {
				c.body = append(c.body, bodyStatement{assign: a, line: st.first().pos.Line})
				c.written[a.Cell.Name.Name] = true
			}
		}
	}
	return assigns
}

// cellSpan returns the place of an assigned cell.
func cellSpan(s *cellSyntax) diag.Span {
	return join(tokenSpan(s.Tokens[0]), tokenSpan(s.Tokens[len(s.Tokens)-1]))
}
