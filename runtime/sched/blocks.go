package sched

import (
	"math"
	"slices"

	"loopc/transform/plan"
)

// A block is the rows least..most of all levels, computed before the rows of the next block. Without blocks, cells that all levels read, as
// those of B in C[i,j] = C[i,j] + A[i,k]*B[k,j], would come from a farther cache again for each level. There are blocks only where levels,
// or rows, may be computed in any order. A block has as many rows as the first cache holds.
type block struct {
	rows        int // rows of each block; 0: one block has all rows
	lo, hi      int // the rows of the plan
	least, most int // the rows of the block that is being computed
}

// blockBytes are the bytes of a block's rows that all levels read; longer rows may take longBlockBytes.
const blockBytes, longBlockBytes, fewestRows = 24 << 10, 384 << 10, 8

// blocks returns the division of the rows into blocks, the same for each CPU. compute sets least and most.
func (r *inArrays) blocks() block {
	n, p := r.part.Nest, r.plan
	b := block{lo: p.Lo[1], hi: p.Hi[1]}
	if len(n.Dims) != 3 || r.rotating != nil || p.Lo[0] == p.Hi[0] || !slices.Contains(r.part.Apart, 0) && !slices.Contains(r.part.Apart, 1) {
		return b
	}
	shared := make([]int, len(n.Arrays)) // by array: the bytes of a row, if all levels read the same rows; else 0
	look := func(array int, subs []plan.Affine) {
		uses := func(x int) bool {
			return slices.ContainsFunc(subs, func(f plan.Affine) bool { return x < len(f.Iters) && f.Iters[x] != 0 })
		}
		if !uses(0) && uses(1) && uses(2) {
			shared[array] = n.Arrays[array].Size * (p.Hi[2] - p.Lo[2] + 1)
		}
	}
	for _, a := range n.Reads {
		look(a.Array, a.Subs)
	}
	row := 0
	for v := range n.Values {
		look(n.Values[v].Array, n.Values[v].Cell)
	}
	for _, bytes := range shared {
		row += bytes
	}
	for _, bytes := range []int{blockBytes, longBlockBytes} {
		if row > 0 && b.rows == 0 && bytes/row >= fewestRows && (b.hi-b.lo+1)*row > bytes {
			b.rows = bytes / row / 4 * 4 // kernels compute groups of four rows
		}
	}
	return b
}

// compute computes the iterations of a CPU, block after block.
func (b *boxes) compute() {
	b.since, b.err = 0, nil
	b.block.least, b.block.most = math.MinInt, math.MaxInt
	for lo := b.block.lo + b.block.rows; b.block.rows > 0 && lo <= b.block.hi && b.err == nil; lo += b.block.rows {
		b.block.most = lo - 1
		b.err = b.all(0)
		b.block.least, b.block.most = lo, math.MaxInt
	}
	if b.err == nil {
		b.err = b.all(0)
	}
}
