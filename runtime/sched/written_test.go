package sched_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"loopc/runtime/arith"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// TestWrittenLong: a run is one of tiles, whatever it takes, if an iteration of the outermost loop, within which loops in Go
// cannot be ended, takes long. A single loop has pieces.
func TestWrittenLong(t *testing.T) {
	const points = 400_000_000
	single := *grid
	single.Levelled = true
	single.Values = []plan.Value{{Name: "A", Flow: [][]int{{0, 1}}}}
	for _, c := range []struct {
		nest *plan.Nest
		rows int
		want bool
	}{{grid, points / 1000, true}, {grid, 1, false}, {&single, 1, true}} {
		p, err := plan.New(c.nest, []int{c.rows, points / c.rows}, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		var w kernel.Weighing
		if w.Add(p, plan.Options{}, 1, kernel.AsLoops{Pace: 0.5}, cost.DefaultMachine(), false); w.Written() != c.want {
			t.Errorf("%d rows: as written %v: %s", c.rows, w.Written(), w.Tiled())
		}
	}
}

// TestWritten: a run uses the sequential loops if they are predicted to take clearly less time than
// tiles on one CPU, and if nothing needs tiles.
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
		{"a long run", 0.5, "", 20000, one, true},
		{"a kernel is named", 1, kernel.Portable, 100, one, false},
		{"two CPUs, which may take half the time", 0.5, "", 20000, plan.Options{Ranks: 1, CPUs: 2}, false},
		{"two CPUs, which take longer to begin", 1, "", 100, plan.Options{Ranks: 1, CPUs: 2}, true},
		{"two CPUs that nobody asks for", 1, "", 100, plan.Options{Ranks: 1}, true},
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
		o := c.o
		if o.CPUs == 0 {
			o.CPUs = 2
		}
		p, err := plan.New(grid, []int{c.size, c.size}, o)
		if err != nil {
			t.Fatal(err)
		}
		plans := []*plan.Plan{p}
		prog = mustWritten(t, prog, plans, []plan.Options{c.o})
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

// A run of several nests as they are written ends between two of them, counts the iterations of each, and gives an inout array its
// old content.
func TestWrittenEnds(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	ctx, cancel := context.WithCancelCause(t.Context())
	why, runs := errors.New("enough"), 0
	var failure error
	whole := *grid
	whole.Arrays = []plan.Array{{Name: "A", Elem: "uint8", Size: 1, Role: plan.InOut, Lo: []plan.Affine{{}, {}}, Hi: []plan.Affine{{Const: 99}, {Const: 99}}}}
	whole.Values = slices.Clone(grid.Values)
	whole.Values[0].Cell = []plan.Affine{{Iters: []int{1}}, {Iters: []int{0, 1}}}
	inner := whole
	inner.Params = append(slices.Clone(grid.Params), "t")
	nest := &sched.Program{
		Nest:   &inner,
		Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return &spinner{} }, 0).Paced(1),
		Pace:   1,
		Sequential: func(_ []int, fields kernel.Fields) error {
			fields.Result[0].Data[0]++
			if runs++; runs == 3 {
				cancel(why)
			}
			return failure
		},
	}
	times := func(n int) []plan.Affine { return []plan.Affine{{Const: n}} }
	prog := &sched.Program{Nest: &whole, Nests: []*sched.Program{nest}, Steps: []sched.Step{{Repeat: &sched.Repeat{Name: "t", Lo: times(1), Hi: times(9), Steps: []sched.Step{{}}}}}}
	o := plan.Options{Ranks: 1, CPUs: 1}
	p, err := plan.New(&inner, []int{100, 100, 1}, o)
	if err != nil {
		t.Fatal(err)
	}
	if prog, err = prog.Choose(""); err != nil {
		t.Fatal(err)
	}
	var points atomic.Int64
	prog = mustWritten(t, prog, []*plan.Plan{p}, []plan.Options{o})
	u, fields := slices.Repeat([]uint8{7}, 100*100), sched.NewFields(&whole)
	if err := errors.Join(sched.Give(&fields, &whole, p.Params, 0, u), sched.Take(&fields, &whole, p.Params, 0, &u)); err != nil {
		t.Fatal(err)
	}
	_, err = sched.RunPlans(ctx, prog, []*plan.Plan{p}, fields, sched.Watch{Points: &points}, inproc.Mesh)
	if prog.KernelName(0) != kernel.AsWritten || !errors.Is(err, why) || runs != 3 || points.Load() != 3*100*100 || u[0] != 7 {
		t.Errorf("kernel %s, %v after %d runs, %d iterations, content %d", prog.KernelName(0), err, runs, points.Load(), u[0])
	}
	if _, err = sched.RunPlans(ctx, prog, []*plan.Plan{p}, fields, sched.Watch{}, inproc.Mesh); !errors.Is(err, why) || u[0] != 7 {
		t.Errorf("run that is over before it begins: %v, content %d", err, u[0])
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	defer cancel(nil)
	runs = 0
	_, err = sched.RunPlans(ctx, prog, []*plan.Plan{p}, fields, sched.Watch{Drops: true}, inproc.Mesh)
	if !errors.Is(err, why) || u[0] != 7+3 {
		t.Errorf("run of a caller that drops the arrays: %v, content %d", err, u[0])
	}
	failure = &arith.Error{What: "integer division by zero"}
	for _, prog.Fails = range []bool{false, true} { // a copy is made if the loops may fail
		u[0] = 10
		if _, err = sched.RunPlans(context.Background(), prog, []*plan.Plan{p}, fields, sched.Watch{}, inproc.Mesh); !errors.Is(err, failure) || prog.Fails != (u[0] == 10) {
			t.Errorf("loops that may fail: %v: %v, content %d", prog.Fails, err, u[0])
		}
	}
	failure = nil
	again, err := sched.Planned(prog, []*plan.Plan{p}, sched.Watch{}, inproc.Mesh)
	if err != nil {
		t.Fatal(err)
	}
	again.Bind(fields)
	for range 2 {
		if sum, err := again.Run(context.Background()); err != nil || !slices.Equal(sum.Runs, []int{9}) || !slices.Equal(sum.Repeats, []int{9}) {
			t.Errorf("a prepared run: runs %v, repetitions %v, %v", sum.Runs, sum.Repeats, err)
		}
	}
}

