package calibrate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"loopc/testdata/emit/seidel"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// TestParseSetup reads setups, right ones and wrong ones.
func TestParseSetup(t *testing.T) {
	for text, want := range map[string]Setup{
		"1x2": {1, 2, cost.LinkInproc}, "2x1": {2, 1, cost.LinkSHM}, "2x1,tcp": {2, 1, cost.LinkTCP}, "3x4,inproc": {3, 4, cost.LinkInproc},
	} {
		if got, err := ParseSetup(text); err != nil || got != want {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "2", "x", "2x", "x2", "0x1", "2x-1", "2x1,", "2x1,mpi", "2x1x1", "2x1,tcp,shm"} {
		if got, err := ParseSetup(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// TestContestants: the planner's choice and the plan predicted to be best are always tried, and
// long runs have fewer contestants.
func TestContestants(t *testing.T) {
	var considered []search.Alternative
	for k := range 100 {
		considered = append(considered, search.Alternative{Seconds: 1 + float64(k)/100, Chosen: k == 30})
	}
	for _, c := range []struct {
		most time.Duration
		want int
	}{{time.Hour, bestTried + othersTried}, {20 * time.Second, 10}, {time.Second, 2}} {
		got := contestants(considered, c.most)
		if len(got) != c.want || !got[0].Chosen || got[1].Seconds != 1 {
			t.Errorf("within %s: %+v", c.most, got)
		}
		for k := range got {
			for i := range k {
				if got[i].Seconds == got[k].Seconds {
					t.Errorf("within %s: two are %+v", c.most, got[k])
				}
			}
		}
	}
	if got := contestants(considered[30:31], time.Hour); len(got) != 1 {
		t.Errorf("of one: %+v", got)
	}
}

// TestRaceable requires that runs that cannot be are refused, and that races are of
// plans that the schedule of a nest allows.
func TestRaceable(t *testing.T) {
	unscheduled := *seidel.Program.Nest
	nest := &unscheduled
	nest.Schedule = plan.Options{Tile: []int{4, 8, 16}, Comm: plan.Blocking}
	prog := &Program{Nest: nest}
	for _, c := range []struct {
		n    int
		w    Setup
		want string
	}{
		{100, Setup{2, 1, cost.LinkTCP}, ""},
		{100, Setup{mostProcesses + 1, 1, cost.LinkTCP}, "4096 ranks"},
		{100, Setup{1, mostProcesses + 1, cost.LinkInproc}, "4096 CPUs"},
		{0, Setup{2, 1, cost.LinkTCP}, "no iterations"},
	} {
		err := Raceable(prog, []int{10, c.n}, c.w)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("N = %d on %s: %v, want %q", c.n, c.w, err, c.want)
		}
	}
	w := Setup{2, 1, cost.LinkTCP}
	if o := w.options(nest); o.Ranks != 2 || o.CPUs != 1 || !slices.Equal(o.Tile, []int{4, 8, 16}) || o.Comm != plan.Blocking {
		t.Errorf("raced are plans of %+v, scheduled is %+v", o, nest.Schedule)
	}
}
