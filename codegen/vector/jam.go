package vector

import (
	"maps"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// If rows need the rows above them at the same column only, as those of the accumulator in
// C[i,j] = C[i,j] + A[i,k]*B[k,j] do, the kernel computes several rows together, a vector of each in
// turn (unroll and jam). A result then reaches the rows below in a register. What a row reads at one
// cell only is loaded once for all vectors of the row.
//
// If all rows of a group write the same cells, as they may in the caller's arrays, only the last row stores its results.
// If a level has one row, the rows that are computed together in entire arrays are levels.

// jams are the numbers of rows that are computed together, the best first.
var jams = []int{4, 2}

// jammable reports whether the given number of rows may be computed together, and whether some
// result then stays in a register. When a vector of row r is computed, the rows above it in the group are
// complete up to the columns of this vector, and no further. So row r must not read later columns of these
// rows, nor overwrite cells that they have yet to read. In skewed storage, no later column reads an
// overwritten cell, because the offset is the longest distance along each dimension
// (plan.Plan.StorageOffset). In a compressed grid, a later column may.
func (s *Shape) jammable(rows int) bool {
	if s.entire {
		return s.jammableRows(rows)
	}
	if s.Scheme != Contiguous || len(s.Ends) > 0 || s.widens || s.long() || s.p.Whole && !s.p.InPlace || len(s.n.Reduces()) > 0 || s.last < 2 && !s.levelsMayJam() {
		return false
	}
	carries := false
	if slices.ContainsFunc(s.Streams, func(x Stream) bool { return x.Along == Strided }) {
		return false
	}
	for _, a := range s.reads {
		x := &s.Streams[a.stream]
		switch {
		case x.Memory == Given && s.returnsAtOnce(x.Array), x.written && x.Memory == Live && a.back != 0:
			return false
		case s.above(x) > 0 && s.above(x) < rows:
			if a.back != 0 {
				return false
			}
			carries = true
		}
	}
	return carries
}

// levelsMayJam reports whether levels of one row each may be computed together in entire arrays: those that follow do not
// overwrite cells that an iteration has yet to read.
func (s *Shape) levelsMayJam() bool {
	if s.last < 1 || s.l.Levelled || kernel.NewRotating(s.p) != nil || slices.ContainsFunc(kernel.Slopes(s.p), func(c int) bool { return c != 0 }) {
		return false
	}
	// A cell is overwritten in the column in which it is read, which the levels pass in their order.
	column := func(a, b ir.Affine) bool {
		along := s.Coefficient(a, s.last) != 0 || s.Coefficient(b, s.last) != 0
		return !along || sameSubs([]ir.Affine{a}, []ir.Affine{b})
	}
	fine := true
	s.eachRead(func(r *ir.Read, from ir.ReadFrom) {
		for _, by := range s.n.Assigns(r.Array) {
			to := s.n.Body[by].(*ir.Assign).Subs
			if from.From == ir.FromInitial && !slices.EqualFunc(r.Subs, to, column) && !s.n.NeverMeet(r.Subs, to) {
				fine = false
			}
		}
	})
	return fine
}

// stays reports whether the results of a written stream overwrite the same cells in all rows, if these are cells of the
// caller's array.
func (s *Shape) stays(x *Stream) bool {
	if !x.written || s.entire { // the rows below read the cells in memory
		return false
	}
	subs := x.Subs
	if x.Memory == Live {
		subs = s.n.Body[s.l.Values[x.Value]].(*ir.Assign).Subs
	}
	return !s.movesByRow(subs)
}

// movesByRow reports whether subscripts change from row to row.
func (s *Shape) movesByRow(subs []ir.Affine) bool {
	return slices.ContainsFunc(subs, func(sub ir.Affine) bool { return s.Coefficient(sub, s.last-1) != 0 })
}

// returnsAtOnce reports whether results are stored in a returned array when they are computed.
func (s *Shape) returnsAtOnce(array int) bool {
	for k := range s.Streams {
		if x := &s.Streams[k]; x.Memory == Result && x.Array == array {
			return true
		}
	}
	return false
}

// above is the number of rows from those of a stream to the row that reads it, if the stream has results
// of the plane that is being computed; otherwise 0.
func (s *Shape) above(x *Stream) int {
	if x.Memory != Live || x.written || x.Dist[:s.last-1].Sign() != 0 {
		return 0
	}
	return x.Dist[s.last-1]
}

// A group is the state of rows that are computed together.
type group struct {
	row      int                   // of the group, being written
	results  []map[int]asm.Reg     // of each row above, the vectors of this step, by stream
	first    []map[int]asm.Reg     // of each row, what it reads at one cell only, by stream
	loaded   map[access]asm.Reg    // the vectors of this step that all rows read
	pointers [][]asm.Reg           // by row and stream
	index    [][]asm.Reg           // by row, as Indices
	values   []map[ir.Expr]asm.Reg // by row, as alongRow.values
	collects []map[int]asm.Reg     // by row, as alongRow.collecting
	once     bool                  // only the last row stores the results of streams that stay
}

// jammed writes the loops over groups of rows. Rows that are left, fewer than a group, remain to be
// computed: the frame is that of these rows. At most ofRow values of all rows of a group stay in registers.
func (c *alongRow) jammed(rows, ofRow int) {
	s := c.s
	each, left := c.NewLabel("each"), c.NewLabel("left")
	stay := false
	for k := range s.Streams {
		if s.stays(&s.Streams[k]) {
			c.JumpIf(c.Word(s.FrameStep(k)), asm.Ne, asm.Imm(0), each)
			stay = true
		}
	}
	if stay {
		c.groups(rows, ofRow, true)
		c.Jump(left)
		c.Label(each)
	}
	c.groups(rows, ofRow, false)
	if stay {
		c.Label(left)
	}
}

// groups writes a loop over groups of rows. once says that streams that stay have steps of 0.
func (c *alongRow) groups(rows, ofRow int, once bool) {
	s := c.s
	more, rest := c.NewLabel("group"), c.NewLabel("rest")
	c.Label(more)
	c.JumpIf(c.Word(FrameRows), asm.Lt, asm.Int(rows), rest)
	g := &group{once: once}
	c.group = g
	for range rows {
		g.first = append(g.first, map[int]asm.Reg{})
		g.pointers = append(g.pointers, make([]asm.Reg, len(s.Streams)))
		g.index = append(g.index, make([]asm.Reg, len(s.Indices)))
	}
	for k := range s.Streams {
		if !c.idle(k) && s.collected[slices.Index(s.store, k)] == nil {
			c.groupPointers(g, k)
		}
	}
	place := func(u int) func(k int) asm.Mem { // of the cells in which row u collects; pointers would need registers
		return func(k int) asm.Mem {
			at := c.General()
			c.Copy(c.Word(s.FrameStep(k)), at)
			c.Scaled(u, at, at)
			c.AddTo(c.Word(s.FrameAt(k)), at)
			return asm.Mem{Base: at}
		}
	}
	for u := range rows {
		for k, i := range s.Indices {
			g.index[u][k] = c.Index()
			c.startIndex(g.index[u][k], c.Word(s.FrameIndex(k)), i.ByColumn)
			c.addIndex(g.index[u][k], u*i.ByRow)
		}
		g.row, c.pointers, c.index = u, g.pointers[u], g.index[u]
		c.beginCollected(place(u))
		g.collects = append(g.collects, c.collecting)
		g.values = append(g.values, c.rowValues(ofRow/rows))
	}
	c.x, c.left = c.General(), c.General()
	c.beginRow()
	vectors, tail, next := c.NewLabel("columns"), c.NewLabel("ends"), c.NewLabel("below")
	c.JumpIf(c.left, asm.Lt, asm.Int(c.Lanes()), tail)
	c.Label(vectors)
	from := c.Mark()
	c.columns(g)
	for u := range rows {
		for k, i := range s.Indices {
			c.addIndex(g.index[u][k], i.ByColumn*c.Lanes())
		}
	}
	c.advance(1)
	c.JumpIf(c.left, asm.Ge, asm.Int(c.Lanes()), vectors)
	if (s.last > 1 || s.entire) && !once && !c.merged {
		c.cost.Count(c.Machine, from, c.Mark(), 1/float64(rows))
	}
	c.Label(tail)
	c.JumpIf(c.left, asm.Eq, asm.Imm(0), next)
	c.tails, c.masks = true, map[maskKey]asm.Reg{}
	c.columns(g)
	c.tails = false
	c.Label(next)
	step := c.General()
	for u := range rows {
		c.collecting = g.collects[u]
		c.endCollected(place(u))
	}
	for k := range s.Streams {
		if c.idle(k) {
			continue
		}
		c.Copy(c.Word(s.FrameStep(k)), step)
		c.Scaled(rows, step, step)
		c.AddTo(step, c.Word(s.FrameAt(k)))
	}
	for k, i := range s.Indices {
		if i.ByRow != 0 {
			c.AddTo(asm.Int(rows*i.ByRow), c.Word(s.FrameIndex(k)))
		}
	}
	c.SubFrom(asm.Int(rows), c.Word(FrameRows))
	c.Jump(more)
	c.Label(rest)
	c.group = nil
}

// groupPointers sets the pointers of a group to the rows of stream k, or loads what each row reads of it at
// one cell only.
func (c *alongRow) groupPointers(g *group, k int) {
	x := &c.s.Streams[k]
	above, still := c.s.above(x), c.s.still(x)
	var at asm.Reg
	for u := range g.pointers {
		if above > 0 && u >= above {
			break // in registers
		}
		if u > 0 && still {
			g.pointers[u][k], g.first[u][k] = at, g.first[0][k]
			continue
		}
		before := at
		at = c.General()
		if u == 0 {
			c.Copy(c.Word(c.s.FrameAt(k)), at)
		} else {
			c.Copy(before, at)
			c.AddTo(c.Word(c.s.FrameStep(k)), at)
		}
		g.pointers[u][k] = at
		if x.Along == 0 && !x.written {
			g.first[u][k] = c.of(x.Elem).Broadcast(asm.Mem{Base: at})
		}
	}
}

// still reports whether all rows of a group read the same cells of a stream.
func (s *Shape) still(x *Stream) bool {
	return x.Memory == Given && !s.movesByRow(x.Subs)
}

// columns writes the body for one vector of each row of the group.
func (c *alongRow) columns(g *group) {
	g.results, g.loaded = nil, map[access]asm.Reg{}
	for g.row = range g.pointers {
		c.pointers, c.index, c.values, c.collecting = g.pointers[g.row], g.index[g.row], g.values[g.row], g.collects[g.row]
		c.step()
		g.results = append(g.results, maps.Clone(c.current))
	}
	c.collectInOrder()
}

// stores reports whether the row that is being written stores the results of stream k.
func (c *alongRow) stores(k int) bool {
	g := c.group
	return !c.idle(k) && (g == nil || !g.once || g.row == len(g.pointers)-1 || !c.s.stays(&c.s.Streams[k]))
}

// held returns the lanes of a read that are in a register because rows are computed together.
func (c *alongRow) held(a access) (lanes asm.Reg, ok bool) {
	g := c.group
	if g == nil {
		return 0, false
	}
	x := &c.s.Streams[a.stream]
	if above := c.s.above(x); above > 0 && g.row >= above {
		lanes, ok = g.results[g.row-above][c.s.store[x.Value]]
		return lanes, ok
	}
	if lanes = g.first[g.row][a.stream]; lanes != 0 {
		return lanes, true
	}
	if !c.s.still(x) || x.changes || c.tails {
		return 0, false
	}
	if g.loaded[a] == 0 {
		m := c.of(x.Elem)
		g.loaded[a] = m.Load(c.inOrder(m, x.Along, m.Load(c.cell(a.stream, a.back))))
	}
	return g.loaded[a], true
}
