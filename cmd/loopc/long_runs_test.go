package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"testing"

	"loopc/ir/irtest"
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
	few    bool // a level has so few points that the tiles of three ranks are far wider: these run all levels, whatever -long-part is
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

// TestLongRunsPlanned plans runs of few and of very many levels, also in place, backward, and in three dimensions: a level must be
// predicted to take about as long however many there are. A plan whose tiles follow levels that move through the whole run does not.
func TestLongRunsPlanned(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("LOOPC_MACHINE", "")
	nests := []struct {
		file, params string
		least        int
	}{
		{"long/seidel_long", "N=1000", 2000},
		{"suites/gs9_back", "N=200", 512},
		{"suites/gs5_coef", "N=200", 512},
		{"suites/eikonal", "N=200", 512},
		{"suites/gs27", "N=50", 512},
		{"suites/gs7_back", "N=100", 512},
		{"peers/heat3d", "N=100", 512},
	}
	first, end := irtest.Part(len(nests), 2)
	for _, c := range nests[first:end] {
		least, most := math.Inf(1), 0.0
		for levels := c.least; levels <= 64*c.least; levels *= 4 {
			var out, stderr bytes.Buffer
			a := &app{stdout: &out, stderr: &stderr, pass: "test"}
			if status := a.main([]string{"plan", "--json", "--cpus", "1", "-p", fmt.Sprintf("T=%d,%s", levels, c.params), filepath.Join("..", "..", "testdata", c.file+extension)}); status != exitDone {
				t.Fatalf("%s: exit status %d\n%s", c.file, status, &stderr)
			}
			var planned struct{ Seconds float64 }
			if err := json.Unmarshal(out.Bytes(), &planned); err != nil {
				t.Fatal(err)
			}
			each := planned.Seconds / float64(levels)
			least, most = min(least, each), max(most, each)
			t.Logf("%-18s %8d levels %10.3g s each", c.file, levels, each)
		}
		if most > 1.4*least {
			t.Errorf("%s: a level is predicted to take %.3g to %.3g s", c.file, least, most)
		}
	}
}

// TestBackwardWindows: windows of runs in place move with the levels, whichever way the loops run, and each iteration lies in the
// box of the window that has its level.
func TestBackwardWindows(t *testing.T) {
	for way := range 8 {
		ranges := [2]string{"1..N", "N..1 step -1"}
		text := fmt.Sprintf("param T, N = 10, 4\narray u[0..N+1, 0..N+1, 0..N+1] float64 inout\nfor t = 1..T, i = %s, j = %s, k = %s {\n\tu[i,j,k] = u[i-1,j,k] + u[i+1,j,k] + u[i,j-1,k] + u[i,j+1,k] + u[i,j,k-1] + u[i,j,k+1]\n}\n",
			ranges[way&1], ranges[way>>1&1], ranges[way>>2])
		_, l := lowerText(t, text)
		p, err := plan.New(l.whole, []int{10, 4}, plan.Options{Ranks: 1, CPUs: 1, Epoch: 3})
		if err != nil {
			t.Fatal(err)
		}
		if !p.Alike {
			t.Errorf("%s: windows do not move with their levels", text)
		}
		points := 0
		for k := range p.Windows {
			w := p.Window(k*p.Epoch, p.Epoch)
			for q := range boxRows(w.Lo, w.Hi) {
				from, to := w.Space.Span(q, w.Lo[3], w.Hi[3])
				points += max(0, to-from+1)
			}
		}
		if points != 10*4*4*4 {
			t.Errorf("%s: windows have %d iterations of 640", text, points)
		}
	}
}

// boxRows yields the rows of a box of four dimensions.
func boxRows(lo, hi []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for a := lo[0]; a <= hi[0]; a++ {
			for b := lo[1]; b <= hi[1]; b++ {
				for c := lo[2]; c <= hi[2]; c++ {
					if !yield([]int{a, b, c, 0}) {
						return
					}
				}
			}
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
