package ranks_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/testdata/emit/diffusion"
	"loopc/testdata/emit/relaxation"
	"loopc/testdata/emit/seidel"
)

// TestPrepared requires that a Runner has the bits of the sequential loops, however often it runs, on the
// same slices with other content and on other slices.
func TestPrepared(t *testing.T) {
	for _, o := range []seidel.Options{{}, {CPUs: 1}, {CPUs: 2, Tile: []int{5, 7, 9}}, {CPUs: 2, Tile: []int{4, 11, 0}, Map: "t"}, {Ranks: 3, CPUs: 1}} {
		p := seidel.Params{T: 12, N: 40}
		r, err := seidel.Prepare(p, o)
		if err != nil {
			t.Fatal(err)
		}
		var a seidel.Arrays
		for k := range 6 {
			content := field(uint64(k), 42*42)
			if k%3 == 0 {
				a.U = make([]float64, 42*42)
			}
			copy(a.U, content)
			if _, err := r.Run(t.Context(), &a); err != nil {
				t.Fatal(err)
			}
			want := seidel.Arrays{U: content}
			if err := seidel.Sequential(p, &want); err != nil {
				t.Fatal(err)
			}
			if !same(a.U, want.U) {
				t.Fatalf("%+v: the bits of run %d differ", o, k)
			}
		}
	}
}

// TestPreparedFails requires that a Runner runs after a run that was canceled, which gives inout arrays their
// old content.
func TestPreparedFails(t *testing.T) {
	p := seidel.Params{T: 12, N: 40}
	r, err := seidel.Prepare(p, seidel.Options{CPUs: 2, Tile: []int{5, 7, 9}})
	if err != nil {
		t.Fatal(err)
	}
	content := field(1, 42*42)
	a := seidel.Arrays{U: slices.Clone(content)}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	want := seidel.Arrays{U: slices.Clone(content)}
	if err := seidel.Sequential(p, &want); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Run(canceled, &a); err == nil || !same(a.U, content) {
			t.Fatalf("%v, or the content has changed", err)
		}
		if _, err := r.Run(t.Context(), &a); err != nil || !same(a.U, want.U) {
			t.Fatalf("%v, or the bits differ", err)
		}
		copy(a.U, content)
	}
	if _, err := r.Run(t.Context(), nil); err == nil {
		t.Error("it runs without arrays")
	}
}

