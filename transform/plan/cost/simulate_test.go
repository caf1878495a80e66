package cost

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"loopc/runtime/trace"
	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

var simulations = flag.Int("simulations", 400, "a quarter of the random plans that are simulated")

// unitMachine is a machine on which a tile takes a second whatever it holds, and
// a message of any length the given time; nothing else takes any.
func unitMachine(message float64) *Machine {
	return &Machine{
		Schema: 1, Cores: 1 << 16, Node: 1, Kernel: Kernel{Tile: 1, Point: []Rate{{}}},
		Links: map[string]Link{LinkLocal: {Overlap: 1, Complete: true}, "net": {Latency: message, Overlap: 1}},
	}
}

// randomMachine returns a machine with costs of everything, and no bandwidth:
// the order in which CPUs of a rank share an interface is the simulation's own.
func randomMachine(rng *rand.Rand) *Machine {
	cost := func() float64 { return float64(rng.IntN(8)) }
	link := func() Link {
		// Nothing takes a multiple of a third: no wait is as long as Spin, when
		// rounding would decide.
		return Link{Start: cost(), Receive: cost(), Byte: cost() / 8, Latency: cost(), Credit: cost(), Spin: cost() + 1.0/3, Wakeup: cost(), Sync: cost(), Overlap: 1}
	}
	local := link()
	local.Complete = rng.IntN(3) == 0
	return &Machine{
		Schema: 1, Cores: 1 + rng.IntN(4), Node: rng.IntN(3),
		Kernel: Kernel{Tile: cost(), Level: cost(), Row: cost(), Byte: cost() / 8, Piece: cost(), Point: []Rate{{0, cost()}, {1 << 12, cost()}}, Contention: []float64{1, 1.5}},
		Links:  map[string]Link{LinkLocal: local, "net": link()},
	}
}

// TestSimulate compares random plans of random nests on random machines with executed. In every
// prediction the parts must add up, messages and bytes must be those of Volume, and steps those of
// Steps.
func TestSimulate(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 9))
	ran, several, vertical, chunked, blocking := 0, 0, 0, 0, 0
	for ran < 5**simulations {
		s := plantest.RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, plantest.RandomOptions(rng, s.Nest))
		if err != nil || p.Empty {
			continue
		}
		ran++
		m := randomMachine(rng)
		got := Predict(p, m, "net")
		if want := executed(p, m); !near(got.Seconds, want) {
			t.Fatalf("%d: %s, %s, %s: %g s, executed %g s\n%s%+v", ran, p.Assign, p.Group, p.Comm, got.Seconds, want, p, m)
		}
		if x := got.Fill + got.Compute + got.Pack + got.Waiting + got.Drain; !near(x, got.Seconds) {
			t.Fatalf("the parts %+v of the last worker add up to %g", got, x)
		}
		if x := got.All.Fill + got.All.Compute + got.All.Pack + got.All.Waiting + got.All.Drain; !near(x, got.Seconds*float64(got.Workers)) {
			t.Fatalf("the parts %+v of all workers add up to %g", got, x)
		}
		messages, bytes, _ := Volume(p)
		if got.Messages != messages || got.Bytes != bytes {
			t.Fatalf("%d messages of %d bytes, Volume says %d of %d\n%s", got.Messages, got.Bytes, messages, bytes, p)
		}
		if got.Steps != p.Steps() {
			t.Fatalf("%d steps, Steps says %d\n%s", got.Steps, p.Steps(), p)
		}
		if messages > 0 {
			several++
		}
		if p.Group == plan.Vertical && p.Sub > 1 && messages > 0 {
			vertical++
		}
		if p.Chunked() && messages > 0 {
			chunked++
		}
		if p.Comm == plan.Blocking && messages > 0 {
			blocking++
		}
	}
	if several < 300 || vertical < 20 || chunked < 100 || blocking < 100 {
		t.Errorf("only %d plans with messages, %d with vertical groups, %d in rounds, %d blocking", several, vertical, chunked, blocking)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// TestSimulateSteps uses the papers' assumptions: every tile takes a step, and a face takes one
// more step if communication is overlapped, or none if not. Then tiles begin at their step, as in
// the table of [P1] example 2, and a run takes as many seconds as steps: [P2] (1), (2), (9), (10).
func TestSimulateSteps(t *testing.T) {
	tiles := 0
	plantest.EachShape(func(u, mesh []int) {
		grid := []int{1, 2, 1}[:len(u)]
		for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
			p := plantest.TilePlan(t, u, grid, mesh, 0, comm)
			if plan.Product(p.Block) > 1 {
				continue // a step runs several tiles
			}
			message := map[plan.Comm]float64{plan.Overlap: 1, plan.Blocking: 0}[comm]
			got := NewPredictor(p).Simulate(t.Context(), unitMachine(message), "net", func(s Span) {
				if s.Kind != trace.Compute {
					return
				}
				tiles++
				if s.Begin != float64(s.Step) {
					t.Errorf("%v tiles on %v nodes of %v CPUs, %s: tile %d of column %d begins at %g, its step is %d", u, grid, mesh, comm, s.Tile, s.Column, s.Begin, s.Step)
				}
			})
			if got.Seconds != float64(p.Steps()) {
				t.Errorf("%v tiles on %v nodes of %v CPUs, %s: %g s, %d steps", u, grid, mesh, comm, got.Seconds, p.Steps())
			}
		}
	})
	if tiles < 1500 {
		t.Errorf("only %d tiles", tiles)
	}
}

