package cli

import (
	"context"
	"errors"
	"testing"
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// TestFillEnds ends the context while pseudo-random arrays are made, and while the sequential loops run: neither may keep the
// user waiting.
func TestFillEnds(t *testing.T) {
	why := errors.New("the user has pressed Ctrl-C")
	given := func(cells int) []*given {
		return []*given{{extent: []int{cells}, lo: []int{0}, elem: "uint8", seed: seed{Value: 1}}}
	}
	nest := &plan.Nest{Name: "none", Arrays: []plan.Array{{Name: "a", Elem: "uint8", Size: 1, Lo: []plan.Affine{{}}, Hi: []plan.Affine{{}}, Role: plan.In}}}
	slow := func([]int, kernel.Fields) error { time.Sleep(5 * time.Second); return nil }
	prog := &sched.Program{Nest: nest, Sequential: slow}
	for name, f := range map[string]func(context.Context) error{
		"fill":  func(ctx context.Context) error { _, err := makeFields(ctx, prog, nil, given(1<<28)); return err },
		"loops": func(ctx context.Context) error { _, _, err := sequential(ctx, prog, nil, given(1)); return err },
	} {
		ctx, end := context.WithCancelCause(context.Background())
		time.AfterFunc(50*time.Millisecond, func() { end(why) })
		began := time.Now()
		if err := f(ctx); !errors.Is(err, why) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s: the end took %v", name, took)
		}
	}
	defer func() {
		if caught := recover(); caught == nil {
			t.Error("a panic is lost")
		}
	}()
	_, _ = untilEnd(context.Background(), func() (int, error) { panic("BUG: planted") })
}
