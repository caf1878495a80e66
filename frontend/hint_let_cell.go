package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A let that depends on data, as let g = int64(x[p]), chooses no cell that the nest writes: a loop over all cells may stand there,
// with an if that tells which of them is meant.

// computedAt gives the report of such a let its hint; false if the let is used in the bound of a loop.
func (n *nestOfLets) computedAt(l *placedLet, d *diag.Diagnostic) bool {
	var user *statement
	eachStatement(l.body, func(st *statement) {
		if slices.ContainsFunc(st.tokens, func(t token) bool { return t.pos == d.At.Pos }) {
			user = st
		}
	})
	if user == nil || user.block {
		return false
	}
	end := closer(user.tokens, 1)
	target := end > 0 && slices.ContainsFunc(user.tokens[:end], func(t token) bool { return t.pos == d.At.Pos })
	array := user.first().text
	d.Kind, d.Hint = diag.Advice, "a nest of its own, behind this one, that only reads what this one writes: there it may have this subscript"
	if !target {
		return true
	}
	d.Hint = "one more loop, over the cells, with an if for the one that " + l.name + " means"
	if dims := n.dimsOf(array); len(dims) == 1 && lineOf(user.tokens[2:end], maxTokens) == l.name {
		v := freshIn(n.tokens, "v")
		d.Hint = fmt.Sprintf("a loop over the cells, for %s = %s { if %s == %[1]s { %[4]s[%[1]s]%[5]s } }",
			v, strings.ReplaceAll(lineOf(dims[0], maxTokens), " ", ""), l.name, array, strings.TrimPrefix(lineOf(user.tokens, maxTokens), array+"["+l.name+"]"))
	}
	return true
}

// dimsOf are the ranges in the declaration of an array; nil if it has none.
func (n *nestOfLets) dimsOf(array string) [][]token {
	for k, t := range n.tokens {
		if t.is("array") && k+2 < len(n.tokens) && n.tokens[k+1].text == array {
			if end := closer(n.tokens, k+2); end > 0 {
				return cut(n.tokens[k+3:end], ",")
			}
		}
	}
	return nil
}
