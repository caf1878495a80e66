package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/ir"
	"loopc/ir/eval"
	"loopc/ir/irtest"
	"loopc/runtime/simd"
	"loopc/transform"
	"loopc/transform/plan"
)

// TestVectorNests compares vector kernels with the interpreter, bit for bit, on
// random nests that have them: every operator, type and scheme, rows that are
// longer than several vectors and shorter than one, and inputs with NaN,
// infinities, signed zeros and denormals.
func TestVectorNests(t *testing.T) {
	t.Parallel()
	seed, count := vectorCases.begin(t), *vectorCases.count
	schemes, kernels, classes, ran := map[string]int{}, map[string]int{}, map[string]int{}, 0
	for done, batch := 0, uint64(0); done < count; batch++ {
		rng := rand.New(rand.NewPCG(seed, batch))
		var nests []builtNest
		for n := min(40, count-done); len(nests) < n; {
			src := vectorNest(rng)
			if len(nests) < len(vectorNests) {
				src = vectorNests[len(nests)]
			}
			b, ok := buildNestOn(t, fmt.Sprintf("vector%03d", len(nests)), src, rng, 0, transform.Lower, specialInputs)
			if len(nests) < len(vectorNests) && (!ok || len(b.code) == 1) {
				t.Fatalf("there is no vector kernel for\n%s", src)
			}
			if !ok || len(b.code) == 1 {
				continue
			}
			schemes[schemeOf(string(b.code[1].Text))]++
			for _, c := range vectorClasses {
				if strings.Contains(src[strings.Index(src, "for "):], c.part) {
					classes[c.name]++
				}
			}
			for range 6 {
				o := plan.Options{Ranks: 1 + rng.IntN(3)/2, CPUs: 1}
				if rng.IntN(3) == 0 {
					o.CPUs = 2
				}
				b.job.Plans = append(b.job.Plans, []plan.Options{o})
			}
			nests = append(nests, b)
		}
		done += len(nests)
		for _, r := range runNests(t, nests) {
			ran += r.Ran
			for name, plans := range r.Kernels {
				kernels[name] += plans
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("schemes %v, kernels %v, classes %v", schemes, kernels, classes)
	for _, c := range vectorClasses {
		if classes[c.name] < (count-len(vectorNests))/50 {
			t.Errorf("only %d of %d nests have %s", classes[c.name], count, c.name)
		}
	}
	if schemes["wavefront"] < count/4 || schemes["contiguous"] < count/8 {
		t.Errorf("the schemes were %v; the test proves little", schemes)
	}
	if simd.AVX2() && kernels["avx2"] < ran/4 || simd.AVX512() && kernels["avx512"] < ran/4 {
		t.Errorf("the kernels of %d runs were %v; the test proves little", ran, kernels)
	}
}

// vectorClasses are features of nests with vector kernels. A nest has a feature if its text has the part.
var vectorClasses = []struct{ name, part string }{
	{"a backward loop along the row", "j = M..1"}, {"an array that runs the other way", "c[M-j]"}, {"more rows than registers", "m11["},
	{"integers of 64 bits", "(i - j)/3"}, {"the least of indices", "min(i, j)"}, {"conditions on indices", "j == M"}, {"bytes", "s[j]"}, {"a chain of minima", "let b2 = min(b1"}, {"a chain of maxima", "let b2 = max(b1"},
}

// specialInputs are random inputs, in two of three nests with a few special values
// among them, or many.
func specialInputs(rng *rand.Rand, n *ir.Nest, params []int) map[string]*eval.Array {
	in := irtest.RandomInputs(rng, n, params)
	share := []int{0, 300, 6}[rng.IntN(3)]
	if slices.Contains(n.Source, "// close calls") {
		for _, name := range slices.Sorted(maps.Keys(in)) {
			closeCalls(rng, in[name])
		}
		share = 300
	}
	if slices.Contains(n.Source, "// special") {
		share = 6
	}
	if share == 0 {
		return in
	}
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-45, -1e-45, math.MaxFloat32, -math.MaxFloat64, 1, -1}
	anyBits := slices.Contains(n.Source, "// any bits")
	for _, name := range slices.Sorted(maps.Keys(in)) {
		a := in[name]
		for x := range a.Floats {
			switch narrow := a.Elem == ir.Float32; {
			case rng.IntN(share) == 0:
				if a.Floats[x] = special[rng.IntN(len(special))]; narrow {
					a.Floats[x] = float64(float32(a.Floats[x]))
				}
			case anyBits && narrow:
				a.Floats[x] = float64(math.Float32frombits(rng.Uint32() &^ []uint32{0, 0x7c000000}[rng.IntN(2)])) // or about the least normal number
			case anyBits:
				a.Floats[x] = math.Float64frombits(rng.Uint64() &^ []uint64{0, 0x7f80000000000000}[rng.IntN(2)])
			}
		}
		for x := range a.Ints {
			if cell := a.Elem.Cell(); rng.IntN(share) == 0 {
				a.Ints[x] = cell.Wrapped([]int64{0, -1, 1, cell.Lo, cell.Hi}[rng.IntN(5)])
			}
		}
	}
	return in
}

// closeCalls fills an array with numbers whose significands are near all ones, near a
// power of two or anything, mostly about 1, some of them anywhere.
func closeCalls(rng *rand.Rand, a *eval.Array) {
	number := func(digits, exponents int) uint64 {
		mask := uint64(1)<<digits - 1
		significand := []uint64{mask - rng.Uint64N(4), rng.Uint64N(4), rng.Uint64(), rng.Uint64()}[rng.IntN(4)] & mask
		exponent := uint64(1)<<(exponents-1) - 20 + rng.Uint64N(40)
		if rng.IntN(60) == 0 {
			exponent = rng.Uint64N(1 << exponents)
		}
		return (rng.Uint64N(2)<<exponents|exponent)<<digits | significand
	}
	for x := range a.Floats {
		if a.Elem == ir.Float32 {
			a.Floats[x] = float64(math.Float32frombits(uint32(number(23, 8))))
		} else {
			a.Floats[x] = math.Float64frombits(number(52, 11))
		}
	}
}

// vectorNests are nests that random ones are seldom like: conversions of floats
// that are NaN or too large, a minimum and a maximum that are not spread, divisions of every type by
// constants, two divisions by the same number, rows that are read at many neighbors, and statements that
// read what those above them have computed further back in the row.
//
// The first has few planes, whose rows at one place are computed together, among them given
// ones.
var vectorNests = []string{
	`param T, N, M = 2, 37, 101 // cells that are looked up, where a condition says so
array g[0..N, 0..M] uint8 in
array q[-3..20, 0..9] int32 in
array s[0..15] float64 in
array u[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = i
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = select(g[i,j] < 180, q[abs(int64(g[i,j]) % 23) - 3, g[i,j-1] % 10], s[max(0, int64(g[i,j]) - 300 + 50*(int64(g[i,j]) & 1) + 12*i)&15]) + 0.5*u[t,i,j-1] - 0.25*u[t,i-1,j] }`,
	`param T, N, M = 5, 19, 101
array g[0..N, 0..M] int32 in
array s[0..7, 0..2] float32 in
array u[0..T, 0..N, 0..M] float32 out
init u[t, i, j] = j
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = select(i > 3 && s[g[i,j]&7, g[i,j-1]&1] < 0.5, s[1, max(0, int64(g[i,j]) % 3)], u[t-1,i,j]) - s[g[i-1,j]&1, 2]*u[t,i-1,j] - 0.5*u[t,i,j-1] }`,
	`param M, N = 61, 150 // narrow cells that are looked up, the last of the table among them, by lanes across levels
array a[0..M] uint8 in
array b[0..N] uint8 in
array s[-1..2, 0..2] int8 in
array H[0..M, 0..N] int32 out
init H[i, j] = i - j
for i = 1..M, j = 1..N { H[i,j] = max(-5, H[i-1,j-1] + s[int32(a[i]&3) - 1, b[j] % 3], H[i-1,j] - 4, H[i,j-1] - 4) }`,
	`param T, M = 7, 200
array r[0..7] uint8 in
array w[0..1] int16 in
array u[0..T, 0..M+1] uint8
array v[0..T, 1..M] int32 out
init u[t, j] = j*j & 1
init v[t, j] = j
out u[T, *]
for t = 1..T, j = 1..M {
	u[t,j] = r[(u[t-1,j-1]&1)*4 + (u[t-1,j]&1)*2 + (u[t-1,j+1]&1)]
	v[t,j] = w[u[t,j]&1] - v[t-1,j]
}`,
	`param T, N, M = 3, 23, 90
array g[0..N, 0..M] uint8 in
array s[0..3] uint8 in
array w[0..4, 0..1] int16 in
array u[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = i
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = s[g[i,j]&3] + 0.5*u[t,i,j-1] - 0.25*u[t,i-1,j] + select(w[4, g[i,j-1]&1] > 0, 1, w[g[i,j] % 5, 0]) }`,
	`// special
param T, N, M, K = 6, 5, 19, 41
array h[0..N+1, 0..M+1, 0..K+1] float64 in
array u[0..T, 0..N+1, 0..M+1, 0..K+1] float64 out
init u[t, i, j, k] = h[i,j,k]
for t = 1..T, i = 1..N, j = 1..M, k = 1..K { u[t,i,j,k] = u[t-1,i-1,j,k] - u[t-1,i+1,j,k]*h[i,j-1,k] + (u[t-1,i,j-1,k] - u[t-1,i,j+1,k]) + u[t-1,i,j,k-1]*u[t-1,i,j,k+1] }`,
	`param N, M, K = 37, 37, 37 // sums over rows that share their cells: no iteration may run twice
array A[1..N, 1..M] float64 in
array B[1..M, 1..K] float64 in
array C[1..N, 1..K] float64 inout
for i = 1..N, k = 1..M, j = 1..K { C[i,j] = C[i,j] + A[i,k]*B[k,j] }`,
	`// special
param T, N, M = 7, 37, 101
array g[0..N, 0..M+3] float32 in
array u[0..T, 0..N, 0..M+1] float32 out
init u[t, i, j] = g[i,j]
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = u[t-1,i,j-1] + (u[t-1,i,j] - u[t-1,i,j+1])*g[i,j+2] + g[i,j+3]*g[i-1,j] - g[i,j] }`,
	`// special
param T, N, M = 2, 37, 101
array g[0..N, 0..M] float32 in
array u[0..T, 0..N, 0..M] int32 out
init u[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = int32(1.5e10 * g[i,j]) + 0*u[t-1,i,j-1] }`,
	`// special
param T, N, M = 2, 37, 101
array g[0..N, 0..M] float64 in
array u[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = select(u[t,i,j-1] == u[t,i-1,j] && u[t-1,i,j] > 9, u[t-1,i,j], max(min(g[i,j], g[i-1,j]), min(g[i,j], g[i,j-1]), g[i-1,j-1])) }`,
	`param T, N, M = 11, 37, 101
array ex[0..N, 0..M] float64 inout
array ey[0..N, 0..M] float64 inout
array hz[0..N, 0..M] float64 inout
for t = 1..T, i = 1..N, j = 1..M {
	ey[i,j] = ey[i,j] - 0.5*(hz[i,j] - hz[i-1,j])
	ex[i,j] = ex[i,j] - 0.5*(hz[i,j] - hz[i,j-1])
	hz[i-1,j-1] = hz[i-1,j-1] - 0.7*(ex[i-1,j] - ex[i-1,j-1] + ey[i,j-1] - ey[i-1,j-1])
}`,
	`// special
// any bits
param T, N, M = 2, 37, 101
array g[0..N, 0..M] float64 in
array u[0..T, 0..N, 0..M] float64 out
array v[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = 0
init v[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M {
	u[t,i,j] = select(u[t-1,i,j] == 7, 1, g[i,j]/9)
	v[t,i,j] = select(v[t-1,i,j] == 7, 1, g[i-1,j]/-6)
}`,
	`// special
// any bits
param T, N, M = 11, 37, 101
array g[0..N, 0..M] float64 in
array u[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = select(u[t,i,j-1] == u[t,i-1,j] && u[t-1,i,j] > 9, u[t-1,i,j], select(u[t-1,i,j] < 3, g[i,j]/9, select(u[t-1,i,j] < 1000, g[i-1,j]/10, g[i,j-1]/-16))) }`,
	`// special
// any bits
param T, N, M = 2, 37, 101
array g[0..N, 0..M] float32 in
array u[0..T, 0..N, 0..M] float32 out
array v[0..T, 0..N, 0..M] float32 out
init u[t, i, j] = 0
init v[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M {
	u[t,i,j] = select(u[t-1,i,j] == 7, 1, g[i,j]/9)
	v[t,i,j] = select(v[t-1,i,j] == 7, 1, g[i-1,j]/-6)
}`,
	`// special
// any bits
param T, N, M = 11, 37, 101
array g[0..N, 0..M] float32 in
array u[0..T, 0..N, 0..M] float32 out
init u[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = select(u[t,i,j-1] == u[t,i-1,j] && u[t-1,i,j] > 9, u[t-1,i,j], select(u[t-1,i,j] < 3, g[i,j]/9, select(u[t-1,i,j] < 1000, g[i-1,j]/10, g[i,j-1]/-16))) }`,
	`// close calls
param T, N, M = 2, 67, 203
array g[0..N, 0..M] float32 in
array h[0..N, 0..M] float32 in
array b[0..N, 0..M] float32 in
array u[0..T, 0..N, 0..M] float32 out
array v[0..T, 0..N, 0..M] float32 out
init u[t, i, j] = 0
init v[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M {
	u[t,i,j] = select(u[t-1,i,j] == 7, 1, g[i,j]/b[i,j-1])
	v[t,i,j] = select(v[t-1,i,j] == 7, 1, h[i-1,j]/b[i,j-1])
}`,
	`// close calls
param T, N, M = 2, 67, 203
array g[0..N, 0..M] float64 in
array h[0..N, 0..M] float64 in
array b[0..N, 0..M] float64 in
array u[0..T, 0..N, 0..M] float64 out
array v[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = 0
init v[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M {
	u[t,i,j] = select(u[t-1,i,j] == 7, 1, g[i,j]/b[i,j-1])
	v[t,i,j] = select(v[t-1,i,j] == 7, 1, h[i-1,j]/b[i,j-1])
}`,
	`param T, N, M, K = 2, 37, 101, 4294967346 // a parameter that lanes do not hold
array g[0..N, 0..M] float32 in
array u[0..T, 0..N, 0..M] float32 out
init u[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = select(j < K && min(i, j) < K/3, g[i,j], u[t-1,i,j]) }`,
	`param T, N, M = 11, 9, 75
array u[0..N, -3..M] float32 inout
array w[0..N, 0..M] float32 inout
for t = 1..T, i = 1..N, j = 0..M-1 {
	u[i,j] = 0.5*u[i,j] + 0.25*u[i-1,j]
	w[i,j] = 0.5*w[i,j] + 0.25*u[i,j-3] - 0.125*u[i,j-2] + 0.25*w[i-1,j+1] + 0.125*u[i,j+1]
}`,
}

// schemeOf tells what kernels an emitted file calls.
func schemeOf(code string) string {
	if strings.Contains(code, "tile.rest(") {
		return "wavefront"
	}
	return "contiguous"
}
