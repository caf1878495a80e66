package halo_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// An idle kernel computes nothing; it must not be asked to.
type idle struct {
	kernel.Loops
	t *testing.T
}

// Box implements kernel.Loops.
func (k idle) Box(lo, hi []int) { k.t.Errorf("an idle kernel is to compute %v to %v", lo, hi) }

// TestCount runs random nests with kernels that do not compute: tiles must have the same number
// of iterations, and send the same messages.
func TestCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 23))
	counted, oblique := 0, 0
	for counted < 150 {
		s := randomNest(rng)
		if len(s.points) == 0 || len(s.points) > 5000 {
			continue
		}
		p, err := plan.New(s.nest, s.params, randomOptions(rng, s.nest))
		if err != nil {
			continue
		}
		prog := s.program()
		want, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, s.fields(false), sched.Watch{}, inproc.Mesh)
		if err != nil {
			t.Fatal(err)
		}
		prog = s.program()
		prog.Kernel = prog.Kernel.Wrap(func(k kernel.Kernel) kernel.Kernel {
			return kernel.Kernel{Loops: idle{k.Loops, t}, Idle: func(int, time.Time) {}}
		})
		got, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, s.fields(false), sched.Watch{}, inproc.Mesh)
		if err != nil {
			t.Fatal(err)
		}
		if got.Points != int64(len(s.points)) || got.Tiles != want.Tiles || got.Messages != want.Messages || got.Bytes != want.Bytes {
			t.Errorf("%s: %d iterations in %d tiles, %d messages of %d bytes; it computes %d in %d, and sends %d of %d", p, got.Points, got.Tiles, got.Messages, got.Bytes, len(s.points), want.Tiles, want.Messages, want.Bytes)
		}
		counted++
		if !p.Space.BoxInside(p.Lo, p.Hi) {
			oblique++
		}
	}
	if oblique < 20 {
		t.Errorf("only %d spaces of %d were no boxes", oblique, counted)
	}
}
