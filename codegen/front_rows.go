package codegen

import (
	"math"
	"slices"

	"loopc/ir"
)

// rowsInOrder returns the most iterations that a vector may have in a kernel with lanes along the innermost loop, which computes row
// after row of entire arrays, or of strips; 1 if there can be no such kernel. Rows follow the order of the loops, so only two accesses
// to one cell in the same row matter. A vector executes each statement for all of its iterations before the next statement: if that
// reverses the two accesses, their iterations must be too far apart to be in one vector. A cell that all iterations of a row write
// may be read only by the statement that writes it: this statement collects values in the cell.
func (g *generator) rowsInOrder() (most int) {
	if slices.ContainsFunc(g.n.Body, func(s ir.Stmt) bool { return ir.MayFailBesideLookups(ir.Value(s)) }) {
		return 1
	}
	live, most, stored := g.findLive(), math.MaxInt, g.inMemory()
	for _, k := range g.l.Values {
		w := g.n.Body[k].(*ir.Assign)
		if !stored(w.Array) || !live[k] || len(w.Subs) == 0 {
			return 1
		}
		for _, by := range g.n.Assigns(w.Array) {
			if by > k {
				most = min(most, g.mostInOrder(w.Subs, k, by, true))
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
				return 1
			}
			continue
		}
		if g.beyond(r) || !stored(r.Array) {
			return 1
		}
		for _, by := range g.n.Assigns(r.Array) {
			own := by == s && g.collects(by) && slices.EqualFunc(r.Subs, g.n.Body[by].(*ir.Assign).Subs, ir.Affine.Equal)
			if !own {
				most = min(most, g.mostInOrder(r.Subs, s, by, false))
			}
		}
	}
	return most
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

// mostInOrder returns the most iterations that a vector may have if two accesses to one cell in a row must keep their order:
// statement s accesses the cell at subs, and statement writer writes it. If s writes it, too, s must be the earlier statement.
func (g *generator) mostInOrder(subs []ir.Affine, s, writer int, writes bool) (most int) {
	if !g.sameForm(subs, writer) {
		if g.n.NeverMeetInRow(subs, g.n.Body[writer].(*ir.Assign).Subs) {
			return math.MaxInt
		}
		return 1
	}
	apart, free, meet := g.between(subs, writer)
	last := len(apart) - 1
	for k := range last {
		meet = meet && (free[k] || apart[k] == 0)
	}
	if !meet {
		return math.MaxInt
	}
	if free[last] {
		return 1
	}
	clear(apart[:last])
	later := g.n.Steps(apart)[last] // iterations from the access to the write
	keeps := s <= writer            // of a read and a later write; a statement reads before it writes
	switch {
	case writes:
		keeps = later >= 0
	case later < 0:
		keeps = writer < s
	}
	if keeps {
		return math.MaxInt
	}
	return max(1, later, -later)
}
