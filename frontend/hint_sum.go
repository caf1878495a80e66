package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// The sum of two loops in a subscript of an array that the nest writes, as in F[i,i+d]: a loop of one number in its place may stand
// there. See asRepeats for the sums that a repeat makes right.

// sumsAsLoops gives reports of such subscripts the hint to write the for with that loop, if the file compiles with it. The other
// reports in the for are dropped.
func sumsAsLoops(file string, src []byte, diags []diag.Diagnostic) []diag.Diagnostic {
	refused := func(d diag.Diagnostic) bool {
		return d.Code == diag.WrittenSubscript && (d.Hint == "" || strings.HasPrefix(d.Hint, overSum)) && sumOf(d) != nil
	}
	if !slices.ContainsFunc(diags, refused) || len(src) > mostTried>>6 {
		return diags
	}
	tokens, _ := scan(src)
	lines := strings.Split(string(src), "\n")
	diags = slices.Clone(diags)
	for _, st := range split(tokens).top {
		first, last := st.first().pos.Line, lastLine(tokens, st)
		at := slices.IndexFunc(diags, func(d diag.Diagnostic) bool { return refused(d) && first <= d.At.Line && d.At.Line <= last })
		if at < 0 || st.keyword() != "for" || st.bad {
			continue
		}
		w := &sumLoop{sum: sumOf(diags[at]), name: freshIn(tokens, "j")}
		out := w.within([]*statement{st}, nil)
		text := blockText(out)
		changed := strings.Join(slices.Concat(lines[:first-1], []string{text}, lines[last:]), "\n")
		if prog, _ := compileProgram(file, []byte(changed)); prog == nil || !w.placed {
			continue
		}
		diags[at].Kind, diags[at].Hint = diag.Advice, "in place of this for, "+text
		pos := diags[at].At
		diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool {
			return d.At != pos && refused(d) && first <= d.At.Line && d.At.Line <= last
		})
	}
	return diags
}

// sumOf are the tokens of the subscript that a report is about; nil for other reports.
func sumOf(d diag.Diagnostic) []token {
	text, ok := strings.CutPrefix(d.Message, "subscript ")
	text, _, also := strings.Cut(text, " of ")
	if !ok || !also {
		return nil
	}
	tokens, _ := scan([]byte(text))
	return tokens[:len(tokens)-1]
}

// freshIn is a name like the one given that tokens do not have.
func freshIn(tokens []token, name string) string {
	for slices.ContainsFunc(tokens, func(t token) bool { return t.text == name }) {
		name += "j"
	}
	return name
}

// A sumLoop puts a loop of one number around the bodies that have a sum in subscripts.
type sumLoop struct {
	sum    []token
	name   string
	placed bool
}

// within returns statements with that loop around the body of the first for in which the loops of path and its own are all that
// the sum has, and the name of the loop in place of the sum.
func (w *sumLoop) within(list []*statement, path []string) []*statement {
	out := copies(list)
	for k, st := range out {
		if st.keyword() != "for" || w.placed {
			continue
		}
		own := slices.Clone(path)
		for _, b := range branchesOf(st) {
			own = append(own, b.name)
		}
		if slices.ContainsFunc(w.sum, func(t token) bool { return t.kind == tokIdent && !slices.Contains(own, t.text) }) {
			st.body = w.within(list[k].body, own)
			continue
		}
		w.placed = true
		text := lineOf(w.sum, maxTokens)
		header := madeText("for "+w.name+" = "+text+".."+text, st.first())
		st.body = []*statement{{tokens: header, block: true, body: w.named(list[k].body)}}
	}
	return out
}

// named returns statements with the name of the loop in place of the sum, where it is a subscript.
func (w *sumLoop) named(list []*statement) []*statement {
	out := copies(list)
	ends := func(t token) bool { return t.is("[") || t.is("]") || t.is(",") }
	for i, st := range out {
		var tokens []token
		for k := 0; k < len(st.tokens); k++ {
			n := len(w.sum)
			if k > 0 && k+n < len(st.tokens) && ends(st.tokens[k-1]) && ends(st.tokens[k+n]) && lineOf(st.tokens[k:k+n], maxTokens) == lineOf(w.sum, maxTokens) {
				tokens, k = append(tokens, made(tokIdent, w.name, st.tokens[k])), k+n-1
				continue
			}
			tokens = append(tokens, st.tokens[k])
		}
		st.tokens, st.body = tokens, w.named(list[i].body)
	}
	return out
}
