package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"loopc/ir/irtest"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// TestEmptySpaces plans nests of which parameters are so small that some loops have no iterations, or one: every
// plan has a time, and one of them is chosen.
func TestEmptySpaces(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 25))
	var files []string
	for _, folder := range []string{"suites", "peers", "long", "language"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", folder, "*.loop"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", folder, err)
		}
		files = append(files, found...)
	}
	rng.Shuffle(len(files), func(a, b int) { files[a], files[b] = files[b], files[a] })
	empty := 0
	for _, file := range files[:irtest.OfAll(60, 10)] {
		a := &app{stderr: &bytes.Buffer{}}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l, err := a.lower(&source{path: file, name: "nest", text: text}, false)
		if err != nil {
			t.Fatalf("%v\n%s", err, a.stderr)
		}
		for k, nest := range l.nests {
			n := l.program.Nests[k]
			for range 6 {
				params := make([]int, len(n.Params))
				for k := range n.Params {
					params[k] = rng.IntN(4)
					if rng.IntN(3) == 0 {
						params[k] = 50 // long against the other loops: bounds contradict one another only after many steps
					}
				}
				for _, w := range [][2]int{{1, 1}, {1, 2}, {3, 1}} {
					o := plan.Options{Ranks: w[0], CPUs: w[1]}
					p, all, err := search.ChooseUpTo(t.Context(), nest, params, o, l.figures(k, params, cost.DefaultMachine(), ""), cost.LinkTCP, 0)
					if err != nil {
						continue // arrays without cells, for example
					}
					what := fmt.Sprint(file, " ", k, " ", params, " ", w)
					if points, exact := p.Points(); exact && points == 0 {
						empty++
						if !p.Empty {
							t.Errorf("%s: the plan does not know that it is empty", what)
						}
					}
					for _, x := range all {
						if math.IsNaN(x.Seconds) || math.IsInf(x.Seconds, 0) || x.Seconds < 0 {
							t.Errorf("%s: %+v", what, x)
						}
					}
				}
			}
		}
	}
	if empty < 2 {
		t.Errorf("only %d of the spaces are empty; the test proves little", empty)
	}
}

// TestNoCells has loops without iterations around an array that nobody sees, or around a let that becomes one: the
// bounds of these arrays are further apart than 1..0, and they have no cells.
func TestNoCells(t *testing.T) {
	t.Parallel()
	for _, src := range []string{`
param N = -4
array a[0..9] float64 out
init a[x] = x
array t[0..N] float64
init t[x] = 1
for i = 1..N {
	a[i] = a[i-1] + t[i-1]
	t[i] = a[i]
}
`, `
param N, M = 6, 1
array x[1..N, 0..N] float64 out
init x[i, k] = i
array y[1..N, 0..N, 0..M] float64 out
init y[i, k, m] = k
for i = 2..N, k = M-1..i step -1 {
	let v float64 = x[i-1,k]
	x[i,k] = v + 1
	for m = 0..M {
		y[i,k,m] = y[i-1,k,m] + v
	}
}
`} {
		file := filepath.Join(t.TempDir(), "nest.loop")
		if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"check", file}, {"plan", file}, {"plan", file, "-n", "2", "--cpus", "2"}} {
			if status, stderr := invoke(args...); status != exitDone {
				t.Errorf("%s ends with %d: %s%s", args[0], status, stderr, src)
			}
		}
	}
}
