package frontend

import (
	"slices"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// Compile is Parse followed by dependence analysis, whose result is in the nest's Analysis. The
// nest is nil if any diagnostic is an error. Diagnostics are sorted by position.
func Compile(file string, src []byte) (*ir.Nest, []diag.Diagnostic) {
	return analyzed(Parse(file, src))
}

// analyzed adds the analysis of a nest, and the diagnostics that follow from it.
func analyzed(n *ir.Nest, diags []diag.Diagnostic) (*ir.Nest, []diag.Diagnostic) {
	if n == nil {
		return nil, diags
	}
	analysis, found := depend.Analyze(n)
	diags = append(append(diags, emptyRanges(n, diags)...), found...)
	diags = withoutFollowing(diags)
	diag.Sort(diags)
	if diag.HasErrors(diags) {
		return nil, diags
	}
	n.Analysis = analysis
	if slices.ContainsFunc(diags, isEmptyLoop) {
		return n, diags // a loop that does not run makes other warnings wrong
	}
	diags = append(diags, unused(n.Arrays, []*ir.Nest{n})...)
	diags = append(diags, unwritten(n.Arrays, []*ir.Nest{n})...)
	diags = append(diags, idleInits(n.Arrays, []*ir.Nest{n}, func(int) bool { return false })...)
	diags = append(diags, oddities(n.Params, n.Arrays, []*ir.Nest{n})...)
	diag.Sort(diags)
	return n, diags
}

// isEmptyLoop reports whether a diagnostic is about a loop without iterations.
func isEmptyLoop(d diag.Diagnostic) bool { return d.Code == diag.EmptyLoop }
