package vector

import (
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/transform/plan"
)

// In entire arrays, lanes across rows compute in the order of the loops: see AnalyzeFront. Coordinates are then the
// loops, each counted in its own direction, and the rows of a group are neighbors along the last loop but one. Reads
// of results from the same group come from registers. All other reads take what the arrays hold.

// AnalyzeFront returns the kernel of a nest with lanes across rows of entire arrays, each of which is skewed by the
// given number of columns against the row before; or nil, and why there is none. The caller makes sure that each read
// finds in the array what the loops as they are written would find there.
func AnalyzeFront(n *ir.Nest, l *ir.Lowered, p *plan.Nest, live []bool, skew int) (s *Shape, why Refusal) {
	defer refusal(&why)
	own, dims := inOrder(n, l, p)
	x := &Shape{n: n, l: own, p: dims, live: live, last: len(dims.Dims) - 1, reads: map[int]access{}, Scheme: Wavefront, widens: true, entire: true, front: true, skew: skew}
	x.reductions(false)
	x.fronts()
	return x, Refusal{}
}

// inOrder returns l and p with the loops, each counted in its own direction, as coordinates.
func inOrder(n *ir.Nest, l *ir.Lowered, p *plan.Nest) (*ir.Lowered, *plan.Nest) {
	own, dims, shift := &ir.Lowered{Levelled: l.Levelled, Values: l.Values, Dead: l.Dead, Reads: slices.Clone(l.Reads)}, *p, len(p.Dims)-n.Depth()
	dims.Dims = slices.Clone(p.Dims[:shift])
	for x := range p.Dims {
		row := make([]int, len(p.Dims))
		if row[x] = 1; x >= shift {
			row[x] = n.Loops[x-shift].Step()
			dims.Dims = append(dims.Dims, n.Loops[x-shift].Name)
		}
		own.Skew = append(own.Skew, row)
	}
	own.Unskew, dims.Skew = own.Skew, own.Skew
	for k, r := range l.Reads {
		if r.From != ir.FromBlock {
			continue
		}
		at := make(ir.Vec, len(p.Dims))
		for x, row := range l.Unskew {
			for y, c := range row {
				at[x] += c * r.Dist[y]
			}
		}
		own.Reads[k].Dist = append(at[:shift], n.Steps(at[shift:])...)
	}
	return own, &dims
}

// looksUpAgain refuses cells that are looked up, unless Go finds the same wrong subscripts afterwards.
func (s *Shape) looksUpAgain() {
	if at, again := s.LooksUp(); at != "" && !again {
		refuse("cells are looked up at results")
	}
	for _, a := range s.Tables() {
		if s.p.Arrays[a].RowDim != 0 {
			refuse("cells of %s, whose rows are columns, are looked up", s.n.Arrays[a].Name)
		}
	}
}

// fronts chooses lanes and streams.
func (s *Shape) fronts() {
	s.types(26)
	s.leaves()
	if !s.n.InBatch() && s.Checks() {
		refuse("cells are looked up, not in a batch")
	}
	s.looksUpAgain()
	for v, stmt := range s.l.Values {
		w := s.n.Body[stmt].(*ir.Assign)
		along, ok := s.along(w.Subs, len(w.Subs)-1)
		if !ok || along == 0 {
			refuse("results are not neighbors in their array")
		}
		s.storeInArray(v, w, along)
	}
	wide := map[int]ir.Type{} // reads that lanes convert
	s.each(func(e ir.Expr) {
		if c, ok := e.(*ir.Convert); ok {
			if r := s.widened(c); r != nil {
				wide[r.ID] = c.T
			}
		}
	})
	uses := map[int][]use{}
	s.eachRead(func(r *ir.Read, from ir.ReadFrom) {
		if from.From == ir.FromBlock && from.Dist[:s.last-1].Sign() == 0 {
			uses[s.store[from.Value]] = append(uses[s.store[from.Value]], use{r.ID, from.Dist[s.last-1], from.Dist[s.last]})
			return
		}
		k, row, col := s.inMemory(r, wide[r.ID])
		uses[k] = append(uses[k], use{r.ID, row, col})
	})
	for k := range s.Streams {
		s.hasLanes(&s.Streams[k])
	}
	s.assign(uses)
	fewRows(len(s.Streams))
}

// storeInArray gives value v a stream in the array to which w assigns.
func (s *Shape) storeInArray(v int, w *ir.Assign, along int) {
	s.back = append(s.back, -1)
	s.store = append(s.store, s.stream(Stream{Memory: Live, Value: v, Array: w.Array, Subs: w.Subs, Elem: s.n.Arrays[w.Array].Elem, Along: along, written: true, self: v}))
}

