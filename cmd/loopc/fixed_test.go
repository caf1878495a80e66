package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/ir/irtest"
	"loopc/transform/plan"
)

// TestFixedNests runs nests that once came out wrong, or did not build, under
// random plans against the interpreter.
func TestFixedNests(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 2))
	var nests []builtNest
	for _, c := range []struct{ what, src string }{
		{"a parameter named in a comment only", `param N, K = 9, 2
array s[0..N] int64 inout
for i = 1..N {
	s[i] = s[i-1]*3 + i // K is not used here, and kernel.c neither
}`},
		{"values of a row in two loops over groups of rows", `param N, M, T = 11, 5, 5
array g[2..N, 1..T] float32 in
array u[2..N, 1..T] float32 inout
for i = 2..N, j = -1..M, k = 1..T {
	u[i,k] = u[i,k]/3 + u[i,k]/4
	let s = 0.8950*max(u[i,k], u[i,k])
	u[i,k] /= 3
	u[i,k] -= 0.1695*N + 0.1963*g[i,k] - 0.2417*s + 0.1500*u[i,k]
}`},
		{"cells that one statement reads before the other writes them, in entire arrays", `param N = 20
array f[0..N, 0..N] float32 in
array u[0..N+1, -1..N+1] float32 out
init u[x, y] = x - 0.5*y
for i = N-1..0 step -1, j = 0..N {
	u[i,j] = u[i+1,j+1]/5
	u[i+1,j] = f[i+1,j]
}`},
		{"a parameter that cancels out", `param N, K = 9, 2
array s[0..N] int64 inout
for i = 1..N { s[i] = s[i-1]*3 + i + (K - K) }`},
		{"an unused given array named in a comment", `param N = 9
array v[0..N] int64 in
array s[0..N] int64 inout
for i = 1..N {
	s[i] = s[i-1]*3 + i // v may come later
}`},
		{"minus of minus", `param N = 9
array u[0..N] float64 out
init u[i] = -(-1.5*i)
for i = 1..N { u[i] = -(-u[i-1]) - (-(-1.5)) - select(i > 3, -(-(-u[i-1])), 1) }`},
		{"a dead statement that fails", `param N = 12
array u[0..N] int32 out
array w[0..N] int32
init u[i] = i
init w[i] = 0
for i = 1..N {
	let half = 7 / (u[i-1] - 4)
	w[i] = 7 / (u[i-1] - 3) + half
	u[i] = u[i-1] + 1
}`},
		{"an unused let that fails", `param N = 12
array u[0..N] int32 out
init u[i] = i
for i = 1..N {
	let q = 7 / (u[i-1] - u[i-1])
	u[i] = u[i-1] + 1
}`},
		{"a dead statement that does not fail", `param N = 12
array u[0..N] int32 out
array w[0..N] int32
init u[i] = i + 1
init w[i] = 0
for i = 1..N {
	w[i] = 7 / u[i-1]
	u[i] = u[i-1] + 1
}`},
		{"a division by zero in an init", `param N = 9
array u[0..N] int32 out
init u[i] = 10 / (i - 7)
for i = 1..N-3 { u[i] = u[i-1] + 1 }`},
		{"arrays named like what is made of another's name", `param N = 7
array v[0..N] float64 out
array vResult[0..N] float64 out
array vOrigin[0..N] float64 in
init v[i] = i
init vResult[i] = 2*i
for i = 1..N {
	v[i] = 0.5*v[i-1] + vOrigin[i]
	vResult[i] = 0.5*vResult[i-1] + v[i]
}`},
		{"loops that differ by case", `param N = 4
array u[0..N, 0..N, 0..N, 0..N] float64 out
init u[a, b, c, d] = a + 0.1*b - c + 0.01*d
for t = 1..N, i = 1..N, I = 1..N, j = 1..N {
	u[t,i,I,j] = 0.2*u[t-1,i,I,j] + 0.2*u[t,i-1,I,j] + 0.3*u[t,i,I-1,j] + 0.1*u[t,i,I,j-1]
}`},
		{"parameters named like strides", `param strideI, strideJ, N = 5, 6, 7
array u[0..strideI, 0..strideJ, 0..N] float64 out
init u[a, b, c] = a + 0.1*b - c
for i = 1..strideI, j = 1..strideJ, k = 1..N {
	u[i,j,k] = 0.2*u[i-1,j,k] + 0.2*u[i,j-1,k] + 0.3*u[i,j,k-1] + 0.1*strideI
}`},
		{"slabs of levels at once that read different parts of one given row", `param T, N = 40, 30
array f[0..T+N] float64 in
array u[0..T, 0..N] float64 out
init u[t, i] = t - 0.5*i
for t = 1..T, i = 1..N {
	u[t,i] = 0.5*u[t-1,i] + 0.25*u[t,i-1]/3 + f[t+i]
}`},
		{"slabs of which one begins while that before it ends, with as many rows as make them meet", `param T, M, N = 60, 9, 12
array g[0..M, 0..N] float32 in
array u[0..M, 0..N] float32 inout
for t = 1..T, i = 1..M, j = 1..N {
	u[i,j] = 0.5*u[i,j] + 0.25*u[i,j-1]/3 + 0.125*u[i-1,j] + g[i,j]
}`},
		{"the same over rows", `param T, M, N = 40, 5, 12
array f[0..T+N] float32 in
array u[0..M, 0..N] float32 inout
for t = 1..T, i = 1..M, j = 1..N {
	u[i,j] = 0.5*u[i,j] + 0.25*u[i,j-1]/3 + 0.125*u[i-1,j] + f[t+j]
}`},
		{"levels that take the place of one another", `param T, M, N = 40, 9, 12
array e[0..M, 0..N] float64 inout
array h[0..M, 0..N] float64 inout
for t = 1..T, i = 1..M, j = 1..N {
	e[i,j] = e[i,j] - 0.5*(h[i,j] - h[i-1,j])
	h[i-1,j-1] = h[i-1,j-1] - 0.7*(e[i,j-1] - e[i-1,j-1])
}`},
	} {
		b, ok := buildNest(t, fmt.Sprintf("fixed%02d", len(nests)), c.src, rng, 12)
		if !ok {
			t.Errorf("%s: refused", c.what)
			continue
		}
		// Tiles of many levels, and of so many rows each, for every kernel; nests of
		// other depths refuse them.
		for rows := range 12 {
			for range irtest.OfAll(3, 1) {
				b.job.Plans = append(b.job.Plans, []plan.Options{{Ranks: 1, CPUs: 1, Tile: []int{60, rows + 1, 12}}})
			}
		}
		nests = append(nests, b)
	}
	runNests(t, nests)
}
