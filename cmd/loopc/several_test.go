package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"loopc/ir/irtest"
)

// severalBodies are nests over the arrays of randomProgram. One reads a reduction of an earlier nest, also within a repeat.
var severalBodies = []string{
	"for i = 1..N, j = 0..N { u[i,j] = 0.5*u[i-1,j] + 0.25*w[i,j] }",
	"for i = 0..N, j = 1..N { u[i,j] = 0.5*u[i,j-1] - 0.25*w[i,j] }",
	"for i = 0..N, j = 0..N { w[i,j] = u[i,j] + 0.125*t }",
	"for j = 1..N, i = 0..N-1 { w[i,j] = 0.5*w[i,j-1] + f[i+1]*u[i+1,j] }",
	"for a = 1..3, i = 1..N-1, j = 1..N-1 { u[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1]) }",
	"for a = 1..2, i = 0..N, j = max(0,i-2)..min(N,i+3) { w[i,j] = select((i+j)/2*2 == i+j, w[i,j] + u[i,j], w[i,j]) }",
	"for a = 1..3, i = N-1..1 step -1, j = 0..N { u[i,j] = 0.5*u[i+1,j] + select(u[i-1,j] > first, 0.25, 0.125)*u[i-1,j] }",
	"for i = 2..N-2, j = i..N { v[i,j] = v[i-1,j] + v[i,j] + i }",
}

// randomProgram returns a program of several random nests.
func randomProgram(rng *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "param T, N = %d, %d\narray u[0..N, 0..N] float64 inout\narray w[0..N, 0..N] float64 out\narray v[0..N, 0..N] int32\n", rng.IntN(4), 4+rng.IntN(9))
	b.WriteString("array f[0..N] float64 in\ninit w[i, j] = f[i] - 0.5*j\ninit v[i, j] = i - 2*j\nout v[N-2, *]\n")
	nests := func(least int) {
		for range least + rng.IntN(3) {
			body := severalBodies[rng.IntN(len(severalBodies))]
			b.WriteString(body + "\n")
		}
	}
	b.WriteString("reduce first = max(abs(f[i] + u[i,j]))\nfor i = 0..N, j = 0..N {}\n")
	b.WriteString("repeat t = 1..T until most > 40 {\nreduce most = max(abs(u[i,j]))\nfor i = 0..N, j = 1..N { u[i,j] = 0.5*u[i,j-1] + w[i,j]*t }\n")
	nests(1)
	b.WriteString("}\n")
	text := b.String()
	b.Reset()
	nests(0)
	return text + strings.ReplaceAll(b.String(), "0.125*t", "0.125*N")
}

// wrongOnce are programs that once came out wrong: within a repeat, lanes in entire arrays kept the number that an earlier
// nest had reduced before its first run.
var wrongOnce = []string{`param N, T = 19, 3
array g[0..N, 0..N] float64 in
array u[0..N, 0..N] float64 out
init u[i, j] = g[i, j]
reduce first = max(u[i,j-1])
for i = 1..N, j = 1..N {}
repeat t = 1..T {
for i = N-1..1 step -1, j = 1..N-1, k = N-1..1 step -1 {
	u[j,k] = 0.25*u[j+1,k] + select(u[j,k-1] > 0.5*first, 0.25, t) + 0.25*u[j-1,k]
}
}
`}

// TestSeveral runs random programs of several nests under random plans, continues from states between
// nests under other plans, and compares every bit with the interpreter.
func TestSeveral(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 2))
	var built []builtNest
	programs := irtest.OfAll(12, 5) + len(wrongOnce)
	for len(built) < programs {
		name := fmt.Sprintf("several%d", len(built))
		src := randomProgram(rng)
		if len(built) < len(wrongOnce) {
			src = wrongOnce[len(built)]
		}
		b, ok := buildProgram(t, name, src, rng, 12)
		if !ok {
			t.Fatalf("refused:\n%s", src)
		}
		b.job.TCP = 4
		built = append(built, b)
	}
	moved, resumed := int64(0), 0
	for _, r := range runNests(t, built) {
		moved += r.Moved
		resumed += r.Resumed
		if r.Ran < 6 {
			t.Errorf("%s: only %d plans were run", r.Nest, r.Ran)
		}
	}
	if resumed < 6*programs {
		t.Errorf("only %d runs continued from a state between nests", resumed)
	}
	if moved < int64(80*programs) {
		t.Errorf("only %d messages went from nest to nest; the test proves little", moved)
	}
}
