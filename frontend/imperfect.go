package frontend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir/diag"
)

// Imperfect nests. Where statements stand between the loops of a for, the for becomes several perfect
// nests, which run one after another; loops around several of them that cannot be divided become
// repeats. All passes behind the splitter see perfect nests only.
//
// The method is that of Allen and Kennedy (Optimizing Compilers for Modern Architectures, section 2.4):
// statements that depend on one another in a circle stay together, and the others are divided, in an
// order that respects all dependences.

// A branch is one loop of a for, with what it contains.
type branch struct {
	name   string
	tokens []token // name = lo..hi, and a step
	items  []item
	batch  bool // a batch, around the for
}

// An item is a loop or a statement; the other one is nil.
type item struct {
	loop *branch
	leaf *part
}

// A part is a statement of a body that is no loop.
type part struct {
	st    *statement
	order int       // in the text
	path  []*branch // the loops around it, outermost first
	of    *part     // of which this is one with other loops; nil if it is of the text
}

// own is the part of the text.
func (l *part) own() *part { return cmp.Or(l.of, l) }

// nested reports whether a for contains another for, or a statement around which ownLoops puts one.
func nested(st *statement) bool {
	return slices.ContainsFunc(st.body, func(x *statement) bool { return x.keyword() == "for" || twice(x) > 0 })
}

// twice returns the index of the token of a written cell that repeats an earlier subscript, as in A[i,i];
// 0 if there is none.
func twice(st *statement) int {
	if len(st.tokens) < 2 || st.first().kind != tokIdent || !st.tokens[1].is("[") {
		return 0
	}
	for k := 2; k+1 < len(st.tokens) && !st.tokens[k].is("]"); k++ {
		alone := func(k int) bool {
			before, after := st.tokens[k-1], st.tokens[k+1]
			return st.tokens[k].kind == tokIdent && (before.is("[") || before.is(",")) && (after.is("]") || after.is(","))
		}
		for first := 2; first < k; first++ {
			if alone(first) && alone(k) && st.tokens[first].text == st.tokens[k].text {
				return k
			}
		}
	}
	return 0
}

// ownLoops returns st, a statement within the loops of path. If it writes a cell with a loop in two
// subscripts, the second becomes a loop of its own, around the statement alone, with that one value.
func (t *tree) ownLoops(st *statement, path []*branch) *statement {
	k := twice(st)
	if k == 0 || !slices.ContainsFunc(path, func(b *branch) bool { return b.name == st.tokens[k].text }) {
		return st
	}
	at := st.tokens[k]
	name := t.fresh(at.text)
	x := *st
	x.tokens = slices.Clone(st.tokens)
	x.tokens[k].text = name
	header := madeText("for "+name+" = "+at.text+".."+at.text, at)
	return &statement{tokens: header, body: []*statement{&x}, block: true}
}

// branchesOf returns the loops of a for, the body of which is within the innermost one; nil if its header
// cannot be divided into loops.
func branchesOf(st *statement) (list []*branch) {
	depth, first := 0, 1
	for k := 1; k <= len(st.tokens); k++ {
		switch {
		case k == len(st.tokens) || depth == 0 && st.tokens[k].is(","):
			if k-first < 3 || st.tokens[first].kind != tokIdent || !st.tokens[first+1].is("=") || !hasRange(st.tokens[first+2:k]) {
				return nil
			}
			list = append(list, &branch{name: st.tokens[first].text, tokens: st.tokens[first:k]})
			first = k + 1
		case st.tokens[k].is("(") || st.tokens[k].is("["):
			depth++
		case st.tokens[k].is(")") || st.tokens[k].is("]"):
			depth--
		}
	}
	return list
}

// hasRange reports whether a loop has both ends.
func hasRange(tokens []token) bool {
	k := slices.IndexFunc(tokens, func(t token) bool { return t.is("..") })
	return k > 0 && k+1 < len(tokens) && !tokens[k+1].named("step")
}

// A tree is an imperfect nest.
type tree struct {
	*lowering
	items  []item
	leaves []*part
	whole  bool // no statement in it has a mistake, and branchesOf can divide the header of every for
	broken bool // a statement in it has a mistake
	large  bool // loops are nested too deep, or there are too many statements
}

// treeFrom returns the tree of a for.
func (w *lowering) treeFrom(st *statement) *tree {
	t := &tree{lowering: w, whole: true}
	t.items = t.itemsOf(nil, []*statement{st})
	return t
}

// itemsOf returns the items of a body within the loops of path.
func (t *tree) itemsOf(path []*branch, body []*statement) (list []item) {
	for _, st := range body {
		st = t.ownLoops(st, path)
		t.large = t.large || len(path) > maxDepth || len(t.leaves) > maxStatements
		t.whole, t.broken = t.whole && !st.bad && !t.large, t.broken || st.bad
		if st.keyword() != "for" || !t.whole {
			l := &part{st: st, order: len(t.leaves), path: path}
			t.leaves = append(t.leaves, l)
			list = append(list, item{leaf: l})
			continue
		}
		loops := branchesOf(st)
		named := slices.ContainsFunc(loops, func(b *branch) bool {
			return slices.ContainsFunc(path, func(outer *branch) bool { return outer.name == b.name })
		})
		if t.whole = loops != nil && !named && st.block && len(st.body) > 0; !t.whole {
			return list
		}
		within := slices.Clone(path)
		for k, b := range loops {
			if k > 0 {
				loops[k-1].items = []item{{loop: b}}
			}
			within = append(within, b)
		}
		loops[len(loops)-1].items = t.itemsOf(slices.Clip(within), st.body)
		list = append(list, item{loop: loops[0]})
	}
	return list
}

