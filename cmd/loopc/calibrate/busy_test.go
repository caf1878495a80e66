package calibrate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"loopc/ir/irtest"
	"loopc/testdata/emit/seidel"
	"loopc/transform/plan/cost"
)

// TestFitBusy fits to times that have little to do with what ran, as on a machine
// that others use, and to few of them. No iteration may come out free, neither of
// the nest nor of nests that were not measured; and figures that explain nothing
// must be doubted.
func TestFitBusy(t *testing.T) {
	digest := seidel.Program.Nest.Digest
	exact := trueMachine(digest)
	doubted := 0
	seeds := irtest.OfAll(6, 2)
	for seed := range uint64(seeds) {
		samples := synthetic(t, exact, 10+seed, 0.02, 8)
		rng := rand.New(rand.NewPCG(seed, 5))
		for _, s := range samples {
			slow := 1.0
			if rng.IntN(2) == 0 {
				slow += 6 * rng.Float64()
			}
			for i := range s.Seconds {
				s.Seconds[i] *= slow
				s.Work[i] *= slow
			}
		}
		m := cost.DefaultMachine()
		m.Cores = 2
		m.Kernels = nil
		Fit(m, samples)
		for _, k := range []cost.Kernel{m.Kernel, m.Kernels[digest]} {
			for _, r := range k.Point {
				if r.Seconds < 0.1e-9 {
					t.Errorf("seed %d: an iteration in %d bytes takes %g s", seed, r.Bytes, r.Seconds)
				}
			}
		}
		if Doubt(m, samples) != "" {
			doubted++
		}
	}
	if doubted < seeds-1 {
		t.Errorf("only %d of %d are doubted", doubted, seeds)
	}
	if doubt := Doubt(exact, synthetic(t, exact, 1, 0.02, 4)); doubt != "" {
		t.Errorf("figures that are right are doubted: %s", doubt)
	}
}

// TestDoubtDisturbed requires that figures are doubted if other programs disturbed every run of some
// configurations, even if the figures explain everything that was measured.
func TestDoubtDisturbed(t *testing.T) {
	exact := trueMachine(seidel.Program.Nest.Digest)
	samples := synthetic(t, exact, 1, 0.02, 4)
	for k, s := range samples {
		s.Disturbed = k%3 == 0
	}
	why := Doubt(exact, samples)
	if want := fmt.Sprintf("every run of %d of the %d configurations", (len(samples)+2)/3, len(samples)); !strings.Contains(why, want) {
		t.Errorf("%q, want %q", why, want)
	}
}

// TestSettled: doubtful figures are measured again until they are not doubtful, and at most the
// given number of times.
func TestSettled(t *testing.T) {
	exact := trueMachine(seidel.Program.Nest.Digest)
	for _, c := range []struct{ quietAfter, want int }{{0, 0}, {1, 1}, {9, 1}} {
		samples := synthetic(t, exact, 1, 0.02, 3)
		slow := func(f float64) {
			rng := rand.New(rand.NewPCG(3, 5))
			for _, s := range samples {
				f := 1 + f*rng.Float64()
				for i := range s.Seconds {
					s.Seconds[i] *= f
					s.Work[i] *= f
				}
			}
		}
		if c.quietAfter > 0 {
			slow(6)
		}
		calls := 0
		base := cost.DefaultMachine()
		base.Kernels = nil
		m, err := settled(base, samples, 1, func() error {
			if calls++; calls == c.quietAfter {
				copy(samples, synthetic(t, exact, 1, 0.02, 3))
			}
			return nil
		})
		if err != nil || calls != c.want {
			t.Errorf("quiet after %d: measured again %d times, want %d, error %v", c.quietAfter, calls, c.want, err)
		}
		if why := Doubt(m, samples); (why == "") != (c.quietAfter <= 1) {
			t.Errorf("quiet after %d: doubt %q", c.quietAfter, why)
		}
	}
	stop := errors.New("interrupted")
	samples := synthetic(t, exact, 1, 0.02, 1)
	for _, s := range samples {
		s.Disturbed = true
	}
	if _, err := settled(cost.DefaultMachine(), samples, 3, func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
}

// TestMerge: figures that another calibration wrote meanwhile remain, except those that this one
// has measured.
func TestMerge(t *testing.T) {
	exact := trueMachine(seidel.Program.Nest.Digest)
	samples := synthetic(t, exact, 1, 0, 1)
	kernel := func(seconds float64) cost.Kernel { return cost.Kernel{Point: []cost.Rate{{Seconds: seconds}}} }
	latest := cost.DefaultMachine()
	latest.Node = 3
	latest.Links["far"] = cost.Link{Latency: 1}
	latest.Kernels = map[string]cost.Kernel{"other": kernel(5), seidel.Program.Nest.Digest: kernel(6)}
	latest.Trials = []cost.Trial{{Nest: "other", Seconds: 1}, {Nest: seidel.Program.Nest.Digest, Seconds: 2}}
	m := copyOf(exact)
	m.Trials = []cost.Trial{{Nest: "dropped", Seconds: 3}}
	m.Kernels["other"], m.Kernels["dropped"] = kernel(1), kernel(2) // as they were before
	Merge(m, latest, samples)
	if len(m.Kernels) != 2 || m.Kernels["other"].Point[0].Seconds != 5 || m.Kernels[seidel.Program.Nest.Digest].Tile != 3e-6 {
		t.Errorf("kernels are %+v", m.Kernels)
	}
	if len(m.Trials) != 1 || m.Trials[0].Nest != "other" {
		t.Errorf("trials are %+v", m.Trials)
	}
	if m.Node != 3 || m.Links["far"].Latency != 1 || m.Links[cost.LinkTCP] != exact.Links[cost.LinkTCP] {
		t.Errorf("%d ranks share a node, links are %+v", m.Node, m.Links)
	}
}
