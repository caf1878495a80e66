package ir

import "slices"

// Copied returns the only statement of a nest, and what it reads, if the nest copies all cells of one array to another; else nil.
func (n *Nest) Copied() (to *Assign, from *Read) {
	if len(n.Body) != 1 {
		return nil, nil
	}
	to, ok := n.Body[0].(*Assign)
	if !ok || !n.WritesAll(to) {
		return nil, nil
	}
	from, ok = to.Expr.(*Read)
	if !ok || from.Array == to.Array || !slices.EqualFunc(from.Subs, to.Subs, Affine.Equal) || !n.Arrays[from.Array].alike(&n.Arrays[to.Array]) {
		return nil, nil
	}
	return to, from
}

// WritesAll reports whether an assignment writes all cells of its array, each in one iteration.
func (n *Nest) WritesAll(a *Assign) bool {
	arr, seen := &n.Arrays[a.Array], map[int]bool{}
	if len(a.Subs) != len(n.Loops) {
		return false
	}
	for d, sub := range a.Subs {
		k := slices.IndexFunc(sub.Iters, func(c int) bool { return c != 0 })
		if k < 0 || seen[k] {
			return false
		}
		seen[k] = true
		l, own := &n.Loops[k], Affine{Iters: make([]int, k+1)}
		own.Iters[k] = 1
		if !sub.Equal(own) || len(l.Lo)+len(l.Hi) != 2 || !l.Lo[0].Equal(arr.Lo[d]) || !l.Hi[0].Equal(arr.Hi[d]) {
			return false
		}
	}
	return true
}

// alike reports whether arrays have the same cells, of one type, and neither has cells for each item of a batch.
func (a *Array) alike(b *Array) bool {
	return a.Elem == b.Elem && a.Item == 0 && b.Item == 0 && slices.EqualFunc(a.Lo, b.Lo, Affine.Equal) && slices.EqualFunc(a.Hi, b.Hi, Affine.Equal)
}
