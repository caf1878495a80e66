package vector

import (
	"maps"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
)

// A statement such as x[s] = max(x[s], y[j]) collects the values of a row in one cell. An accumulator has the cell's value
// while lanes lie along the row. Minima, maxima and sums of integers have the same bits in any order, so each lane collects on
// its own, and the lanes are combined at the end of the row. Sums and products of floats are rounded: their terms are
// computed in lanes, and then added one by one, in the order of iterations.

// A collected says how a statement collects the values of a row: operation after operation, each with the next term.
type collected struct {
	ops     []asm.Op
	terms   []ir.Expr
	elem    ir.Type
	ordered bool // the operations round
}

// collectsIn reports whether a read is of the cell in which its statement collects.
func (s *Shape) collectsIn(r *ir.Read) bool {
	w, ok := s.n.Body[s.n.ReadStmt[r.ID]].(*ir.Assign)
	if !ok || w.Array != r.Array || !slices.EqualFunc(w.Subs, r.Subs, ir.Affine.Equal) {
		return false
	}
	along, _ := s.along(w.Subs, len(w.Subs)-1)
	return along == 0
}

// findCollected finds how statements collect. It refuses a statement that writes one cell in all iterations of a row in any
// other way.
func (s *Shape) findCollected() {
	s.collected = map[int]*collected{}
	for v, k := range s.store {
		x := &s.Streams[k]
		if x.Along != 0 {
			continue
		}
		w := s.n.Body[s.l.Values[v]].(*ir.Assign)
		c := &collected{elem: x.Elem}
		if !c.find(w.Expr, s.collectsIn) || !c.fine() || x.Elem.Size() < 4 {
			refuseAt(w.Span, "", "all iterations of a row write the same cell")
		}
		s.collected[v] = c
	}
	if s.ordered() && !s.jammable(jams[len(jams)-1]) {
		refuse("sums in the order of a row wait for one another, and so do rows")
	}
}

// ordered reports whether a statement collects in the order of iterations. Then several rows are computed together: each sum of
// a row waits for the one before it.
func (s *Shape) ordered() bool {
	for _, c := range s.collected {
		if c.ordered {
			return true
		}
	}
	return false
}

// jammableRows does what jammable does, for rows of entire arrays.
func (s *Shape) jammableRows(rows int) bool {
	for _, a := range s.reads {
		if x := &s.Streams[a.stream]; x.written && a.back != 0 {
			return false
		}
	}
	strided := func(x Stream) bool { return x.Along == Strided }
	return s.ordered() && rows <= s.jam && !s.spacedOut() && !slices.ContainsFunc(s.Streams, strided) && len(s.n.Reduces()) == 0
}

// find appends the operations of e to those of c, the innermost first. It reports whether e consists of operations on the
// cell, which own recognizes, and on terms without the cell.
func (c *collected) find(e ir.Expr, own func(*ir.Read) bool) bool {
	has := func(e ir.Expr) (found bool) {
		ir.Walk(e, func(e ir.Expr) {
			r, ok := e.(*ir.Read)
			found = found || ok && own(r)
		})
		return found
	}
	var op asm.Op
	operands := ir.Operands(e)
	swaps := true
	switch e := e.(type) {
	case *ir.Read:
		return own(e)
	case *ir.Binary:
		if e.Op != ir.Add && e.Op != ir.Sub && e.Op != ir.Mul {
			return false
		}
		op, swaps = operations[e.Op], e.Op != ir.Sub
	case *ir.Call:
		if e.Fn != ir.Min && e.Fn != ir.Max {
			return false
		}
		op = map[ir.Func]asm.Op{ir.Min: asm.Min, ir.Max: asm.Max}[e.Fn]
	default:
		return false
	}
	at := slices.IndexFunc(operands, has)
	if at < 0 || at > 0 && !swaps || e.Type() != c.elem || !c.find(operands[at], own) {
		return false
	}
	for k, term := range operands {
		if k != at {
			if has(term) {
				return false
			}
			c.ops, c.terms = append(c.ops, op), append(c.terms, term)
		}
	}
	return true
}

// fine reports whether lanes can compute the operations, and decides on their order.
func (c *collected) fine() bool {
	only := func(ops ...asm.Op) bool {
		return !slices.ContainsFunc(c.ops, func(op asm.Op) bool { return !slices.Contains(ops, op) })
	}
	if only(asm.Min) || only(asm.Max) {
		return true
	}
	c.ordered = c.elem.Float()
	return only(asm.Add, asm.Sub) || c.ordered && only(asm.Add, asm.Sub, asm.Mul)
}

// latency is the time in cycles that a step with so many lanes waits for the one before it.
func (c *collected) latency(lanes int) float64 {
	n := float64(len(c.ops))
	switch {
	case c.ordered:
		return n * float64(lanes) * asm.LatencyFloat
	case c.elem.Float():
		return n * asm.LatencyMinMax
	}
	return n * asm.LatencyLogic
}

