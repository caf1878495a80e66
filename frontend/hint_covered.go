package frontend

import "slices"

// covers reports whether a target with the given subscripts certainly writes, in the same number of the repeat, the cells with
// the subscripts of a read: such as A[i,j] for A[i,k] if the loop j begins at k.
func (b *broadcast) covers(target, read [][]token) bool {
	number := b.loops[0].name
	for d := range read {
		own, other := lineOf(target[d], maxTokens), lineOf(read[d], maxTokens)
		at := slices.IndexFunc(b.loops[1:], func(l *branch) bool { return l.name == own })
		switch {
		case own == other:
		case other != number || at < 0 || !endsAt(b.loops[1+at], number):
			return false
		}
	}
	return true
}

// endsAt reports whether a loop has a name as its first or last value.
func endsAt(l *branch, name string) bool {
	if len(l.tokens) < 3 {
		return false
	}
	ends := cut(l.tokens[2:], "..")
	return slices.ContainsFunc(ends, func(end []token) bool { return len(end) == 1 && isName(end[0], name) })
}
