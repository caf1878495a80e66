package vector

import (
	"math"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/transform/plan"
)

// AnalyzeRows returns the kernel of a nest that computes the rows of entire arrays one after the other, each with lanes along it,
// in the order of the loops; or nil, and why there is none. Coordinates are the loops, each counted in its own direction. The
// caller makes sure that a vector may compute one statement after the other: then reads find in the arrays what the loops as
// they are written would find. jam is how many rows may be computed together, a vector of each in turn; most is how many
// iterations a vector may have: an iteration may need, or overwrite, the result of the one that is most iterations before it.
func AnalyzeRows(n *ir.Nest, l *ir.Lowered, p *plan.Nest, live []bool, jam, most int) (s *Shape, why Refusal) {
	defer refusal(&why)
	own, dims := inOrder(n, l, p)
	x := &Shape{n: n, l: own, p: dims, live: live, last: len(dims.Dims) - 1, reads: map[int]access{}, entire: true, jam: jam, most: most}
	x.reductions(false)
	x.types(26)
	x.leaves()
	x.looksUpAgain()
	x.rows()
	x.findCollected()
	fewRows(len(x.Streams))
	return x, Refusal{}
}

// rows assigns streams to results and to reads, and chooses the order of lanes: that of the results in memory.
func (s *Shape) rows() {
	for v, stmt := range s.l.Values {
		w := s.n.Body[stmt].(*ir.Assign)
		along, ok := s.along(w.Subs, len(w.Subs)-1)
		if !ok {
			refuseAt(w.Span, "", "results are not neighbors in their array")
		}
		s.down = s.down || along < 0
		s.storeInArray(v, w, along)
	}
	s.eachRead(func(r *ir.Read, from ir.ReadFrom) {
		if back, ok := s.inRegister(r, from); ok {
			s.reads[r.ID] = access{stream: s.store[from.Value], back: back}
			return
		}
		if s.collectsIn(r) {
			return // in an accumulator
		}
		x, back := s.givenAccess(r)
		x.changes = len(s.n.Assigns(r.Array)) > 0
		s.reads[r.ID] = access{stream: s.stream(x), back: back}
	})
}

// inRegister reports whether a read is of a result that an earlier statement has computed a few iterations before, in
// the same row. Nothing else may write the array: then the cells of the first iterations are still those before the row.
func (s *Shape) inRegister(r *ir.Read, from ir.ReadFrom) (back int, ok bool) {
	if from.From != ir.FromBlock || from.Dist[:s.last].Sign() != 0 || !s.l.Abreast(s.n, r.ID) {
		return 0, false
	}
	by := s.n.Body[s.l.Values[from.Value]].(*ir.Assign)
	if len(s.n.Assigns(r.Array)) > 1 || len(s.p.Values[from.Value].Fallbacks) > 0 {
		return 0, false
	}
	moved := func(a, b ir.Affine) bool {
		a.Const = b.Const
		return a.Equal(b)
	}
	return from.Dist[s.last], slices.EqualFunc(r.Subs, by.Subs, moved)
}

// Rows reports whether the kernel is one of AnalyzeRows.
func (s *Shape) Rows() bool { return s.entire && s.Scheme == Contiguous }

// lanesAlong is 1 if lanes are in the order of iterations, or -1 in the opposite order.
func (s *Shape) lanesAlong() int {
	if s.down {
		return -1
	}
	return 1
}

// up moves the lanes of x to later iterations by k. The first k iterations get the lanes of the last k of vector earlier.
func (c *alongRow) up(m *asm.Machine, x, earlier asm.Reg, k int) asm.Reg {
	if c.s.down {
		return m.Up(earlier, x, c.Lanes()-k)
	}
	return m.Up(x, earlier, k)
}

// startIndex sets r to the values of an index in the lanes of a row's first vector. The word of the frame has the first value,
// and each iteration adds by.
func (c *alongRow) startIndex(r asm.Reg, first asm.Mem, by int) {
	c.BroadcastIndex(first, r)
	c.AddIndex(c.Each(4, func(l int) int {
		if c.s.down {
			l = c.Lanes() - 1 - l
		}
		return by * l
	}), r)
}

// firstIndex returns the index of a loop at the row's first iterations, the first one in the first lane.
func (c *alongRow) firstIndex(loop int) asm.Reg {
	k := c.s.indexOf(loop)
	by := c.s.Indices[k].ByColumn
	if !c.s.down || by == 0 {
		return c.index[k]
	}
	r := c.Index()
	c.MoveIndex(c.index[k], r)
	c.AddIndex(c.Each(4, func(l int) int { return by * (2*l + 1 - c.Lanes()) }), r)
	return r
}

// spacedOut reports whether iterations of a row need results of earlier ones, as many iterations before as a vector may have.
func (s *Shape) spacedOut() bool { return s.most > 0 && s.most < math.MaxInt }

// latencyReloaded is the latency from stores to a load of cells of two of them: it waits until the cache has both.
const latencyReloaded = 25.0

// latencyApart is the time of a vector of a row whose iterations need results of earlier ones: those of the vectors in between
// do not wait.
func (s *Shape) latencyApart(isa asm.ISA) float64 {
	if !s.spacedOut() {
		return 0
	}
	lanes, longest := isa.Bytes()/s.lane, 0.0
	for k, stmt := range s.n.Body {
		if s.live[k] {
			longest = max(longest, s.criticalPath(ir.Value(stmt)))
		}
	}
	reload := latencyReloaded
	if s.most%lanes == 0 {
		reload = asm.LatencyMemory
	}
	return (longest + reload) * float64(lanes) / float64(s.most)
}

// criticalPath is the latency of the critical path through the operations of e.
func (s *Shape) criticalPath(e ir.Expr) (longest float64) {
	for _, x := range ir.Operands(e) {
		longest = max(longest, s.criticalPath(x))
	}
	if len(ir.Operands(e)) > 0 {
		longest += latencyOf(e)
	}
	return longest
}
