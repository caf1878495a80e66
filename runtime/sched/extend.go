package sched

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"loopc/runtime/checkpoint"
	"loopc/transform/plan"
)

// Extends returns nil if a run can continue from a state of a shorter run (plan.Nest.Extends); else why not. The slices was
// and is have the parameters of the shorter and of the longer run. Both runs must have all iterations before the state, and
// all cells that are final in the state must be final in the longer run.
func Extends(ctx context.Context, prog *Program, from *checkpoint.State, was, is []int) error {
	if prog.Several() {
		last := 0
		for k, s := range prog.Steps {
			if s.Repeat != nil {
				last = k
			}
		}
		if at := from.At; at == nil || len(at.Path) == 0 || at.Path[0].Step > last {
			return errors.New("the repetitions have ended before the checkpoint: the run cannot have more of them")
		}
		return nil
	}
	nest := prog.Nest
	if slices.ContainsFunc(nest.Skew[0][1:], func(c int) bool { return c != 0 }) || nest.Skew[0][0] != 1 || nest.Reversed {
		return errors.New("levels are not values of the outermost loop under this tiling: the run cannot become longer")
	}
	p, err := plan.NewContext(ctx, nest, was, plan.Options{})
	if err != nil {
		return fmt.Errorf("the run before: %w", err)
	}
	left := p.Hi[0] - p.Lo[0] + 1 - from.Done
	for a := range nest.Arrays {
		arr := &nest.Arrays[a]
		final := slices.ContainsFunc(from.Parts, func(p checkpoint.Part) bool {
			return slices.ContainsFunc(p.Results, func(b checkpoint.Block) bool { return b.Name == arr.Name })
		})
		if !final {
			continue
		}
		for _, at := range arr.Slice {
			if at != nil && at.Eval(was, nil) != at.Eval(is, nil) {
				return fmt.Errorf("the checkpoint has cells of %s that only the shorter run gives back: begin from an earlier one", arr.Name)
			}
		}
		for v := range nest.Values {
			for _, o := range nest.Values[v].Overwrites {
				if nest.Values[v].Array == a && o[0] > left {
					return fmt.Errorf("the longer run overwrites cells of %s %s later, and the shorter run had %s left: begin from an earlier checkpoint", arr.Name, plan.Plural(o[0], "level"), plan.Plural(left, "level"))
				}
			}
		}
	}
	return nil
}
