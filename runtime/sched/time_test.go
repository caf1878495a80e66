package sched_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/trace"
	"loopc/transform/plan"
)

// A sleeper is a kernel for which a level of a tile takes a fixed time.
type sleeper struct{ level time.Duration }

func (sleeper) Bind(*kernel.Block)                          {}
func (k sleeper) Box([]int, []int)                          { time.Sleep(k.level) }
func (sleeper) Init(int, []int, int, int, []byte, int, int) {}

// grid is a nest over 0 ≤ i < M, 0 ≤ j < N with unit distances and no returned results.
var grid = &plan.Nest{
	Name: "grid", Params: []string{"M", "N"}, Dims: []string{"i", "j"}, Skew: [][]int{{1, 0}, {0, 1}}, Digest: "grid",
	Space: []plan.Affine{
		{Iters: []int{1}}, {Const: -1, Params: []int{1}, Iters: []int{-1}},
		{Iters: []int{0, 1}}, {Const: -1, Params: []int{0, 1}, Iters: []int{0, -1}},
	},
	Arrays: []plan.Array{{Name: "A", Elem: "float64", Size: 8}},
	Values: []plan.Value{{Name: "A", Flow: [][]int{{0, 1}, {1, 0}}}},
}

// gridPlan is a plan of ranks ranks with one column each, of tiles tiles of one level: the face
// of a tile is one cell.
func gridPlan(t *testing.T, tiles, ranks int, comm plan.Comm) *plan.Plan {
	t.Helper()
	p, err := plan.New(grid, []int{tiles, 4 * ranks}, plan.Options{Map: "i", Grid: []int{1, ranks}, Tile: []int{1, 4}, Comm: comm})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// timed runs p in a bubble, with tiles that take compute and faces that take send, and returns
// the time of the run and its events.
func timed(t *testing.T, p *plan.Plan, compute, send time.Duration) (took time.Duration, events []trace.Event) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		record := trace.New()
		net := newScript(send/2, send/16)
		prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return sleeper{compute} }, 0)}
		began := time.Now()
		if _, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{Trace: record}, net.mesh); err != nil {
			t.Fatal(err)
		}
		took, events = time.Since(began), net.under
		for _, e := range record.Events() {
			if e.Kind != trace.Send { // the wire knows better when it traveled
				events = append(events, e)
			}
		}
	})
	return took, events
}

// times are pairs of compute and send: computation longer, communication longer, neither
// longer.
var times = [][2]time.Duration{
	{10 * time.Millisecond, 4 * time.Millisecond}, {10 * time.Millisecond, 9600 * time.Microsecond}, {8 * time.Millisecond, 8 * time.Millisecond},
	{4 * time.Millisecond, 9600 * time.Microsecond}, {10 * time.Millisecond, 160 * time.Microsecond},
}

const (
	timedTiles = 40
	timedRanks = 4
)

// TestOverlap checks [P1] eq. (1) without start-up costs: with overlap, a step takes the longer
// of computation and communication. The first face of each rank must arrive before the next
// rank can start; from then on every step counts once.
func TestOverlap(t *testing.T) {
	p := gridPlan(t, timedTiles, timedRanks, plan.Overlap)
	if got, want := p.Steps(), timedTiles+2*(timedRanks-1); got != want {
		t.Fatalf("%d steps, want %d", got, want)
	}
	for _, c := range times {
		compute, send := c[0], c[1]
		t.Run(fmt.Sprint(compute, " ", send), func(t *testing.T) {
			took, events := timed(t, p, compute, send)
			step := max(compute, send)
			want := (timedRanks-1)*(compute+send) + (timedTiles-1)*step + compute
			if took != want {
				t.Errorf("the run took %v, want %v", took, want)
			}
			if most := time.Duration(p.Steps()) * step; took > most {
				t.Errorf("%d steps took %v, more than %v", p.Steps(), took, most)
			}
			// While a rank computes tile k, the face of tile k-1 travels, or, if communication
			// takes longer, a face that kept it waiting.
			for r := range timedRanks - 1 {
				computes, sends := intervals(events, trace.Compute, r), intervals(events, trace.Send, r)
				if len(computes) != timedTiles || len(sends) != timedTiles {
					t.Fatalf("rank %d computed %d tiles and sent %d faces", r, len(computes), len(sends))
				}
				for k := 1; k < timedTiles; k++ {
					on := overlap(computes[k], sends[k-1])
					for b := 2; send > compute && b <= min(k, plan.LeastSlots); b++ {
						on = on || overlap(computes[k], sends[k-b])
					}
					if !on {
						t.Fatalf("rank %d: no face was on its way while tile %d was computed", r, k)
					}
				}
			}
		})
	}
}

// TestBlocking requires that with blocking no rank computes while one of its faces travels, and
// that a step takes computation plus communication.
func TestBlocking(t *testing.T) {
	p := gridPlan(t, timedTiles, timedRanks, plan.Blocking)
	if got, want := p.Steps(), timedTiles+timedRanks-1; got != want {
		t.Fatalf("%d steps, want %d", got, want)
	}
	for _, c := range times {
		compute, send := c[0], c[1]
		t.Run(fmt.Sprint(compute, " ", send), func(t *testing.T) {
			took, events := timed(t, p, compute, send)
			// The last tile sends nothing.
			if want := time.Duration(p.Steps())*(compute+send) - send; took != want {
				t.Errorf("%d steps took %v, want %v", p.Steps(), took, want)
			}
			for r := range timedRanks {
				sends := intervals(events, trace.Send, r)
				if r < timedRanks-1 && len(sends) < timedTiles {
					t.Fatalf("rank %d sent %d faces", r, len(sends))
				}
				for k, tile := range intervals(events, trace.Compute, r) {
					for _, s := range sends {
						if overlap(tile, s) {
							t.Fatalf("rank %d computed tile %d while a face was on its way", r, k)
						}
					}
				}
			}
		})
	}
}

// intervals returns the events of a kind of one rank, in order of time.
func intervals(events []trace.Event, kind trace.Kind, rank int) []trace.Event {
	var out []trace.Event
	for _, e := range events {
		if e.Kind == kind && e.Rank == rank {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b trace.Event) int { return cmp.Compare(a.Begin, b.Begin) })
	return out
}

// overlap reports whether two events share more than an instant.
func overlap(a, b trace.Event) bool { return a.Begin < b.End && b.Begin < a.End }
