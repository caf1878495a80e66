package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// After a syntax mistake, the rest of a statement is still checked if that is safe. A hole
// replaces the piece with the mistake: the text between two commas, =, or brackets. A mistake
// behind the hole is real, whatever the user puts into the piece. If the text right behind the
// hole does not fit either, that may follow from the first mistake, and nothing is reported.

// hole is the name in place of a piece with a mistake; no source contains it. Like every
// reported name, it is skipped.
const hole = "…"

// remainderHole is the name in place of a remainder; hints show r there.
const remainderHole = "r…"

// isHole reports whether e stands for text that could not be read, and that is already reported.
func isHole(e *expr) bool {
	return e.kind == nameExpr && (e.name == hole || e.name == remainderHole)
}

// fillers are what a hole may stand for: an expression or a name, a range, a loop.
var fillers = [][]string{{hole}, {hole, "..", hole}, {hole, "=", hole, "..", hole}}

// maxRecovered bounds the length of a statement that is read on after a mistake.
const maxRecovered = 2000

// readOn reports mistakes in st behind its first mistake, m. It returns the tree of the
// statement with holes; nil if the statement could not be read to its end, or if the holes
// leave its meaning open.
func readOn[T any](p parserOf[T], st *statement, m *mistake) (*T, []diag.Diagnostic) {
	var diags []diag.Diagnostic
	tokens := st.tokens
	if len(tokens) > maxRecovered || !settled(tokens, m.at, st.keyword()) {
		return nil, nil
	}
	for len(diags) < diag.MaxShown {
		if tokens, m = mended(p, st, tokens, m.at); tokens == nil {
			return nil, diags
		}
		if m == nil {
			tree, _ := parseTokens(p, st, widened(tokens))
			return tree, diags
		}
		m.d.Hint = "" // the first one has the hint
		diags = append(diags, m.d)
	}
	return nil, diags
}

// settled reports whether tokens[:at] determine the kind and structure of the statement:
// tokens[at] lies behind an =, or within the brackets of a declaration, and brackets have
// partners.
func settled(tokens []token, at int, keyword string) bool {
	around, closed := bracketsOf(tokens)
	for k, t := range tokens[:at] {
		if t.assigns() && around[k] == outside {
			return closed
		}
	}
	return closed && around[at] != outside && keyword != "" && keyword != "extern"
}

// outside is the place of tokens in no brackets.
const outside = -1

// bracketsOf returns, for each token and for the end, the index of the opening bracket of the
// innermost pair around it, outside if there is none; a closing bracket lies within its pair.
// It returns false if brackets lack partners.
func bracketsOf(tokens []token) (around []int, closed bool) {
	level := outside
	for k, t := range tokens {
		around = append(around, level)
		switch {
		case t.opens():
			level = k
		case t.closes() && level == outside:
			return append(around, slices.Repeat([]int{outside}, len(tokens)-k)...), false
		case t.closes():
			level = around[level]
		}
	}
	return append(around, level), level == outside
}

func (t token) opens() bool  { return t.is("(") || t.is("[") }
func (t token) closes() bool { return t.is(")") || t.is("]") }

// mended returns the tokens with a hole in place of the piece that contains tokens[at], and the
// next mistake, nil if there is none. It returns no tokens if the tokens behind the piece cannot
// be checked.
func mended[T any](p parserOf[T], st *statement, tokens []token, at int) ([]token, *mistake) {
	first, ends := pieceAround(tokens, at, st.keyword())
	where := st.end().Pos
	if first < len(tokens) {
		where = tokens[first].pos
	}
	for _, end := range ends {
		for _, f := range fillers {
			with := slices.Clone(tokens[:first])
			for _, text := range f {
				kind := tokIdent
				if text != hole {
					kind = tokOp
				}
				with = append(with, token{kind: kind, text: text, pos: where})
			}
			behind := len(with)
			with = append(with, tokens[end:]...)
			if _, m := parseTokens(p, st, with); m == nil || m.at > behind {
				return with, m
			}
		}
	}
	return nil, nil
}

// pieceAround returns the beginning of the piece that contains tokens[at], and its possible ends:
// if the piece has several lines, the first of these is the end of the token's line. Brackets must
// have partners.
func pieceAround(tokens []token, at int, keyword string) (first int, ends []int) {
	around, _ := bracketsOf(tokens)
	level := around[at]
	separates := func(k int) bool {
		t := tokens[k]
		return around[k] == level && (t.is(",") || t.is("until") || t.assigns() && level == outside && keyword != "for" && keyword != "repeat")
	}
	first = level + 1
	if level == outside && keyword != "" {
		first++
	}
	for k := first; k < at; k++ {
		if separates(k) {
			first = k + 1
		}
	}
	end := at
	for end < len(tokens) && !separates(end) && !(around[end] == level && tokens[end].closes()) {
		end++
	}
	for k := at + 1; k < end; k++ {
		if around[k] == level && tokens[k].pos.Line > tokens[at].pos.Line {
			if binaryOps[tokens[k-1].text].precedence > 0 && k-1 > at {
				k-- // a sign between two lines belongs to neither
			}
			return first, []int{k, end}
		}
	}
	return first, []int{end}
}

// widened returns the tokens of a let or an assignment in which calls with a hole among their
// arguments are replaced by holes, because the number of arguments is open. It returns no tokens
// unless all holes are right of the =.
func widened(tokens []token) []token {
	equals := slices.IndexFunc(tokens, func(t token) bool { return t.assigns() })
	for k := 0; k < len(tokens); k++ {
		if tokens[k].text != hole {
			continue
		}
		if k < equals || equals < 0 {
			return nil
		}
		around, _ := bracketsOf(tokens)
		open := around[k]
		if open < 1 || tokens[open-1].kind != tokIdent {
			continue
		}
		last := k
		for around[last] != open || !tokens[last].closes() {
			last++
		}
		tokens = slices.Replace(slices.Clone(tokens), open-1, last+1, token{kind: tokIdent, text: hole, pos: tokens[open-1].pos})
		k = open - 2 // the pair around it
	}
	return tokens
}
