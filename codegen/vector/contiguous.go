package vector

import (
	"maps"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
)

// contiguous writes the kernel with lanes along the row. Vectors lie at any address. The last
// vector of a row has a mask or, if its cells cannot be masked, goes through a copy. keeps is the
// fraction of mostHeld constants and mostShared expressions that stay in registers. AVX2 has half as
// many registers as AVX-512, where all or none of these stay. reused is the number of reads that are
// replaced by shifts; share says whether quotients with one divisor share a division; jam is how many
// rows are computed together, or 0.
func (f *function) contiguous(keeps float64, reused int, share bool, jam int) {
	s := f.s
	c := &alongRow{function: f, before: map[int]asm.Reg{}}
	if jam == 0 {
		c.straight = s.straightPart()
	}
	c.reserve()
	c.reserveCollected(max(1, jam))
	f.begin()
	c.wrong = f.noneWrong()

	ofRow := int(keeps * mostRowValues)
	if f.MovesLanes() {
		f.holdParams(int(keeps * mostHeld))
		if keeps > 0 {
			keeps = 1
		}
	}
	c.reuses = f.reuses(reused)
	f.holdLiterals(int(keeps * mostHeld))
	if share {
		c.divide = s.sharedDivisor()
		f.holdShared(c.divide)
	}
	c.keeps, c.rowValued, c.jam = keeps, ofRow, jam
	apart, end := f.NewLabel("apart"), f.NewLabel("end")
	// The loops are written twice if some streams allow faster ones, which is tested at run time: first the faster ones, and at
	// apart those for any streams. The cost counts one of them: the faster ones if they are for spaced streams, else the others.
	merged, spaced := c.ifMerged(apart), c.unlessSpaced(apart)
	c.counted = spaced || !merged
	if merged || spaced {
		c.rows(end)
		f.Jump(end)
		c.counted = !spaced
		c.merged, c.spaced = false, false
		f.Label(apart)
	}
	c.rows(end)
	f.Label(end)
	f.tellWrong(c.wrong)
	f.End()
}

// rows writes the loops over rows.
func (c *alongRow) rows(end asm.Label) {
	f, s, keeps, jam := c.function, c.s, c.keeps, c.jam
	c.current, c.fixed, c.patterns = map[int]asm.Reg{}, nil, nil
	rows, row := f.Word(FrameRows), f.NewLabel("row")
	if jam > 0 {
		c.repeats = f.repeats(int(keeps * mostShared))
		c.jammed(jam, c.rowValued)
		f.JumpIf(rows, asm.Eq, asm.Imm(0), end)
	}
	c.pointers, c.index = make([]asm.Reg, len(s.Streams)), make([]asm.Reg, len(s.Indices))
	for k := range s.Streams {
		if c.idle(k) {
			continue
		}
		c.pointers[k] = f.General()
		f.Copy(f.Word(s.FrameAt(k)), c.pointers[k])
	}
	c.accumulators = f.newAccumulators()
	f.Label(row)
	for k, i := range s.Indices {
		c.index[k] = f.Index()
		c.startIndex(c.index[k], f.Word(s.FrameIndex(k)), i.ByColumn)
		if i.ByRow != 0 {
			f.AddTo(asm.Int(i.ByRow), f.Word(s.FrameIndex(k)))
		}
	}
	cell := func(k int) asm.Mem { return c.cell(k, 0) }
	c.beginCollected(cell)
	c.patterns = c.rowPatterns()
	c.values = c.rowValues(c.rowValued)
	c.x, c.left = f.General(), f.General()
	c.loadBefore()
	c.loadFixed(int(keeps*mostFixed), c.s)
	c.repeats = f.repeats(int(keeps * mostShared))
	c.beginRow()
	c.beginStrided()
	c.beginParts()
	tail, next, middle, ending := f.NewLabel("tail"), f.NewLabel("next"), f.NewLabel("middle"), f.NewLabel("ending")
	if f.ends() {
		c.firstStep(ending)
		f.Label(middle)
		f.SubFrom(f.Word(s.FrameLast()), c.left)
	}
	var from, to, times int
	if c.straight != nil {
		from, to, times = c.parts(next)
	} else {
		from, to, times = c.whole(tail)
	}
	if c.counted && (jam == 0 || s.last < 2 && !s.entire) { // else the rows that are computed together count; in two dimensions, a level of a tile has one row
		f.cost.Count(f.Machine, from, to, 1/float64(times))
	}
	f.cost.Across = f.across(c.reuses, false)
	if c.straight == nil {
		f.Label(tail)
		c.lastOfRow(ending, middle, next)
	}
	f.Label(next)
	c.endCollected(cell)
	for k := range s.Streams {
		if !c.idle(k) {
			f.AddTo(f.Word(s.FrameStep(k)), c.pointers[k])
		}
	}
	f.CountDown(rows, row)
	c.moveOn()
	for k, r := range c.accumulators {
		f.storeReduction(k, r)
	}
}

