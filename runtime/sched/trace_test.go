package sched_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/trace"
	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// free is a program of the grid whose tiles cost nothing.
var free = &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return sleeper{} }, 0)}

// A tileName names a tile by the coordinates of its column and its own.
type tileName struct {
	column string
	tile   int
}

// A message is named by sender, receiver, edge and sequence number.
type message struct{ from, to, edge, sequence int }

// TestTrace requires that in the trace of a run every tile is computed exactly once, where and
// in which step the plan says; that messages and bytes are those counted; that a worker does
// one thing at a time; and that a message over the network arrives after it was sent, and
// before the tile that needs it is computed.
func TestTrace(t *testing.T) {
	meshes := map[string]sched.Mesh{"inproc": inproc.Mesh, "tcp": loopback(t)}
	for _, o := range []plan.Options{
		{Grid: []int{1, 1}, CPUs: 2},
		{Grid: []int{1, 3}, CPUs: 2},
		{Grid: []int{1, 3}, Comm: plan.Blocking},
		{Grid: []int{1, 2}, Assign: plan.Cyclic},
		{Grid: []int{1, 2}, Assign: plan.Mirror, Comm: plan.Blocking},
		{Grid: []int{1, 2}, CPUs: 2, Group: plan.Vertical, Sub: 3},
	} {
		o.Map, o.Tile = "i", []int{2, 3}
		p, err := plan.New(grid, []int{24, 24}, o)
		if err != nil {
			t.Fatal(err)
		}
		for name, mesh := range meshes {
			t.Run(fmt.Sprint(name, " ", o.Grid, o.CPUs, o.Assign, o.Group, o.Comm), func(t *testing.T) {
				record := trace.New()
				sum, err := sched.RunPlans(t.Context(), free, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{Trace: record}, mesh)
				if err != nil {
					t.Fatal(err)
				}
				events := record.Events()
				checkTiles(t, p, events, sum)
				checkOneAtATime(t, events)
				checkMessages(t, p, events, sum, name == "tcp")
			})
		}
	}
}

// checkTiles requires every tile of the plan exactly once among the events.
func checkTiles(t *testing.T, p *plan.Plan, events []trace.Event, sum sched.Summary) {
	t.Helper()
	computed := map[tileName]int{}
	points := int64(0)
	for _, e := range events {
		if e.Kind == trace.Receive {
			continue
		}
		if e.Step != p.StepOf(e.Column, e.Tile) {
			t.Errorf("%v of tile %v, %d in step %d, not %d", e.Kind, e.Column, e.Tile, e.Step, p.StepOf(e.Column, e.Tile))
		}
		if rank, cpu := p.Worker(e.Column); rank != e.Rank || e.CPU >= 0 && e.CPU != cpu {
			t.Errorf("%v of column %v on CPU %d of rank %d, not %d of %d", e.Kind, e.Column, e.CPU, e.Rank, cpu, rank)
		}
		if e.Kind == trace.Compute {
			computed[tileName{fmt.Sprint(e.Column), e.Tile}]++
			points += int64(e.Points)
		}
	}
	n, tiles := len(p.Tiles), int64(0)
	col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
	for c := range p.Columns() {
		p.ColumnAt(c, col)
		first, last := p.Active(col, lo, hi)
		for k := first; k <= last; k++ {
			tiles++
			if got := computed[tileName{fmt.Sprint(col), k}]; got != 1 {
				t.Errorf("tile %v, %d is computed %d times", col, k, got)
			}
		}
	}
	if int64(len(computed)) != tiles || sum.Tiles != tiles || points != sum.Points || points == 0 {
		t.Errorf("%d tiles with %d points; the plan has %d, the summary %d with %d", len(computed), points, tiles, sum.Tiles, sum.Points)
	}
}

// checkOneAtATime requires that no two spans of one CPU overlap.
func checkOneAtATime(t *testing.T, events []trace.Event) {
	t.Helper()
	last := map[[2]int]trace.Event{}
	for _, e := range events { // events of a CPU are in order
		if e.CPU < 0 {
			continue
		}
		worker := [2]int{e.Rank, e.CPU}
		if before, ok := last[worker]; ok && before.End > e.Begin || e.End < e.Begin {
			t.Errorf("%+v begins before %+v ends", e, before)
		}
		last[worker] = e
	}
}

