package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
	"loopc/transform/plan/walk"
)

// longNests are nests of few points and very many levels, in testdata/long.
var longNests = []struct {
	name   string
	short  int  // levels
	shared bool // its CPUs wait little for one another
	few    bool // a run of so few points a level that three ranks run all levels, whatever -long-part is: their tiles are far wider than a level
}{
	{"heat_short", 40000, false, true},
	{"diffusion_short", 10000, false, false},
	{"seidel_long", 4000, false, false},
	{"wave_short", 40000, false, true},
	{"edit_tall", 80000, true, false},
}

// longText returns the text of one of longNests.
func longText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "long", name+".loop"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLongRuns doubles the levels of nests of few points. The levels that tiles walk must at most
// double, and the memory for live levels must stay as it is, on one CPU.
func TestLongRuns(t *testing.T) {
	for _, c := range longNests {
		_, l := lowerText(t, longText(t, c.name))
		var levels, bytes [2]int64
		for k, T := range []int{c.short, 2 * c.short} {
			p, _, err := search.Choose(t.Context(), l.whole, []int{T, *l.program.Nests[0].Params[1].Default}, plan.Options{Ranks: 1, CPUs: 1}, l.figures(0, []int{T, *l.program.Nests[0].Params[1].Default}, cost.DefaultMachine(), ""), cost.LinkInproc)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			levels[k], bytes[k] = walkedLevels(p), cost.MemoryOf(p, 0, math.MaxInt64).Levels
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
