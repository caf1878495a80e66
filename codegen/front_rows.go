package codegen

import (
	"slices"

	"loopc/ir"
)

// rowsInOrder reports whether a kernel with lanes along the innermost loop may compute row after row of entire arrays. Rows
// are in the order of the loops, so only accesses to one cell by iterations of the same row matter: a vector must execute them
// in the order of the loops, although it executes each statement for all of its iterations before the next statement. A cell
// that all iterations of a row write must be read by the statement that writes it alone: it collects in the cell.
func (g *generator) rowsInOrder() bool {
	if slices.ContainsFunc(g.n.Body, func(s ir.Stmt) bool { return ir.MayFailBesideLookups(ir.Value(s)) }) {
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
		if !live[s] {
			continue
		}
		if from := g.l.Reads[id]; from.From == ir.FromLocal {
			if g.collects(g.l.Values[from.Value]) {
				return false
			}
			continue
		}
		overwrites := func(by int) bool {
			own := by == s && g.collects(by) && slices.EqualFunc(r.Subs, g.n.Body[by].(*ir.Assign).Subs, ir.Affine.Equal)
			return !own && !g.keepsRow(r.Subs, s, by, false)
		}
		if g.beyond(r) || !g.entire(r.Array) || slices.ContainsFunc(g.n.Assigns(r.Array), overwrites) {
			return false
		}
	}
	return true
}

// mostJammed is the number of rows, neighbors along the last loop but one, that may be computed together, a vector of each
// in turn.
func (g *generator) mostJammed() int {
	if len(g.n.Loops) < 2 || !g.evenRows() {
		return 0
	}
	w := &seqWriter{generator: g, live: g.findLive()}
	for _, rows := range groupRows {
		if w.jammable(rows - 1) {
			return rows
		}
	}
	return 0
}

// collects reports whether all iterations of a row write the same cell by statement k.
func (g *generator) collects(k int) bool {
	moves := func(sub ir.Affine) bool { return sub.Iter(len(g.n.Loops)-1) != 0 }
	return !slices.ContainsFunc(g.n.Body[k].(*ir.Assign).Subs, moves)
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