// checkMessages compares sends with the summary and, if a network carries them, with arrivals.
func checkMessages(t *testing.T, p *plan.Plan, events []trace.Event, sum sched.Summary, carried bool) {
	t.Helper()
	sent, computed := map[message]trace.Event{}, map[tileName]trace.Event{}
	var bytes int64
	received := 0
	for _, e := range events {
		switch e.Kind {
		case trace.Send:
			sent[message{e.Rank, e.Peer, e.Edge, e.Sequence}] = e
			bytes += int64(e.Bytes)
		case trace.Compute:
			computed[tileName{fmt.Sprint(e.Column), e.Tile}] = e
		case trace.Receive:
			received++
		}
	}
	if int64(len(sent)) != sum.Messages || bytes != sum.Bytes || (p.Ranks > 1) != (len(sent) > 0) {
		t.Errorf("%d sends of %d bytes, the summary counts %d of %d", len(sent), bytes, sum.Messages, sum.Bytes)
	}
	if carried && received != len(sent) || !carried && received > 0 {
		t.Errorf("%d messages of %d were received", received, len(sent))
	}
	for _, e := range events {
		if e.Kind != trace.Receive {
			continue
		}
		s, ok := sent[message{e.Peer, e.Rank, e.Edge, e.Sequence}]
		c := computed[tileName{fmt.Sprint(e.Column), e.Tile}]
		switch {
		case !ok || s.Bytes != e.Bytes:
			t.Errorf("%+v was not sent, but %+v", e, s)
		case e.Begin < s.Begin:
			t.Errorf("%+v arrives before it is sent: %+v", e, s)
		case c.Rank != e.Rank || c.Begin < e.End:
			t.Errorf("%+v arrives after %+v begins, or on another rank", e, c)
		case s.End < s.Begin || computed[tileName{fmt.Sprint(s.Column), s.Tile}].End > s.Begin:
			t.Errorf("%+v is sent before it is computed", s)
		}
	}
}

// TestFollowerTraced requires that the time for which a CPU waits, in the middle of its tile,
// for the rest of a face counts as waiting and nothing else: in the summary, in the progress,
// and in the trace, where it precedes the tile.
func TestFollowerTraced(t *testing.T) {
	p, err := plan.New(grid, []int{40, 6}, plan.Options{Map: "i", Tile: []int{40, 3}, Grid: []int{1, 1}, Mesh: []int{1, 2}})
	if err != nil || len(p.Edges()) != 1 {
		t.Fatalf("%v, %d edges", err, len(p.Edges()))
	}
	synctest.Test(t, func(t *testing.T) {
		watch := sched.Watch{Trace: trace.New(), Live: new(sched.Live)}
		prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return staller{} }, 0)}
		sum, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), watch, inproc.Mesh)
		if err != nil {
			t.Fatal(err)
		}
		for what, s := range map[string]sched.Summary{"the summary": sum, "what is shown": watch.Live.Ranks()[0]} {
			if want := stalls.Seconds(); s.Compute+s.Pack != want || s.WaitData != want {
				t.Errorf("%s: %v s of computing and packing, %v s of waiting, want %v of each", what, s.Compute+s.Pack, s.WaitData, want)
			}
		}
		spent := map[trace.Kind]float64{}
		events := watch.Trace.Events()
		for _, e := range events {
			spent[e.Kind] += e.End - e.Begin
		}
		if want := stalls.Seconds(); spent[trace.Compute] != want || spent[trace.WaitData] != want {
			t.Errorf("the trace has %v s of computing and %v s of waiting, want %v of each", spent[trace.Compute], spent[trace.WaitData], want)
		}
		checkTiles(t, p, events, sum)
		checkOneAtATime(t, events)
	})
}

// TestTraceCosts requires that a tile allocates nothing, with a trace and without: runs of many
// tiles allocate as often as runs of few, except for the chunks of the trace.
func TestTraceCosts(t *testing.T) {
	const few, many = 1000, 5000
	mallocs := func(tiles int, record *trace.Recorder) int64 {
		// Each rank has one worker, so one waits for the other.
		p := gridPlan(t, tiles, 2, plan.Overlap)
		all, err := inproc.Mesh(p.Ranks, "")
		if err != nil {
			t.Fatal(err)
		}
		mesh := func(int, string) ([]transport.Transport, error) { return all, nil }
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := sched.RunPlans(t.Context(), free, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{Trace: record}, mesh); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return int64(after.Mallocs - before.Mallocs)
	}
	for name, record := range map[string]func() *trace.Recorder{
		"off": func() *trace.Recorder { return nil },
		"on":  trace.New,
	} {
		least := int64(1 << 62) // other goroutines sometimes allocate, too
		for range 3 {
			least = min(least, mallocs(many, record())-mallocs(few, record()))
		}
		if per := float64(least) / (2 * (many - few)); per > 0.02 {
			t.Errorf("%s: %.2f allocations for each tile", name, per)
		}
	}
}
