package frontend

import (
	"fmt"
	"slices"
	"strings"
)

// Products of matrices and vectors, which other languages write with a sign or as a function.

const productMessage = "an assignment is to one cell: a for adds up the products of which each cell of a product of matrices is the sum"

// products rewrites A @ x as dot(A, x), which later passes report. They report every product.
func (t *translator) products() {
	for budget := 0; budget < maxForeignTokens; budget++ {
		t.pair()
		k := slices.IndexFunc(t.tokens, func(x token) bool { return x.is("@") })
		if k < 0 {
			return
		}
		e := edits{}
		first, last := t.operandBefore(k), t.operandBehind(k)
		named := func(x token) bool { return x.kind == tokIdent }
		if first >= 0 && last >= first && !slices.ContainsFunc(t.tokens[first:last+1], named) {
			return // no matrices
		}
		if first < 0 || last < 0 || !t.sameLine(first, last) || !slices.ContainsFunc(t.tokens[first:last+1], t.isArray) {
			t.found("matrix sign", t.at(k).span(), "a body works on one cell at a time: a for adds up the products of cells", func() string { return "" })
			e.replace(k, operator("*", t.at(k)))
		} else {
			e.at(first).before = append(e.at(first).before, word(tokIdent, "dot", t.at(first)), operator("(", t.at(first)))
			e.replace(k, operator(",", t.at(k)))
			end := operator(")", t.at(last))
			end.pos.Col += t.at(last).span().Len - 1
			e.at(last).behind = append(e.at(last).behind, end)
		}
		t.tokens = e.apply(t.tokens, 0, len(t.tokens))
	}
}

// productOf is the for that gives an array the product of two entire arrays; "" if the value is no such product, or if bounds are
// not known.
func (t *translator) productOf(to token, around []string, value []token) string {
	x, y, ok := t.factors(to, value)
	if !ok {
		return ""
	}
	header, names := t.overCells(to, around)
	ends := t.extent(x, t.dims[x.text]-1)
	if header == "" || len(ends) != 2 {
		return ""
	}
	inner := freeIndex(slices.Concat(around, names, []string{to.text, x.text, y.text}), 0)
	ofX, ofY := []string{inner}, []string{inner}
	if t.dims[x.text] == 2 {
		ofX = []string{names[0], inner}
	}
	if t.dims[y.text] == 2 {
		ofY = []string{inner, names[len(names)-1]}
	}
	cell := to.text + "[" + strings.Join(names, ",") + "]"
	return fmt.Sprintf("%s %s = 0; for %s = %s..%s { %[2]s += %[6]s[%[7]s]*%[8]s[%[9]s] } }", header, cell, inner,
		strings.ReplaceAll(textOf(ends[0]), " ", ""), strings.ReplaceAll(textOf(ends[1]), " ", ""),
		x.text, strings.Join(ofX, ","), y.text, strings.Join(ofY, ","))
}

// factors are the two arrays of a product of matrices that an array gets: dot(x, y), x.dot(y), or x*y of a matrix and a vector.
func (t *translator) factors(to token, value []token) (x, y token, ok bool) {
	if len(value) > 2 && value[0].named(modules...) && value[1].is(".") {
		value = value[2:]
	}
	signs, star := "", false
	var names []token
	for _, v := range value {
		switch {
		case t.isArray(v):
			names = append(names, v)
			signs += "x"
		case v.kind == tokIdent && v.named("dot", "matmul", "mul"):
			signs += "f"
		default:
			signs += v.text
		}
	}
	switch signs {
	case "x*x":
		star = true
	case "f(x,x)", "x.f(x)":
	default:
		return x, y, false
	}
	x, y = names[0], names[1]
	dims := [3]int{t.dims[x.text], t.dims[y.text], t.dims[to.text]}
	known := dims == [3]int{2, 1, 1} || dims == [3]int{1, 2, 1} || dims == [3]int{2, 2, 2} && !star
	return x, y, known && to.text != x.text && to.text != y.text
}