// beginRow sets the counters of iterations, whose registers are x and left, to the beginning of a row.
func (c *alongRow) beginRow() {
	c.Clear(c.x)
	if c.backward {
		c.minus = c.General()
		c.Clear(c.minus)
	}
	c.count = c.left
	c.Copy(c.Word(FrameWidth), c.left)
}

// reserve reserves a vector on the stack if the last cells of a row are copied through it: if masks cannot load or store them,
// or if a stream is strided. It reserves the words of parts, and notes whether a stream runs backward.
func (c *alongRow) reserve() {
	copies := false
	for k := range c.s.Streams {
		x := &c.s.Streams[k]
		copies = copies || !c.Masks(size(x.Elem)) && x.Along != 0 || x.Along == Strided
		c.backward = c.backward || x.Along < 0
	}
	if c.straight != nil {
		c.partsAt = c.Reserve(8 * partWords)
		copies = copies || slices.ContainsFunc(c.straight.runs, func(e *ir.Lookup) bool { return !c.Masks(size(e.T)) })
	}
	if copies {
		c.buffer = c.Reserve(c.ISA().Bytes())
	}
}

// An alongRow is the state of a row in the contiguous scheme.
type alongRow struct {
	*function
	pointers []asm.Reg // to the first cells of the row, per stream
	index    []asm.Reg // per index
	x, left  asm.Reg   // iterations done, and still to do
	count    asm.Reg   // iterations of a step with fewer than lanes

	place      place // of the step in a row
	lanesBelow map[belowKey]asm.Reg

	keeps          float64 // see contiguous
	rowValued, jam int     // values of a row in registers; rows that are computed together
	merged, spaced bool    // see ifMerged and unlessSpaced
	counted        bool    // the rows to be written say what the kernel costs

	passed     int      // vectors from x to the step
	loadsFirst bool     // all vectors of the loop load before any of them stores: see loadsBeforeStores
	late       []func() // if loadsFirst: they store the results of vectors that have loaded
	buffer     int      // for the last cells of streams that cannot be masked

	backward bool    // a stream is read or written from its last cell to its first
	minus    asm.Reg // if backward: -x

	tails bool                // the step is the last of a row, with fewer iterations than lanes
	masks map[maskKey]asm.Reg // the lanes of this step that have iterations

	// By stream: the vector of the step before, and the vector of this step once it is known. If
	// later iterations of the row read the stream's value, these are vectors of results. If reads
	// of the stream are reused, these are the vectors that the foremost read loads.
	before  map[int]asm.Reg
	current map[int]asm.Reg
	reuses  map[int]*reuse // by stream

	group *group // nil: rows are computed one by one

	fixed   map[int]asm.Reg  // by stream: the cell that all iterations of a row read
	strided map[int]*strided // by stream

	straight   *straight              // nil: rows have no straight part
	decided    *decided               // what the part of the row that is being written leaves out
	full       *alongRow              // for the vectors of the straight part, if they have more lanes than others; otherwise nil
	fullBeyond *alongRow              // the same for the vectors beyond the conditions
	runs       map[*ir.Lookup]asm.Reg // the address of the cell at iteration 0 of the row, if the straight part began there
	partsAt    int                    // on the stack: see partWord

	accumulators []accumulator   // per reduction
	placeKeeps   asm.Reg         // lanes whose max or min the iteration does not change, if it has places
	pairs        bool            // the steps of the loop are even in number
	firsts       map[int]asm.Reg // per reduction: the addends of the first vector of a pair: see sparse
	collecting   map[int]asm.Reg // by value that collects in a cell: what it has collected in this row
	terms        map[int]int     // by the same values: the vectors on the stack with the terms of sums in order
	pending      []termsOf       // of this step
	wrong        asm.Reg         // lanes with a wrong subscript are not 0

	values   map[ir.Expr]asm.Reg // of expressions that have one value for a row
	patterns map[ir.Expr]truth   // of conditions that have the same lanes in all vectors of a row
	repeats  map[string]bool     // expressions that a step computes once, see nameOf
	divide   *sharedDivisor      // nil: all quotients by themselves
}

// loadBefore loads cells before the row, which its first step reads, into the top lanes of the
// vectors of before.
func (c *alongRow) loadBefore() {
	clear(c.before)
	for k := range c.s.Streams {
		home, most := 0, 0 // columns back: the read of the vector itself, and the farthest read
		if x := c.reuses[k]; x != nil {
			home, most = x.home, slices.Max(x.backs)
		} else {
			for _, a := range c.s.readsOf(k) {
				if c.ofRow(a) {
					most = max(most, a.back)
				}
			}
		}
		if most == home {
			continue
		}
		m := c.of(c.s.Streams[k].Elem)
		x := m.Broadcast(c.first(k, most))
		for back := most - 1; back > home; back-- {
			x = c.up(m, m.Broadcast(c.first(k, back)), x, c.Lanes()-1)
		}
		c.before[k] = x
	}
}

// first is the memory of the cell of stream k that is back columns before the row's first.
func (c *alongRow) first(k, back int) asm.Mem {
	x := &c.s.Streams[k]
	return asm.Mem{Base: c.pointers[k], Disp: -back * x.Along * size(x.Elem)}
}

