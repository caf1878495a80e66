package halo_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// TestWindows runs random nests under random plans that are cut into windows of levels, and
// compares every returned cell with a direct evaluation.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	count := 60
	if testing.Short() {
		count = 25
	}
	runs, windows, ranks, static, mapped := 0, 0, 0, 0, 0
	for range count {
		s := randomNest(rng)
		if len(s.points) == 0 || len(s.points) > 5000 {
			continue
		}
		for range 4 {
			o := randomOptions(rng, s.nest)
			if rng.IntN(3) == 0 {
				o.Ranks = 1
			}
			o.Epoch = max(1, s.nest.Margin()[0]) + rng.IntN(6)
			p, err := plan.New(s.nest, s.params, o)
			if err != nil || p.Windows == 1 {
				continue
			}
			f := s.fields(rng.IntN(2) == 0)
			sum, err := sched.RunPlans(t.Context(), s.program(), []*plan.Plan{p}, f, sched.Watch{}, inproc.Mesh)
			if err != nil {
				var bug *sched.Bug
				if errors.As(err, &bug) {
					t.Logf("%s", bug.Stack)
				}
				t.Fatalf("%s\n%d levels: %v", p, o.Epoch, err)
			}
			if sum.Points != int64(len(s.points)) {
				t.Fatalf("%s\n%d levels: %d iterations ran, there are %d", p, o.Epoch, sum.Points, len(s.points))
			}
			s.check(t, p, f)
			runs++
			windows += p.Windows
			for _, is := range []struct {
				n    *int
				that bool
			}{{&ranks, plan.Product(p.Grid) > 1}, {&static, !p.Alike}, {&mapped, p.Map == 0}} {
				if is.that {
					*is.n++
				}
			}
		}
	}
	t.Logf("%d runs of %d windows, %d on several ranks, %d in windows that are not alike, %d mapped along levels", runs, windows, ranks, static, mapped)
	if runs < count || windows < 4*runs || ranks < runs/8 || static < runs/20 || mapped < runs/10 {
		t.Errorf("that proves little")
	}
}
