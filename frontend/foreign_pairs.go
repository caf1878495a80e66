package frontend

import "slices"

// endsInPairs returns the declaration of an array whose ranges have commas between their ends, as in array u[0, N, 1..M]: its
// cells have fewer subscripts than it has parts, as many as there are ranges if each two neighbors that are no ranges are the ends
// of one. It returns nil for others.
func (t *translator) endsInPairs(l []token) (out []token) {
	if len(l) < 6 || !l[0].is("array") || l[1].kind != tokIdent || !l[2].is("[") {
		return nil
	}
	last := 2 + partner(l[2:])
	parts := commas(l[3:min(last, len(l))])
	ranged := func(p []token) bool {
		return slices.ContainsFunc(p, func(x token) bool { return x.is("..") || x.is(":") })
	}
	var dims [][]token
	for k := 0; k < len(parts); k++ {
		p := parts[k]
		if len(p) == 0 {
			return nil
		}
		if k+1 < len(parts) && len(parts[k+1]) > 0 && !ranged(p) && !ranged(parts[k+1]) {
			p = slices.Concat(p, []token{operator("..", p[0])}, parts[k+1])
			k++
		}
		dims = append(dims, p)
	}
	if len(dims) == len(parts) || last >= len(l) || t.dimsInCells(l[1]) != len(dims) || slices.ContainsFunc(dims, func(p []token) bool { return !ranged(p) }) {
		return nil
	}
	return slices.Concat(l[:1], cellTokens(l[1], dims), l[last+1:])
}

// dimsInCells is the number of subscripts that the first cells of an array have, other than in its declaration; 0 if there are
// none, or if they differ.
func (t *translator) dimsInCells(name token) (dims int) {
	seen := 0
	for k, x := range t.tokens {
		if x.kind != tokIdent || x.text != name.text || x.pos == name.pos || !t.at(k+1).is("[") && !t.at(k+1).is("(") {
			continue
		}
		n := t.subscriptsAt(k)
		if dims > 0 && n != dims {
			return 0
		}
		dims = n
		if seen++; seen == mostCells {
			break
		}
	}
	return dims
}
