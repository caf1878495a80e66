package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/transform"
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
reduce residual = max(abs(u[i,j] - old))
reduce total = sum(u[i,j])
reduce single = sum(float32(old))
reduce least = min(u[i,j])
reduce zero = min(-abs(u[i,j])*0)
reduce product = sum(u[i,j]*old)
reduce wrapped = sum(int32(1000*u[i,j]))
for t = 1..T, i = 1..N, j = 1..M {
	let old = u[i,j]
	u[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1])
}
`, []string{"0, 5, 6", "3, 0, 4", "1, 1, 1", "1, 7, 9", "5, 1, 9", "4, 9, 1", "3, 13, 17"}},
	// No array is given back: the table is nowhere whole.
	{`param N, M = %s
array a[1..N] uint8 in
array b[1..M] uint8 in
array H[0..N, 0..M] int32
init H[i, j] = 0
reduce best = max(H[i,j])
reduce change = min(H[i,j] - H[i-1,j-1])
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
reduce low = min(s[i,j]*third)
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
reduce top = max(x[i])
reduce sum64 = sum(float64(x[i])/3)
reduce sum32 = sum(x[i]/3)
for i = 1..N {
	x[i] = 0.5*x[i-1] + 0.5*x[i]
}
`, []string{"0", "1", "150"}},
}

// TestReductions runs nests with reductions under random plans, with empty spaces
// and more ranks than tiles among them, on inputs with NaNs, infinities, zeros of
// both signs and numbers of any size, against the interpreter, which adds
// rational numbers.
func TestReductions(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	var nests []builtNest
	for _, c := range reduceNests {
		for k, params := range c.params {
			src := fmt.Sprintf(c.src, params)
			inputs := specialInputs
			b, ok := buildNestOn(t, fmt.Sprintf("reduce%02d", len(nests)), src, rng, 16, transform.Lower, inputs)
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
