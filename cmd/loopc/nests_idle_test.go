package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"loopc/ir/irtest"
)

// TestIdleWrites runs random nests in which two statements write cells of one array, the second at some
// remainders only. A read under the same remainder takes nothing from the second statement where that leaves
// its cell as it is, and other reads do, at the rim of the iterations too.
func TestIdleWrites(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(randomNests.begin(t, "nest-plans"), 12))
	var nests []builtNest
	for count := irtest.OfAll(40, 6); len(nests) < count; {
		if b, ok := buildNest(t, fmt.Sprintf("idle%d", len(nests)), idleWrites(rng), rng, *nestPlans); ok {
			nests = append(nests, b)
		}
	}
	for count := len(nests) + irtest.OfAll(60, 8); len(nests) < count; {
		if b, ok := buildProgram(t, fmt.Sprintf("idle%d", len(nests)), halfSweeps(rng), rng, *nestPlans); ok {
			nests = append(nests, b)
		}
	}
	var all tally
	all.add(nests, runNests(t, nests))
	t.Log(&all)
}

// halfSweeps returns a program whose repeat computes the cells of one color after the other, in place. The frontend may
// refuse it.
func halfSweeps(rng *rand.Rand) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	cell := pick("float32", "float64", "int32", "float64")
	neighbor := func() string { return fmt.Sprintf("u[i%+d, j%+d]", rng.IntN(3)-1, rng.IntN(3)-1) }
	value := fmt.Sprintf("%s - %s + %s", neighbor(), neighbor(), pick("w[i, j]", neighbor()))
	colors := pick("2", "2", "3", "4")
	loop, open, shut := "j = 1..M", "", ""
	switch rng.IntN(5) {
	case 0:
		loop, colors = "j = 1+(i+color)%2..M step 2", "2"
	case 1:
		loop = "j = M-color..1 step -" + colors
	case 2:
		open, shut = fmt.Sprintf("if (i %s %dj)%%%s == color {\n", pick("+", "-"), 1+2*rng.IntN(2), colors), "\n}\n"
		open = strings.ReplaceAll(strings.ReplaceAll(open, "1j", "j"), "3j", "3*j")
	case 3:
		open, shut = fmt.Sprintf("let s = i + j + color\nif s/%s*%s == s {\n", colors, colors), "\n}\n"
	default:
		open, shut = "if (i - j + color)&"+pick("1", "3", "16", "31")+" == 0 {\n", "\n}\n"
	}
	if rng.IntN(3) == 0 {
		open, shut = open+"if w[i, j] > 0 {\n", "\n}\n"+shut
	}
	return fmt.Sprintf(`param N, M = %d, %d
array u[-1..N+1, -2..M+2] %s inout
array w[-1..N+1, -2..M+2] %s in
repeat t = 1..%d {
repeat color = 0..%s-1 {
for %s, %s {
%su[i, j] = %s%s
}
}
}
`, 1+rng.IntN(12), 1+rng.IntN(60), cell, cell, 1+rng.IntN(2), colors, pick("i = 1..N", "i = N..1 step -1"), loop, open, value, shut)
}

// idleWrites returns a nest for TestIdleWrites. The frontend may refuse it.
func idleWrites(rng *rand.Rand) string {
	shifted := func(names string, by ...int) string {
		var subs []string
		for k, name := range strings.Split(names, "") {
			sub := name
			if by[k] != 0 {
				sub = fmt.Sprintf("%s%+d", name, by[k])
			}
			subs = append(subs, sub)
		}
		return "u[" + strings.Join(subs, ", ") + "]"
	}
	m, e, b := 2+rng.IntN(2), 1+rng.IntN(2), rng.IntN(3)
	read := func() string { return shifted("ijk", -1, e, rng.IntN(3)-1) }
	second := shifted("ijk", 0, e, 0)
	return fmt.Sprintf(`param N, M, L = %d, %d, %d
array u[-4..N+4, -4..M+4, -4..L+4] float32 inout
array w[-4..N+4, -4..M+4, -4..L+4] float32 inout
for i = 1..N, j = 1..M, k = max(1, i-%d)..L {
	u[i,j,k] = 0.01*k
	u[i,j+%d,k] = select((%d*i - j - %d*k + %d)%%%d == 0, %s/6 - 1, %s)
	w[i,j,k] = %s
}
`, 3+rng.IntN(6), 2+rng.IntN(6), 4+rng.IntN(8), rng.IntN(4),
		e, 1+rng.IntN(3), b, rng.IntN(5), m, read(), second, read())
}
