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

// compileTokens does what CompileProgram does, for the tokens of a source, some of whose mistakes are
// reported already. It also returns the statements of the source.
func compileTokens(file string, src []byte, tokens []token, lexical, foreign []diag.Diagnostic, spoiled map[string]bool) (*ir.Program, *splitter, []diag.Diagnostic) {
	how := manner{apart: map[diag.Pos]bool{}}
	s := lowered(file, src, tokens, how)
	prog, diags := compileLowered(file, src, s, lexical, foreign, spoiled)
	joined, out, written := s.joined, s, diags
	for prog == nil && how.keeps(s.joined, diags) {
		s = lowered(file, src, tokens, how)
		prog, diags = compileLowered(file, src, s, lexical, foreign, spoiled)
	}
	if how.fine = true; prog == nil && s.divided && !s.ends {
		if finer, told := compileLowered(file, src, lowered(file, src, tokens, how), lexical, foreign, spoiled); finer != nil {
			return finer, s, told
		}
	}
	if how.fine = false; prog == nil && how.joinsAgain(joined, diags) {
		out = lowered(file, src, tokens, how)
		joint, told := compileLowered(file, src, out, lexical, foreign, spoiled)
		written = told
		switch {
		case joint != nil:
			return joint, out, told
		case truer(told, diags):
			return nil, out, oncePerPlace(told, diags)
		}
	}
	if prog == nil && refusals(written) < refusals(diags) { // the accesses are not what is wrong
		return nil, out, oncePerPlace(written, diags)
	}
	return prog, s, diags
}

// isEmptyLoop reports whether a diagnostic is about a loop without iterations.
func isEmptyLoop(d diag.Diagnostic) bool { return d.Code == diag.EmptyLoop }