// hasLanes refuses a stream whose cells cannot be brought into lanes.
func (s *Shape) hasLanes(x *Stream) {
	switch {
	case !x.narrow(s):
	case s.lane == 4 && short(x.Elem):
	case s.lane == 8 && x.as != ir.Invalid && (x.as == ir.Int64 || x.Elem.Float() || x.Elem.Size() < 4 || !unsigned(x.Elem)): // an int32 has all values
	default:
		refuse("%s values are wider or narrower than the results", x.Elem)
	}
}

// narrow reports whether cells are narrower than lanes.
func (x *Stream) narrow(s *Shape) bool { return x.Elem.Size() != s.lane }

// nearRows is the greatest distance of rows that share a stream.
const nearRows = 3

// inMemory returns the stream of a read of an array, and how many rows and columns before the iteration its cell is.
// Rows of the array that are near one another share a stream, as columns do.
func (s *Shape) inMemory(r *ir.Read, as ir.Type) (k, row, col int) {
	s.readsRow(r)
	x, col := s.givenAccess(r)
	x.as = as
	if m, c := s.rowSub(x.Subs, r.Array); m >= 0 && x.Along != 0 && abs(x.Subs[m].Const) <= nearRows {
		row, x.Subs[m].Const = -c*x.Subs[m].Const, 0
	}
	return s.stream(x), row, col
}

// rowSub is the subscript that moves from row to row alone, and by how many cells, 1 or -1; m is -1 if there is none.
func (s *Shape) rowSub(subs []ir.Affine, array int) (m, c int) {
	m = -1
	for k, sub := range subs {
		by := s.Coefficient(sub, s.last-1)
		if by == 0 {
			continue
		}
		if m >= 0 || by > 1 || by < -1 || k == s.rowDim(array) || s.Coefficient(sub, s.last) != 0 {
			return -1, 0
		}
		m, c = k, by
	}
	return m, c
}

// Cell returns the array of a stream, and the subscripts of its cell at an iteration.
func (s *Shape) Cell(k int) (array int, subs []ir.Affine) {
	x := &s.Streams[k]
	return x.Array, x.Subs
}

// Above is the number of rows before the first row of a group that the vectors of stream k need.
func (s *Shape) Above(k int) int { return s.Streams[k].shift }

// Before is the number of steps of a group before that of its first iteration: results of the first step may need them.
func (s *Shape) Before() (steps int) {
	for k := range s.Streams {
		steps = max(steps, s.Streams[k].history)
	}
	return steps
}

// loadCells loads a vector of a stream's cells; those for which c holds, if c is not 0. Narrow cells are widened.
func (f *front) loadCells(x *Stream, at asm.Mem, c asm.Reg) asm.Reg {
	m := f.Machine
	if x.narrow(f.s) {
		m = f.In(x.Elem.Size(), unsigned(x.Elem))
	}
	var v asm.Reg
	if c != 0 {
		v = m.LoadMasked(at, c)
	} else {
		v = m.Load(at)
	}
	size := x.Elem.Size()
	switch {
	case !x.narrow(f.s):
		return v
	case x.Elem.Float():
		return f.FromFloats(v)
	case x.as == ir.Float64:
		if size < 4 {
			v = f.In(4, false).Widen(v, size, unsigned(x.Elem))
		}
		return f.FromIndex(v)
	}
	return f.Widen(v, size, unsigned(x.Elem))
}

// storeCells does the opposite of loadCells.
func (f *front) storeCells(x *Stream, v asm.Reg, c asm.Reg, at asm.Mem) {
	m := f.Machine
	if x.narrow(f.s) {
		m = f.In(x.Elem.Size(), unsigned(x.Elem))
		v = m.Narrow(v, f.LaneSize())
	}
	if c != 0 {
		m.StoreMasked(v, c, at)
	} else {
		m.Move(v, at)
	}
}

// copyNarrow copies vectors of narrow cells from rows in memory to the square on the stack if in is set,
// and back otherwise. The first row is at address p, the next ones at distances of by (a number of bytes).
func (f *front) copyNarrow(x *Stream, p, by asm.Reg, in bool) {
	for l := range f.all() {
		tile := f.Local(f.tile + l*f.Bytes())
		if in {
			f.Move(f.loadCells(x, asm.Mem{Base: p}, 0), tile)
		} else {
			f.storeCells(x, f.Load(tile), 0, asm.Mem{Base: p})
		}
		f.AddTo(by, p)
	}
}

// fits reports whether the vectors of an instruction set suit the dependences. Across rows, no dependence may span more than a
// vector, and narrow cells need masks. Along rows, a vector may have at most s.most iterations.
func (s *Shape) fits(isa asm.ISA) bool {
	lanes := isa.Bytes() / s.lane
	if !s.front {
		return !s.spacedOut() || lanes <= s.most
	}
	return !slices.ContainsFunc(s.Streams, func(x Stream) bool {
		return x.history > lanes || x.shift >= lanes || x.narrow(s) && isa == asm.AVX2
	})
}