// perfect reports whether all statements stand in the innermost of the same loops.
func (t *tree) perfect() bool { return len(t.leaves) > 0 && oneNest(t.leaves) }

// headerOf returns the header of a for with the given loops.
func headerOf(at token, loops []*branch) []token {
	tokens := []token{madeKeyword("for", at)}
	for k, b := range loops {
		if k > 0 {
			tokens = append(tokens, made(tokOp, ",", at))
		}
		tokens = append(tokens, b.tokens...)
	}
	return tokens
}

// made returns a token that the source does not have, at the place of one that it has.
func made(kind lexer.TokenType, text string, at token) token {
	return token{kind: kind, text: text, pos: at.pos}
}

func madeKeyword(text string, at token) token { return made(tokKeyword, text, at) }

// madeText returns the tokens of a text, all at one place.
func madeText(text string, at token) (out []token) {
	tokens, _ := scan([]byte(text))
	for _, t := range withUpdates(tokens) {
		if t.kind != tokEOF {
			t.pos, t.glued = at.pos, false
			if keywords[t.text] {
				t.kind = tokKeyword
			}
			out = append(out, t)
		}
	}
	return out
}

// copies returns copies of statements, and of their bodies, for a trial. A checker marks statements whose mistakes it
// has reported, and the checker after the trial has to report them.
func copies(list []*statement) []*statement {
	out := make([]*statement, len(list))
	for k, st := range list {
		x := *st
		x.body = copies(st.body)
		out[k] = &x
	}
	return out
}

// A manner says how nests are lowered where there are several ways.
type manner struct {
	// fine divides nests as far as possible; otherwise statements of one body stay together where they can.
	fine bool
	// apart are the places of fors in which small loops that write cells of their own stay loops.
	apart map[diag.Pos]bool
	// divide is the place of a for that is divided although all its statements stand in the innermost loop.
	divide diag.Pos
}

// A lowering turns what the splitter has found into perfect nests.
type lowering struct {
	file         string
	src          []byte
	declarations []*statement
	manner
	here    diag.Pos     // the current for at top level, or in a repeat
	joins   bool         // small loops of the current for were written out although they write cells of their own
	joined  []stretch    // the fors of which this is so
	divided bool         // some nest was divided
	made    []*statement // what the for at manner.divide became
	faulty  bool         // some nest is faulty: see fission
	// undivided are the fors, by their first and last line, that were not divided, or only in the order of their text, or whose steps
	// were not lowered, because of a mistake.
	undivided [][2]int
	counts    map[string]int    // occurrences of each name in the file and in lowered statements
	ends      bool              // a nest was dropped after a mistake: checks behind it would report missing names
	added     []*statement      // declarations of arrays that lowering needs
	words     map[string]string // the lets and vars for which these stand, by the names of the arrays
	repeats   []repeatName      // the repeats around the current nest
	around    []*branch         // the repeats and loops around the current statement
	batch     *statement        // around the current statement; nil if there is none
	before    []*statement      // the statements before the current for; its reductions are the last of them
	diags     []diag.Diagnostic // about nests that cannot be lowered
	faults    []diag.Diagnostic // about statements of faulty nests
	// reducing are the nests with reductions before the current one. The reductions of the first resolved of them are
	// in earlier.
	reducing []*reducingNest
	resolved int
	earlier  earlier
}

// lowered is split, followed by the lowering of imperfect nests.
func lowered(file string, src []byte, tokens []token, how manner) *splitter {
	s := split(tokens)
	o := outlineOf(s.top)
	w := &lowering{file: file, src: src, declarations: o.declarations, manner: how, counts: map[string]int{}, words: map[string]string{}}
	for _, t := range tokens {
		w.counts[t.text]++
	}
	top := w.list(s.top)
	after := 0 // the arrays of the file keep their numbers, which random content depends on
	for k, st := range top {
		if st.keyword() == "array" {
			after = k + 1
		}
	}
	s.top, s.divided, s.ends = slices.Concat(top[:after], w.added, top[after:]), w.divided, w.ends
	s.joined, s.faulty, s.faults, s.words, s.made, s.undivided = w.joined, w.faulty, w.faults, w.words, w.made, w.undivided
	s.diags = append(s.diags, w.diags...)
	return s
}

