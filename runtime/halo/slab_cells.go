package halo

import (
	"slices"
	"unsafe"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// bytes returns cells as bytes.
func bytes[T int32 | int64](cells []T) []byte {
	var cell T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(cells))), len(cells)*int(unsafe.Sizeof(cell)))
}

// fillLanes gives the locations of chain c's row outside the iteration space, of
// value v, the initial content of their cells.
func (r *slabs[T]) fillLanes(c *chain[T], v int) {
	val := &r.p.Nest.Values[v]
	if len(val.Need) == 0 {
		return
	}
	cells, at, step := r.fillPlace(c, v)
	switch initial := r.p.Nest.Arrays[val.Array].Initial; {
	case initial == plan.Given:
		r.copyGiven(c, v, cells, at, step)
		return
	case initial == plan.Computed && r.whole && r.compute(c, v, cells, at, step):
		return
	}
	for _, run := range c.outside {
		c.row[0] = c.level + run.l
		to := at + (r.Skew*run.l-c.shift)*step + r.Seat(run.l)
		lo, hi := run.lo+c.shift, run.hi+c.shift
		if !r.whole {
			// Content is computed from cells that this rank has only where an iteration
			// of the tile reads it: the span must not be too long.
			r.w.walk.Span(c.row, r.c0, r.c1)
			from, end := r.w.walk.Needed(v, c.row)
			lo, hi = max(lo, from), min(hi, end)
		}
		r.filled(hi - lo + 1)
		r.w.fill.initialTo(v, c.row, lo, hi, bytes(cells), to, step)
	}
}

// filled counts exterior cells that are filled.
func (r *slabs[T]) filled(cells int) {
	if r.w.counts != nil {
		r.w.counts.Filled += max(0, cells)
	}
}

// A cellRun is columns of a row of lane l.
type cellRun struct{ l, lo, hi int }

// A cellBlock is runs of lanes that follow one another, each of which is shifted by as
// many columns.
type cellBlock struct {
	cellRun     // of the first lane
	lanes, rise int
}

// within returns the part of b in lanes bottom to top.
func (b cellBlock) within(bottom, top int) cellBlock {
	skip := max(0, bottom-b.l)
	b.lanes = min(b.lanes, top-b.l+1) - skip
	b.l, b.lo, b.hi = b.l+skip, b.lo+skip*b.rise, b.hi+skip*b.rise
	return b
}

// joins adds a run to b if that leaves it a block.
func (b *cellBlock) joins(run cellRun) bool {
	if run.l != b.l+b.lanes || run.hi-run.lo != b.hi-b.lo {
		return false
	}
	if b.lanes == 1 {
		b.rise = run.lo - b.lo
	}
	if run.lo != b.lo+b.lanes*b.rise {
		return false
	}
	b.lanes++
	return true
}

// outsideCells are the needed cells of a value outside of the iteration space that are
// cells of the array, as far as its dimensions along which rows go say. They stay the
// same from row to row, most often.
type outsideCells struct {
	known  bool
	index  []int // along such dimensions: of lane 0 at column shift of the chain
	blocks []cellBlock
}

// outsideBlocks lists the cells of value v outside the iteration space in chain c's
// row, as far as they lie in the array's box least..most: most often a cell or two
// of each lane. r.index is the cell of lane 0 at column c.shift.
func (r *slabs[T]) outsideBlocks(c *chain[T], v int, least, most []int) []cellBlock {
	forms, cells := r.w.arrays.cells[v], &c.cells[v]
	c.row[0] = c.level
	bottom, top := 0, c.count-1 // lanes whose rows lie in the box
	for m := range forms {
		at, along := forms[m].along(c.row)
		if along == 0 {
			bottom, top = clip(at, forms[m].a[0], least[m], most[m], bottom, top)
		} else {
			at += along * c.shift
			cells.known = cells.known && cells.index[m] == at
		}
		r.index[m] = at
	}
	if !cells.known {
		cells.known, cells.blocks = true, cells.blocks[:0]
		copy(cells.index, r.index)
		for _, run := range c.outside {
			for m := range forms {
				if f := &forms[m]; f.last != 0 {
					run.lo, run.hi = clip(r.index[m]+run.l*f.a[0], f.last, least[m], most[m], run.lo, run.hi)
				}
			}
			if run.lo <= run.hi {
				cells.add(run)
			}
		}
	}
	if bottom == 0 && top == c.count-1 {
		return cells.blocks
	}
	r.blocks = r.blocks[:0]
	for _, b := range cells.blocks {
		if b = b.within(bottom, top); b.lanes > 0 {
			r.blocks = append(r.blocks, b)
		}
	}
	return r.blocks
}

