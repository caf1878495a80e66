package codegen_test

import (
	"math"
	"math/rand/v2"

	"loopc/ir"
)

// placed are nests with places of reductions.
var placed = []string{
	`param M, N = 50, 60
array a[1..M] uint8 in
array b[1..N] uint8 in
array H[0..M, 0..N] int32
init H[i, j] = 0
reduce best, bi, bj = max(H[i,j]) at (i, j)
reduce worst, wj, wi = min(H[i-1,j] - H[i,j-1]) at (j, i)
for i = 1..M, j = 1..N {
	H[i,j] = max(0, H[i-1,j-1] + select(a[i] == b[j], 5, -4), H[i-1,j] - 1, H[i,j-1] - 1)
}`,
	`param T, N = 20, 50
array u[0..T, 0..N+1] ELEM out
init u[t, i] = i
reduce most, mt, mi = max(u[t,i]) at (t, i)
reduce least, lt, li = min(u[t,i]) at (t, i)
for t = 1..T, i = 1..N {
	u[t,i] = 0.5*u[t-1,i-1] + 0.5*u[t-1,i+1] - 0.25*u[t,i-1]
}`,
	`param T, N = 20, 50
array u[0..T, 0..N+1] ELEM out
init u[t, i] = i
reduce most, mt, mi = max(u[t,i] - u[t+1,i]) at (t, i)
for t = T-1..0 step -1, i = N..1 step -1 {
	u[t,i] = 0.5*u[t+1,i+1] + 0.5*u[t+1,i-1] - 0.25*u[t,i+1]
}`,
}

// startLane returns an accumulator of the k-th reduction before a call.
func startLane(rng *rand.Rand, n *ir.Nest, k, size int) uint64 {
	r := n.Reduces()[k]
	if r.Place {
		return loopLane(rng.IntN(2000)-1000, size)
	}
	x := randomLane(rng, r.Type)
	if f := laneOf(r.Type, x).f; f != f && len(n.Places(k)) > 0 { // as kernels write it
		return map[int]uint64{4: math.MaxUint32, 8: math.MaxUint64}[size]
	}
	return x
}

// loopLane is the value of a loop in a lane.
func loopLane(x, size int) uint64 {
	if size == 8 {
		return math.Float64bits(float64(x))
	}
	return uint64(uint32(x))
}

// sameLane reports whether two values are the same, where all NaNs are.
func sameLane(t ir.Type, x, y uint64) bool {
	a, b := laneOf(t, x).f, laneOf(t, y).f
	return x == y || a != a && b != b
}

// reduce adds the value of a reduction to an accumulator, if the iteration counts, or that of a place, unless the accumulator of
// the reduction before keeps its value. It reports whether the accumulator of a reduction does.
func (e *laneEval) reduce(r *ir.Reduce, into *uint64, size int, counts, keeps bool) bool {
	if before := *into; !r.Place {
		if counts {
			*into = reducedLane(r, before, e.eval(r.Expr).bits(r.Type, size))
		}
		return sameLane(r.Type, before, *into)
	}
	if !keeps {
		*into = loopLane(e.iter(r.Expr.(*ir.IterRef).Iter), size)
	}
	return keeps
}