// TestSimulateCluster has the same assumptions for clusters, [P2] (7), (8): a step
// is worth W tiles, and the faces of a step take no longer on their way. A worker
// need not wait for a whole step of its neighbor, so that a run takes no longer
// than its steps, and no less than the tiles of a worker.
func TestSimulateCluster(t *testing.T) {
	ran := 0
	plantest.EachShape(func(u, mesh []int) {
		grid := []int{1, 2, 1}[:len(u)]
		for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
			p := plantest.TilePlan(t, u, grid, mesh, 0, comm)
			w := plan.Product(p.Block)
			if w == 1 {
				continue
			}
			ran++
			message := map[plan.Comm]float64{plan.Overlap: float64(w), plan.Blocking: 0}[comm]
			got := Predict(p, unitMachine(message), "net").Seconds
			if got > float64(w*p.Steps()) || got < float64(w*u[0]) {
				t.Errorf("%v tiles on %v nodes of %v CPUs, %s: %g s, %d steps of %d tiles", u, grid, mesh, comm, got, p.Steps(), w)
			}
		}
	})
	if ran < 50 {
		t.Errorf("only %d plans", ran)
	}
}

// TestSimulateRounds does what TestSimulateSteps does, for rounds of columns: no run takes
// longer than its steps, and cyclic ones take as long.
func TestSimulateRounds(t *testing.T) {
	ran := 0
	for _, assign := range []plan.Assign{plan.Cyclic, plan.Mirror} {
		for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
			for u2 := 2; u2 <= 9; u2++ {
				for nodes := 1; nodes <= 3; nodes++ {
					p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{12, u2}, plan.Options{
						Tile: []int{1, 1}, Grid: []int{1, nodes}, Mesh: []int{1, 2}, Map: "i", Comm: comm, Assign: assign,
					})
					if err != nil {
						t.Fatal(err)
					}
					m := unitMachine(map[plan.Comm]float64{plan.Overlap: 1, plan.Blocking: 0}[comm])
					got := Predict(p, m, "net").Seconds
					if steps := float64(p.Steps()); got > steps || assign == plan.Cyclic && got != steps {
						t.Errorf("%d columns, %d nodes, %s, %s: %g s, %g steps", u2, nodes, assign, comm, got, steps)
					}
					ran++
				}
			}
		}
	}
	if ran != 2*2*8*3 {
		t.Errorf("%d plans", ran)
	}
}

// TestSimulateCore requires that tiles take as much time of cores however many
// CPUs share them, and no more than the CPUs take; estimates as well.
func TestSimulateCore(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 9))
	less := 0
	for range 200 {
		s := plantest.RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, plantest.RandomOptions(rng, s.Nest))
		if err != nil || p.Empty {
			continue
		}
		m := randomMachine(rng)
		m.Kernel.Contention, m.Node = nil, 0
		m.Cores = 1 << 10
		many := Predict(p, m, "net")
		m.Cores = 1 + rng.IntN(2)
		few := Predict(p, m, "net")
		if !near(many.Core, many.All.Compute) || !near(few.Core, many.Core) || few.Core > few.All.Compute*(1+1e-9) {
			t.Fatalf("CPUs take %g s of as many cores, %g s; of %d cores %g s, %g s\n%s", many.All.Compute, many.Core, m.Cores, few.All.Compute, few.Core, p)
		}
		if estimated := estimated(p, costsOf(p, m, "net")); estimated.Core > estimated.All.Compute*(1+1e-9) {
			t.Fatalf("estimated: %g s of cores, %g s of CPUs", estimated.Core, estimated.All.Compute)
		}
		if few.Core < 0.99*few.All.Compute {
			less++
		}
	}
	if less < 30 {
		t.Errorf("only in %d runs CPUs take turns", less)
	}
}