// add adds a run to one of the last two blocks, on the left and on the right of the
// rows, or to a new one.
func (s *outsideCells) add(run cellRun) {
	for k := max(0, len(s.blocks)-2); k < len(s.blocks); k++ {
		if s.blocks[k].joins(run) {
			return
		}
	}
	s.blocks = append(s.blocks, cellBlock{run, 1, 0})
}

// copyGiven is fillLanes for a given array.
func (r *slabs[T]) copyGiven(c *chain[T], v int, cells []T, at, step int) {
	view := &r.w.fields.Given[r.p.Nest.Values[v].Array]
	src := array.Cast[T](view.Data)
	blocks := r.outsideBlocks(c, v, view.Lo, view.Hi)
	from0, rise, by := 0, 0, 0 // the cell of column c.shift in lane 0; from a lane to the next; from a column to the next
	for m := range r.w.arrays.cells[v] {
		f := &r.w.arrays.cells[v][m]
		from0 += (r.index[m] - view.Lo[m]) * view.Stride[m]
		rise += f.a[0] * view.Stride[m]
		by += f.last * view.Stride[m]
	}
	wide := by == 1 && slices.ContainsFunc(blocks, func(b cellBlock) bool { return b.hi-b.lo >= r.Count })
	if wide {
		r.noRows()
	}
	for _, b := range blocks {
		r.filled(b.lanes * (b.hi - b.lo + 1))
		width, from, to := b.hi-b.lo+1, from0+b.l*rise+b.lo*by, at+(b.lo+r.Skew*b.l)*step+r.Seat(b.l)
		for l := range b.lanes {
			if wide && width > r.Count && len(r.laceRows[r.Seat(b.l+l)].Cells) == 0 {
				r.laceRow(b.l+l, b.lo+l*b.rise, src[from:from+width])
			} else {
				for x := range width {
					cells[to+x*step] = src[from+x*by]
				}
			}
			from += rise + b.rise*by
			to += (b.rise+r.Skew)*step - 1
		}
	}
	if wide {
		r.laceIn(cells, at, step)
	}
}

// compute is fillLanes for an array whose content is computed. It returns false
// where a row does not go through the array's cells one by one along a dimension.
func (r *slabs[T]) compute(c *chain[T], v int, cells []T, at, step int) bool {
	w := r.w
	a, forms, dim := r.p.Nest.Values[v].Array, w.arrays.cells[v], -1
	for m := range forms {
		if last := forms[m].last; last != 0 {
			if dim >= 0 || last != 1 {
				return false
			}
			dim = m
		}
	}
	cell, dst := w.fill.cell[:len(forms)], bytes(cells)
	for _, b := range r.outsideBlocks(c, v, w.arrays.least[a], w.arrays.most[a]) {
		r.filled(b.lanes * (b.hi - b.lo + 1))
		at, rise := at+(b.lo+r.Skew*b.l)*step+r.Seat(b.l), (b.rise+r.Skew)*step-1
		width := b.hi - b.lo + 1
		if up, ok := upDim(forms, b.rise); ok && width < b.lanes {
			for x := range width { // columns are longer than rows
				r.cellAt(cell, forms, dim, b.l, b.lo+x)
				w.kernel.Init(a, cell, up, b.lanes, dst, at+x*step, rise)
			}
			continue
		}
		for l := range b.lanes {
			r.cellAt(cell, forms, dim, b.l+l, b.lo+l*b.rise)
			w.kernel.Init(a, cell, dim, width, dst, at+l*rise, step)
		}
	}
	return true
}

// cellAt writes the cell of lane l at column c.shift + x, along dimension dim, to cell.
func (r *slabs[T]) cellAt(cell []int, forms []form, dim, l, x int) {
	for m := range cell {
		cell[m] = r.index[m] + l*forms[m].a[0]
	}
	if dim >= 0 {
		cell[dim] += x
	}
}

// upDim returns the dimension of an array along which a level's cell, some columns
// further, is the one after that of the level before, -1 if it is the same one; false if
// it is neither.
func upDim(forms []form, columns int) (dim int, ok bool) {
	dim = -1
	for m := range forms {
		if rise := forms[m].a[0] + forms[m].last*columns; rise != 0 {
			if dim >= 0 || rise != 1 {
				return 0, false
			}
			dim = m
		}
	}
	return dim, true
}

