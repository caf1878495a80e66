package halo

import (
	"slices"
	"unsafe"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// bytes returns cells as bytes.
func bytes[T int32 | int64](cells []T) []byte {
	var cell T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(cells))), len(cells)*int(unsafe.Sizeof(cell)))
}

// exteriorLanes fills the exterior cells of the streams' rows.
type exteriorLanes[T int32 | int64] struct {
	w          *Worker
	lanes      *kernel.Temporal
	transposer *transposer[T]
	narrow     []*narrowValue[T]
	whole      bool // this rank has all cells of all given arrays
	// Scratch.
	blocks []cellBlock
	index  []int
}

func newExteriorLanes[T int32 | int64](w *Worker, l *kernel.Temporal, z *transposer[T], narrow []*narrowValue[T]) exteriorLanes[T] {
	r := exteriorLanes[T]{w: w, lanes: l, transposer: z, narrow: narrow, whole: true, blocks: make([]cellBlock, 0, 2*l.Count), index: make([]int, w.arrays.rank)}
	for a := range w.plan.Nest.Arrays {
		if role := w.plan.Nest.Arrays[a].Role; role == plan.In || role == plan.InOut {
			view := &w.fields.Given[a]
			r.whole = r.whole && slices.Equal(view.Lo, w.arrays.least[a]) && slices.Equal(view.Hi, w.arrays.most[a])
		}
	}
	return r
}

// fill writes the initial content of the exterior cells of value v in stream c's row. The vector of column c.spans.shift is at position at
// of cells, and the vector of each next step is step cells further.
func (r *exteriorLanes[T]) fill(c *stream[T], v int, cells []T, at, step int) {
	val := &r.w.plan.Nest.Values[v]
	if len(val.Need) == 0 {
		return
	}
	switch initial := r.w.plan.Nest.Arrays[val.Array].Initial; {
	case initial == plan.Given:
		r.copyGiven(c, v, cells, at, step)
		return
	case initial == plan.Computed && r.whole && r.compute(c, v, cells, at, step):
		return
	}
	for _, run := range c.spans.exterior {
		c.row[0] = c.level + run.l
		to := at + (r.lanes.Skew*run.l-c.spans.shift)*step + r.lanes.LaneIndex(run.l)
		lo, hi := run.lo+c.spans.shift, run.hi+c.spans.shift
		if !r.whole {
			// Content is computed from given cells, and this rank has only those for the
			// cells that the tile's iterations read: no other cell may be filled.
			r.w.walk.Span(c.row, r.w.first[len(c.row)-1], r.w.last[len(c.row)-1])
			from, end := r.w.walk.Needed(v, c.row)
			lo, hi = max(lo, from), min(hi, end)
		}
		for m := range r.w.arrays.cells[v] {
			x, along := r.w.arrays.cells[v][m].along(c.row)
			lo, hi = walk.Clip(x, along, r.w.arrays.least[val.Array][m], r.w.arrays.most[val.Array][m], lo, hi)
		}
		r.w.filled(hi - lo + 1)
		if z := r.narrow[v]; z != nil {
			z.initialTo(r.w.fill, v, c.row, lo, hi, bytes(cells), to, step)
			continue
		}
		r.w.fill.initialTo(v, c.row, len(c.row)-1, lo, hi, bytes(cells), to, step)
	}
}

// filled counts exterior cells as filled.
func (t *tile) filled(cells int) {
	if t.counts != nil {
		t.counts.Filled += max(0, cells)
	}
}

// A cellRun is the columns lo..hi of a row of lane l, counted from the shift of the stream's spans.
type cellRun struct{ l, lo, hi int }

// A cellBlock is runs of successive lanes, each shifted by rise columns against the lane below.
type cellBlock struct {
	cellRun     // of the first lane
	lanes, rise int
}

// within returns the part of b in the lanes bottom..top.
func (b cellBlock) within(bottom, top int) cellBlock {
	skip := max(0, bottom-b.l)
	b.lanes = min(b.lanes, top-b.l+1) - skip
	b.l, b.lo, b.hi = b.l+skip, b.lo+skip*b.rise, b.hi+skip*b.rise
	return b
}

// joins adds a run to b if b remains a block, and reports whether it did.
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

// exteriorCells are the needed exterior cells of a value that lie within the bounds of its array, along those dimensions of the array along
// which rows run. (The other bounds hold for an entire row of a lane, or for none of it.) Mostly the cells are the same for successive rows.
type exteriorCells struct {
	known  bool
	index  []int // of the cell of lane 0 at column shift of the stream, along these dimensions
	blocks []cellBlock
}

