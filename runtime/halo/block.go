package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// beforeLine returns how many cells of a row, counted from location p, precede the first cache line that begins in the row.
func beforeLine(b *kernel.Block, p []int) int {
	for v, data := range b.Data {
		if data != nil {
			return (b.LineCells - b.Position(v, p)%b.LineCells) % b.LineCells
		}
	}
	return 0
}

// blocks are the blocks in which the columns of a worker compute: one block that all columns
// share, see plan.OneBlock, or else a block for each column while it runs.
type blocks struct {
	shared *kernel.Block
	free   []*kernel.Block
}

// take returns a free block. There is one: plan.Blocks counts the columns that run at a time.
func (b *blocks) take() *kernel.Block {
	n := len(b.free) - 1
	block := b.free[n]
	b.free = b.free[:n]
	return block
}

// give takes back the block of a column that has ended, unless all share it. It returns the block that the column has from then on.
func (b *blocks) give(block *kernel.Block) *kernel.Block {
	if b.shared != nil {
		return b.shared
	}
	b.free = append(b.free, block)
	return nil
}

// newBlock allocates the block of one tile with p's sides or, in skewed storage, the block that all tiles share. The memory comes from pool.
func newBlock(p *plan.Plan, pool *array.Pool) *kernel.Block {
	n := len(p.Side)
	b := &kernel.Block{Layout: kernel.Layout{Origin: make([]int, n), Strides: make([]int, n)}}
	alloc, more := pool.Bytes, 0
	if p.KeepsWhole() {
		workers := 1
		for _, m := range p.Mesh {
			workers *= m
		}
		b.Offset, alloc = p.StorageOffset(), func(n int) []byte { return pool.LargeBytes(n, workers) }
		b.LevelCells, more, b.LineCells = p.WholeLayout(b.Origin, b.Strides)
	} else {
		b.LevelCells = p.BlockLayout(b.Strides)
	}
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		levels := val.Levels()
		if b.Offset != nil {
			levels = b.Offset[0]
		}
		b.Levels = append(b.Levels, levels)
		var data []byte
		if p.Stored(v) {
			// The same row of two values must not lie a multiple of a page apart: a load of one
			// value would then wait for a store of the other (see plan.Apart).
			from := 0
			if b.Offset != nil {
				from = v * (4096 / len(p.Nest.Values) &^ 63)
			}
			data = alloc(from + (levels*b.LevelCells+more)*p.Nest.Arrays[val.Array].Size)[from:]
		}
		b.Data = append(b.Data, data)
	}
	return b
}

// move copies the cells of one level of the box lo..hi between value v of the block and face, a dense image of the entire box: into face if
// out, else from face to the block. It returns the number of rows. q is scratch.
func move(b *kernel.Block, v, size, level int, lo, hi []int, face []byte, out bool, q []int) (rows int) {
	n := len(lo)
	width := hi[n-1] - lo[n-1] + 1
	rows = 1
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
			p += q[x] * b.Strides[x]
		}
		if out {
			array.Copy(face, at, 1, data, p, 1, width, size)
		} else {
			array.Copy(data, p, 1, face, at, 1, width, size)
		}
		at += width
		if !nextRow(q, lo, hi) {
			return rows
		}
	}
}

// nextRow moves q to the next row of its level in the box lo..hi. After the last row it moves q back to the first one and returns false.
func nextRow(q, lo, hi []int) bool {
	for x := len(q) - 2; x >= 1; x-- {
		if q[x]++; q[x] <= hi[x] {
			return true
		}
		q[x] = lo[x]
	}
	return false
}
