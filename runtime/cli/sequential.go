package cli

import (
	"fmt"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
)

// makeFields allocates complete arrays: given ones with their content, results empty. An inout
// array is its own result.
func makeFields(prog *sched.Program, params []int, givens []*given) (kernel.Fields, error) {
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
// the reductions.
func sequential(prog *sched.Program, params []int, givens []*given) (fields kernel.Fields, took time.Duration, err error) {
	fields, err = makeFields(prog, params, givens)
	if err != nil {
		return fields, 0, err
	}
	began := time.Now()
	err = sched.RunSequential(prog, params, fields)
	return fields, time.Since(began), err
}
