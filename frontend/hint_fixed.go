package frontend

import (
	"fmt"
	"slices"
	"strings"
)

// A for that reads one cell of an array that it writes in all iterations of its inner loops, as V[t,r] where it writes V[t,i]: some
// of them come before the cell is written, and some after. What the iteration before of the outermost loop has left there is one
// value for all.

// fixedCells is the text of the for as a repeat, in which such reads are of the iteration before; "" if there are none.
func (b *broadcast) fixedCells() string {
	number := b.loops[0].name
	targets := map[string][][]token{}
	eachStatement(b.body, func(st *statement) {
		if end := closer(st.tokens, 1); end > 0 {
			targets[st.first().text] = cut(st.tokens[2:end], ",")
		}
	})
	inner := func(tokens []token) bool {
		return slices.ContainsFunc(tokens, func(t token) bool {
			return slices.ContainsFunc(b.loops[1:], func(l *branch) bool { return l.name == t.text })
		})
	}
	before := number + "-1"
	if step := b.loops[0].tokens; slices.ContainsFunc(step, func(t token) bool { return t.named("step") }) {
		before = number + "+1"
	}
	var first []string // what each repetition copies
	var arrays, cells []string
	var within func(list []*statement) []*statement
	within = func(list []*statement) []*statement {
		out := copies(list)
		for _, st := range out {
			var tokens []token
			for k := 0; k < len(st.tokens); k++ {
				t, end := st.tokens[k], closer(st.tokens, k+1)
				target := targets[t.text]
				if end < 0 || k == 0 || target == nil || inner(st.tokens[k:end]) || !slices.ContainsFunc(target, inner) {
					tokens = append(tokens, t)
					continue
				}
				subs, own := cut(st.tokens[k+2:end], ","), -1
				text := make([]string, len(subs))
				for d, s := range subs {
					if text[d] = lineOf(s, maxTokens); d < len(target) && lineOf(target[d], maxTokens) == number {
						own, text[d] = d, before
					}
				}
				cell := lineOf(st.tokens[k:end+1], maxTokens)
				cells = append(cells, cell)
				if own >= 0 {
					tokens, k = append(tokens, madeText(t.text+"["+strings.Join(text, ",")+"]", t)...), end
					continue
				}
				decl := b.arrays[t.text]
				last := closer(decl, 2)
				if last < 0 || last+1 >= len(decl) {
					tokens = append(tokens, t)
					continue
				}
				name := b.fresh("fixed")
				arrays = append(arrays, fmt.Sprintf("array %s[0..0] %s; ", name, decl[last+1].text))
				first = append(first, fmt.Sprintf("for %s = 0..0 { %s[0] = %s }; ", b.fresh("once"), name, cell))
				tokens, k = append(tokens, madeText(name+"[0]", t)...), end
			}
			st.tokens, st.body = tokens, within(st.body)
		}
		return out
	}
	body := within(b.body)
	if len(cells) == 0 {
		return ""
	}
	b.provided = fmt.Sprintf("if %s is to be what the %s before has left there, ", strings.Join(slices.Compact(cells), " and "), number)
	return strings.Join(arrays, "") + b.repeat(strings.Join(first, ""), body)
}