// TestSpans checks the spans of random runs. Those of a worker must follow each other without gaps,
// and every tile must compute once. The ends of spans, the time computing, and the bytes of
// messages, none of which a rank sends to itself, must be those of the prediction.
func TestSpans(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 9))
	sends := 0
	for range 300 {
		s := plantest.RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, plantest.RandomOptions(rng, s.Nest))
		if err != nil || p.Empty {
			continue
		}
		m := randomMachine(rng)
		m.Kernel.Tile++
		net := m.Links["net"]
		net.Bandwidth, net.Overlap = float64(rng.IntN(3)), rng.Float64()
		m.Links["net"] = net
		ends := map[[2]int]float64{}
		busy := map[[2]int]float64{}
		computed := map[[2]int]int{}
		var bytes int64
		out := NewPredictor(p).Simulate(t.Context(), m, "net", func(s Span) {
			if s.End < s.Begin || s.Begin < 0 {
				t.Fatalf("%+v", s)
			}
			if s.Kind == trace.Send {
				sends++
				bytes += int64(s.Bytes)
				if s.Peer == s.Rank {
					t.Fatalf("a rank sends to itself: %+v", s)
				}
				return
			}
			w := [2]int{s.Rank, s.CPU}
			if !near(s.Begin, ends[w]) {
				t.Fatalf("worker %v was at %g, then %+v", w, ends[w], s)
			}
			ends[w] = s.End
			if s.Kind == trace.Compute {
				computed[[2]int{s.Column, s.Tile}]++
				busy[w] += s.End - s.Begin
			}
		})
		last := 0.0
		for _, e := range ends {
			last = max(last, e)
		}
		all := 0.0
		for _, b := range busy {
			all += b
		}
		if !near(last, out.Seconds) || !near(all, out.All.Compute) || bytes != out.Bytes || int64(len(computed)) != out.Tiles {
			t.Fatalf("spans: %g s, %g s computing, %d bytes, %d tiles: %+v", last, all, bytes, len(computed), out)
		}
		for tile, times := range computed {
			if times != 1 {
				t.Fatalf("tile %v is computed %d times", tile, times)
			}
		}
	}
	if sends < 100 {
		t.Errorf("only %d messages", sends)
	}
}

// TestSimulateBandwidth sends what takes longer than it is computed: then the
// interface sets the pace, and the part of a transfer that does not overlap takes
// the CPU's time.
func TestSimulateBandwidth(t *testing.T) {
	p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{100, 2}, plan.Options{Tile: []int{1, 1}, Grid: []int{1, 2}, Map: "i"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ bandwidth, overlap, want float64 }{
		{16, 1, 1 + 0.5 + 100},         // half a second for 8 bytes: hidden
		{2, 1, 1 + 4*100 + 1},          // four seconds each
		{16, 0, 100*1.5 + 1},           // half a second of the sender's time for each
		{16, 0.5, 100*1.25 + 1 + 0.25}, // half of that, and the last is still on its way
	} {
		m := unitMachine(0)
		m.Links["net"] = Link{Bandwidth: c.bandwidth, Overlap: c.overlap}
		if got := Predict(p, m, "net").Seconds; !near(got, c.want) {
			t.Errorf("bandwidth %g, overlap %g: %g s, want %g", c.bandwidth, c.overlap, got, c.want)
		}
	}
}

// TestNIC requires of transfers that come in any order that no two share time,
// and that none begins before it may.
func TestNIC(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 9))
	late := 0
	for range 200 {
		var n nic
		var sent []interval
		for i := range 60 {
			at, x := float64(i)+float64(rng.IntN(9)), float64(rng.IntN(3))
			from := n.send(at, x)
			if from < at {
				t.Fatalf("a transfer at %g begins at %g", at, from)
			}
			if x == 0 {
				continue
			}
			if len(sent) > 0 && from < sent[len(sent)-1].begin {
				late++
			}
			for _, s := range sent {
				if from < s.end && s.begin < from+x {
					t.Fatalf("%g to %g while %v is sent", from, from+x, s)
				}
			}
			sent = append(sent, interval{from, from + x})
		}
	}
	if late < 100 {
		t.Errorf("only %d transfers went before earlier ones", late)
	}
}

// TestSimulateMany runs a hundred thousand ranks of ten tiles each in a moment.
func TestSimulateMany(t *testing.T) {
	p, err := plan.New(plantest.BoxNest(plantest.Units(3), "i", "j", "k"), []int{3200, 3200, 10 * 64}, plan.Options{Ranks: 102400, Grid: []int{320, 320, 1}, Tile: []int{10, 10, 64}, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	out := Predict(p, DefaultMachine(), LinkTCP)
	took := time.Since(began)
	t.Logf("%d tiles in %s: %+v", out.Tiles, took, out)
	if out.Tiles != 102400*10 {
		t.Errorf("%d tiles", out.Tiles)
	}
	if took > 30*time.Second {
		t.Errorf("took %s", took)
	}
}
