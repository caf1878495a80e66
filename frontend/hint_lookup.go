package frontend

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A for that reads cells of an array that it writes, with computed subscripts: K[i-1,j-w[i]] in a knapsack. An array that a nest
// only reads may have such subscripts, so each iteration of the outermost loop first copies the cells that they may mean.

// lookups is the text of the for with copies for the cells that have computed subscripts; "" if there is none, or a cell has inner
// loops in other subscripts.
func (b *broadcast) lookups() string {
	w := &lookupCopies{broadcast: b, targets: map[string][][]token{}, names: map[string]string{}, loop: b.fresh("x"), innermost: b.loops[len(b.loops)-1]}
	eachStatement(b.body, func(st *statement) {
		if end := closer(st.tokens, 1); end > 0 {
			w.targets[st.first().text] = cut(st.tokens[2:end], ",")
		}
	})
	given := b.loops
	defer func() { b.loops = given }()
	body := w.within(w.downTo(b.body))
	if w.fails || len(w.arrays) == 0 {
		return ""
	}
	if len(w.cells) > 0 {
		b.provided = fmt.Sprintf("provided that each %s reads what the one before has left in %s, ", b.loops[0].name, strings.Join(w.cells, " and "))
	}
	at := b.loops[0].tokens[0]
	inner := lineOf(headerOf(at, b.loops[1:]), maxTokens) + " { " + blockText(body) + " }"
	return strings.Join(w.arrays, "; ") + "; " + lineOf(headerOf(at, b.loops[:1]), maxTokens) + " { " + strings.Join(w.fors, "; ") + "; " + inner + " }"
}

// downTo returns the body under an if, and gives the innermost loop a bound of parameters, if that loop goes down to a cell: to the
// weight of an item. It reads what copies have, so that it may go up.
func (w *lookupCopies) downTo(body []*statement) []*statement {
	l := w.loops[len(w.loops)-1]
	ends, at := l.tokens[2:], l.tokens[0]
	if step := slices.IndexFunc(ends, func(t token) bool { return t.named("step") }); step >= 0 {
		ends = ends[:step]
	}
	parts := cut(ends, "..")
	if len(parts) != 2 || computedSub(parts[0]) || !computedSub(parts[1]) {
		return body
	}
	low := ""
	for _, array := range slices.Sorted(maps.Keys(w.targets)) {
		decl, target := w.broadcast.arrays[array], w.targets[array]
		end := closer(decl, 2)
		for d, s := range target {
			if end > 0 && len(s) == 1 && s[0].text == l.name {
				low = lineOf(cut(cut(decl[3:end], ",")[d], "..")[0], maxTokens)
			}
		}
	}
	if low == "" {
		return body
	}
	loops := slices.Clone(w.loops)
	loops[len(loops)-1] = &branch{name: l.name, tokens: madeText(l.name+" = "+low+".."+lineOf(parts[0], maxTokens), at)}
	w.broadcast.loops = loops
	condition := madeText("if "+l.name+" >= "+lineOf(parts[1], maxTokens), at)
	return []*statement{{tokens: condition, block: true, body: body}}
}

// lookupCopies are the copies that lookups needs.
type lookupCopies struct {
	*broadcast
	targets      map[string][][]token // the subscripts with which arrays are written
	names        map[string]string    // the copies, by the cells that they copy
	loop         string               // over the copied cells
	innermost    *branch              // of the loops, as given
	arrays, fors []string             // declarations, and the loops that copy
	cells        []string             // that the same iteration may have changed
	fails        bool
}

// within returns statements with cells of copies in place of those that have computed subscripts.
func (w *lookupCopies) within(list []*statement) []*statement {
	out := copies(list)
	for _, st := range out {
		var tokens []token
		for k := 0; k < len(st.tokens); k++ {
			t, end := st.tokens[k], closer(st.tokens, k+1)
			if end < 0 || k == 0 || w.targets[t.text] == nil {
				tokens = append(tokens, t)
				continue
			}
			subs := cut(st.tokens[k+2:end], ",")
			d := slices.IndexFunc(subs, computedSub)
			if d < 0 {
				tokens = append(tokens, t)
				continue
			}
			cell := w.copyOf(t.text, subs, d) + "[" + lineOf(subs[d], maxTokens) + "]"
			tokens, k = append(tokens, madeText(cell, t)...), end
		}
		st.tokens, st.body = tokens, w.within(st.body)
	}
	return out
}

// computedSub reports whether a subscript has a cell or a call.
func computedSub(sub []token) bool {
	return slices.ContainsFunc(sub, func(t token) bool { return t.is("[") || t.is("(") })
}

// copyOf is the name of the copy for cells of an array with subscripts of which number d is computed.
func (w *lookupCopies) copyOf(array string, subs [][]token, d int) string {
	decl, target := w.broadcast.arrays[array], w.targets[array]
	end := closer(decl, 2)
	if end < 0 || end+1 >= len(decl) || len(subs) != len(target) {
		w.fails = true
		return array
	}
	dims := cut(decl[3:end], ",")
	earlier := false // no iteration of the outermost loop writes the cells that it reads
	kept := make([]string, len(subs))
	for k, s := range subs {
		kept[k] = strings.ReplaceAll(lineOf(s, maxTokens), " ", "")
		written := strings.ReplaceAll(lineOf(target[k], maxTokens), " ", "")
		switch {
		case k == d:
			kept[k] = w.loop
		case computedSub(s) || slices.ContainsFunc(w.loops[1:], func(l *branch) bool {
			return slices.ContainsFunc(s, func(t token) bool { return t.text == l.name })
		}):
			w.fails = true
		case len(s) == 1 && kept[k] == written && written == w.loops[0].name:
			w.fails = true // no iteration before writes these cells: what is read is of this one
		default:
			earlier = earlier || kept[k] != written && s[0].text == w.loops[0].name && written == s[0].text
		}
	}
	cell := array + "[" + strings.Join(kept, ",") + "]"
	if w.names[cell] == "" {
		name, r := w.fresh("old"), lineOf(dims[d], maxTokens)
		w.names[cell] = name
		w.arrays = append(w.arrays, fmt.Sprintf("array %s[%s] %s", name, r, decl[end+1].text))
		w.fors = append(w.fors, fmt.Sprintf("for %[1]s = %[2]s { %[3]s[%[1]s] = %[4]s }", w.loop, r, name, cell))
	}
	if !earlier && w.overtakes(subs[d]) {
		w.fails = true
	}
	if read := array + "[" + lineOf(subs[d], maxTokens) + "]"; !earlier && !slices.Contains(w.cells, read) {
		w.cells = append(w.cells, read)
	}
	return w.names[cell]
}

// overtakes reports whether a computed subscript means a cell that the same iteration of the outermost loop has already written: the
// innermost loop less something, going up, or the innermost loop plus something, going down.
func (w *lookupCopies) overtakes(sub []token) bool {
	behind := slices.IndexFunc(sub, func(t token) bool { return t.text == w.innermost.name }) + 1
	down := slices.ContainsFunc(w.innermost.tokens, func(t token) bool { return t.named("step") })
	return behind > 0 && behind < len(sub) && sub[behind].is(map[bool]string{true: "+", false: "-"}[down])
}
