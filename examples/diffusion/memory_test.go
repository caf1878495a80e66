package diffusion

import (
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"testing"

	"loopc/examples/exampletest"
)

var levels = flag.Int("levels", 20, "levels in time of TestMemory")

// How much more a rank may use than its plan needs, and than its part of any run, see
// plan.Share, against which the planner weighs time.
const slack, shareSlack = 1.2, 1.2

// A process is what the summary says of a rank, or of a run in one process.
type process struct {
	Rank  int       `json:"rank"`
	Peak  int64     `json:"peak_memory_bytes"`
	Needs needs     `json:"needs"`
	Ranks []process `json:"ranks"`
}

// needs is what the plan counts of a rank, in bytes.
type needs struct{ Levels, Faces, Given, Results int64 }

func (n needs) total() int64 { return n.Levels + n.Faces + n.Given + n.Results }

// TestMemory runs the program as its users do, and reads from the summary the most
// memory that each process had at a time (VmHWM). Without what a small run takes, it
// must stay below 1.2 times what the plan counts: live levels of the tiles, the boxes of
// u0 and u that the rank reads and writes, and slots for faces.
//
// How much that may be is compared with the rank's part of the two fields and of
// two levels in time of the whole space, which a program without tiles would keep.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the most memory that a process had is known on Linux only")
	}
	const mib = 1 << 20
	n := 4000
	if *levels < n/4 {
		n = 2000 // in a fifth of the time
	}
	l := exampletest.New(t)
	base := map[int]int64{}
	for _, run := range []struct{ ranks, size int }{{1, 16}, {2, 16}, {4, 16}, {1, n}, {2, n}, {4, n}} {
		sum := summary(t, l, run.ranks, run.size)
		ranks := sum.Ranks
		if run.ranks == 1 {
			ranks = []process{sum}
		}
		if len(ranks) != run.ranks {
			t.Fatalf("%d ranks: the summary has %d", run.ranks, len(ranks))
		}
		for _, r := range ranks {
			if r.Peak == 0 || run.size == n && r.Needs.total() == 0 {
				t.Fatalf("%d ranks: rank %d does not say what memory it had", run.ranks, r.Rank)
			}
			if run.size < n { // few levels, too: so the program has planned little
				base[run.ranks] = max(base[run.ranks], r.Peak)
				continue
			}
			had := float64(r.Peak - base[run.ranks])
			needs := float64(r.Needs.total())
			share := 4 * float64(n) * float64(n) * 8 / float64(run.ranks)
			t.Logf("%d ranks: rank %d had %.1f MiB more than for nothing (%.1f), and needs %.1f: levels %.1f, faces %.1f, given %.1f, results %.1f; its share of any run is %.1f", run.ranks, r.Rank,
				had/mib, float64(base[run.ranks])/mib, needs/mib, float64(r.Needs.Levels)/mib, float64(r.Needs.Faces)/mib, float64(r.Needs.Given)/mib, float64(r.Needs.Results)/mib, share/mib)
			if had > slack*needs {
				t.Errorf("%d ranks: rank %d had %.1f MiB, more than %g times the %.1f MiB that its plan needs", run.ranks, r.Rank, had/mib, slack, needs/mib)
			}
			if had > shareSlack*share {
				t.Errorf("%d ranks: rank %d had %.1f MiB, more than %g times its share, %.1f MiB, of the fields and of two levels", run.ranks, r.Rank, had/mib, shareSlack, share/mib)
			}
		}
		if run.size == n && run.ranks > 1 {
			var counted int64
			for _, r := range ranks {
				counted += r.Needs.Given + r.Needs.Results
			}
			if counted < int64(2*n*n*8) {
				t.Errorf("%d ranks: %d bytes are counted of the two fields, which have %d", run.ranks, counted, 2*n*n*8)
			}
		}
	}
}

// summary runs the example on ranks of one CPU, with a field of size x size cells within
// the boundary, and returns what its summary says.
func summary(t *testing.T, l *exampletest.Loopc, ranks, size int) (s process) {
	t.Helper()
	l.Run("diffusion/diffusion.loop", "-n", fmt.Sprint(ranks), "--cpus", "1", "-p", fmt.Sprintf("T=%d,N=%d", min(*levels, size), size), "--random", "1", "--out", "u=u.npy", "--summary", "summary.json")
	if err := json.Unmarshal(l.File("summary.json"), &s); err != nil {
		t.Fatal(err)
	}
	return s
}
