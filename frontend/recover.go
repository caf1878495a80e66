package frontend

import (
	"slices"

	"github.com/alecthomas/participle/v2"

	"loopc/ir/diag"
)

// Behind a mistake in its syntax a statement is read on where that is safe: the piece in
// which the mistake lies, from one comma, = or bracket to the next, gives way to a hole,
// which stands for what belongs there. What is then wrong farther on is wrong whatever the
// user makes of the piece. Where the statement still does not fit right behind the hole,
// what comes may follow from the mistake, and nothing more is said.

// hole is the name that stands for a piece with a mistake; no source has it. Like any
// name that a mistake was reported for, it is passed over.
const hole = "…"

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
	depth, within, behind := 0, false, false
	for k, t := range tokens {
		if k == at {
			within = depth > 0
		}
		switch {
		case t.is("(") || t.is("["):
			depth++
		case t.is(")") || t.is("]"):
			depth--
		case t.is("=") && depth == 0 && k < at:
			behind = true
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0 && (behind || within && keyword != "" && keyword != "extern")
}

// mended returns the tokens with a hole in place of the piece in which the one at index at
// lies, and the next mistake, nil if there is none. It returns no tokens if nothing can be
// said of what comes behind the piece.
func mended[T any](p *participle.Parser[T], st *statement, tokens []token, at int) ([]token, *mistake) {
	first, ends := pieceAround(tokens, at, st.keyword())
	for _, end := range ends {
		where := st.end().Pos
		if first < len(tokens) {
			where = tokens[first].pos
		}
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
// where it may end: of several lines first at the end of the token's. It returns no ends
// if brackets have no partners.
func pieceAround(tokens []token, at int, keyword string) (first int, ends []int) {
	var open []int // brackets around the token
	for k, t := range tokens[:at] {
		switch {
		case t.is("(") || t.is("["):
			open = append(open, k)
		case t.is(")") || t.is("]"):
			if len(open) == 0 {
				return 0, nil
			}
			open = open[:len(open)-1]
		}
	}
	separates := func(t token) bool {
		return t.is(",") || t.is("until") || t.is("=") && len(open) == 0 && keyword != "for" && keyword != "repeat"
	}
	switch {
	case len(open) > 0:
		first = open[len(open)-1] + 1
	case keyword != "":
		first = 1
	}
	depth := 0
	for k := first; k < at; k++ {
		switch t := tokens[k]; {
		case t.is("(") || t.is("["):
			depth++
		case t.is(")") || t.is("]"):
			depth--
		case depth == 0 && separates(t):
			first = k + 1
		}
	}
	line := 0
	for k := at; k < len(tokens); k++ {
		t := tokens[k]
		if depth == 0 && k > at && t.pos.Line > tokens[at].pos.Line && line == 0 {
			line = k
		}
		switch {
		case t.is("(") || t.is("["):
			depth++
		case (t.is(")") || t.is("]")) && depth > 0:
			depth--
		case t.is(")") || t.is("]"):
			if len(open) == 0 {
				return 0, nil
			}
			return first, endsOf(tokens, at, line, k)
		case depth == 0 && separates(t):
			return first, endsOf(tokens, at, line, k)
		}
	}
	if len(open) > 0 {
		return 0, nil
	}
	return first, endsOf(tokens, at, line, len(tokens))
}

// endsOf returns the ends of a piece with the token at index at, which goes to end, and
// whose next line begins at index line, 0 if there is none. A sign between two lines
// belongs to neither.
func endsOf(tokens []token, at, line, end int) []int {
	if line == 0 {
		return []int{end}
	}
	if binaryOps[tokens[line-1].text].precedence > 0 && line-1 > at {
		line--
	}
	return []int{line, end}
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
		first, ends := bracketAround(tokens, k)
		if first > 0 && tokens[first-1].kind == tokIdent {
			tokens = slices.Replace(slices.Clone(tokens), first-1, ends+1, token{kind: tokIdent, text: hole, pos: tokens[first-1].pos})
			k = first - 2 // what is around it now
		}
	}
	return tokens
}

// bracketAround returns the innermost brackets around the token at index at, whose
// brackets have partners; -1 if there are none.
func bracketAround(tokens []token, at int) (first, last int) {
	depth := 0
	for first = at - 1; first >= 0; first-- {
		if t := tokens[first]; t.is(")") || t.is("]") {
			depth++
		} else if t.is("(") || t.is("[") {
			if depth == 0 {
				break
			}
			depth--
		}
	}
	if first < 0 {
		return -1, -1
	}
	for last = at; ; last++ {
		if t := tokens[last]; t.is("(") || t.is("[") {
			depth++
		} else if t.is(")") || t.is("]") {
			if depth == 0 {
				return first, last
			}
			depth--
		}
	}
}
