package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
)

// makeFields allocates complete arrays: given ones with their content, results empty. An inout
// array is its own result. The end of ctx ends it.
func makeFields(ctx context.Context, prog *sched.Program, params []int, givens []*given) (kernel.Fields, error) {
	return untilEnd(ctx, func() (kernel.Fields, error) { return newFields(prog, params, givens) })
}

// newFields does what makeFields does, to the end.
func newFields(prog *sched.Program, params []int, givens []*given) (kernel.Fields, error) {
	fields := sched.NewFields(prog.Nest)
	for k, g := range givens {
		if g == nil {
			continue
		}
		v, err := g.whole()
		if err != nil {
			return fields, fmt.Errorf("array %s: %w", prog.Nest.Arrays[k].Name, err)
		}
		fields.Given[k] = v
	}
	for k := range prog.Nest.Arrays {
		a := &prog.Nest.Arrays[k]
		switch {
		case !a.Returned():
		case isGiven(a):
			fields.Result[k] = fields.Given[k]
		default:
			lo, extent := a.SliceExtent(params)
			v, err := array.Make(a.Elem, lo, top(lo, extent))
			if err != nil {
				return fields, fmt.Errorf("result %s: %w", a.Name, err)
			}
			fields.Result[k] = v
		}
	}
	return fields, nil
}

// sequential runs the loops as they are written, on arrays of its own, and returns these with
// the reductions. The end of ctx ends it.
func sequential(ctx context.Context, prog *sched.Program, params []int, givens []*given) (fields kernel.Fields, took time.Duration, err error) {
	fields, err = makeFields(ctx, prog, params, givens)
	if err != nil {
		return fields, 0, err
	}
	began := time.Now()
	_, err = untilEnd(ctx, func() (struct{}, error) { return struct{}{}, sched.RunSequential(prog, params, fields) })
	return fields, time.Since(began), err
}

// untilEnd returns what f returns. If ctx ends first, it returns the cause, and f, which looks at no context, goes on until the
// process ends: nobody may need what f reads and writes.
func untilEnd[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value  T
		err    error
		caught string
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if caught := recover(); caught != nil {
				o.caught = fmt.Sprintf("%v\n%s", caught, debug.Stack())
			}
			done <- o
		}()
		o.value, o.err = f()
	}()
	select {
	case o := <-done:
		if o.caught != "" {
			panic(o.caught)
		}
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
