package cost

import (
	"slices"

	"loopc/transform/plan"
)

// Built-in figures of a vector kernel whose lanes lie along rows, in skewed storage, for nests that nobody has measured. An iteration takes
// the time to compute, or the time to move the bytes of its rows into the first cache and out of it, whichever is longer.
const (
	alongCore  = 0.005e-9 // a byte, if its rows are in the caches of a core
	alongFar   = 0.033e-9 // a byte, if its rows are in the cache that cores share
	alongDRAM  = 0.04e-9  // a byte, if its rows are in memory
	alongRow   = 5e-9     // a row
	alongLevel = 500e-9   // a level, exterior cells included
	alongMove  = 0.04e-9  // a byte that a tile moves from or to memory
)

// alongRows returns figures of a kernel whose iteration takes compute seconds of arithmetic, and moves the given bytes of rows.
func alongRows(m *Machine, compute, bytes float64) Kernel {
	near := max(compute, alongCore*bytes)
	at := func(size int, time float64) Rate { return Rate{size, max(1.5*near, time)} }
	return Kernel{
		Tile: 3e-6, Level: alongLevel, Row: alongRow, Byte: 0.2e-9, Piece: 10e-9, Check: 30e-9, Fill: 3e-9, Store: 0.3e-9, Move: alongMove,
		Point:      []Rate{{32 << 10, near}, {1 << 20, 1.3 * near}, {1600 << 10, 1.5 * near}, at(5<<19, alongFar*bytes), at(8<<20, 1.2*alongFar*bytes), at(64<<20, alongDRAM*bytes)},
		Contention: m.Kernel.Contention,
	}
}

// rowsMoved is how many rows of value v move into or out of the first cache for each row of results. One row is read, and a part of a row
// for each further plane that the nest reads, because strips and plane blocks keep the rest (package halo). The row of results moves out;
// it also moves in, unless it overwrites a row that is read (replaces).
func rowsMoved(n *plan.Nest, v int, replaces bool) float64 {
	const again = 0.25 // of a row, for a further plane
	var planes [][]int // their distances: coordinates other than levels, rows and columns
	for _, d := range n.Values[v].Flow {
		planes = append(planes, d[1:max(1, len(d)-2)])
	}
	slices.SortFunc(planes, slices.Compare[[]int])
	planes = slices.CompactFunc(planes, slices.Equal[[]int])
	rows := 2 + again*float64(max(1, len(planes))-1)
	if !replaces {
		rows++
	}
	return rows
}
