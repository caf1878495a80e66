package sched_test

import (
	"strings"
	"testing"

	"loopc/runtime/sched"
	"loopc/testdata/emit/adi"
	"loopc/testdata/emit/diffusion"
	"loopc/testdata/emit/pipeline"
	"loopc/testdata/emit/seidel"
)

// TestSharedMemory passes slices that share memory to emitted programs. Every function of their API
// must refuse them before it writes anything, in whatever order arrays are bound. Only arrays that
// are all just read may share memory, and one slice may be both content and result of an array.
func TestSharedMemory(t *testing.T) {
	const n = 100 // cells of arrays for N = 8
	for _, c := range []struct {
		name   string
		u0, u  func(all []float64) []float64
		refuse string
	}{
		{"the same", func(all []float64) []float64 { return all[:n] }, func(all []float64) []float64 { return all[:n] }, "arrays u and u0 overlap in memory: u[0:100] is u0[0:100]"},
		{"a cell", func(all []float64) []float64 { return all[:n] }, func(all []float64) []float64 { return all[n-1:][:n] }, "arrays u and u0 overlap in memory: u[0:1] is u0[99:100]"},
		{"half", func(all []float64) []float64 { return all[n/2:][:n] }, func(all []float64) []float64 { return all[:n] }, "arrays u and u0 overlap in memory: u[50:100] is u0[0:50]"},
		{"neighbors", func(all []float64) []float64 { return all[:n] }, func(all []float64) []float64 { return all[n:][:n] }, ""},
		{"allocated", func(all []float64) []float64 { return all[:n] }, func([]float64) []float64 { return nil }, ""},
	} {
		p := diffusion.Params{T: 3, N: 8}
		for entry, run := range map[string]func(a *diffusion.Arrays) error{
			"Run": func(a *diffusion.Arrays) error {
				_, err := diffusion.Run(t.Context(), p, a, diffusion.Options{})
				return err
			},
			"Sequential": func(a *diffusion.Arrays) error { return diffusion.Sequential(p, a) },
			"RunRanks": func(a *diffusion.Arrays) error {
				_, err := diffusion.RunRanks(t.Context(), p, &diffusion.Parts{Arrays: *a}, diffusion.RankOptions{})
				return err
			},
		} {
			all := make([]float64, 2*n)
			for k := range all {
				all[k] = 7
			}
			err := run(&diffusion.Arrays{U0: c.u0(all), U: c.u(all)})
			if c.refuse == "" && err != nil || c.refuse != "" && (err == nil || !strings.Contains(err.Error(), c.refuse)) {
				t.Errorf("%s, %s: %v, want %q", c.name, entry, err, c.refuse)
			}
			for k, x := range all {
				if c.refuse != "" && x != 7 {
					t.Fatalf("%s, %s: cell %d has been written", c.name, entry, k)
				}
			}
		}
	}
}

// TestSharedResults has two results in one slice, an array that is its own result, and arrays
// without cells.
func TestSharedResults(t *testing.T) {
	all := make([]float32, 200)
	_, err := adi.Run(t.Context(), adi.Params{T: 2, N: 8}, &adi.Arrays{A: make([]float32, 64), X: all[:81], B: all[80:161]}, adi.Options{})
	if err == nil || !strings.Contains(err.Error(), "arrays B and X overlap in memory: B[0:1] is X[80:81]") {
		t.Errorf("two results in one slice: %v", err)
	}
	if _, err := seidel.Run(t.Context(), seidel.Params{T: 2, N: 8}, &seidel.Arrays{U: make([]float64, 100)}, seidel.Options{}); err != nil {
		t.Errorf("an array that is updated: %v", err)
	}
	fields, none := sched.NewFields(adi.Program.Nest), make([]float32, 0, 9)
	if err := sched.Give(&fields, adi.Program.Nest, []int{2, 0}, 0, none); err != nil {
		t.Error(err)
	}
	if err := sched.Take(&fields, adi.Program.Nest, []int{2, 2}, 1, ptr(none[:9])); err != nil {
		t.Errorf("an array without cells overlaps another: %v", err)
	}
}

// TestHugeResults has results that no memory holds, in slices that Go would allocate: Go ends a process that runs out of memory. The
// content that is given is looked at first.
func TestHugeResults(t *testing.T) {
	d := &diffusion.Arrays{U0: make([]float64, 3)}
	if err := diffusion.Sequential(diffusion.Params{T: 1, N: 1 << 24}, d); err == nil || !strings.Contains(err.Error(), "array u0 of diffusion: 3 cells given") || strings.Contains(err.Error(), "result") {
		t.Errorf("content of another size: %v", err)
	}
	p := &pipeline.Arrays{}
	err := pipeline.Sequential(pipeline.Params{X: 1 << 15, Y: 1 << 15, Z: 1 << 15}, p)
	if err == nil || !strings.Contains(err.Error(), "result of array A of pipeline: takes ") || p.A != nil {
		t.Errorf("more than all memory: %v", err)
	}
}

func ptr[T any](x T) *T { return &x }
