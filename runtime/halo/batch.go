package halo

import (
	"slices"

	"loopc/transform/plan"
)

// A rowBatch is a run of rows that differ in the last but one coordinate only, to be
// computed by one call of the kernel.
//
// Where the iterations of a row wait for one another, the kernel computes rows
// together, so that their latencies overlap. In a space that is skewed by rows each
// begins and ends at a column of its own. Then the columns that all rows have are
// computed by one call, after those before them and before those behind them, row by
// row: a row needs of the rows above it no column beyond its own, for flow distances
// are not negative.
type rowBatch struct {
	lo, hi []int    // of the columns that all rows have
	spans  [][2]int // columns of each row, of plan.RaggedMost at most
	any    bool
	ragged bool // spans differ
	waits  bool // iterations of a row wait for one another
	tile   *tile
}

func newRowBatch(t *tile) rowBatch {
	n := len(t.first)
	waits := func(d []int) bool { return n > 2 && slices.Max(d[:n-1]) == 0 }
	return rowBatch{lo: make([]int, n), hi: make([]int, n), spans: make([][2]int, 0, plan.RaggedMost),
		waits: slices.ContainsFunc(t.plan.Nest.Distances(), waits), tile: t}
}

// box computes the iterations of one level in the box lo..hi, and returns how many they are.
func (rows *rowBatch) box(level int, lo, hi []int) int {
	copy(rows.lo, lo)
	copy(rows.hi, hi)
	rows.lo[0], rows.hi[0] = level, level
	rows.tile.kernel.Box(rows.lo, rows.hi)
	points := 1
	for x := 1; x < len(lo); x++ {
		points *= hi[x] - lo[x] + 1
	}
	return points
}

// row computes the iterations a..b of row q.
func (rows *rowBatch) row(q []int, a, b int) {
	copy(rows.lo, q)
	copy(rows.hi, q)
	last := len(q) - 1
	rows.lo[last], rows.hi[last] = a, b
	rows.tile.kernel.Box(rows.lo, rows.hi)
}

// add adds the iterations a..b of row q to those to be computed and returns
// how many they are.
func (rows *rowBatch) add(q []int, a, b int) int {
	n := len(q)
	joins := rows.any && n > 2 && rows.hi[n-2]+1 == q[n-2]
	for x := 1; joins && x < n-2; x++ {
		joins = rows.lo[x] == q[x]
	}
	if joins && (rows.ragged || rows.lo[n-1] != a || rows.hi[n-1] != b) {
		lo, hi := max(rows.lo[n-1], a), min(rows.hi[n-1], b)
		if joins = rows.waits && len(rows.spans) < plan.RaggedMost && hi-lo+1 >= plan.RaggedLeast; joins {
			rows.lo[n-1], rows.hi[n-1], rows.ragged = lo, hi, true
		}
	}
	if joins {
		rows.hi[n-2]++
	} else {
		rows.flush()
		copy(rows.lo, q)
		copy(rows.hi, q)
		rows.lo[n-1], rows.hi[n-1], rows.any, rows.ragged, rows.spans = a, b, true, false, rows.spans[:0]
	}
	if len(rows.spans) < plan.RaggedMost {
		rows.spans = append(rows.spans, [2]int{a, b})
	}
	return b - a + 1
}

// flush computes what is batched.
func (rows *rowBatch) flush() {
	if !rows.any {
		return
	}
	rows.any = false
	if !rows.ragged {
		rows.tile.kernel.Box(rows.lo, rows.hi)
		return
	}
	n := len(rows.lo)
	top, bottom, lo, hi := rows.lo[n-2], rows.hi[n-2], rows.lo[n-1], rows.hi[n-1]
	box := func(row, last, a, b int) {
		if a <= b {
			rows.lo[n-2], rows.hi[n-2], rows.lo[n-1], rows.hi[n-1] = row, last, a, b
			rows.tile.kernel.Box(rows.lo, rows.hi)
		}
	}
	for k, s := range rows.spans {
		box(top+k, top+k, s[0], lo-1)
	}
	box(top, bottom, lo, hi)
	for k, s := range rows.spans {
		box(top+k, top+k, hi+1, s[1])
	}
}
