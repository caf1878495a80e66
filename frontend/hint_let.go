package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A let has no place in bounds and subscripts. What can stand there is the value of the let; or, if the nest writes cells with it,
// a loop of one number in place of the let. All uses of one let in a nest have one report.

// noPlace is why a let in a bound or subscript is refused.
const noPlace = "a let has no place in a subscript or bound"

// A placedLet is a let of a body, with the reports of its uses in bounds and subscripts.
type placedLet struct {
	name, value string
	body        []*statement // behind the let, in its block
	told        []int        // the reports
}

// letsInPlaces joins the reports of each let, and gives the first one a hint.
func letsInPlaces(file string, src []byte, diags []diag.Diagnostic) []diag.Diagnostic {
	if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return letOf(d) != "" }) || len(src) > mostTried>>6 {
		return diags
	}
	tokens, _ := scan(src)
	diags = slices.Clone(diags)
	gone := map[int]bool{}
	for _, st := range split(tokens).top {
		if !st.block || st.bad {
			continue
		}
		n := &nestOfLets{file: file, src: src, tokens: tokens, given: st, diags: diags}
		n.find([]*statement{st}, gone)
		n.advise(gone)
	}
	var rest []diag.Diagnostic
	for k, d := range diags {
		if !gone[k] {
			rest = append(rest, d)
		}
	}
	return rest
}

// letOf is the name in a report of a let in a subscript, or of a name in a bound that is unknown; "" for other reports.
func letOf(d diag.Diagnostic) string {
	if name, ok := strings.CutSuffix(d.Message, " is not affine: "+noPlace); ok && d.Code == diag.NotAffine {
		return name
	}
	if name, ok := strings.CutPrefix(d.Message, "unknown name "); ok && d.Code == diag.UnknownName {
		name, _, _ = strings.Cut(name, ";")
		return name
	}
	return ""
}

// A nestOfLets is a statement at top level, with the lets in it that have reports.
type nestOfLets struct {
	file   string
	src    []byte
	tokens []token
	given  *statement
	diags  []diag.Diagnostic
	lets   []*placedLet
}

// find finds the lets in a list of statements. All reports of a let but the first are gone.
func (n *nestOfLets) find(list []*statement, gone map[int]bool) {
	for k, st := range list {
		n.find(st.body, gone)
		if st.keyword() != "let" || len(st.tokens) < 4 || !st.tokens[2].is("=") {
			continue
		}
		l := &placedLet{name: st.name().text, value: lineOf(st.tokens[3:], maxTokens), body: list[k+1:]}
		eachStatement(l.body, func(x *statement) {
			for i, d := range n.diags {
				inside := slices.ContainsFunc(x.tokens, func(t token) bool { return t.pos == d.At.Pos })
				if letOf(d) == l.name && inside && (d.Code == diag.NotAffine || x.keyword() == "for") && !slices.Contains(l.told, i) {
					l.told = append(l.told, i)
				}
			}
		})
		if slices.Sort(l.told); len(l.told) > 0 {
			n.lets = append(n.lets, l)
			for _, i := range l.told[1:] {
				gone[i] = true
			}
		}
	}
}

// advise gives the first report of each let its hint. Hints are for all lets together, and lets of cells in the bounds of one loop
// have one report.
func (n *nestOfLets) advise(gone map[int]bool) {
	if len(n.lets) == 0 {
		return
	}
	inline := n.accepted(n.with((*nestOfLets).inlined))
	loops := !inline && n.accepted(n.with((*nestOfLets).looped))
	whole := ""
	if !inline && !loops {
		whole = n.asRepeat()
	}
	var bound *diag.Diagnostic // of the last let of a cell
	for _, l := range n.lets {
		d := &n.diags[l.told[0]]
		known := d.Code == diag.NotAffine && d.Hint != ""
		d.Code, d.Message = diag.NotAffine, l.name+" is not affine: "+noPlace
		switch {
		case whole != "":
			d.Kind, d.Hint = diag.Advice, whole
		case loops:
			d.Kind, d.Hint = diag.Advice, fmt.Sprintf("in place of let %[1]s, a loop of one number around all that follows in its block: for %[1]s = %[2]s..%[2]s { ... }", l.name, l.value)
		case strings.Contains(l.value, "[") && bound != nil && bound.At.Line == d.At.Line:
			bound.Notes = append(bound.Notes, diag.Note{At: d.At, Message: hereToo})
			bound.Hint += " and " + l.name
			gone[l.told[0]] = true
		case strings.Contains(l.value, "[") && n.computedAt(l, d):
		case strings.Contains(l.value, "["):
			d.Kind, d.Hint = diag.Advice, boundAndIf+l.name
			bound = d
		case inline && len(l.told) == 1:
			d.Kind, d.Hint, d.Replace = diag.Replacement, n.valueAt(l, d.At.Pos), d.At
		case !known && !(strings.ContainsAny(l.value, "(?") && n.subscript(d.At.Pos)): // what is called or chosen has no place there either
			d.Kind, d.Hint = diag.Advice, l.value+" in place of "+l.name+", in bounds and subscripts"
		}
	}
}

