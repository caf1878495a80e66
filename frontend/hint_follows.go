package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Errors of dependences that follow from others. What the nests of a for depend on is known when it can be divided, and that
// needs all of its names.

// withoutDependences drops the refusals of accesses, without a hint of their own, in a for or a repeat with unknown names.
func withoutDependences(src []byte, diags []diag.Diagnostic) []diag.Diagnostic {
	refused := func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && d.Hint == "" && (d.Code == diag.NonUniform || d.Code == diag.WrittenSubscript)
	}
	unknown := func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Code == diag.UnknownName }
	if !slices.ContainsFunc(diags, refused) || !slices.ContainsFunc(diags, unknown) || len(src) > mostTried>>6 {
		return diags
	}
	tokens, _ := scan(src)
	for _, st := range split(tokens).top {
		if !st.block || st.bad {
			continue
		}
		first, last := st.first().pos.Line, lastLine(tokens, st)
		inside := func(d diag.Diagnostic) bool { return first <= d.At.Line && d.At.Line <= last }
		if slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return unknown(d) && inside(d) }) {
			diags = slices.DeleteFunc(slices.Clone(diags), func(d diag.Diagnostic) bool { return refused(d) && inside(d) })
		}
	}
	return diags
}

// withoutUndivided drops refusals of accesses, and of the form, of fors that were not divided, or whose steps were not lowered, because
// of a mistake: without it, they may have none. The mistake is in the for, or in what the file declares.
func withoutUndivided(undivided [][2]int, diags []diag.Diagnostic) []diag.Diagnostic {
	follows := func(d diag.Diagnostic) bool {
		form := d.Code == diag.OneNest && d.Message == loopsInLoop || d.Code == diag.NotAffine && strings.Contains(d.Message, "%")
		return d.Severity == diag.Error && (d.Code == diag.NonUniform || d.Code == diag.WrittenSubscript || form)
	}
	if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !follows(d) }) {
		return diags
	}
	return slices.DeleteFunc(slices.Clone(diags), func(d diag.Diagnostic) bool {
		return follows(d) && slices.ContainsFunc(undivided, func(lines [2]int) bool { return lines[0] <= d.At.Line && d.At.Line <= lines[1] })
	})
}

// refusals counts the errors about accesses and bounds that a nest may not have.
func refusals(diags []diag.Diagnostic) (n int) {
	for _, d := range diags {
		if d.Severity == diag.Error && (d.Code == diag.NonUniform || ofLoop(d)) {
			n++
		}
	}
	return n
}

// withoutOffers drops what is said of hints from reports that have lost theirs.
func withoutOffers(diags []diag.Diagnostic) []diag.Diagnostic {
	for k, d := range diags {
		if d.Hint == "" {
			diags[k].Message, _, _ = strings.Cut(d.Message, offered)
		}
	}
	return diags
}

// offered begins what a message says of its hint.
const offered = "; what is offered differs"

// linesOf are the first and the last line of a for, as far as its statements tell.
func linesOf(st *statement) [2]int {
	lines := [2]int{st.first().pos.Line, st.tokens[len(st.tokens)-1].pos.Line}
	for _, x := range st.body {
		if len(x.tokens) > 0 {
			lines[1] = max(lines[1], linesOf(x)[1])
		}
	}
	return lines
}
