package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/ir/irtest"
	"loopc/runtime/simd"
	"loopc/transform"
	"loopc/transform/plan"
)

// reduceNests are nests with reductions of every kind and type, "%s" standing for
// the defaults of their parameters.
var reduceNests = []struct {
	src    string
	params []string // defaults to be tried
}{
	// In place, with lets, old and new cells, and rows that advance together. No
	// iterations, one, one level, one row, one column, many.
	{`param T, N, M = %s
array u[0..N+1, 0..M+1] float64 inout
reduce residual, rt, ri, rj = max(abs(u[i,j] - old)) at (t, i, j)
reduce total = sum(u[i,j])
reduce single = sum(float32(old))
reduce least = min(u[i,j])
reduce zero, zj = min(-abs(u[i,j])*0) at (j)
reduce sign, si, sj = max(-abs(u[i,j])*0) at (i, j)
reduce product = sum(u[i,j]*old)
reduce wrapped = sum(int32(1000*u[i,j]))
for t = 1..T, i = 1..N, j = 1..M {
	let old = u[i,j]
	u[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1])
}
`, []string{"0, 5, 6", "3, 0, 4", "1, 1, 1", "1, 7, 9", "5, 1, 9", "4, 9, 1", "3, 13, 17"}},
	// No array is a result, so no process has the whole table: only reductions tell what it contains.
	{`param N, M = %s
array a[1..N] uint8 in
array b[1..M] uint8 in
array H[0..N, 0..M] int32
init H[i, j] = 0
reduce best, bi, bj = max(H[i,j]) at (i, j)
reduce change, ci = min(H[i,j] - H[i-1,j-1]) at (i)
reduce letters = sum(a[i])
reduce count = sum(1)
reduce farthest = max(select(H[i,j] > 5, i + j, 0))
for i = 1..N, j = 1..M {
	H[i,j] = max(0, H[i-1,j-1] + select(a[i]/32 == b[j]/32, 5, -4), H[i-1,j] - 6, H[i,j-1] - 6)
}
`, []string{"0, 3", "1, 1", "2, 40", "25, 31"}},
	// A triangle, empty rows among it; a let that only a reduction uses, and
	// integers that wrap.
	{`param N = %s
array s[0..N, 0..N] int64 out
init s[i, j] = 7*i - 3*j
reduce low, lj = min(s[i,j]*third) at (j)
reduce high = max(s[i,j-1])
reduce wraps = sum(s[i,j]*9223372036854775807)
reduce bytes = sum(uint8(200))
reduce index = max(i - 2*j)
for i = 1..N, j = max(1, i-3)..min(i, N-2) {
	let third = s[i-1,j]/3
	s[i,j] = 3*s[i-1,j-1] + s[i,j-1] - s[i-1,j]
}
`, []string{"2", "3", "4", "19"}},
	// One loop.
	{`param N = %s
array x[0..N] float32 inout
reduce top, ti = max(x[i]) at (i)
reduce sum64 = sum(float64(x[i])/3)
reduce sum32 = sum(x[i]/3)
for i = 1..N {
	x[i] = 0.5*x[i-1] + 0.5*x[i]
}
`, []string{"0", "1", "150"}},
}