// ofRow reports whether an access is to results of earlier iterations of the same row.
func (c *alongRow) ofRow(a access) bool {
	x := &c.s.Streams[a.stream]
	return x.written && x.Memory == Live
}

// shifted returns the vector of this step's results of stream k, moved up by the given number of
// lanes. The lanes below hold the highest results of the step before.
func (c *alongRow) shifted(k, lanes int) asm.Reg {
	return c.up(c.of(c.s.Streams[k].Elem), c.current[k], c.before[k], lanes)
}

// of returns the machine for values of type t.
func (c *alongRow) of(t ir.Type) *asm.Machine { return c.In(c.s.sizeOf(t), unsigned(t)) }

// cell is the memory of the stream's vector, moved back by the given columns: the address of the
// vector's first cell or, if the stream runs backward, of its last cell, which has the lowest address.
func (c *alongRow) cell(k, back int) asm.Mem {
	x := &c.s.Streams[k]
	n := size(x.Elem)
	back -= c.passed * c.Lanes()
	switch x.Along {
	case 0:
		return asm.Mem{Base: c.pointers[k]}
	case -1:
		return asm.Mem{Base: c.pointers[k], Index: c.minus, Scale: n, Disp: n * (back + 1 - c.Lanes())}
	}
	return asm.Mem{Base: c.pointers[k], Index: c.x, Scale: n, Disp: -n * back}
}

// read returns the lanes of a read.
func (c *alongRow) read(r *ir.Read) asm.Operand {
	a := c.s.reads[r.ID]
	along := c.s.Streams[a.stream].Along
	if along == Strided {
		return c.inOrder(c.of(r.T), 1, c.picked(a.stream))
	}
	at, m := c.cell(a.stream, a.back), c.of(r.T)
	if lanes, ok := c.held(a); ok {
		return lanes
	}
	if lanes, ok := c.fixed[a.stream]; ok {
		return lanes
	}
	switch {
	case c.ofRow(a):
		return c.shifted(a.stream, a.back)
	case c.reuses[a.stream].has(a.back):
		return c.reusedLanes(a)
	case along == 0:
		return m.Broadcast(at)
	case c.readsEnd(r):
		return c.loadEnd(r, a)
	case c.tails:
		return c.inOrder(m, along, c.loadTail(m, at, along))
	case m.Short():
		return c.inOrder(m, along, m.Load(at))
	}
	return c.inOrder(m, along, at)
}

// inOrder returns cells in the order of lanes. along is the number of cells from an iteration to the next.
func (c *alongRow) inOrder(m *asm.Machine, along int, cells asm.Operand) asm.Operand {
	if (along < 0) != c.s.down {
		return m.Reverse(cells)
	}
	return cells
}

// step writes the body for one vector.
func (c *alongRow) step() {
	b := &body{Machine: c.Machine, s: c.s, read: c.read, param: c.param, fixed: c.values, patterns: c.patterns,
		once: func(e ir.Expr) string {
			if name := c.s.nameOf(e); c.repeats[name] && !leaf(e) {
				return name
			}
			return ""
		},
		index: func(loop int) asm.Reg { return c.index[c.s.indexOf(loop)] },
		done: func(v int, r asm.Reg) asm.Reg {
			c.current[c.s.store[v]] = r
			for _, k := range []int{c.s.store[v], c.s.back[v]} {
				if k < 0 || !c.stores(k) {
					continue
				}
				m, along, at := c.of(c.s.Streams[k].Elem), c.s.Streams[k].Along, c.cell(k, 0)
				switch {
				case c.tails:
					c.storeTail(m, m.Load(c.inOrder(m, along, r)), at, along)
				case c.loadsFirst:
					c.late = append(c.late, func() { m.Move(c.inOrder(m, along, r), at) })
				default:
					m.Move(c.inOrder(m, along, r), at)
				}
			}
			return r
		},
		collects: c.collect,
		reduced:  c.reduced,
		looker: looker{table: c.table, wrong: func(bits asm.Reg) {
			if c.tails {
				bits = c.Choose(c.mask(c.Machine, c.s.lanesAlong(), 0), bits, c.Splat(0))
			}
			c.Move(c.Bits(asm.Or, c.wrong, bits), c.wrong)
		}},
	}
	if d := c.decided; d != nil {
		b.operands, b.unread = d.operands, d.unread
		if d == &c.straight.within {
			b.follows = c.follows
		}
	}
	if !c.tails { // in tails, divisors are zero in lanes that are masked out
		b.divide = c.divide
	}
	for k := range c.reuses {
		delete(c.current, k)
	}
	c.forget()
	b.step()
	if c.group == nil {
		c.collectInOrder()
	}
	for _, k := range slices.Sorted(maps.Keys(c.before)) {
		c.Move(c.current[k], c.before[k])
	}
}

// tail computes the remaining iterations of a row, fewer than a vector.
func (c *alongRow) tail() {
	c.tails, c.masks = true, map[maskKey]asm.Reg{}
	c.step()
	c.tails = false
}
