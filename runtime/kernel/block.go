package kernel

import (
	"math/bits"

	"loopc/transform/plan"
)

// A Block holds the live levels of every value, for one tile at a time: the tile's own locations and a halo below it.
type Block struct {
	// Data[v] are the cells of value v, as bytes; nil if the value is not stored.
	Data [][]byte
	// Layout says where a location lies in the cells.
	Layout
}

// A Layout says where the locations of a block lie, in cells. It is the same for every value, except for the number of levels.
type Layout struct {
	Origin     []int // lowest location held, per dimension; [0] is unused
	Strides    []int // cells between neighbors, per dimension; [0] is unused
	LevelCells int   // cells of a level
	Levels     []int // live levels per value
	// Offset is the distance between a location and the one that it overwrites, in skewed storage: see plan.Plan.StorageOffset. nil: the
	// levels of a tile are stored side by side.
	Offset []int
	// LineCells is the number of cells of the largest type in a cache line, in skewed storage.
	LineCells int
	// Base is, if the block is entire arrays, added to the positions of each value. Levels[v] is then 0, because
	// all levels are there, or the number of slots: see Rotating. nil: the block is of a tile.
	Base []int
	// Slant is, if Base is not nil, added to the positions once per level, beside LevelCells.
	Slant int
	// LevelStep is the number of cells from a row to that of the next level in boxes of several levels: see Kernel.Levels.
	LevelStep int
}

// Row0 returns the position in Data[v], in cells, of location (level, 0, .., 0), which may lie
// outside: add Σ p_x·Stride(x) over the other dimensions.
func (b *Block) Row0(v, level int) int {
	m := b.Levels[v]
	at, power := level&(m-1), m&(m-1) == 0 // mostly a power of two: kernels ask often, and divisions take long
	if !power {
		if at = level % m; at < 0 {
			at += m
		}
	}
	at *= b.LevelCells
	if b.Base != nil {
		at += b.Base[v] + level*b.Slant
	}
	for x := 1; x < len(b.Offset); x++ {
		if power && m == b.Offset[0] {
			at -= level * b.Offset[x] >> bits.TrailingZeros(uint(m)) * b.Strides[x]
		} else {
			at -= plan.Shifted(b.Offset, level, x) * b.Strides[x]
		}
	}
	for x := 1; x < len(b.Origin); x++ {
		at -= b.Origin[x] * b.Strides[x]
	}
	return at
}

// Stride returns the number of cells between neighbors along dimension x ≠ 0.
func (b *Block) Stride(x int) int { return b.Strides[x] }

// Position returns the position of location p of value v, in cells.
func (b *Block) Position(v int, p []int) int {
	at := b.Row0(v, p[0])
	for x := 1; x < len(p); x++ {
		at += p[x] * b.Strides[x]
	}
	return at
}
