package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// carried translates the update of a scalar whose value an iteration hands to the next, as
// in a prefix sum: it is an array. The rest of the body has a let in its place.
func (t *translator) carried(e edits, k, end int, name, sign token, added []token) int {
	index := word(tokIdent, "i", name)
	for j := k; j > 0; j-- {
		if t.at(j).is("{") && t.at(j-1).kind != tokEOF {
			if l := t.lastLoop(j); l.text != "" {
				index = l
			}
			break
		}
	}
	hint := name.text + "[" + index.text + "] = " + name.text + "[" + index.text + "-1] " + sign.text + " " + textOf(slices.Concat(added))
	if !t.found("carried", join(t.at(k).span(), t.at(end).span()), "a scalar cannot be updated: what one iteration hands to the next is a cell of an array of its own", func() string { return hint }, diag.Example) {
		return k
	}
	e.drop(k, end)
	e.replace(k, operator("let", name), name, operator("=", name), word(tokIdent, hole, name))
	return end
}

// lastLoop is the variable of the innermost loop in the header that ends with the brace at
// token k.
func (t *translator) lastLoop(k int) token {
	last := token{}
	for j := k - 1; j >= 0 && k-j < maxForeignTokens; j-- {
		if x := t.at(j); x.kind == tokIdent && (t.at(j+1).is("=") || t.at(j+1).is("in")) && last.text == "" {
			last = x
		}
		if t.at(j).is("for") {
			return last
		}
	}
	return token{}
}
