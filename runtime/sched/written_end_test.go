package sched_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// TestWrittenEndsWithin: a long loop as it is written ends soon after its context, tells its progress before, and gives an inout
// array its old content. A run that is predicted to end soon does not look, so that nothing must be copied before it.
func TestWrittenEndsWithin(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	nest := *grid
	nest.Levelled = true
	nest.Arrays = []plan.Array{{Name: "A", Elem: "uint8", Size: 1, Role: plan.InOut, Lo: []plan.Affine{{}}, Hi: []plan.Affine{{Const: -1, Params: []int{0, 1}}}}}
	nest.Values = []plan.Value{{Name: "A", Flow: [][]int{{0, 1}}, Cell: []plan.Affine{{Iters: []int{0, 1}}}}}
	const points = 1 << 24
	p, err := plan.New(&nest, []int{1, points}, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	plans, why := []*plan.Plan{p}, errors.New("enough")
	for _, c := range []struct {
		seconds float64 // predicted
		slow    time.Duration
		want    error
	}{{10, 20 * time.Microsecond, why}, {10, 0, nil}, {1e-3, 0, nil}} {
		looks := false
		ctx, cancel := context.WithCancelCause(t.Context())
		var done atomic.Int64
		var ended time.Time
		prog := &sched.Program{
			Nest:   &nest,
			Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return &spinner{} }, 0).Paced(1),
			Pace:   1,
			Sequential: func(params []int, fields kernel.Fields) error { // as in emitted code
				u := fields.Result[0].Data
				looks = fields.Looks != nil
				if c.want != nil { // this run takes two seconds
					time.AfterFunc(200*time.Millisecond, func() {
						if done.Load() == 0 {
							t.Error("no progress is told before the end")
						}
						ended = time.Now()
						cancel(why)
					})
				}
				for piece, last := 0, params[1]-1; piece <= last; piece += kernel.Piece {
					begin, end := piece, min(piece+kernel.Piece-1, last)
					if end < last && fields.Due(end-begin+1) {
						if err := fields.Looks.Look(); err != nil {
							return err
						}
					}
					for i := begin; i <= end; i++ {
						u[i]++
					}
					for began := time.Now(); time.Since(began) < 100*c.slow; {
					}
				}
				return nil
			},
		}
		if prog, err = prog.Choose(""); err != nil {
			t.Fatal(err)
		}
		prog = prog.AsWritten(plans, 1, c.seconds)
		u, fields := make([]uint8, points), sched.NewFields(&nest)
		if err := errors.Join(sched.Give(&fields, &nest, p.Params, 0, u), sched.Take(&fields, &nest, p.Params, 0, &u)); err != nil {
			t.Fatal(err)
		}
		sum, err := sched.RunPlans(ctx, prog, plans, fields, sched.Watch{Points: &done}, inproc.Mesh)
		if late := time.Since(ended); err != nil && late > 300*time.Millisecond {
			t.Errorf("the run ends %v after its context", late)
		}
		cancel(nil)
		switch {
		case !errors.Is(err, c.want) || looks != (c.seconds > 1):
			t.Errorf("%g s, slow %v: %v, looks %v", c.seconds, c.slow, err, looks)
		case c.want == nil && (sum.Points != points || done.Load() != points || u[points-1] != 1):
			t.Errorf("%g s: %d points, progress %d, content %d", c.seconds, sum.Points, done.Load(), u[points-1])
		case c.want != nil && (u[0] != 0 || done.Load() >= points):
			t.Errorf("after the end: content %d, progress %d", u[0], done.Load())
		}
	}
}
