package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/ir/irtest"
	"loopc/transform/plan"
)

// TestExactSums runs nests with sums of floats that vector kernels collect in lanes, under random plans, against the interpreter. The
// addends differ so much that lanes do not take all of them, and some are not finite.
func TestExactSums(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 3))
	// y is a float from -1 to 1, of an input whose type is given.
	wild := map[string]string{
		"float64": "select(y > 0.7, y*1e300, select(y < -0.8, y*1e-200, select(y > 0.2, y*y*1e-25, y)))",
		"float32": "select(y > 0.7, y*1e30, select(y < -0.8, y*1e-36, select(y > 0.2, y*y*1e-15, y)))",
	}
	most := map[string]string{"float64": "1.7e308", "float32": "3.4e38"}
	var nests []builtNest
	for each, elem := range []string{"float64", "float32"} {
		for k, c := range []struct {
			what, src string
			kernels   []string
		}{
			{"along rows, in tiles and in entire arrays", `reduce s = sum(x)
reduce big = sum(select(y > 0, MOST, select(y < -0.3, -MOST, x)))
for i = 1..N, j = 1..N {
	let y = 0.999*f[i,j]
	let x = WILD
	u[i,j] = 0.5*u[i,j] + y
}`, []string{"exact.Call(tile.whole"}},
			{"along rows that wait", `reduce s = sum(x*x)
for t = 1..3, i = 1..N, j = 1..N {
	let y = 0.999*f[i,j]
	let x = WILD
	u[i,j] = 0.25*(u[i-1,j] + u[i+1,j] + u[i,j-1] + u[i,j+1]) + y
}`, []string{"exact.Call(tile.whole", "exact.Call(tile.rest"}},
			{"of the cells of one color, in place", `repeat t = 1..3 {
	reduce s = sum(x)
	reduce n = sum(select(i == 7, (y - y)/(y - y), x*x))
	for i = 1..N, j = 1+(i+t)%2..N step 2 {
		let y = 0.999*f[i,j]
		let x = WILD
		u[i,j] = 0.25*(u[i-1,j] + u[i+1,j] + u[i,j-1] + u[i,j+1]) + y
	}
}`, []string{"exact.Call(tile.whole", "VPALIGNR"}},
			{"across rows", `reduce s = sum(x)
for i = 1..N, j = 1..N {
	let y = 0.999*f[i,j] - 0.001*u[i,j-1]
	let x = WILD
	u[i,j] = 0.25*(u[i-1,j] + u[i+1,j] + u[i,j-1] + u[i,j+1]) + 0.1*y
}`, []string{"kernel.Front{"}},
			{"without results, of what is not finite", `reduce s = sum(select(i == 2 && j == N, y/(y - y), x))
reduce n = sum(select(j == 9, (y - y)/(y - y), x))
for i = 1..N, j = 1..N {
	let y = f[i,j]
	let x = WILD
}`, []string{"exact.Call(tile.whole"}},
			{"whose result stands in the next nest", `reduce s = sum(f[i,j]*u[i,j])
for i = 1..N, j = 1..N {
	u[i,j] = 0.5*u[i,j] + 0.1*f[i,j]
}
for i = 1..N, j = 1..N {
	u[i,j] = u[i,j] + 0.001*s*f[i,j]
}`, []string{"exact.Call(tile.whole", "With: func(params []int)"}},
			{"whose results stand in later nests", `repeat t = 1..4 until q < 0 {
	reduce s = sum(f[i,j]*u[i,j])
	for i = 1..N, j = 1..N {
		u[i,j] = 0.5*u[i,j] + 0.1*f[i,j]
	}
	reduce q = sum(u[i,j]*u[i,j])
	for i = 1..N, j = 1..N {
		u[i,j] = u[i,j] + 0.001*s*f[i,j]
	}
}`, []string{"exact.Call(tile.whole", "With: func(params []int)"}},
		} {
			if k%2 != each && !irtest.Full() {
				continue // one of both types
			}
			src := fmt.Sprintf("param N = %d\narray f[0..N+1, 0..N+1] %s in\narray u[0..N+1, 0..N+1] %s inout\n", 37+rng.IntN(40), elem, elem)
			text := src + strings.NewReplacer("WILD", wild[elem], "MOST", most[elem]).Replace(c.src)
			b, ok := buildProgram(t, fmt.Sprintf("exact%02d", len(nests)), text, rng, 8)
			if !ok {
				t.Errorf("%s, %s: refused", c.what, elem)
				continue
			}
			for _, o := range []plan.Options{{Ranks: 1, CPUs: 1}, {Ranks: 1, CPUs: 1, Written: true}} {
				b.job.Plans = append(b.job.Plans, slices.Repeat([]plan.Options{o}, len(b.job.Plans[0])))
			}
			emitted := ""
			for _, f := range b.code {
				emitted += string(f.Text)
			}
			for _, want := range c.kernels {
				if !strings.Contains(emitted, want) {
					t.Errorf("%s, %s: emitted code has no %s", c.what, elem, want)
				}
			}
			nests = append(nests, b)
		}
	}
	runNests(t, nests)
}
