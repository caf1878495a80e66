package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A for that is refused because it reads its own results by broadcast, or a pivot, is right as a
// repeat over its outermost loop: its reads then find results of earlier repetitions. If the same
// repetition also writes the cells that it reads, as in Floyd-Warshall, they are copied before. The
// hint has the whole text, and is given only if the file compiles with it.

// A broadcast is a for whose outermost loop is to become a repeat.
type broadcast struct {
	loops  []*branch
	body   []*statement
	arrays map[string][]token // the declarations of the file, by name
	used   map[string]bool    // names of the file
	file   string
	src    []byte
	given  *statement // that the hint replaces

	provided string // what must hold for copies
}

// asRepeats adds the hint to a refusal in a for, and leaves out the other refusals there.
func asRepeats(file string, src []byte, diags []diag.Diagnostic) []diag.Diagnostic {
	other := func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !mayRepeat(d) }
	if !slices.ContainsFunc(diags, mayRepeat) || slices.ContainsFunc(diags, other) || len(src) > mostTried>>6 {
		return diags
	}
	tokens, _ := scan(src)
	top := split(tokens).top
	b := broadcast{arrays: map[string][]token{}, used: map[string]bool{}, file: file, src: src}
	for _, t := range tokens {
		b.used[t.text] = true
	}
	for _, st := range top {
		if st.keyword() == "array" && len(st.tokens) > 1 {
			b.arrays[st.name().text] = st.tokens
		}
	}
	lines := strings.Split(string(src), "\n")
	var within func(list []*statement)
	within = func(list []*statement) {
		for _, st := range list {
			first, last := st.first().pos.Line, lastLine(tokens, st)
			inside := func(d diag.Diagnostic) bool { return mayRepeat(d) && first <= d.At.Line && d.At.Line <= last }
			at := slices.IndexFunc(diags, inside)
			if at < 0 {
				continue
			}
			if hint := b.hint(st, lines[:first-1], lines[last:]); hint != "" {
				diags[at].Hint, diags[at].Kind = hint, diag.Advice
				kept := diags[at].At
				diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return inside(d) && d.At != kept })
				continue
			}
			within(st.body)
		}
	}
	diags = slices.Clone(diags)
	within(slices.DeleteFunc(top, func(st *statement) bool { return !st.block }))
	return diags
}

// mayRepeat reports whether a report is one of those that another form of the for may avoid.
func mayRepeat(d diag.Diagnostic) bool {
	switch d.Code {
	case diag.NotAffine:
		return strings.HasPrefix(d.Hint, onlyRead) || strings.HasSuffix(d.Message, cellInBound)
	case diag.NonUniform, diag.WrittenSubscript:
		return d.Hint == "" || strings.HasPrefix(d.Hint, overSum)
	}
	return false
}

// lastLine is the line of the brace that closes the block of a statement; that of its first token if it has none.
func lastLine(tokens []token, st *statement) int {
	depth := 0
	for _, t := range tokens[max(0, slices.IndexFunc(tokens, func(t token) bool { return t.pos == st.first().pos })):] {
		if t.is("{") {
			depth++
		} else if t.is("}") {
			if depth--; depth == 0 {
				return t.pos.Line
			}
		}
	}
	return st.first().pos.Line
}

// hint is the advice to write a statement as a repeat, if the file compiles with it, else "". before and after are the lines
// around the statement.
func (b *broadcast) hint(st *statement, before, after []string) string {
	if text := b.inBounds(st, before, after); text != "" {
		return text
	}
	if !b.of(st) {
		return ""
	}
	b.given = st
	forms := []func() string{b.rotated, b.divided, b.plain, b.copied, b.lookups, b.fixedCells}
	if slices.ContainsFunc(b.body, func(x *statement) bool { return x.block }) { // its ifs would become selects
		forms = []func() string{b.rotated, b.plain, b.divided, b.copied, b.lookups, b.fixedCells}
	}
	for _, form := range forms {
		b.provided = ""
		text := form()
		if text == "" {
			continue
		}
		changed := strings.Join(slices.Concat(before, []string{text}, after), "\n")
		if b.accepts(changed) {
			return fmt.Sprintf("in place of this %s, %s%s", st.keyword(), b.provided, text)
		}
	}
	return ""
}

// of takes the loops and the body of a statement, and reports whether it is a for of several loops, or a repeat of such
// a for, with all statements in the innermost one.
func (b *broadcast) of(st *statement) bool {
	b.loops = nil
	if st.keyword() == "repeat" && len(st.body) == 1 && !slices.ContainsFunc(st.tokens, func(t token) bool { return t.is("until") }) {
		b.loops = branchesOf(st)
		st = st.body[0]
	}
	for st.keyword() == "for" && st.block && !st.bad {
		b.loops = append(b.loops, branchesOf(st)...)
		if b.body = st.body; len(st.body) != 1 || st.body[0].keyword() != "for" {
			return len(b.loops) > 1 && !nested(st)
		}
		st = st.body[0]
	}
	return false
}

// plain is the text of the repeat without copies.
func (b *broadcast) plain() string { return b.repeat("", b.body) }

// repeat is the text of the repeat: first, if not empty, and then the for of the inner loops.
func (b *broadcast) repeat(first string, body []*statement) string {
	at := b.loops[0].tokens[0]
	outer := headerOf(at, b.loops[:1])
	outer[0].text = "repeat"
	return fmt.Sprintf("%s { %s%s { %s } }", lineOf(outer, maxTokens), first, lineOf(headerOf(at, b.loops[1:]), maxTokens), blockText(body))
}