// latencyOfRows is the latency of a row if so many are computed together, of which each waits only for itself.
func (s *Shape) latencyOfRows(one asm.Bound, jam int) asm.Bound {
	if s.entire && jam > 0 {
		for k := range one {
			one[k] /= float64(jam)
		}
	}
	return one
}

// reserveCollected reserves the stack for the terms of sums in order, of so many rows.
func (c *alongRow) reserveCollected(rows int) {
	c.terms = map[int]int{}
	for _, v := range slices.Sorted(maps.Keys(c.s.collected)) {
		if x := c.s.collected[v]; x.ordered {
			c.terms[v] = c.Reserve(rows * len(x.terms) * c.Bytes())
		}
	}
}

// beginCollected sets the accumulators at the beginning of a row. place returns the cell of a stream.
func (c *alongRow) beginCollected(place func(k int) asm.Mem) {
	c.collecting = map[int]asm.Reg{}
	for _, v := range slices.Sorted(maps.Keys(c.s.collected)) {
		x := c.s.collected[v]
		m := c.of(x.elem)
		if x.sums() {
			r := m.Vec()
			m.Zero(r, false)
			c.collecting[v] = r
			continue
		}
		c.collecting[v] = m.Broadcast(place(c.s.store[v]))
	}
}

// sums reports whether lanes add up integers, each beginning with 0.
func (c *collected) sums() bool {
	return !c.ordered && slices.ContainsFunc(c.ops, func(op asm.Op) bool { return op == asm.Add || op == asm.Sub })
}

// collect writes the statement of value v for a step, if it collects.
func (c *alongRow) collect(b *body, v int) bool {
	x := c.s.collected[v]
	if x == nil {
		return false
	}
	m, into, at := c.of(x.elem), c.collecting[v], c.terms[v]
	if c.group != nil {
		at += c.group.row * len(x.terms) * c.Bytes()
	}
	for k, term := range x.terms {
		lanes, op := m.Load(b.as(x.elem).expr(term)), x.ops[k]
		switch {
		case x.ordered:
			m.Move(lanes, c.Local(at+k*c.Bytes()))
			continue
		case c.tails && x.sums():
			lanes = m.Choose(c.mask(m, c.s.lanesAlong(), 0), lanes, m.Splat(0))
		}
		if x.sums() {
			m.Into(op, false, into, lanes, into)
			continue
		}
		all := m.Least(op, x.elem.Float(), into, lanes)
		if c.tails {
			all = m.Choose(c.mask(m, c.s.lanesAlong(), 0), all, into)
		}
		m.Move(all, into)
	}
	if x.ordered {
		c.pending = append(c.pending, termsOf{x, into, at})
	}
	return true
}

// A termsOf is what a statement collects in order in a step: its terms are on the stack.
type termsOf struct {
	*collected
	into asm.Reg
	at   int // of the terms
}

// collectInOrder collects the terms of a step, or of a step of each row of a group, in the order of iterations. Sums that do not wait for
// one another alternate.
func (c *alongRow) collectInOrder() {
	if len(c.pending) == 0 {
		return
	}
	done := c.NewLabel("summed")
	for l := range c.Lanes() {
		if c.tails && l > 0 {
			c.JumpIf(c.count, asm.Le, asm.Int(l), done)
		}
		if c.s.down {
			l = c.Lanes() - 1 - l
		}
		more := true
		for k := 0; more; k++ {
			more = false
			for _, t := range c.pending {
				if m := c.of(t.elem); k < len(t.ops) {
					m.Lowest(t.ops[k], t.into, c.Local(t.at+k*c.Bytes()+l*m.LaneSize()))
					more = true
				}
			}
		}
	}
	c.Label(done)
	c.pending = nil
}

// endCollected stores what a row has collected. place returns the cell of a stream.
func (c *alongRow) endCollected(place func(k int) asm.Mem) {
	for _, v := range slices.Sorted(maps.Keys(c.s.collected)) {
		x, lanes, cell := c.s.collected[v], c.collecting[v], place(c.s.store[v])
		m := c.of(x.elem)
		for n := c.Lanes() / 2; n > 0 && !x.ordered && len(x.ops) > 0; n /= 2 {
			other := m.Up(lanes, lanes, n)
			if x.sums() {
				lanes = m.Binary(asm.Add, false, lanes, other)
			} else {
				lanes = m.Least(x.ops[0], x.elem.Float(), lanes, other)
			}
		}
		if x.sums() {
			lanes = m.Binary(asm.Add, false, lanes, m.Broadcast(cell))
		}
		m.StoreLane(lanes, 0, cell)
	}
}
