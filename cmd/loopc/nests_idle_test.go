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
	for count := irtest.OfAll(40, 12); len(nests) < count; {
		if b, ok := buildNest(t, fmt.Sprintf("idle%d", len(nests)), idleWrites(rng), rng, *nestPlans); ok {
			nests = append(nests, b)
		}
	}
	var all tally
	all.add(nests, runNests(t, nests))
	t.Log(&all)
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