// list lowers statements at top level, or in a repeat.
func (w *lowering) list(list []*statement) (out []*statement) {
	for k, st := range list {
		if st.keyword() == "for" && st.block && !st.bad {
			w.before = list[:k]
			if r := w.itemRepeat(st); r != nil {
				out = append(out, w.list([]*statement{r})...)
				continue
			}
			st = w.loops(w.withoutSmall(st))
			if own, x := w.combining(list[:k], st); x != nil {
				n := slices.IndexFunc(own, func(x *statement) bool { return !slices.Contains(list, x) })
				out[slices.Index(out, list[n])] = own[n]
				list, st = slices.Concat(own, list[k:]), x
				w.before = list[:k]
			}
		}
		switch {
		case (st.keyword() == "repeat" || st.keyword() == "batch") && !st.bad && len(w.repeats) < maxDepth:
			out = append(out, w.repeat(st))
		case st.keyword() == "for" && st.block && (nested(st) || st.first().pos == w.divide):
			out = append(out, w.nest(st, k > 0 && (list[k-1].keyword() == "reduce" || list[k-1].keyword() == "schedule"))...)
		case st.keyword() == "for" && st.block && !st.bad:
			x := *st
			x.body = w.variables(st.body)
			out = append(out, &x)
			w.reduces(list[:k], &x)
		default:
			out = append(out, st)
		}
	}
	return out
}

// repeat lowers the statements in a repeat or a batch.
func (w *lowering) repeat(st *statement) *statement {
	x := *st
	if len(st.tokens) > 1 {
		parts := commas(st.tokens[1:]) // of a batch: itself, and parameters of its items
		outside := len(w.repeats)
		for _, l := range parts {
			if len(l) > 0 { // the parser reports what is missing
				w.repeats = append(w.repeats, repeatName{&nameSyntax{Name: l[0].text}, true, nil})
			}
		}
		w.around = append(w.around, &branch{name: st.name().text, tokens: parts[0], batch: st.keyword() == "batch"})
		outer := w.batch
		if st.keyword() == "batch" {
			w.batch = st
		}
		x.body = w.list(st.body)
		w.repeats, w.around, w.batch = w.repeats[:outside], w.around[:len(w.around)-1], outer
	}
	return &x
}

// numbersOfItems are the statements T = len[b] in the block of a loop b: its iterations are the items of a batch.
func numbersOfItems(st *statement) (numbers []string) {
	for _, x := range st.body {
		if l := x.tokens; len(l) == 6 && l[0].kind == tokIdent && l[1].is("=") && l[2].kind == tokIdent && l[3].is("[") && len(st.tokens) > 1 && l[4].text == st.tokens[1].text {
			numbers = append(numbers, lineOf(l, maxTokens))
		}
	}
	return numbers
}

// nest lowers a for that contains another one. owns tells that a reduction or a schedule belongs to it.
func (w *lowering) nest(st *statement, owns bool) []*statement {
	t := w.treeFrom(st)
	reduce := slices.IndexFunc(st.body, func(x *statement) bool { return x.keyword() == "reduce" && !x.bad })
	switch {
	case reduce >= 0:
		header := strings.Replace(lineOf(st.tokens, maxTokens), "for", "repeat", 1)
		if numbers := numbersOfItems(st); len(numbers) > 0 {
			header = strings.Join(append([]string{strings.Replace(header, "repeat", "batch", 1)}, numbers...), ", ")
		}
		w.diags = append(w.diags, diag.Diagnostic{Code: diag.Misplaced, At: st.body[reduce].first().span(),
			Message: "a for around a reduction and the for of the reduction is a repeat",
			Hint:    header + " { ... }", Kind: diag.Example})
		w.ends = true
		return nil
	case t.large:
		w.diags = append(w.diags, diag.Diagnostic{Code: diag.TooDeep, At: st.first().span(),
			Message: fmt.Sprintf("a nest of more than %d loops, one in the other, or %d statements", maxDepth, maxStatements)})
		return []*statement{st}
	case !t.whole || len(t.leaves) == 0:
		if t.broken {
			w.undivided = append(w.undivided, linesOf(st))
		}
		return []*statement{st}
	case t.perfect() && st.first().pos != w.divide:
		x := w.perfectNest(st.first(), t.leaves[0].path, t.leaves)
		w.reduces(w.before, x)
		return []*statement{x}
	case owns:
		w.diags = append(w.diags, diag.Diagnostic{Code: diag.OneNest, At: st.first().span(),
			Message: "a reduction or a schedule before a for that becomes several nests: it belongs before one of them",
			Hint:    "for what is left at the end, the reduction behind this for, before a for with an empty body", Kind: diag.Advice})
		w.ends = true
		return nil
	}
	w.divided = true
	f := &fission{lowering: w, tree: t}
	out := f.nests()
	if f.faulty {
		w.faulty, w.undivided = true, append(w.undivided, linesOf(st))
	}
	if st.first().pos == w.divide {
		w.made = out
	}
	return out
}

// perfectNest makes a for with the given loops and statements.
func (w *lowering) perfectNest(at token, loops []*branch, leaves []*part) *statement {
	st := &statement{tokens: headerOf(at, loops), block: true}
	for _, l := range leaves {
		st.body = append(st.body, l.st)
	}
	st.body = w.variables(st.body)
	return st
}