// TestPreparedConcurrently requires that goroutines can share a Runner.
func TestPreparedConcurrently(t *testing.T) {
	p := diffusion.Params{T: 9, N: 20}
	r, err := diffusion.Prepare(p, diffusion.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			a := diffusion.Arrays{U0: field(uint64(k), 22*22)}
			want := diffusion.Arrays{U0: a.U0}
			if err := diffusion.Sequential(p, &want); err != nil {
				t.Error(err)
				return
			}
			for range 5 {
				if _, err := r.Run(t.Context(), &a); err != nil || !same(a.U, want.U) {
					t.Errorf("%v, or the bits differ", err)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestPreparedAllocatesNothing requires that all runs but the first on the same slices allocate nothing, on
// one CPU and on two.
func TestPreparedAllocatesNothing(t *testing.T) {
	none := func(name string, run func() error) {
		t.Helper()
		if err := run(); err != nil {
			t.Fatal(err)
		}
		if err := run(); err != nil { // the order of tiles is kept
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(10, func() { _ = run() }); n > 0 {
			t.Errorf("%s: a run makes %g allocations", name, n)
		}
	}
	ctx := context.Background()
	t.Setenv(sched.KernelVariable, "")
	for _, cpus := range []int{1, 2} {
		s, err := seidel.Prepare(seidel.Params{T: 9, N: 61}, seidel.Options{CPUs: cpus})
		if err != nil {
			t.Fatal(err)
		}
		u := seidel.Arrays{U: field(1, 63*63)}
		none("seidel", func() error { _, err := s.Run(ctx, &u); return err })
		d, err := diffusion.Prepare(diffusion.Params{T: 9, N: 61}, diffusion.Options{CPUs: cpus, Tile: []int{3, 20, 20}})
		if err != nil {
			t.Fatal(err)
		}
		v := diffusion.Arrays{U0: field(1, 63*63), U: field(2, 63*63)}
		none("diffusion", func() error { _, err := d.Run(ctx, &v); return err })
		d, err = diffusion.Prepare(diffusion.Params{T: 3, N: 15}, diffusion.Options{CPUs: cpus})
		if err != nil {
			t.Fatal(err)
		}
		small := diffusion.Arrays{U0: field(1, 17*17), U: field(2, 17*17)}
		none("small diffusion", func() error {
			sum, err := d.Run(ctx, &small)
			if cpus == 1 && sum.Kernel != kernel.AsWritten && !strings.HasSuffix(sum.Kernel, kernel.InArrays) { // two CPUs may be faster in tiles
				t.Errorf("a small run on %d CPUs: kernel %s", cpus, sum.Kernel)
			}
			return err
		})
	}
}

// TestRunAgain requires that Run plans only the first of the runs with the same parameters and options, and has the bits of the
// sequential loops in all of them, in several goroutines, with other sizes and options, and with other float parameters.
func TestRunAgain(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	var all sync.WaitGroup
	for k := range 3 {
		all.Go(func() {
			for turn := range 6 {
				p, o := seidel.Params{T: 3 + turn%2, N: 20 + turn%3}, seidel.Options{CPUs: turn % 3}
				cells := (p.N + 2) * (p.N + 2)
				a, want := seidel.Arrays{U: field(uint64(k), cells)}, seidel.Arrays{U: field(uint64(k), cells)}
				if err := seidel.Sequential(p, &want); err != nil {
					t.Error(err)
				}
				if _, err := seidel.Run(t.Context(), p, &a, o); err != nil || !same(a.U, want.U) {
					t.Errorf("%v, or the bits of %+v differ", err, p)
				}
			}
		})
	}
	all.Wait()
	changes := map[float64]bool{}
	for turn := range 6 {
		p := relaxation.Params{T: 60, N: 12, Eps: []float64{1e-4, 1e-3, 1e-2}[turn%3]}
		arrays := func() *relaxation.Arrays {
			n := p.N + 2
			return &relaxation.Arrays{F: field(1, n*n), U: field(2, n*n), Steps: make([]int32, p.N+1), H: make([]float64, p.N+1), Last: make([]float64, n*n)}
		}
		a, want := arrays(), arrays()
		if err := relaxation.Sequential(p, want); err != nil {
			t.Fatal(err)
		}
		if _, err := relaxation.Run(t.Context(), p, a, relaxation.Options{}); err != nil || a.Change != want.Change || !same(a.U, want.U) {
			t.Fatalf("%v, or the bits with eps %g differ", err, p.Eps)
		}
		changes[a.Change] = true
	}
	if len(changes) != 3 {
		t.Errorf("three bounds give %d results", len(changes))
	}
	p, a := seidel.Params{T: 2, N: 10}, seidel.Arrays{U: field(1, 12*12)}
	run := func() sched.Summary {
		sum, err := seidel.Run(t.Context(), p, &a, seidel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	plans := testing.AllocsPerRun(10, func() { _, _ = seidel.Prepare(p, seidel.Options{}) })
	if again := testing.AllocsPerRun(10, func() { run() }); again > plans/3 {
		t.Errorf("a run makes %g allocations, and planning %g", again, plans)
	}
	t.Setenv(sched.KernelVariable, kernel.Portable)
	if sum := run(); sum.Kernel != kernel.Portable && sum.Kernel != kernel.AsWritten {
		t.Errorf("the kernel is %s, not the one that the variable names", sum.Kernel)
	}
}
