package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// reversedUpdates warns of x =- y and x =+ y with a space behind the sign: they assign -y and +y, and are most likely meant to be
// the updates x -= y and x += y.
func reversedUpdates(tokens []token) (out []diag.Diagnostic) {
	for k := 1; k+2 < len(tokens); k++ {
		sign, next := tokens[k+1], tokens[k+2]
		if !tokens[k].is("=") || tokens[k].glued || !sign.glued || !sign.is("-") && !sign.is("+") || next.glued || next.pos.Line != sign.pos.Line || !changed(tokens[:k]) {
			continue
		}
		d := diag.Diagnostic{
			Severity: diag.Warning, Code: diag.Foreign, At: join(tokens[k].span(), sign.span()), Kind: diag.Replacement,
			Message: "=" + sign.text + " assigns a new value, with the sign " + sign.text + ": the update is " + sign.text + "=", Hint: sign.text + "=",
		}
		d.Replace = d.At
		out = append(out, d)
	}
	return out
}

// withReversed adds reversed updates to the diagnostics of a source that is right, in place of other warnings of their lines.
func withReversed(diags []diag.Diagnostic, tokens []token) []diag.Diagnostic {
	reversed := reversedUpdates(tokens)
	rest := slices.DeleteFunc(diags, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Warning && d.Code != diag.Slow && slices.ContainsFunc(reversed, func(x diag.Diagnostic) bool { return x.At.Line == d.At.Line })
	})
	return append(rest, reversed...)
}

// changed reports whether the last line of tokens is what an assignment in a block assigns to: a cell, or a name without a word of
// a declaration before it.
func changed(tokens []token) bool {
	first := len(tokens) - 1
	for first > 0 && tokens[first-1].pos.Line == tokens[first].pos.Line && !tokens[first-1].is("{") && !tokens[first-1].is(";") {
		first--
	}
	target := tokens[first:]
	return target[0].kind == tokIdent && (len(target) == 1 || target[1].is("[") && closer(target, 1) == len(target)-1)
}
