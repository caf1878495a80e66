package sched_test

import (
	"testing"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// The loops run as they are written if their price is clearly below that of tiles on one CPU, and nothing
// needs tiles.
func TestWritten(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	one := plan.Options{Ranks: 1, CPUs: 1}
	for _, c := range []struct {
		name   string
		pace   float64
		kernel string
		size   int
		o      plan.Options
		want   bool
	}{
		{"a low price", 1, "", 100, one, true},
		{"no price", 0, "", 100, one, false},
		{"a high price", 1e4, "", 100, one, false},
		{"too long to be ended", 30, "", 3000, one, false},
		{"a kernel is named", 1, kernel.Portable, 100, one, false},
		{"two CPUs", 1, "", 100, plan.Options{Ranks: 1, CPUs: 2}, false},
		{"two ranks", 1, "", 100, plan.Options{Ranks: 2, CPUs: 1}, false},
		{"tiles are given", 1, "", 100, plan.Options{Ranks: 1, CPUs: 1, Tile: []int{10, 10}}, false},
	} {
		ran := false
		prog := &sched.Program{
			Nest:       grid,
			Kernel:     kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return &spinner{} }, 0).Paced(1),
			Sequential: func([]int, kernel.Fields) error { ran = true; return nil },
			Pace:       c.pace,
		}
		prog, err := prog.Choose(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(grid, []int{c.size, c.size}, c.o)
		if err != nil {
			t.Fatal(err)
		}
		plans := []*plan.Plan{p}
		prog = prog.Written(plans, []plan.Options{c.o}, nil)
		if got := prog.KernelName(0) == kernel.AsWritten; got != c.want {
			t.Errorf("%s: kernel %s", c.name, prog.KernelName(0))
		}
		if !c.want {
			continue
		}
		sum, err := sched.RunPlans(t.Context(), prog, plans, sched.NewFields(grid), sched.Watch{}, inproc.Mesh)
		if err != nil || sum.Kernel != kernel.AsWritten || !ran || sum.Points != int64(c.size*c.size) {
			t.Errorf("%s: %v, kernel %s, %d iterations", c.name, err, sum.Kernel, sum.Points)
		}
		live := sched.Watch{Live: &sched.Live{}}
		if sum, err = sched.RunPlans(t.Context(), prog, plans, sched.NewFields(grid), live, inproc.Mesh); err != nil || sum.Kernel != kernel.Portable {
			t.Errorf("%s, watched: %v, kernel %s", c.name, err, sum.Kernel)
		}
	}
}
