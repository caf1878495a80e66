package halo

import (
	"math"
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
			r.p.Space.Row(c.row, r.w.row)
			from, end := r.c.needed(v, c.row)
			lo, hi = max(lo, from), min(hi, end)
		}
		r.w.initialTo(v, c.row, lo, hi, bytes(cells), to, step)
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
	forms, cells := r.w.cells[v], &c.cells[v]
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
	for m := range r.w.cells[v] {
		f := &r.w.cells[v][m]
		from0 += (r.index[m] - view.Lo[m]) * view.Stride[m]
		rise += f.a[0] * view.Stride[m]
		by += f.last * view.Stride[m]
	}
	wide := by == 1 && slices.ContainsFunc(blocks, func(b cellBlock) bool { return b.hi-b.lo >= r.Count })
	if wide {
		r.noRows()
	}
	for _, b := range blocks {
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
	a, forms, dim := r.p.Nest.Values[v].Array, w.cells[v], -1
	for m := range forms {
		if last := forms[m].last; last != 0 {
			if dim >= 0 || last != 1 {
				return false
			}
			dim = m
		}
	}
	cell, dst := w.cell[:len(forms)], bytes(cells)
	for _, b := range r.outsideBlocks(c, v, w.least[a], w.most[a]) {
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
			w.final(v, from, w.q, s.lo+c.shift, s.hi+c.shift, 0)
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

// givenRows are the cells of a given array that rows read, in the layout and type
// that the kernel wants.
type givenRows[T int32 | int64] struct {
	r       *slabs[T]
	g       *kernel.LaneGiven
	view    *array.View
	convert func(dst []T, to, toStep int, src []byte, from, fromStep, n int)
	subs    []form
	alike   bool // the same for all rows
	rows    []givenRow[T]
	held    []int // per chain: which of the rows, if they are shared; -1: none
	clock   int
	flat    []T // Laced, of another type than lanes: cells that were converted
}

// A givenRow is what one row reads, or one chain.
type givenRow[T int32 | int64] struct {
	number, base int // what it is of; number -1: of nothing
	used         int // when it was chosen
	cells        []T
}

func newGivenRows[T int32 | int64](r *slabs[T], k int) givenRows[T] {
	g := &r.Given[k]
	out := givenRows[T]{r: r, g: g, view: &r.w.fields.Given[g.Array], subs: formsOf(r.p, g.Subs), alike: true, held: make([]int, r.Chains)}
	out.convert = converter[T](r.p.Nest.Arrays[g.Array].Elem, g.Elem)
	for _, f := range out.subs {
		for x := 1; x < len(f.a); x++ {
			out.alike = out.alike && f.a[x] == 0
		}
	}
	n, rows, flat := givenCells(r.Temporal, r.p, r.laneRoom, k)
	if flat > 0 {
		out.flat = make([]T, flat)
	}
	// Sequences go along with the planes that a chain writes: half a page off, so that no
	// load waits for a store that lies some pages from it (spreadStride).
	const halfPage = 2048
	off := 0
	if !out.own() {
		off = halfPage / r.Size
	}
	for range rows {
		out.rows = append(out.rows, givenRow[T]{cells: vectors[T](r.w.pool, n+off)[off:]})
	}
	return out
}

// begin forgets the rows of another tile.
func (g *givenRows[T]) begin() {
	for i := range g.rows {
		g.rows[i].number = -1
	}
	for i := range g.held {
		g.held[i] = -1
	}
}

// own reports whether each chain has a row of its own, filled anew for each of the
// rows that it computes. Other rows are sequences, of which chains may share one.
func (g *givenRows[T]) own() bool {
	return g.g.Kind == kernel.Laced || g.g.Kind == kernel.Fixed || g.g.Kind == kernel.Same && g.g.Step == 0
}

// row returns the row that prepare has laid out for chain c.
func (g *givenRows[T]) row(c *chain[T]) *givenRow[T] {
	k := c.index
	if !g.own() {
		k = g.held[k]
	}
	return &g.rows[k]
}

// hold chooses the row for chain c, which reads the sequence of a number from base
// on, and returns whether it is there already. Else it is the one that was chosen
// longest ago of those that no other chain holds; there is one more than chains, so
// that the chain a row behind finds what this one has read.
func (g *givenRows[T]) hold(c *chain[T], number, base int) (row *givenRow[T], ready bool) {
	k := c.index
	g.held[k] = -1
	found := slices.IndexFunc(g.rows, func(row givenRow[T]) bool { return row.number == number && row.base == base })
	if ready = found >= 0; !ready {
		for i := range g.rows {
			if !slices.Contains(g.held, i) && (found < 0 || g.rows[i].used < g.rows[found].used) {
				found = i
			}
		}
	}
	g.clock++
	g.held[k], row = found, &g.rows[found]
	row.number, row.base, row.used = number, base, g.clock
	return row, ready
}

// address returns the word of the frame for chain c at step v.
func (g *givenRows[T]) address(c *chain[T], v int) int {
	return address(g.row(c).cells, 0) + (v-g.r.step0())*g.rise() // a window begins with the top lane's cell
}

// rise is by how many bytes the address is greater in the next step.
func (g *givenRows[T]) rise() int {
	switch {
	case g.g.Kind == kernel.Same && g.g.Step == 0, g.g.Kind == kernel.Fixed:
		return 0
	case g.g.Bytes():
		return 1
	case g.g.Kind == kernel.Same, g.g.Kind == kernel.Window:
		return g.r.Size
	}
	return g.r.Count * g.r.Size
}

// put lays out n cells of the array, every fromStep-th, as every toStep-th of a row.
func (g *givenRows[T]) put(row *givenRow[T], to, toStep, from, fromStep, n int) {
	if !g.g.Bytes() {
		g.convert(row.cells, to, toStep, g.view.Data, from, fromStep, n)
		return
	}
	cells := bytes(row.cells)
	for range n {
		cells[to] = g.view.Data[from]
		to += toStep
		from += fromStep
	}
}

// prepare lays out what chain c's row reads.
func (g *givenRows[T]) prepare(c *chain[T]) {
	r := g.r
	last := len(g.subs) - 1
	switch row := &g.rows[c.index]; {
	case g.g.Kind == kernel.Same && g.g.Step == 0:
		if from, _, ok := g.at(c, 0); ok {
			g.convert(row.cells, 0, 1, g.view.Data, from, 0, 1)
		}
	case g.g.Kind == kernel.Fixed:
		// A cell for each lane with iterations, from the lowest on.
		lo, hi, rise := 0, c.count-1, 0
		for lo <= hi && c.span[lo].lo > c.span[lo].hi {
			lo++
		}
		for lo <= hi && c.span[hi].lo > c.span[hi].hi {
			hi--
		}
		c.row[0] = c.level
		for m := range g.subs {
			x, _ := g.subs[m].along(c.row)
			lo, hi = clip(x, g.subs[m].a[0], g.view.Lo[m], g.view.Hi[m], lo, hi)
			rise += g.subs[m].a[0] * g.view.Stride[m]
		}
		if lo <= hi {
			from, _, _ := g.at(c, lo)
			g.put(row, r.Seat(lo), -1, from, rise, hi-lo+1)
		}
	case g.g.Kind == kernel.Laced:
		if g.laced(c, row.cells) {
			return
		}
		for l := range c.count {
			s := &c.span[l]
			if s.lo > s.hi {
				continue
			}
			from, by, _ := g.at(c, l)
			to := (s.lo+c.shift+r.Skew*l-r.step0())*r.Count + r.Seat(l)
			g.convert(row.cells, to, r.Count, g.view.Data, from+s.lo*by, by, s.hi-s.lo+1)
		}
	default:
		// A sequence: its cell u is that of lane 0 in step u. The rows' first is that of
		// the top lane in the first step, if lanes read cells of their own.
		number := 0
		if !g.alike {
			number = c.number
		}
		c.row[0] = c.level
		base, _ := g.subs[last].along(c.row)
		row, ready := g.hold(c, number, base)
		if ready {
			return
		}
		from, ok := 0, true
		for m := range last {
			x, _ := g.subs[m].along(c.row)
			ok = ok && x >= g.view.Lo[m] && x <= g.view.Hi[m]
			from += (x - g.view.Lo[m]) * g.view.Stride[m]
		}
		first, n := r.step0(), len(row.cells)
		if g.g.Kind == kernel.Window {
			first -= r.Count - 1
		}
		lo, hi := clip(base, 1, g.view.Lo[last], g.view.Hi[last], first, first+n-1)
		if !ok || lo > hi {
			return
		}
		stride := g.view.Stride[last]
		from += (base + lo - g.view.Lo[last]) * stride
		g.put(row, lo-first, 1, from, stride, hi-lo+1)
	}
}

// at returns the position of the cell that lane l of chain c's row reads at column
// c.shift, the cells from a column to the next, and whether that is a cell, which says something where no column is another one.
func (g *givenRows[T]) at(c *chain[T], l int) (from, by int, ok bool) {
	c.row[0] = c.level + l
	ok = true
	for m := range g.subs {
		x, step := g.subs[m].along(c.row)
		x += step * c.shift
		ok = ok && x >= g.view.Lo[m] && x <= g.view.Hi[m]
		from += (x - g.view.Lo[m]) * g.view.Stride[m]
		by += step * g.view.Stride[m]
	}
	return from, by, ok
}

// converter returns what copies cells of one type as another's: n of them, from
// every fromStep-th, to every toStep-th.
func converter[T int32 | int64](from, to string) func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
	switch from {
	case "uint8":
		return convertAs[T, uint8](to)
	case "int32":
		return convertAs[T, int32](to)
	case "int64":
		return convertAs[T, int64](to)
	case "float32":
		return convertAs[T, float32](to)
	}
	return convertAs[T, float64](to)
}

func convertAs[T int32 | int64, F array.Number](to string) func([]T, int, int, []byte, int, int, int) {
	each := func(bits func(F) T) func([]T, int, int, []byte, int, int, int) {
		return func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
			cells := array.Cast[F](src)
			for range n {
				dst[at] = bits(cells[first])
				at += toStep
				first += fromStep
			}
		}
	}
	switch to {
	case "int32":
		return each(func(x F) T { return T(int32(x)) })
	case "int64":
		return each(func(x F) T { return T(int64(x)) })
	case "float32":
		return each(func(x F) T { return T(math.Float32bits(float32(x))) })
	}
	return each(func(x F) T { return T(math.Float64bits(float64(x))) })
}

// paramBits returns the bits of a parameter in a type.
func paramBits(elem string, x int) int {
	switch elem {
	case "float32":
		return int(math.Float32bits(float32(x)))
	case "float64":
		return int(math.Float64bits(float64(x)))
	}
	return int(uint32(int32(x)))
}
