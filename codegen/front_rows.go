package codegen

import (
	"slices"

	"loopc/ir"
)

// rowsInOrder reports whether a kernel with lanes along the innermost loop may compute row after row of entire arrays. Rows
// are in the order of the loops, so only accesses to one cell by iterations of the same row matter: a vector must execute them
// in the order of the loops, although it executes each statement for all of its iterations before the next statement.
func (g *generator) rowsInOrder() bool {
	if g.mayFail() {
		return false
	}
	live := g.findLive()
	for _, k := range g.l.Values {
		w := g.n.Body[k].(*ir.Assign)
		if !g.entire(w.Array) || !live[k] || len(w.Subs) == 0 {
			return false
		}
		for _, by := range g.n.Assigns(w.Array) {
			if by > k && !g.keepsRow(w.Subs, k, by, true) {
				return false
			}
		}
	}
	for id, r := range g.n.Reads {
		s := g.n.ReadStmt[id]
		if !live[s] || g.l.Reads[id].From == ir.FromLocal {
			continue
		}
		overwrites := func(by int) bool { return !g.keepsRow(r.Subs, s, by, false) }
		if g.beyond(r) || !g.entire(r.Array) || slices.ContainsFunc(g.n.Assigns(r.Array), overwrites) {
			return false
		}
	}
	return true
}

// keepsRow reports whether a vector keeps the order of an access to the cell at subs by statement s, and of the write to this
// cell by statement by in an iteration of the same row. An access that writes is by an earlier statement.
func (g *generator) keepsRow(subs []ir.Affine, s, by int, writes bool) bool {
	if !g.sameForm(subs, by) {
		return g.n.NeverMeetInRow(subs, g.n.Body[by].(*ir.Assign).Subs)
	}
	apart, free, meet := g.between(subs, by)
	last := len(apart) - 1
	for k := range last {
		meet = meet && (free[k] || apart[k] == 0)
	}
	if !meet {
		return true
	}
	if free[last] {
		return false
	}
	clear(apart[:last])
	later := g.n.Steps(apart)[last] // iterations from the access to the write
	switch {
	case writes:
		return later >= 0
	case later < 0:
		return by < s
	}
	return s <= by
}
