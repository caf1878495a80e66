package kernel

import (
	"loopc/transform/plan"
)

// A Block holds the live levels of every value for one tile at a time: the
// tile's own locations and a margin below it.
type Block struct {
	// Data[v] are the cells of value v as bytes; nil for a value without
	// storage.
	Data [][]byte
	// Layout says where in them a location lies.
	Layout
}

// A Layout is where the locations of a block lie, in cells: the same for every value, but for the
// number of levels.
type Layout struct {
	Origin     []int // lowest location held, per dimension; [0] means nothing
	Strides    []int // cells between neighbors per dimension; [0] means nothing
	LevelCells int   // cells of a level
	Levels     []int // live levels per value
	// Offset is how far each level lies before the one below it, in skewed storage: see
	// plan.Drift. nil: a tile's levels are stored one beside the other.
	Offset []int
	// LineCells is how many cells a cache line has, the most of all arrays, in skewed storage.
	LineCells int
}

// Row0 returns the position in Data[v], in cells, of location (level, 0, .., 0),
// which need not be held: add Σ p_x·Stride(x) over the other dimensions.
func (b *Block) Row0(v, level int) int {
	m := b.Levels[v]
	at := level % m
	if at < 0 {
		at += m
	}
	at *= b.LevelCells
	if b.Offset != nil {
		for x := 1; x < len(b.Offset); x++ {
			at -= plan.Drifted(b.Offset, level, x) * b.Strides[x]
		}
	}
	for x := 1; x < len(b.Origin); x++ {
		at -= b.Origin[x] * b.Strides[x]
	}
	return at
}

// Stride returns the cells between neighbors along dimension x, not 0.
func (b *Block) Stride(x int) int { return b.Strides[x] }

// Position is that of location p of value v, in cells.
func (b *Block) Position(v int, p []int) int {
	at := b.Row0(v, p[0])
	for x := 1; x < len(p); x++ {
		at += p[x] * b.Strides[x]
	}
	return at
}
