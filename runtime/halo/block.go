// Package halo is the memory of a column of tiles: a block of live levels with
// ghost cells below it, the faces that are packed into and out of messages, what
// is carried from a tile to the next, and the cells outside the iteration space.
//
// Locations are skewed iteration vectors p, as in package plan: location p of a
// value's block holds the result of iteration p. A tile runs level by level,
// level being coordinate 0. Before a level is computed its ghost cells are
// filled: from the faces that arrived, from what the tile before carried over,
// and, outside the iteration space, with what the array's cells contain there.
// After it, what neighbors need is packed straight into the slots of their
// edges, and what is final goes to the views of the arrays given back.
package halo

import (
	"loopc/runtime/array"
	"loopc/transform/plan"
)

// A Kernel is what is emitted for a nest. One kernel serves one worker.
type Kernel interface {
	// Bind tells the kernel which block it will work on next.
	Bind(b *Block)
	// Box computes the iterations lo..hi, both ends inclusive, of one level
	// (lo[0] = hi[0]), in lexicographic order. All lie in the iteration space.
	Box(lo, hi []int)
	// Init writes the initial content of n cells of an array: those from cell on
	// along dimension dim (-1: the same cell n times), to every stride-th cell of
	// dst, from offset at on. It may change cell.
	Init(arr int, cell []int, dim, n int, dst []byte, at, stride int)
}

// A Block holds the live levels of every value for one tile at a time: the
// tile's own locations and a margin below it.
type Block struct {
	// Data[v] are the cells of value v as bytes; nil for a value without
	// storage.
	Data [][]byte

	origin []int // lowest location held, per dimension; [0] means nothing
	stride []int // cells between neighbors per dimension, the same for every value; [0] means nothing
	cells  int   // of a level
	drift  []int // of levels that are kept whole, see plan.KeepsWhole; nil: a tile's
	levels []int // live levels per value
	unit   int   // cells of a cache line, the largest of all arrays', where levels are kept whole
}

// Row0 returns the position in Data[v], in cells, of location (level, 0, .., 0),
// which need not be held: add Σ p_x·Stride(x) over the other dimensions.
func (b *Block) Row0(v, level int) int {
	m := b.levels[v]
	at := level % m
	if at < 0 {
		at += m
	}
	at *= b.cells
	if b.drift != nil {
		for x := 1; x < len(b.drift); x++ {
			at -= plan.Drifted(b.drift, level, x) * b.stride[x]
		}
	}
	for x := 1; x < len(b.origin); x++ {
		at -= b.origin[x] * b.stride[x]
	}
	return at
}

// Stride returns the cells between neighbors along dimension x, not 0.
func (b *Block) Stride(x int) int { return b.stride[x] }

// position is that of location p of value v, in cells.
func (b *Block) position(v int, p []int) int {
	at := b.Row0(v, p[0])
	for x := 1; x < len(p); x++ {
		at += p[x] * b.stride[x]
	}
	return at
}

// beforeLine is how many cells of a row, from location p on, lie before the first cache
// line that begins in it, in levels that are kept whole.
func (b *Block) beforeLine(p []int) int {
	for v, data := range b.Data {
		if data != nil {
			return (b.unit - b.position(v, p)%b.unit) % b.unit
		}
	}
	return 0
}

// newBlock allocates the block of a tile of p's sides, or of all tiles if levels are
// kept whole, in a pool.
func newBlock(p *plan.Plan, pool *array.Pool) *Block {
	n := len(p.Side)
	b := &Block{origin: make([]int, n), stride: make([]int, n)}
	alloc, more := pool.Bytes, 0
	if p.KeepsWhole() {
		workers := 1
		for _, m := range p.Mesh {
			workers *= m
		}
		b.drift, alloc = p.Drift(), func(n int) []byte { return pool.LargeBytes(n, workers) }
		b.cells, more = p.WholeLayout(b.origin, b.stride)
		b.unit = p.LineCells()
	} else {
		b.cells = p.BlockLayout(b.stride)
	}
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		levels := val.Levels()
		if b.drift != nil {
			levels = b.drift[0]
		}
		b.levels = append(b.levels, levels)
		var data []byte
		if p.Stored(v) {
			// Rows of different values at the same place should not lie a multiple of a
			// page apart: a load then waits for a store to the other one (see plan.Apart).
			from := 0
			if b.drift != nil {
				from = v * (4096 / len(p.Nest.Values) &^ 63)
			}
			data = alloc(from + (levels*b.cells+more)*p.Nest.Arrays[val.Array].Size)[from:]
		}
		b.Data = append(b.Data, data)
	}
	return b
}

// move copies the cells of one level of the box lo..hi between value v of the
// block and face, a dense image of the whole box: into the face if out, else out
// of it. q is scratch.
func (b *Block) move(v, size, level int, lo, hi []int, face []byte, out bool, q []int) {
	n := len(lo)
	width := hi[n-1] - lo[n-1] + 1
	rows := 1
	for x := 1; x < n-1; x++ {
		rows *= hi[x] - lo[x] + 1
	}
	at := (level - lo[0]) * rows * width
	base := b.Row0(v, level) + lo[n-1]
	copy(q, lo)
	data := b.Data[v]
	for {
		p := base
		for x := 1; x < n-1; x++ {
			p += q[x] * b.stride[x]
		}
		if out {
			array.Copy(face, at, 1, data, p, 1, width, size)
		} else {
			array.Copy(data, p, 1, face, at, 1, width, size)
		}
		at += width
		if !nextRow(q, lo, hi) {
			return
		}
	}
}

// nextRow moves q on to the next row of its level in the box lo..hi, and reports
// false, at the first row again, if there is none.
func nextRow(q, lo, hi []int) bool {
	for x := len(q) - 2; x >= 1; x-- {
		if q[x]++; q[x] <= hi[x] {
			return true
		}
		q[x] = lo[x]
	}
	return false
}