// laneReduceNests are nests whose reductions are combined in lanes. Cells outside the space or
// above the highest level, which no iteration writes, would win if they counted, and so would
// results that idle lanes compute from these cells.
var laneReduceNests = []struct {
	src    string
	params []string
}{
	// The greatest and the least are in the first corner and in the last.
	{`param M, N = %s
array a[1..M] uint8 in
array D[0..M, 0..N] int32
array H[0..M, 0..N] int32
init D[i, j] = -1000000
init H[i, j] = 1000000
reduce last = max(D[i,j])
reduce first = min(D[i,j])
reduce greatest = max(H[i,j] + select(a[i] < 128, -1, -2))
reduce least = min(H[i,j])
reduce all = sum(H[i,j] - D[i-1,j])
for i = 1..M, j = 1..N {
	D[i,j] = max(D[i-1,j] + 1, D[i,j-1] + 1, 10)
	H[i,j] = min(H[i-1,j] - 1, H[i,j-1] - 1, H[i-1,j-1] - 3, -10)
}
`, []string{"0, 4", "1, 1", "5, 90", "16, 33", "37, 50", "70, 3", "131, 150"}},
	// Of narrower integers, which wrap; the sums do, too.
	{`param M, N = %s
array a[1..M] uint8 in
array D[0..M, 0..N] int16
array H[0..M, 0..N] uint16
array K[0..M, 0..N] int8
init D[i, j] = -32768
init H[i, j] = 65535
init K[i, j] = 127
reduce last = max(D[i,j])
reduce first = min(D[i,j] - int16(a[i]))
reduce least = min(H[i,j])
reduce odd = max(H[i-1,j]*3)
reduce all = sum(H[i,j] - H[i,j-1])
reduce low = min(K[i,j])
reduce some = sum(K[i,j])
reduce bytes = max(uint8(D[i,j]))
for i = 1..M, j = 1..N {
	D[i,j] = max(D[i-1,j] + 1, D[i,j-1] + 1, 10 - 100*a[i])
	H[i,j] = min(H[i-1,j] - 1, H[i,j-1] - 1, 60000)
	K[i,j] = K[i-1,j] - K[i,j-1] - 100
}
`, []string{"0, 4", "1, 1", "5, 90", "16, 33", "70, 3", "131, 150"}},
	// Names that emitted vector kernels give to variables and fields of their own: most, rows, whole.
	{`param T, N, most = %s
array u[0..N+1, 0..most+1] float64 inout
reduce change = max(-abs(u[i,j] - old) - 1)
reduce rows = min(abs(u[i,j]) + 1)
reduce whole = min(-abs(u[i,j])*0)
for t = 1..T, i = 1..N, j = 1..most {
	let old = u[i,j]
	u[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1]) + 0.125*most
}
`, []string{"1, 1, 1", "8, 9, 10", "19, 1, 60", "27, 30, 25"}},
	{`param T, N = %s
array x[-1..N+1] float32 inout
reduce top = max(-abs(x[i]) - 1)
reduce low = min(abs(x[i] - x[i-1]) + 1)
for t = 1..T, i = 1..N {
	x[i] = 0.25*x[i-1] + 0.5*x[i] + 0.25*x[i+1]
}
`, []string{"20, 100", "100, 20", "33, 1"}},
	// Rows of different lengths, some of them empty.
	{`param N = %s
array s[0..N, -3..N] int32 out
init s[i, j] = 1000000000
reduce low = min(s[i,j])
reduce high = max(-s[i,j-1] - s[i-1,j])
for i = 1..N, j = max(1, i-9)..min(i, N-2) {
	s[i,j] = min(s[i-1,j-1] + 1, s[i,j-1] - 2, s[i-1,j] + 3, 1000)
}
`, []string{"2", "19", "90"}},
	// Many levels and short rows: several time slabs are computed as interleaved row streams.
	// Streams that have no row yet compute as well, and their values must not count.
	{`param T, N = %s
array u[0..T, 0..N, 0..N, 0..N] float32
init u[t, i, j, k] = 1000
reduce least = min(u[t,i,j,k])
for t = 1..T, i = 1..N, j = 1..N, k = 1..N {
	u[t,i,j,k] = 0.5*u[t,i,j,k-1] + 0.25*u[t-1,i,j,k] + 0.125*u[t,i-1,j,k] + 0.125*u[t,i,j-1,k] + 1
}
`, []string{"90, 5", "45, 9"}},
}

// TestLaneReductions does what TestReductions does, for nests that keep their vector kernels.
func TestLaneReductions(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 16))
	var nests []builtNest
	for nest, c := range laneReduceNests {
		for k, params := range c.params[:irtest.OfAll(len(c.params), 1)] {
			src := fmt.Sprintf(c.src, params)
			b, ok := buildNestOn(t, fmt.Sprintf("lanes%d", nest), src, rng, 8, transform.Lower, specialInputs)
			if !ok {
				t.Fatalf("refused:\n%s", src)
			}
			if len(b.code) == 1 {
				t.Fatalf("there is no vector kernel for\n%s", src)
			}
			if b.job.Fails != "" {
				t.Fatalf("%d: %s\n%s", k, b.job.Fails, src)
			}
			for range 4 { // the planner chooses tiles, with enough levels for the lanes
				b.job.Plans = append(b.job.Plans, []plan.Options{{Ranks: 1 + rng.IntN(2), CPUs: 1 + rng.IntN(2)}})
			}
			nests = append(nests, b)
		}
	}
	ran, vectors := 0, 0
	for _, r := range runNests(t, nests) {
		ran += r.Ran
		vectors += r.Kernels["avx2"] + r.Kernels["avx512"]
	}
	if ran < 8*len(nests) || simd.AVX2() && vectors < ran/2 {
		t.Errorf("only %d plans were run, %d of them with vectors; the test proves little", ran, vectors)
	}
}

// TestReductions runs nests with reductions under random plans, with empty spaces
// and more ranks than tiles among them, on inputs with NaNs, infinities, zeros of
// both signs and numbers of any size, against the interpreter, which adds
// rational numbers.
func TestReductions(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 15))
	var nests []builtNest
	for nest, c := range reduceNests {
		for k, params := range c.params {
			src := fmt.Sprintf(c.src, params)
			inputs := specialInputs
			b, ok := buildNestOn(t, fmt.Sprintf("reduce%d", nest), src, rng, 16, transform.Lower, inputs)
			if !ok {
				t.Fatalf("refused:\n%s", src)
			}
			if b.job.Fails != "" {
				t.Fatalf("%d: %s\n%s", k, b.job.Fails, src)
			}
			nests = append(nests, b)
		}
	}
	ran := 0
	for _, r := range runNests(t, nests) {
		ran += r.Ran
	}
	if ran < 8*len(nests) {
		t.Errorf("only %d plans were run; the test proves little", ran)
	}
}
