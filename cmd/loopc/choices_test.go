package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"loopc/ir/irtest"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

var allChoices = flag.Bool("choices", false, "compare what planning chooses with unbounded searches for all nests, ranks and CPUs")

// A choiceNest is a nest that is planned with a bounded search and with an unbounded one.
type choiceNest struct {
	name, text string
	params     []int // nil: the defaults
	always     bool  // also without -choices
}

// choiceNests are nests whose tiles are of few kinds, and of very many.
func choiceNests(t *testing.T) (out []choiceNest) {
	t.Helper()
	for _, pattern := range []string{"../../testdata/peers/*.loop", "../../examples/*/*.loop"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(f)
			out = append(out, choiceNest{name, string(text), nil, name == "heat3d.loop" || name == "sw_affine.loop"})
		}
	}
	for _, size := range [][2]int{{10, 200}, {20, 100}, {100, 40}, {1000, 20}} {
		for _, in := range []bool{false, true} {
			name := fmt.Sprintf("26 neighbors, in place %v, %d x %d^3", in, size[0], size[1])
			out = append(out, choiceNest{name, neighbors26(size[0], size[1], in), nil, in && size[0] >= 100})
		}
	}
	return append(out,
		choiceNest{"wide stencil", "param T, N = 200, 1000\narray u[0..T, -3..N+4, -3..N+4] float64\ninit u[t, i, j] = i\nout u[T, *, *]\nfor t = 1..T, i = 1..N, j = 1..N {\n\tu[t,i,j] = 0.25*(u[t-1,i-4,j] + u[t-1,i+4,j] + u[t-1,i,j-4] + u[t-1,i,j+4])\n}\n", nil, true},
		choiceNest{"triangle", "param N = 4000\narray d[0..N, 0..N] int32\ninit d[i, j] = 0\nreduce best = max(d[i,j])\nfor i = 1..N, j = 1..i {\n\td[i,j] = max(d[i-1,j], d[i,j-1]) + 1\n}\n", nil, true},
		choiceNest{"band", "param T, N = 20000, 100\narray u[0..N+1] float64 inout\nfor t = 1..T, i = 1..N {\n\tu[i] = 0.5*u[i] + 0.25*(u[i-1] + u[i+1])\n}\n", nil, true},
	)
}

// TestChoices: the plan of a bounded search must take about as long as that of an unbounded one, by
// predictions without bounds.
func TestChoices(t *testing.T) {
	t.Parallel()
	const worse, mean = 1.05, 1.01
	workers := [][2]int{{1, 2}, {4, 4}, {1, 64}, {64, 1}, {60, 1}, {8, 8}, {7, 3}}
	sum, count := 0.0, 0
	for _, c := range choiceNests(t) {
		if !c.always && !*allChoices {
			continue
		}
		_, l := lowerText(t, c.text)
		params := c.params
		for _, p := range l.program.Nests[0].Params {
			if c.params == nil && p.Default == nil {
				params = append(params, 3000)
			} else if c.params == nil {
				params = append(params, *p.Default)
			}
		}
		of := workers
		if !*allChoices {
			of = [][2]int{{4, 4}, {64, 1}}
			if !irtest.Full() {
				of = of[count%2:][:1] // both alternately, from nest to nest
			}
		}
		for _, w := range of {
			machine := l.figures(0, params, cost.DefaultMachine(), "")
			o := plan.Options{Ranks: w[0], CPUs: w[1]}
			began := time.Now()
			bounded, _, err := search.Choose(t.Context(), l.whole, params, o, machine, cost.LinkTCP)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			took := time.Since(began)
			best, _, err := search.ChooseUnbounded(l.whole, params, o, machine, cost.LinkTCP)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			all := time.Since(began) - took
			x, y := cost.NewPredictor(bounded).Predict(machine, cost.LinkTCP).Seconds, cost.NewPredictor(best).Predict(machine, cost.LinkTCP).Seconds
			t.Logf("%-40s %2dx%-2d unbounded %8.5f s in %5d ms, bounded %8.5f s in %4d ms, ratio %.3f", c.name, w[0], w[1], y, all.Milliseconds(), x, took.Milliseconds(), x/y)
			if x > worse*y {
				t.Errorf("%s on %d ranks of %d CPUs: the plan takes %.3f times as long as that of an unbounded search:\n%+v\n%+v", c.name, w[0], w[1], x/y, bounded.Options(), best.Options())
			}
			sum, count = sum+max(1, x/y), count+1
		}
	}
	if sum/float64(count) > mean {
		t.Errorf("plans take %.3f times as long in the mean", sum/float64(count))
	}
	t.Logf("%d plans, %.4f times as long in the mean, better ones not counted", count, sum/float64(count))
}