// exteriorBlocks lists the exterior cells of value v in stream c's row that lie in the array's box least..most: mostly one or two per lane.
// It sets r.index to the cell of lane 0 at column c.spans.shift.
func (r *exteriorLanes[T]) exteriorBlocks(c *stream[T], v int, least, most []int) []cellBlock {
	forms, cells := r.w.arrays.cells[v], &c.cells[v]
	c.row[0] = c.level
	bottom, top := 0, c.count-1 // lanes whose rows intersect the box
	for m := range forms {
		at, along := forms[m].along(c.row)
		if along == 0 {
			bottom, top = walk.Clip(at, forms[m].a[0], least[m], most[m], bottom, top)
		} else {
			at += along * c.spans.shift
			cells.known = cells.known && cells.index[m] == at
		}
		r.index[m] = at
	}
	if !cells.known {
		cells.known, cells.blocks = true, cells.blocks[:0]
		copy(cells.index, r.index)
		for _, run := range c.spans.exterior {
			for m := range forms {
				if f := &forms[m]; f.last != 0 {
					run.lo, run.hi = walk.Clip(r.index[m]+run.l*f.a[0], f.last, least[m], most[m], run.lo, run.hi)
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

// add adds a run to one of the last two blocks, which are the left and the right end of the rows, or begins a new block.
func (s *exteriorCells) add(run cellRun) {
	for k := max(0, len(s.blocks)-2); k < len(s.blocks); k++ {
		if s.blocks[k].joins(run) {
			return
		}
	}
	s.blocks = append(s.blocks, cellBlock{run, 1, 0})
}

// copyGiven does what fill does, for an array whose content is given.
func (r *exteriorLanes[T]) copyGiven(c *stream[T], v int, cells []T, at, step int) {
	view := &r.w.fields.Given[r.w.plan.Nest.Values[v].Array]
	src := array.Cast[T](view.Data)
	blocks := r.exteriorBlocks(c, v, view.Lo, view.Hi)
	from0, rise, by := 0, 0, 0 // the cell of lane 0 at column c.spans.shift; its distance to the next lane's; and to the next column's
	for m := range r.w.arrays.cells[v] {
		f := &r.w.arrays.cells[v][m]
		from0 += (r.index[m] - view.Lo[m]) * view.Stride[m]
		rise += f.a[0] * view.Stride[m]
		by += f.last * view.Stride[m]
	}
	z := r.narrow[v]
	wide := z == nil && (by == 1 || by == -1) && slices.ContainsFunc(blocks, func(b cellBlock) bool { return b.hi-b.lo >= r.lanes.Count })
	if wide {
		r.transposer.clear(by < 0)
	}
	for _, b := range blocks {
		r.w.filled(b.lanes * (b.hi - b.lo + 1))
		width, from, to := b.hi-b.lo+1, from0+b.l*rise+b.lo*by, at+(b.lo+r.lanes.Skew*b.l)*step+r.lanes.LaneIndex(b.l)
		for l := range b.lanes {
			if wide && width > r.lanes.Count && len(r.transposer.rows[r.lanes.LaneIndex(b.l+l)].Cells) == 0 {
				lo := b.lo + l*b.rise
				r.transposer.set(b.l+l, lo, lo+width-1, src[min(from, from+(width-1)*by):])
			} else if z != nil {
				z.in(bytes(cells), to, step, view.Data, from, by, width)
			} else {
				for x := range width {
					cells[to+x*step] = src[from+x*by]
				}
			}
			from += rise + b.rise*by
			to += (b.rise+r.lanes.Skew)*step - 1
		}
	}
	if wide {
		r.transposer.in(cells, at, step)
	}
}

// compute does what fill does, for an array whose content is computed. A row must run through the array's cells one by one along a
// dimension, up or down, or stay in one cell; otherwise compute does nothing and returns false.
func (r *exteriorLanes[T]) compute(c *stream[T], v int, cells []T, at, step int) bool {
	w := r.w
	a, forms, dim := w.plan.Nest.Values[v].Array, w.arrays.cells[v], -1
	for m := range forms {
		if last := forms[m].last; last != 0 {
			if dim >= 0 || last != 1 && last != -1 {
				return false
			}
			dim = m
		}
	}
	dst := bytes(cells)
	for _, b := range r.exteriorBlocks(c, v, w.arrays.least[a], w.arrays.most[a]) {
		r.w.filled(b.lanes * (b.hi - b.lo + 1))
		at, rise := at+(b.lo+r.lanes.Skew*b.l)*step+r.lanes.LaneIndex(b.l), (b.rise+r.lanes.Skew)*step-1
		width := b.hi - b.lo + 1
		if up, ok := upDim(forms, b.rise); ok && width < b.lanes {
			for x := range width { // fewer columns than lanes: lines go along the lanes
				r.line(v, up, b.lanes, b.l, b.lo+x, 1, b.rise, dst, at+x*step, rise)
			}
			continue
		}
		for l := range b.lanes {
			r.line(v, dim, width, b.l+l, b.lo+l*b.rise, 0, 1, dst, at+l*rise, step)
		}
	}
	return true
}

// line writes the initial content of n cells of value v to every stride-th position of dst from at on. The first cell is that of lane l at
// column c.spans.shift + x; each next one is the given numbers of levels and columns further. In the array, it lies one cell up or down
// along dimension dim, or is the same cell if dim is -1.
func (r *exteriorLanes[T]) line(v, dim, n, l, x, levels, columns int, dst []byte, at, stride int) {
	w := r.w
	forms, cell := w.arrays.cells[v], w.fill.cell[:len(w.arrays.cells[v])]
	for m := range cell {
		cell[m] = r.index[m] + l*forms[m].a[0] + x*forms[m].last
	}
	if dim >= 0 && forms[dim].a[0]*levels+forms[dim].last*columns < 0 { // from the lowest cell on, which is the last one
		cell[dim] -= n - 1
		at, stride = at+(n-1)*stride, -stride
	}
	if z := r.narrow[v]; z != nil {
		initial := z.scratch(n)
		w.kernel.Init(w.plan.Nest.Values[v].Array, cell, dim, n, initial, 0, 1)
		z.in(dst, at, stride, initial, 0, 1, n)
		return
	}
	w.kernel.Init(w.plan.Nest.Values[v].Array, cell, dim, n, dst, at, stride)
}

// upDim returns the dimension of the array along which the cell moves by one, up or down, if its location moves up one level and by the
// given number of columns; -1 if the cell stays the same. ok is false if the cell moves in any other way.
func upDim(forms []form, columns int) (dim int, ok bool) {
	dim = -1
	for m := range forms {
		if rise := forms[m].a[0] + forms[m].last*columns; rise != 0 {
			if dim >= 0 || rise != 1 && rise != -1 {
				return 0, false
			}
			dim = m
		}
	}
	return dim, true
}