// give copies the results of chain c's row that are final to the array given back.
func (r *slabs[T]) give(c *chain[T], v int) {
	w := r.w
	if r.keepsSome(c, v) && r.giveRows(c, v) {
		return
	}
	cells, at, step := r.place(c, v)
	for l := range c.count {
		if s := &c.span[l]; s.lo <= s.hi && c.final[v][l] {
			copy(w.q, c.row)
			w.q[0] = c.level + l
			from := rowCells{bytes(cells), at + (r.Skew*l-c.shift)*step + r.Seat(l), step}
			if r.inPlane(c, v, l) {
				from = rowCells{bytes(r.planes[v]), r.plane(r.tops(c)-l, c.number), 1}
			}
			w.back.final(v, from, w.q, s.lo+c.shift, s.hi+c.shift)
		}
	}
}

// keepsSome reports whether some results of value v that may be final are not in planes: if
// all are, the row may not be there.
func (r *slabs[T]) keepsSome(c *chain[T], v int) bool {
	for l := range c.count {
		if c.final[v][l] && !r.inPlane(c, v, l) {
			return true
		}
	}
	return false
}

// inPlane reports whether the results of value v in lane l of chain c are in a plane, one
// beside the other and as they are, when it has computed a row. (In a nest of two loops the chain after it
// has written over them.) A chain does not write planes that only statements read of
// which nothing comes: the nest has them, and the lanes do not.
func (r *slabs[T]) inPlane(c *chain[T], v, l int) bool {
	return r.last > 1 && r.planes[v] != nil && r.Values[v].Plus == 0 && slices.Contains(r.Outs, kernel.LanePlane{Value: v, Level: r.tops(c) - l})
}

// runColumns runs the slabs of a tile whose levels have one row: each chain takes
// every Chains-th slab, some columns behind the chain of the slab below it.
func (r *slabs[T]) runColumns(slabs int) {
	// What a chain writes to a plane, as far as another one reads it in a step.
	lag := r.Skew*(r.Count-1+r.depth) + 4
	at := make([]int, r.Chains)   // next step
	next, ready, busy := 0, -1, 0 // ready: the slab that is prepared, and waits
	for next < slabs || busy > 0 {
		wait := 1 << 62 // steps until the next slab can begin
		if c := &r.chains[next%r.Chains]; next < slabs && c.slab < 0 {
			if ready != next {
				r.begin(c, next, 0)
				r.prepare(c)
				ready = next
			}
			c.slab = next
			if before := &r.chains[(next+r.Chains-1)%r.Chains]; next > 0 && r.Chains > 1 && before.slab == next-1 && !c.skip {
				wait = lag - (at[(next+r.Chains-1)%r.Chains] - c.first)
			} else {
				wait = 0
			}
			if wait <= 0 {
				at[next%r.Chains] = c.first
				next++
				busy++
				if c.skip {
					c.slab = -1
					busy--
				}
				continue
			}
			c.slab = -1
		}
		// The next steps of all chains, until one ends or begins; of each, those in which
		// all lanes take part are successive ones.
		n, full0, full1, kept := wait, -1<<62, 1<<62, 1<<62
		for i := range r.chains {
			if c := &r.chains[i]; c.slab >= 0 {
				n = min(n, c.end-at[i])
				full0, full1, kept = max(full0, c.full0-at[i]), min(full1, c.full1-at[i]), min(kept, r.keptFrom(c)-at[i])
			}
		}
		if busy == r.Chains && r.Chains > 1 {
			for i := range r.chains {
				r.point(&r.chains[i], r.FrameChain(i), at[i])
			}
			r.steps(r.Many, 0, n, full0, full1, kept)
		} else {
			for i := range r.Chains {
				// From the lowest slab on.
				k := (next + i) % r.Chains
				if c := &r.chains[k]; c.slab >= 0 {
					r.point(c, r.FrameChain(0), at[k])
					r.steps(r.One, 0, n, c.full0-at[k], c.full1-at[k], r.keptFrom(c)-at[k])
				}
			}
		}
		for i := range r.chains {
			c := &r.chains[i]
			if c.slab < 0 {
				continue
			}
			if at[i] += n; at[i] == c.end {
				r.finish(c)
				c.slab = -1
				busy--
			}
		}
		level := r.lo + next*r.Count // below which all is packed
		for i := range r.chains {
			if c := &r.chains[i]; c.slab >= 0 {
				level = min(level, c.level)
			}
		}
		r.c.packed(min(level, r.hi+1), 0)
	}
}
