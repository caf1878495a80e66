package cost

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestEstimate compares estimates of random plans of rectangular spaces with the simulation.
// Estimates prune the search of Choose, so they need to be right in most cases, for every schedule.
// They cannot predict waits that come and go.
func TestEstimate(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 9))
	ratios, volumes := map[string][]float64{}, []float64{}
	for ran := 0; ran < 1200; {
		n := 2 + rng.IntN(2)
		names := []string{"i", "j", "k"}[:n]
		var params []int
		for range n {
			params = append(params, 40+rng.IntN(200))
		}
		params[rng.IntN(n)] *= 8
		o := plan.Options{Ranks: 1 + rng.IntN(6), CPUs: 1 + rng.IntN(4), Comm: plan.Comm(1 + rng.IntN(2)), Group: plan.Group(1 + rng.IntN(2)), Assign: plan.Assign(1 + rng.IntN(4)), Map: names[rng.IntN(n)]}
		for range n {
			o.Tile = append(o.Tile, 8<<rng.IntN(4))
		}
		p, err := plan.New(plantest.BoxNest(plantest.Units(n), names...), params, o)
		if err != nil {
			continue
		}
		ran++
		m := DefaultMachine()
		m.Cores, m.Node = 64, 1
		if rng.IntN(2) == 0 {
			l := m.Links[LinkTCP]
			l.Bandwidth, l.Latency = 1e8, 50e-6
			m.Links[LinkTCP] = l
		}
		simulated := Predict(p, m, LinkTCP)
		estimated := estimated(p, costsOf(p, m, LinkTCP))
		if Estimate(p, m, LinkTCP, 0).Seconds != estimated.Seconds {
			t.Fatalf("Estimate is %g, and %g", Estimate(p, m, LinkTCP, 0).Seconds, estimated.Seconds)
		}
		schedule := p.Assign.String() + ", " + p.Comm.String()
		ratios[schedule] = append(ratios[schedule], estimated.Seconds/simulated.Seconds)
		if simulated.Bytes > 0 {
			volumes = append(volumes, float64(estimated.Bytes)/float64(simulated.Bytes))
		}
		if estimated.Steps != simulated.Steps || estimated.Tiles != simulated.Tiles {
			t.Fatalf("estimated are %d steps, %d tiles; there are %d, %d\n%s", estimated.Steps, estimated.Tiles, simulated.Steps, simulated.Tiles, p)
		}
	}
	for schedule, r := range ratios {
		slices.Sort(r)
		n := len(r)
		t.Logf("%-20s %4d plans: least %.2f, 10 %% %.2f, median %.2f, 90 %% %.2f, most %.2f", schedule, n, r[0], r[n/10], r[n/2], r[n*9/10], r[n-1])
		if n < 100 || r[n/2] < 0.9 || r[n/2] > 1.15 || r[n/10] < 0.6 || r[n*9/10] > 1.7 {
			t.Errorf("%s: estimates are off", schedule)
		}
	}
	slices.Sort(volumes)
	n := len(volumes)
	t.Logf("%d volumes: least %.2f, 10 %% %.2f, median %.2f, 90 %% %.2f, most %.2f", n, volumes[0], volumes[n/10], volumes[n/2], volumes[n*9/10], volumes[n-1])
	if n < 300 || volumes[n/10] < 0.9 || volumes[n*9/10] > 1.2 {
		t.Error("estimated volumes are off")
	}
}

// TestEstimateSteps: under the papers' assumptions, one of which is that a message takes as long as
// a tile, the estimate is the closed form of the makespan. TestEstimate is about realistic
// machines.
func TestEstimateSteps(t *testing.T) {
	plantest.EachShape(func(u, mesh []int) {
		grid := []int{1, 2, 1}[:len(u)]
		for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
			p := plantest.TilePlan(t, u, grid, mesh, 0, comm)
			if plan.Product(p.Block) > 1 {
				continue
			}
			message := map[plan.Comm]float64{plan.Overlap: 1, plan.Blocking: 0}[comm]
			if got := Estimate(p, unitMachine(message), "net", 0).Seconds; !near(got, float64(p.Steps())) {
				t.Errorf("%v tiles on %v nodes of %v CPUs, %s: %g s, %d steps", u, grid, mesh, comm, got, p.Steps())
			}
		}
	})
}
