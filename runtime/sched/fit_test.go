package sched_test

import (
	"testing"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// TestFit: unless the user has named a kernel, a run takes the kernel with the least predicted
// time.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		name    string
		vectors float64 // cycles of an iteration
		want    string
		inGo    float64
	}{
		{"", 1000, kernel.Portable, 1},
		{"avx2", 1000, "avx2", 1},
		{"", 1, "avx2", 1000},
	} {
		t.Setenv(sched.KernelVariable, "")
		loops := func([]int, kernel.Fields) kernel.Loops { return &spinner{} }
		prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(loops, 0).Paced(c.inGo), Versions: []kernel.Version{{
			Name: "avx2", Usable: func() bool { return true }, Traits: kernel.Traits{Cycles: c.vectors},
			New: func(params []int, fields kernel.Fields) kernel.Kernel {
				return kernel.Kernel{Loops: loops(params, fields)}
			},
		}}}
		chosen, err := prog.Choose(c.name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(grid, []int{8, 8}, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := sched.RunPlans(t.Context(), chosen, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{}, inproc.Mesh)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Kernel != c.want {
			t.Errorf("named %q, %g cycles against %g: kernel %s, want %s", c.name, c.vectors, c.inGo, sum.Kernel, c.want)
		}
	}
}