// blockText is the text of statements on one line.
func blockText(list []*statement) string {
	var b strings.Builder
	for k, st := range list {
		switch {
		case k > 0 && st.keyword() == "else":
			b.WriteByte(' ')
		case k > 0:
			b.WriteString("; ")
		}
		b.WriteString(lineOf(st.tokens, maxTokens))
		if st.block {
			b.WriteString(" { " + blockText(st.body) + " }")
		}
	}
	return b.String()
}

// copied is the text of the repeat if each repetition first copies the cells that it reads by
// broadcast.
func (b *broadcast) copied() string {
	written, own := map[string]bool{}, map[string]bool{}
	var targets [][]token
	eachStatement(b.body, func(st *statement) {
		if end := closer(st.tokens, 1); end > 0 {
			written[st.first().text], own[lineOf(st.tokens[:end+1], maxTokens)] = true, true
			targets = append(targets, st.tokens[:end+1])
		}
	})
	var arrays, fors, cells []string
	names := map[string]string{}
	var within func(list []*statement) []*statement
	within = func(list []*statement) []*statement {
		out := copies(list)
		for _, st := range out {
			var tokens []token
			for k := 0; k < len(st.tokens); k++ {
				t, end := st.tokens[k], closer(st.tokens, k+1)
				if end < 0 || k == 0 || !written[t.text] {
					tokens = append(tokens, t)
					continue
				}
				cell := lineOf(st.tokens[k:end+1], maxTokens)
				if names[cell] == "" && !own[cell] && !b.rewritten(st.tokens[k:end+1], targets) {
					if c := b.copyOf(t.text, cut(st.tokens[k+2:end], ",")); c != nil {
						names[cell] = c.cell
						arrays, fors, cells = append(arrays, c.array), append(fors, c.loop+" = "+cell+" }; "), append(cells, cell)
					}
				}
				if names[cell] == "" {
					tokens = append(tokens, t)
					continue
				}
				tokens, k = append(tokens, madeText(names[cell], t)...), end
			}
			st.tokens, st.body = tokens, within(st.body)
		}
		return out
	}
	body := within(b.body)
	if len(cells) == 0 {
		return ""
	}
	b.provided = fmt.Sprintf("provided that no number %s changes %s, ", b.loops[0].name, strings.Join(cells, " or "))
	return strings.Join(arrays, "; ") + "; " + b.repeat(strings.Join(fors, ""), body)
}

// eachStatement calls f for statements and those in their blocks.
func eachStatement(list []*statement, f func(*statement)) {
	for _, st := range list {
		f(st)
		eachStatement(st.body, f)
	}
}

// closer is the index of the bracket that closes the one at k; -1 if none is there.
func closer(tokens []token, k int) int {
	if k < 0 || k >= len(tokens) || !tokens[k].is("[") && !tokens[k].is("(") {
		return -1
	}
	opens, closes := tokens[k].text, map[string]string{"[": "]", "(": ")"}[tokens[k].text]
	depth := 0
	for ; k < len(tokens); k++ {
		if tokens[k].is(opens) {
			depth++
		} else if tokens[k].is(closes) {
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return -1
}

// A copyText is an array for the cells that a number of the repeat reads by broadcast.
type copyText struct{ array, loop, cell string }

// copyOf is the copy of the cells of an array with the given subscripts: those that are the outermost loop stay as they
// are, and each other one, an inner loop, goes over its dimension. It is nil if the subscripts are of another kind.
func (b *broadcast) copyOf(array string, subs [][]token) *copyText {
	decl := b.arrays[array]
	end := closer(decl, 2)
	if end < 0 || end+1 >= len(decl) {
		return nil
	}
	dims := cut(decl[3:end], ",")
	var ranges, loops, inner []string
	broadcast := false
	for d, s := range subs {
		switch {
		case len(s) != 1 || d >= len(dims):
			return nil
		case s[0].text == b.loops[0].name:
			broadcast = true
		case slices.ContainsFunc(b.loops[1:], func(l *branch) bool { return l.name == s[0].text }):
			r := lineOf(dims[d], maxTokens)
			ranges, loops, inner = append(ranges, r), append(loops, s[0].text+" = "+r), append(inner, s[0].text)
		default:
			return nil
		}
	}
	if !broadcast {
		return nil
	}
	name := b.fresh([]string{"pivot", map[bool]string{true: "row", false: "column"}[subs[0][0].text == b.loops[0].name], "plane"}[min(len(loops), 2)])
	if len(loops) == 0 {
		ranges, loops, inner = []string{"0..0"}, []string{b.fresh("once") + " = 0..0"}, []string{"0"}
	}
	cell := name + "[" + strings.Join(inner, ",") + "]"
	return &copyText{
		array: fmt.Sprintf("array %s[%s] %s", name, strings.Join(ranges, ", "), decl[end+1].text),
		loop:  fmt.Sprintf("for %s { %s", strings.Join(loops, ", "), cell),
		cell:  cell,
	}
}

// fresh is a name like the one given that the file does not have.
func (b *broadcast) fresh(name string) string {
	for _, digit := range []string{"", "2", "3", "4", "5", "6", "7", "8", "9"} {
		if !b.used[name+digit] {
			b.used[name+digit] = true
			return name + digit
		}
	}
	return name
}
