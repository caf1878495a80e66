package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"loopc/codegen"
	"loopc/ir/irtest"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// lowerText lowers a file of one nest.
func lowerText(t *testing.T, text string) (*app, *lowered) {
	t.Helper()
	a := &app{stderr: &bytes.Buffer{}}
	l, err := a.lower(&source{path: "nest.loop", name: "nest", text: []byte(text)}, false)
	if err != nil || !l.single() {
		t.Fatalf("%v\n%s\n%s", err, a.stderr, text)
	}
	return a, l
}

// neighbors26 is a nest of four loops that reads all 26 neighbors: of the step before, or in
// place.
func neighbors26(steps, n int, inPlace bool) string {
	var terms []string
	for at := range 27 {
		if at == 13 {
			continue
		}
		cell := fmt.Sprintf("i%+d,j%+d,k%+d", at/9-1, at/3%3-1, at%3-1)
		cell = strings.ReplaceAll(cell, "+0", "")
		if !inPlace {
			cell = "t-1," + cell
		}
		terms = append(terms, "u["+cell+"]")
	}
	declared, target := "array u[0..T, 0..N+1, 0..N+1, 0..N+1] float32\ninit u[t, i, j, k] = i\nout u[T, *, *, *]\n", "u[t,i,j,k]"
	if inPlace {
		declared, target = "array u[0..N+1, 0..N+1, 0..N+1] float32 inout\n", "u[i,j,k]"
	}
	return fmt.Sprintf("param T, N = %d, %d\n%sfor t = 1..T, i = 1..N, j = 1..N, k = 1..N {\n\t%s = 0.03*(%s)\n}\n", steps, n, declared, target, strings.Join(terms, " + "))
}

// within fails the test if the fastest of several calls of f takes longer than five times good; it
// returns the time of the fastest.
func within(t *testing.T, what string, good time.Duration, f func()) time.Duration {
	t.Helper()
	best := time.Duration(1 << 62)
	for range 5 {
		best = min(best, irtest.Took(f))
	}
	if best > 5*good {
		t.Errorf("%s took %v, %v are good", what, best, good)
	}
	return best
}

// rowsTime is the least of several measured times to examine the given number of rows of p's space.
// A search counts its effort in such rows.
func rowsTime(p *plan.Plan, rows int) time.Duration {
	const part = 1 << 15
	values, q := make([]int, len(p.Space.Ineq)), slices.Clone(p.Lo)
	last := len(q) - 1
	best := time.Duration(1 << 62)
	for range 16 {
		best = min(best, irtest.Took(func() {
			for k := range part {
				q[0] = p.Lo[0] + k%(p.Hi[0]-p.Lo[0]+1)
				p.Space.Row(q, values)
				p.Space.RowSpan(values, nil, p.Lo[last], p.Hi[last])
			}
		}))
	}
	return best * time.Duration(rows) / part
}

