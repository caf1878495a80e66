package main

import (
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
	"loopc/transform/plan/walk"
)

// longNests are nests of few points and very many levels.
var longNests = []struct {
	name, text string
	short      int  // levels
	shared     bool // it also runs on two CPUs
}{
	{"heat", "param T, N = 1000, 100\narray s[0..N+1] float64 in\narray u[0..T, 0..N+1] float64\ninit u[t, i] = s[i]\nout u[T, *]\nfor t = 1..T, i = 1..N {\n\tu[t,i] = 0.5*u[t-1,i] + 0.25*(u[t-1,i-1] + u[t-1,i+1])\n}\n", 40000, false},
	{"wave", "param T, N = 1000, 100\narray s[0..N+1] float64 in\narray u[-1..T, 0..N+1] float64\ninit u[t, i] = s[i]\nout u[T, *]\nfor t = 1..T, i = 1..N {\n\tu[t,i] = 1.8*u[t-1,i] - u[t-2,i] + 0.1*(u[t-1,i-1] + u[t-1,i+1])\n}\n", 40000, false},
	{"diffusion", "param T, N = 1000, 20\narray s[0..N+1, 0..N+1] float64 in\narray u[0..T, 0..N+1, 0..N+1] float64\ninit u[t, i, j] = s[i,j]\nout u[T, *, *]\nfor t = 1..T, i = 1..N, j = 1..N {\n\tu[t,i,j] = 0.5*u[t-1,i,j] + 0.125*(u[t-1,i-1,j] + u[t-1,i+1,j] + u[t-1,i,j-1] + u[t-1,i,j+1])\n}\n", 10000, false},
	{"edit distance", "param T, N = 1000, 500\narray a[1..T] uint8 in\narray b[1..N] uint8 in\narray D[0..T, 0..N] int32\ninit D[i, j] = max(i, j)\nout D[T, *]\nfor i = 1..T, j = 1..N {\n\tlet change = select(a[i] == b[j], 0, 1)\n\tD[i,j] = min(D[i-1,j] + 1, D[i,j-1] + 1, D[i-1,j-1] + change)\n}\n", 80000, true},
	{"in place", "param T, N = 1000, 100\narray u[0..N+1, 0..N+1] float64 inout\nfor t = 1..T, i = 1..N, j = 1..N {\n\tu[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1])\n}\n", 4000, false},
}

// TestLongRuns doubles the levels of nests of few points. The levels that tiles walk must at most
// double, and the memory for live levels must stay as it is, on one CPU.
func TestLongRuns(t *testing.T) {
	for _, c := range longNests {
		_, l := lowerText(t, c.text)
		var levels, bytes [2]int64
		for k, T := range []int{c.short, 2 * c.short} {
			p, _, err := search.Choose(t.Context(), l.whole, []int{T, *l.program.Nests[0].Params[1].Default}, plan.Options{Ranks: 1, CPUs: 1}, l.figures(0, []int{T, *l.program.Nests[0].Params[1].Default}, cost.DefaultMachine(), ""), cost.LinkInproc)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			levels[k], bytes[k] = walkedLevels(p), cost.MemoryOf(p, 0).Levels
		}
		t.Logf("%-10s %d levels: tiles walk %v levels, live levels take %v bytes", c.name, c.short, levels, bytes)
		if levels[1] > 22*levels[0]/10 {
			t.Errorf("%s: tiles walk %d levels, and %d of twice as many: time is not linear", c.name, levels[0], levels[1])
		}
		if bytes[1] > bytes[0]+bytes[0]/4 {
			t.Errorf("%s: live levels take %d bytes, and %d of twice as many", c.name, bytes[0], bytes[1])
		}
	}
}

// walkedLevels is how many levels all tiles of one rank with one CPU walk together.
func walkedLevels(p *plan.Plan) (sum int64) {
	for k := range p.Windows {
		sum += walkedIn(p.Window(k*p.Epoch, p.Epoch))
	}
	return sum
}

// walkedIn is walkedLevels of one window.
func walkedIn(p *plan.Plan) (sum int64) {
	w := walk.NewLevels(p)
	n := len(p.Side)
	col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
	for _, c := range p.WorkerColumns(0, 0) {
		p.ColumnAt(c, col)
		first, last := p.Active(col, lo, hi)
		for k := first; k <= last; k++ {
			from, to := w.Tile(col, k, k == first)
			for level := from; level <= to; level++ {
				if _, does := w.Does(level); does {
					sum++
				}
			}
		}
	}
	return sum
}
