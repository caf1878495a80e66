// Package frontend turns the text of a .loop file into an *ir.Nest, or into
// diagnostics that say what is wrong with it.
//
// The pipeline of Parse:
//
//	scan      bytes to tokens, with line and column in runes
//	translate only for a file with mistakes: report habits of other languages
//	          and replace them, see foreign.go
//	split     tokens to statements, so that a mistake affects one statement only
//	lower     ifs and imperfect nests to perfect nests
//	grammar   each statement to its syntax, by participle
//	declare   names to parameters, constants, arrays, loops and lets
//	resolve   expressions to untyped ir.Expr: names replaced by their meaning,
//	          constant subexpressions folded exactly, subscripts made affine
//	type      a type for every node, and a Convert for every silent conversion
//
// A step reports each mistake once, and passes on what it understood. nil stands for parts with
// mistakes, which later steps skip silently. No input makes this package panic: sizes and
// depths are limited (see limit.go), and numbers are exact until they are known to fit.
//
// Compile adds the dependence analysis of package depend. Format prints a file
// in canonical layout, from its tokens, comments included.
package frontend
