package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// factor makes the hint a product if token k stands right behind an operand, as in 2mu and 2(a + b).
func (m *mistake) factor(tokens []token, k int) {
	x, y := tokens[k-1], tokens[k]
	if !y.glued || !x.operand() || x.kind == tokIdent || x.pos.Line != y.pos.Line || y.kind != tokIdent && y.kind != tokInt && !y.is("(") {
		return
	}
	m.d.Message += ": a product is written with *"
	if y.named("j", "im", "i") { // as Python, Julia and MATLAB write an imaginary number
		m.d.Message += ", and there are no complex numbers"
	}
	m.d.Hint, m.d.Kind, m.d.Replace = x.text+"*"+y.text, diag.Replacement, join(x.span(), y.span())
}

// goesOn reports the operator at the end of the line before that of token k, the sign of an assignment: the statement goes on, and takes
// in what was to be another one. It returns false if no operator stands there.
func (m *mistake) goesOn(tokens []token, k int) bool {
	at := k
	for at > 0 && tokens[at].pos.Line == tokens[k].pos.Line {
		at--
	}
	if x := tokens[at]; x.pos.Line < tokens[k].pos.Line && binaryOps[x.text].precedence > 0 {
		m.d.At = x.span()
		m.d.Message = "a line that ends with " + x.text + " goes on in the next one"
		return true
	}
	return false
}

// slice makes the hint a statement of its own for a slice that follows the role of an array, from token k on.
func (m *mistake) slice(tokens []token, k int) {
	at := join(tokens[k-2].span(), tokens[len(tokens)-1].span())
	if k < 3 || k+1 >= len(tokens) || tokens[k].text != tokens[1].text || !tokens[k+1].is("[") || tokens[len(tokens)-1].pos.Line != tokens[k-2].pos.Line {
		return
	}
	m.d.Message += ": what is given back of an array is a statement of its own"
	m.d.Hint, m.d.Kind, m.d.Replace = tokens[k-2].text+"; out "+textOf(tokens[k:]), diag.Replacement, at
}

// kinds makes the hint a boundary whose kind stands in the brackets, for one that follows them, from token k on: as in
// boundary u[t, i] = periodic, and boundary u[t, i] periodic i.
func (m *mistake) kinds(tokens []token, k int) {
	if tokens[k].is("=") {
		k++
	}
	last := len(tokens) - 1
	if k < 4 || k > last || tokens[k].kind != tokIdent || !tokens[2].is("[") || !slices.ContainsFunc(tokens[:k], func(t token) bool { return t.is("]") }) || tokens[0].pos.Line != tokens[last].pos.Line {
		return
	}
	var list []string
	for _, t := range tokens[3:] {
		named := func(x token) bool { return x.text == t.text }
		switch {
		case t.is("]"):
			m.d.Message += ": the kind of a boundary stands in the brackets"
			m.d.Hint, m.d.Kind = "boundary "+tokens[1].text+"["+strings.Join(list, ", ")+"]", diag.Replacement
			m.d.Replace = join(tokens[0].span(), tokens[last].span())
			return
		case t.is(","):
		case t.is("*") || k < last && !slices.ContainsFunc(tokens[k+1:], named):
			list = append(list, "*")
		default:
			list = append(list, tokens[k].text)
		}
	}
}