// subscript reports whether a place is in a subscript of a cell.
func (n *nestOfLets) subscript(at diag.Pos) bool {
	depth := 0
	for _, t := range n.tokens {
		if t.pos.Line == at.Line && t.pos.Col < at.Col {
			depth += map[string]int{"[": 1, "]": -1}[t.text]
		}
	}
	return depth > 0
}

// with is the source with the statements of another form in place of the given one; nil if there is no such form.
func (n *nestOfLets) with(form func(*nestOfLets, []*statement) []*statement) []byte {
	lines := strings.Split(string(n.src), "\n")
	first, last := n.given.first().pos.Line, lastLine(n.tokens, n.given)
	text := blockText(form(n, []*statement{n.given}))
	return []byte(strings.Join(slices.Concat(lines[:first-1], []string{text}, lines[last:]), "\n"))
}

// accepted reports whether a source is a program.
func (n *nestOfLets) accepted(src []byte) bool {
	prog, _ := compileProgram(n.file, src)
	return prog != nil
}

// inlined returns statements with the values of lets in place of their uses in bounds, and where a use is reported.
func (n *nestOfLets) inlined(list []*statement) []*statement {
	out := copies(list)
	for k, st := range out {
		var tokens []token
		for _, t := range st.tokens {
			l := n.usedAt(t, st.keyword() == "for")
			if l == nil {
				tokens = append(tokens, t)
				continue
			}
			tokens = append(tokens, madeText(n.valueAt(l, t.pos), t)...)
		}
		st.tokens, st.body = tokens, n.inlined(list[k].body)
	}
	return out
}

// usedAt is the let that a token uses in a bound, or in a subscript that is reported; nil if there is none.
func (n *nestOfLets) usedAt(t token, header bool) *placedLet {
	for _, l := range n.lets {
		if t.text == l.name && t.kind == tokIdent && (header || slices.ContainsFunc(n.diags, func(d diag.Diagnostic) bool { return d.At.Pos == t.pos && letOf(d) == l.name })) {
			return l
		}
	}
	return nil
}

// valueAt is the value of a let for a use of it: in brackets where other operators are beside it.
func (n *nestOfLets) valueAt(l *placedLet, at diag.Pos) string {
	k := slices.IndexFunc(n.tokens, func(t token) bool { return t.pos == at })
	open := func(t token) bool {
		return slices.Contains([]string{"..", "=", ",", "[", "]", "(", ")", "{", "step"}, t.text)
	}
	if k < 1 || k+1 >= len(n.tokens) || open(n.tokens[k-1]) && open(n.tokens[k+1]) || !strings.ContainsAny(l.value, "+-*/%") {
		return l.value
	}
	return "(" + l.value + ")"
}

// looped returns statements with a loop of one number in place of each let, around what follows in its block.
func (n *nestOfLets) looped(list []*statement) []*statement {
	out := copies(list)
	for k, st := range out {
		own := slices.IndexFunc(n.lets, func(l *placedLet) bool {
			return st.keyword() == "let" && len(st.tokens) > 3 && l.name == st.name().text && len(l.body) == len(list)-k-1
		})
		if own >= 0 {
			l, at := n.lets[own], st.first()
			header := madeText("for "+l.name+" = "+l.value+".."+l.value, at)
			return append(out[:k:k], &statement{tokens: header, block: true, body: n.looped(list[k+1:])})
		}
		st.body = n.looped(list[k].body)
	}
	return out
}

// asRepeat is the hint of asRepeats for the statement with loops in place of its lets; "" if there is none.
func (n *nestOfLets) asRepeat() string {
	changed := n.with((*nestOfLets).looped)
	_, diags := compileProgram(n.file, changed)
	diags = asRepeats(n.file, changed, diags)
	if len(diags) != 1 || !strings.HasPrefix(diags[0].Hint, "in place of this "+n.given.keyword()+", ") {
		return ""
	}
	return diags[0].Hint
}
