package sched

import (
	"context"
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// CanShow returns why states do not tell what an array has after some levels; nil if they do. A state has all final results, and other
// results of only as many levels as later levels read. So a result that is overwritten must be overwritten within these levels. Between
// nests, ranks own all cells of an array that some nest writes, except for one of which only a slice is kept.
func CanShow(prog *Program, arr int) error {
	for _, part := range prog.Nests {
		if part.Nest.Arrays[arr].Slice != nil {
			return fmt.Errorf("it is known within nest %s only", part.Nest.Name)
		}
	}
	if prog.Several() {
		return nil
	}
	nest := prog.Nest
	outer := nest.Skew[0]
	for x, c := range outer {
		if (x == 0) != (c != 0) || c > 1 || c < -1 || nest.Reversed {
			return fmt.Errorf("levels are not values of the outermost loop under this tiling")
		}
	}
	for v := range nest.Values {
		val := &nest.Values[v]
		for _, o := range val.Overwrites {
			if val.Array == arr && o[0] >= val.Levels() {
				return fmt.Errorf("its cells are overwritten %s later, and kept for %s only", plan.Plural(o[0], "level"), plan.Plural(val.Levels()-1, "level"))
			}
		}
	}
	return nil
}

// Snapshot writes into v the content of array arr in state s, of a run by plan p, or by p and other plans.
// Before, v has the array's initial content.
func Snapshot(p *plan.Plan, s *checkpoint.State, arr int, v *array.View) error {
	if s.At == nil {
		if err := levelsOf(p, s, arr, v); err != nil {
			return err
		}
	}
	for k := range s.Parts {
		if err := fill(v, s.Parts[k].Results, p.Nest.Arrays[arr].Name); err != nil {
			return err
		}
	}
	return nil
}

// levelsOf writes into v what the values of array arr have in a state of the only nest.
func levelsOf(p *plan.Plan, s *checkpoint.State, arr int, v *array.View) error {
	levels, nest := min(p.Epoch, s.Done-p.Done), p.Nest
	w := p.Window(s.Done-p.Done-levels, levels)
	for k := range nest.Values {
		val := &nest.Values[k]
		if val.Array != arr || val.Levels() == 1 {
			continue
		}
		of, err := joinedValue(s, val.Name, v.Elem)
		if err != nil {
			return err
		}
		if of.Cells() > 0 {
			showValue(w, k, &of, v)
		}
	}
	return nil
}

// joinedValue joins the blocks of a value of all ranks.
func joinedValue(s *checkpoint.State, name, elem string) (array.View, error) {
	hull := redist.Box{}
	for _, p := range s.Parts {
		for k := range p.Values {
			if p.Values[k].Name == name {
				hull = hull.Hull(redist.Of(&p.Values[k].View))
			}
		}
	}
	if hull.Empty() {
		return array.View{}, nil
	}
	all, err := array.Make(elem, hull.Lo, hull.Hi)
	for k := range s.Parts {
		if err == nil {
			err = fill(&all, s.Parts[k].Values, name)
		}
	}
	return all, err
}

// Initial writes into v, all of array arr, the content that the array's init computes, if it has one. Of
// several nests, one has the array then, unless the init is a nest. fields has the caller's arrays.
//
// Errors: an *arith.Error of the init's expression; a *Bug.
func Initial(prog *Program, params []int, fields kernel.Fields, arr int, v *array.View) (err error) {
	defer func() { err = recovered(prog, recover(), err) }()
	k := slices.IndexFunc(prog.Parts(), func(part *Program) bool { return part.Nest.Arrays[arr].Initial == plan.Computed })
	if k < 0 {
		return nil
	}
	prog = prog.Parts()[k]
	fields, err = complete(prog.Nest, fields)
	if err != nil {
		return err
	}
	loops, _ := prog.loops(params, fields)
	return initialRows(context.Background(), loops, arr, v)
}

// initialRows writes the initial content of array arr into v, all of it. If ctx ends meanwhile, it returns the cause.
func initialRows(ctx context.Context, loops kernel.Loops, arr int, v *array.View) error {
	lo, hi := redist.Of(v).Row()
	cell := make([]int, len(v.Lo))
	redist.Of(v).Rows(func(at []int) bool {
		copy(cell, at)
		loops.Init(arr, cell, len(at)-1, hi-lo+1, v.Data, v.Offset(at), 1)
		return ctx.Err() == nil
	})
	return context.Cause(ctx)
}