// The price has what no iteration does: the initial content of cells that nothing writes.
func TestWrittenContent(t *testing.T) {
	large := *grid
	large.Arrays = []plan.Array{{Name: "u", Elem: "float64", Size: 8, Role: plan.Out, Initial: plan.Computed, Lo: []plan.Affine{{}}, Hi: []plan.Affine{{Const: 1 << 20}}}}
	large.Values = slices.Clone(grid.Values)
	large.Values[0].Cell = []plan.Affine{{Iters: []int{1, 0}}}
	p, err := plan.New(grid, []int{100, 100}, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	for nest, want := range map[*plan.Nest]bool{grid: true, &large: false} {
		of := *p
		of.Nest = nest
		var w kernel.Weighing
		if w.Add(&of, plan.Options{}, 1, kernel.AsLoops{Pace: 1}, cost.DefaultMachine(), false); w.Written() != want {
			t.Errorf("%d arrays with initial content: as written %v", len(nest.Arrays), w.Written())
		}
	}
}

// Strips replace loops in Go only: where tiles take less than these, tiles run, though strips are predicted to take less
// still. Lanes across rows of entire arrays replace tiles as well.
func TestWrittenStrips(t *testing.T) {
	p, err := plan.New(grid, []int{300, 300}, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pace   float64
		strips int
		want   bool
	}{{1, 1, true}, {1000, 1, false}, {1000, 0, true}} {
		front := &kernel.Front{Lanes: 16, Rows: 16, Skew: 1, Cycles: 0.1, Steps: []int{1, 1}, Strips: make([]kernel.FrontStrip, c.strips)}
		loops := kernel.AsLoops{Pace: c.pace, Front: front}
		var w kernel.Weighing
		if w.Add(p, plan.Options{}, 1, loops, cost.DefaultMachine(), false); w.Written() != c.want || !loops.Frontal(p) {
			t.Errorf("%g cycles in Go, %d strips: as written %v, lanes across rows %v, %g s in tiles", c.pace, c.strips, w.Written(), loops.Frontal(p), w.Tiles)
		}
	}
}

// Tiles for one item of a batch copy the arrays with the results of all items: many large items run as they are written, though
// a nest before them would be faster in tiles.
func TestWrittenCopies(t *testing.T) {
	p, err := plan.New(grid, []int{300, 300}, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	for copied, want := range map[int64]bool{0: false, 1 << 28: true} {
		var w kernel.Weighing
		w.Add(p, plan.Options{}, 1, kernel.AsLoops{Pace: 1000}, cost.DefaultMachine(), true)
		w.Add(p, plan.Options{}, 50, kernel.AsLoops{Pace: 1, CPUs: 1, Copied: copied}, cost.DefaultMachine(), true)
		if w.Written() != want {
			t.Errorf("%d bytes are copied for an item: as written %v, %g and %g s", copied, w.Written(), w.Loops, w.Tiles)
		}
	}
}

// mustWritten is Program.Written for options that do not ask for the loops, or can have them.
func mustWritten(t *testing.T, prog *sched.Program, plans []*plan.Plan, each []plan.Options) *sched.Program {
	t.Helper()
	out, err := prog.Written(plans, each, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Rows of a triangle that the plan shifts from level to level are as long as half of its base, not as the least of them: a
// vector kernel computes them, unless they wait for one another.
func TestWrittenTriangle(t *testing.T) {
	triangle := &plan.Nest{
		Name: "triangle", Params: []string{"N"}, Dims: []string{"t", "x"}, Skew: [][]int{{1, 0}, {1, 1}}, Digest: "triangle",
		Space:  []plan.Affine{{Iters: []int{1}}, {Const: -1, Params: []int{1}, Iters: []int{-1}}, {Iters: []int{-1, 1}}, {Iters: []int{2, -1}}},
		Arrays: []plan.Array{{Name: "v", Elem: "float64", Size: 8, Role: plan.InOut, Lo: []plan.Affine{{}}, Hi: []plan.Affine{{Params: []int{1}}}}},
		Values: []plan.Value{{Name: "v", Flow: [][]int{{1, 0}, {1, 1}}, Cell: []plan.Affine{{Iters: []int{-1, 1}}}}},
	}
	for _, c := range []struct {
		n     int
		waits float64
		want  bool
	}{{4, 0, false}, {1000, 0, true}, {32, 0, true}, {32, 100, false}, {1000, 100, true}} {
		p, err := plan.New(triangle, []int{c.n}, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if loops := (kernel.AsLoops{Pace: 5, Cycles: 0.5, Waits: c.waits}); loops.Fast(p) != c.want {
			t.Errorf("%d levels, rows that wait for %g cycles: a vector kernel computes the rows: %v", c.n, c.waits, !c.want)
		}
	}
}

// The loops give a narrow band initial content only where they reach, and tiles take a while for the ends of each of its rows:
// then the loops run as they are written.
func TestWrittenBand(t *testing.T) {
	side := plan.Affine{Params: []int{1}}
	band := &plan.Nest{
		Name: "band", Params: []string{"N"}, Dims: []string{"i", "j"}, Skew: [][]int{{1, 0}, {0, 1}}, Digest: "band",
		Space: []plan.Affine{
			{Iters: []int{1}}, {Const: -1, Params: []int{1}, Iters: []int{-1}}, {Iters: []int{0, 1}}, {Const: -1, Params: []int{1}, Iters: []int{0, -1}},
			{Const: 20, Iters: []int{1, -1}}, {Const: 20, Iters: []int{-1, 1}},
		},
		Arrays: []plan.Array{{Name: "D", Elem: "float64", Size: 8, Lo: []plan.Affine{{}, {}}, Hi: []plan.Affine{side, side}, Initial: plan.Computed}},
		Values: []plan.Value{{Name: "D", Flow: [][]int{{0, 1}, {1, 0}}}},
	}
	p, err := plan.New(band, []int{5000}, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, reached := range [][]int{nil, {0}} {
		var w kernel.Weighing
		w.Add(p, plan.Options{}, 1, kernel.AsLoops{Pace: 10, Reached: reached}, cost.DefaultMachine(), false)
		if w.Written() != (reached != nil) {
			t.Errorf("arrays filled where they are reached: %v: as written %v, %g s, %g s in tiles", reached, w.Written(), w.Loops, w.Tiles)
		}
	}
}
