package frontend

import (
	"slices"

	"github.com/alecthomas/participle/v2"

	"loopc/ir/diag"
)

// After a syntax mistake the rest of a statement is still checked where that is safe. A hole
// replaces the piece with the mistake: what stands between two commas, =, or brackets. A mistake
// found behind the hole is real, whatever the user puts into the piece. If the text right behind
// the hole does not fit either, that may follow from the first mistake, and nothing is reported.

// hole is the name that stands for a piece with a mistake; no source has it. Like any
// name that a mistake was reported for, it is passed over.
const hole = "…"

// remainderHole is the name that stands for a remainder; a hint says that there r is.
const remainderHole = "r…"

// fillers are what may belong into a hole: an expression or a name, a range, a loop.
var fillers = [][]string{{hole}, {hole, "..", hole}, {hole, "=", hole, "..", hole}}

// maxRecovered bounds the words and signs of a statement that is read on.
const maxRecovered = 2000

// readOn reports what is wrong with st behind its first mistake, m. It returns the tree of
// the statement with its holes, nil if it could not be read to its end, or if the holes
// leave open what it is about.
func readOn[T any](p *participle.Parser[T], st *statement, m *mistake) (*T, []diag.Diagnostic) {
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
		m.d.Hint = "" // the first one has it
		diags = append(diags, m.d)
	}
	return nil, diags
}

// settled reports whether what comes before the token at index at leaves no doubt about
// what the statement is, and about what belongs where: the token lies behind an =, or
// within the brackets of a declaration, and brackets have partners.
func settled(tokens []token, at int, keyword string) bool {
	around, closed := bracketsOf(tokens)
	for k, t := range tokens[:at] {
		if t.is("=") && around[k] == outside {
			return closed
		}
	}
	return closed && around[at] != outside && keyword != "" && keyword != "extern"
}

// outside is where what is in no brackets lies.
const outside = -1

// bracketsOf returns for each token, and for the end, the index of the bracket that opens
// the innermost ones around it, outside if there are none; a closing bracket lies within.
// It is false if brackets have no partners.
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

// mended returns the tokens with a hole in place of the piece in which the one at index at
// lies, and the next mistake, nil if there is none. It returns no tokens if nothing can be
// said of what comes behind the piece.
func mended[T any](p *participle.Parser[T], st *statement, tokens []token, at int) ([]token, *mistake) {
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

// pieceAround returns where the piece begins in which the token at index at lies, and
// where it may end: of several lines first at the end of the token's. Brackets have
// partners.
func pieceAround(tokens []token, at int, keyword string) (first int, ends []int) {
	around, _ := bracketsOf(tokens)
	level := around[at]
	separates := func(k int) bool {
		t := tokens[k]
		return around[k] == level && (t.is(",") || t.is("until") || t.is("=") && level == outside && keyword != "for" && keyword != "repeat")
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

// widened returns the tokens of a let or an assignment with holes for whole calls and
// cells that have one among their arguments, whose number it leaves open. The other side
// of the = must be whole: with a hole there, there are no tokens.
func widened(tokens []token) []token {
	equals := slices.IndexFunc(tokens, func(t token) bool { return t.is("=") })
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
		k = open - 2 // what is around it now
	}
	return tokens
}