// TestPlanningFigures prints the time of planning for four loops and up to 64 workers, and of
// compiling for defaults up to the largest. Neither may take more than five times as long as is
// good: see within. The time of planning is also divided by the time to examine rows, which gives a
// number that hardly depends on the machine: a search must count all work that takes much of its
// time.
func TestPlanningFigures(t *testing.T) {
	const planning, compiling = 100 * time.Millisecond, 300 * time.Millisecond
	const rows, most = 1 << 20, 3
	t.Logf("%-44s %-8s %8s %s", "planning", "ranks", "took", "of a million rows")
	for _, c := range []struct {
		name, text string
	}{
		{"26 neighbors of the step before, 20 x 100^3", neighbors26(20, 100, false)},
		{"26 neighbors of the step before, 100 x 40^3", neighbors26(100, 40, false)},
		{"26 neighbors in place, 10 x 200^3", neighbors26(10, 200, true)},
		{"26 neighbors in place, 100 x 40^3", neighbors26(100, 40, true)},
	} {
		_, l := lowerText(t, c.text)
		params := []int{*l.program.Nests[0].Params[0].Default, *l.program.Nests[0].Params[1].Default}
		for _, w := range [][2]int{{64, 1}, {1, 2}, {4, 4}, {1, 64}, {1, 1}}[:irtest.OfAll(5, 1)] {
			machine := l.figures(0, params, cost.DefaultMachine(), "")
			what := fmt.Sprintf("%dx%d", w[0], w[1])
			took := within(t, c.name+" on "+what, planning, func() {
				if _, _, err := search.Choose(t.Context(), l.whole, params, plan.Options{Ranks: w[0], CPUs: w[1]}, machine, cost.LinkTCP); err != nil {
					t.Fatal(err)
				}
			})
			p, err := plan.New(l.whole, params, plan.Options{Ranks: w[0], CPUs: w[1]})
			if err != nil {
				t.Fatal(err)
			}
			times := took.Seconds() / rowsTime(p, rows).Seconds()
			t.Logf("%-44s %-8s %8v %.2f", c.name, what, took.Round(time.Millisecond/10), times)
			if times > most {
				t.Errorf("planning %s on %s takes as long as %.1f times %d rows, want %v at most", c.name, what, times, rows, most)
			}
		}
	}
	t.Logf("%-44s %-16s %s", "compiling", "defaults", "took")
	for _, c := range []struct{ name, text, defaults string }{
		{"pipeline", "param X, Y, Z = DEFAULTS\narray A[0..X, 0..Y, 0..Z] float32 out\ninit A[i, j, k] = i\nfor i = 1..X, j = 1..Y, k = 1..Z {\n\tA[i,j,k] = 0.3*A[i-1,j,k] + 0.3*A[i,j-1,k] + 0.4*A[i,j,k-1]\n}\n", "V, 64, 16384"},
		{"in place", "param T, N = DEFAULTS\narray u[0..N+1, 0..N+1] float64 inout\nfor t = 1..T, i = 1..N, j = 1..N {\n\tu[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1])\n}\n", "V, 2000"},
		{"two levels", "param T, N = DEFAULTS\narray s[0..N+1] float64 in\narray u[0..T, 0..N+1] float64\ninit u[t, i] = s[i]\nout u[T, *]\nfor t = 1..T, i = 1..N {\n\tu[t,i] = 0.5*u[t-1,i] + 0.25*(u[t-1,i-1] + u[t-1,i+1])\n}\n", "V, 100"},
		{"triangle", "param N = DEFAULTS\narray d[0..N, 0..N] int32\ninit d[i, j] = 0\nreduce best = max(d[i,j])\nfor i = 1..N, j = 1..i {\n\td[i,j] = max(d[i-1,j], d[i,j-1]) + 1\n}\n", "V"},
	} {
		for _, v := range []int{1000, 20_000_000_000, 1 << 40} {
			text := strings.Replace(c.text, "DEFAULTS", strings.Replace(c.defaults, "V", fmt.Sprint(v), 1), 1)
			took := within(t, fmt.Sprintf("compiling %s with %d", c.name, v), compiling, func() {
				a, l := lowerText(t, text)
				a.generate(l, codegen.Options{Package: "nest"})
			})
			t.Logf("%-44s %-16d %v", c.name, v, took.Round(time.Millisecond/10))
		}
	}
}

// TestPlanningLongRuns prints the time of planning for longNests. It does not grow with the number of their levels,
// on ranks either, where a plan that is not cut into epochs may have millions of columns of tiles. See TestPlanningFigures.
func TestPlanningLongRuns(t *testing.T) {
	for _, c := range longNests {
		_, l := lowerText(t, longText(t, c.name))
		for _, levels := range []int{1_000_000, 100_000_000} {
			params := []int{levels, *l.program.Nests[0].Params[1].Default}
			took := within(t, fmt.Sprintf("%s of %d levels on three ranks", c.name, levels), 100*time.Millisecond, func() {
				o := plan.Options{Ranks: 3, CPUs: 1}
				if _, _, err := search.Choose(t.Context(), l.whole, params, o, l.figures(0, params, cost.DefaultMachine(), ""), cost.LinkInproc); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%-16s %13d levels %v", c.name, levels, took.Round(time.Millisecond/10))
		}
	}
}
