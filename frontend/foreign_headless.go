package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// headless reports blocks whose header is missing, and drops their lines: a } that closes nothing, with lines above it that are
// indented more. Names in subscripts that nothing declares are the loops that the header had. What the lines assign would
// otherwise be taken for initial values.
func (t *translator) headless() {
	if t.missing() >= 0 {
		return
	}
	t.findDeclared()
	t.findNumbers()
	lines := t.lines()
	surplus := -t.missing()
	var open [][]token // the lines whose { is open
	for n := range lines {
		for k, x := range lines[n] {
			switch {
			case x.is("{"):
				open = append(open, lines[n])
			case !x.is("}"):
			case k == 0 && surplus > 0 && (len(open) == 0 || open[len(open)-1][0].indent < x.indent):
				surplus--
				if first := headlessFrom(lines, n); first < n {
					header := t.lackingHeader(lines[first:n], x, open)
					if first > 0 && len(header) > 0 && lines[first-1][0].pos.Line == header[0].pos.Line {
						header = slices.Concat([]token{operator(";", header[0])}, header)
					}
					lines[first] = slices.Concat(header, lines[first])
				}
			case len(open) > 0:
				open = open[:len(open)-1]
			}
		}
	}
	t.tokens = slices.Concat(lines...)
}

// headlessFrom is the first of the lines above line n that are indented more than it, n if the line above them may be a header.
func headlessFrom(lines [][]token, n int) int {
	first := n
	for first > 0 && lines[first-1][0].indent > lines[n][0].indent {
		first--
	}
	if first > 0 {
		above := lines[first-1]
		if end := above[len(above)-1]; above[0].named(headers...) && !end.is("{") && !end.is("}") || end.is(":") || end.kind == tokOp && binaryOps[end.text].precedence > 0 {
			return n
		}
	}
	return first
}

// headers are the words with which the headers of blocks begin, here and elsewhere.
var headers = []string{"for", "repeat", "batch", "if", "else", "elif", "elseif", "while", "do", "def", "func", "function", "subroutine", "program", "foreach",
	"forall", "parallel", "loop", "with", "where", "select", "switch", "try"}

// lackingHeader reports that a block, which ends with a brace, has no header, and returns the tokens of one, whose ranges are
// holes. It returns nothing if no names tell which loops the header had, or if no line assigns.
func (t *translator) lackingHeader(body [][]token, brace token, open [][]token) []token {
	names := t.headerNames(body, open)
	if len(names) == 0 || !slices.ContainsFunc(body, t.assigning) {
		return nil
	}
	first := body[0]
	own := slices.MinFunc(body, func(a, b []token) int { return a[0].indent - b[0].indent })[0].indent
	holds := !slices.ContainsFunc(body, func(l []token) bool {
		return l[0].indent == own && !l[0].is("for") && !l[0].is("repeat") && !l[0].is("}") && !l[0].is("reduce")
	})
	kind := "for"
	if within := slices.ContainsFunc(open, func(l []token) bool { return l[0].is("for") }); holds && !within && len(names) == 1 {
		kind = "repeat"
	}
	message := fmt.Sprintf("a block begins here without its header, and ends by the } in line %d", brace.pos.Line)
	hint := kind + " " + strings.Join(names, " = lo..hi, ") + " = lo..hi {, with the ends of the ranges, in a line before this one"
	if !t.foundAs(diag.Syntax, "headless", join(first[0].span(), first[len(first)-1].span()), message, func() string { return hint }, diag.Advice) {
		return nil
	}
	near := first[0]
	near.pos.Line--
	near.indent = brace.indent
	out := []token{operator(kind, near)}
	for k, name := range names {
		if k > 0 {
			out = append(out, operator(",", near))
		}
		end := word(tokIdent, hole, near)
		out = append(out, word(tokIdent, name, near), operator("=", near), end, operator("..", near), end)
	}
	return append(out, operator("{", near))
}

// assigning reports whether a line begins with a cell of an array that the file declares, or updates a name.
func (t *translator) assigning(l []token) bool {
	return len(l) > 1 && (t.declared[l[0].text] && l[1].is("[") || updateOf(l) > 0)
}

// headerNames are the names in the subscripts of a block that nothing declares, those of the cells that it assigns to first.
// open are the headers around the block.
func (t *translator) headerNames(body, open [][]token) (names []string) {
	known := map[string]bool{}
	for _, l := range slices.Concat(open, body) {
		for k, x := range l {
			if k > 0 && (l[k-1].is("let") || l[k-1].named("var")) || k+1 < len(l) && l[k+1].is("=") { // or a loop, or assigned to
				known[x.text] = true
			}
		}
	}
	note := func(l []token) {
		around, _ := bracketsOf(l)
		for k, x := range l {
			cell := x.kind != tokIdent || k+1 < len(l) && l[k+1].opens()
			if !cell && around[k] != outside && l[around[k]].is("[") && !known[x.text] && !t.numbers[x.text] && !slices.Contains(names, x.text) {
				names = append(names, x.text)
			}
		}
	}
	for _, l := range body {
		if t.assigning(l) && l[1].is("[") {
			note(l[:2+partner(l[1:])])
		}
	}
	note(slices.Concat(body...))
	return names
}
