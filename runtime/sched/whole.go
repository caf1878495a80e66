package sched

import (
	"context"
	"slices"
	"sync"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// RunSteps runs every rank of a program of several nests in this process, on whole
// arrays, with a plan for each nest. fields are as for Run. The ranks have blocks
// of their own; the caller's results change at the end only, if all succeed.
func RunSteps(ctx context.Context, prog *Program, plans []*plan.Plan, params []int, fields kernel.Fields, watch Watch, mesh Mesh) (sum Summary, err error) {
	sum.Rank = -1
	if err := CheckWhole(prog.Nest, params, fields); err != nil {
		return sum, err
	}
	store := wholeStore(fields)
	if sum, err = RunStores(ctx, prog, plans, params, func(int) Store { return store }, watch, mesh); err == nil {
		sum.GiveReduced(fields)
	}
	return sum, err
}

// RunStores runs every rank of a program of any number of nests in this process,
// each with a store of its own. What is kept is kept when all ranks have computed
// their parts.
func RunStores(ctx context.Context, prog *Program, plans []*plan.Plan, params []int, store func(rank int) Store, watch Watch, mesh Mesh) (sum Summary, err error) {
	sum.Rank = -1
	if prog, err = prog.Choose(""); err != nil {
		return sum, err
	}
	need := int64(0)
	nests, _ := prog.stepList()
	for k, p := range plans {
		of, err := memories(ctx, nests[k], p)
		if err != nil {
			return sum, err
		}
		need = max(need, of)
	}
	if err := checkMemories(need); err != nil {
		return sum, err
	}
	y := newLayout(ctx, prog, plans)
	y.fits = true
	if ctx.Err() != nil {
		return sum, context.Cause(ctx)
	}
	transports, err := mesh(plans[0].Ranks, PlansDigest(prog, plans))
	if err != nil {
		return sum, err
	}
	deliver := make([]func() error, len(transports))
	sum, err = together(ctx, transports, func(running context.Context, r int, tr transport.Transport) (s Summary, err error) {
		s, deliver[r], err = rankSteps(running, y, prog, plans, params, tr, store(r), watch)
		return s, err
	})
	if err != nil {
		return sum, err
	}
	var failed failures
	var all sync.WaitGroup
	for _, d := range deliver {
		all.Go(func() {
			if err := d(); err != nil {
				failed.add(err)
			}
		})
	}
	all.Wait()
	return sum, failed.cause(ctx)
}

// wholeStore is the store of ranks that are in the process of the caller, whose
// arrays are whole.
func wholeStore(fields kernel.Fields) Store {
	return Store{
		Fill: func(arr int, v *array.View) error {
			redist.CopyOwned(v, unmarked(&fields.Given[arr]))
			return nil
		},
		Keep: func(arr int, v *array.View) error {
			to := &fields.Result[arr]
			return redist.Owned(v, redist.Of(v), func(cell []int, n int) error {
				at := to.Offset(cell)
				array.Copy(to.Data, at, 1, v.Data, v.Offset(cell), 1, n, v.Size)
				to.MarkWritten(at, n, 1)
				return nil
			})
		},
	}
}

// unmarked returns v as a view that does not track what is written.
func unmarked(v *array.View) *array.View {
	out := *v
	out.Written = nil
	return &out
}

// CheckWhole checks that views are there and hold every cell of their arrays.
func CheckWhole(nest *plan.Nest, params []int, fields kernel.Fields) error {
	return checkFields(&plan.Plan{Nest: nest, Params: params}, fields)
}

// RunSequential runs the loops of a program as they are written, on whole arrays.
//
// Errors: an *arith.Error of the user's arithmetic.
func RunSequential(prog *Program, params []int, fields kernel.Fields) (err error) {
	if prog.Nests == nil {
		return prog.Sequential(params, fields)
	}
	defer arith.Catch(&err)
	s := &sequence{prog: prog, given: len(params), params: allParams(prog.Steps, params), fields: fields}
	for k := range prog.Nest.Arrays {
		v, err := s.array(k)
		if err != nil {
			return err
		}
		s.whole = append(s.whole, v)
	}
	for _, part := range prog.Nests {
		s.reduced = append(s.reduced, newReduced(part.Nest))
	}
	if err := s.run(prog.Steps); err != nil {
		return err
	}
	k := 0
	for _, list := range s.reduced {
		for _, r := range list {
			copy(fields.Reduced[k].Value.Data, r.Value.Data)
			k++
		}
	}
	for k := range prog.Nest.Arrays {
		if a := &prog.Nest.Arrays[k]; a.Slice != nil && s.whole[k].Stride != nil {
			part := (&stepper{params: s.params}).slice(a, all(&s.whole[k]))
			if part != nil {
				copy(fields.Result[k].Data, part.Data)
			}
		}
	}
	return nil
}

// all returns v as a view all of whose cells are marked.
func all(v *array.View) *array.View {
	out := *v
	out.TrackWritten()
	out.MarkWritten(0, out.Cells(), 1)
	return &out
}

// A sequence runs the loops of a program as they are written.
type sequence struct {
	prog    *Program
	given   int
	params  []int
	fields  kernel.Fields
	whole   []array.View // arrays that nests share; zero for the others
	reduced [][]kernel.Reduced
}

// array returns the whole of array k if nests share it.
func (s *sequence) array(k int) (array.View, error) {
	a := &s.prog.Nest.Arrays[k]
	shared := slices.ContainsFunc(s.prog.Nests, func(part *Program) bool {
		r := part.Nest.Arrays[k].Role
		return r != plan.Internal
	})
	switch {
	case !shared:
		return array.View{}, nil
	case a.Role == plan.In:
		return s.fields.Given[k], nil
	case a.Role == plan.InOut:
		copy(s.fields.Result[k].Data, s.fields.Given[k].Data)
		return s.fields.Result[k], nil
	case a.Role == plan.Out:
		return s.fields.Result[k], nil
	}
	lo, extent, err := a.Extent(s.params)
	if err != nil {
		return array.View{}, err
	}
	return array.Make(a.Elem, lo, top(lo, extent))
}

// run runs steps.
func (s *sequence) run(steps []Step) error {
	for _, step := range steps {
		if step.Repeat == nil {
			if err := s.nest(step.Nest); err != nil {
				return err
			}
			continue
		}
		r := step.Repeat
		lo, hi := r.Bounds(s.params[:s.given])
		for t := lo; t <= hi; t++ {
			s.params[s.given+r.Index] = t
			if err := s.run(r.Steps); err != nil {
				return err
			}
			if u := r.Until; u != nil && u.holds(s.reduced[u.Nest][u.Reduce].Value) {
				break
			}
		}
	}
	return nil
}

// nest runs nest k.
func (s *sequence) nest(k int) error {
	part := s.prog.Nests[k]
	fields := NewFields(part.Nest)
	for a := range part.Nest.Arrays {
		arr := &part.Nest.Arrays[a]
		if isGiven(arr) {
			fields.Given[a] = s.whole[a]
		}
		switch {
		case arr.Slice != nil:
			fields.Result[a] = s.fields.Result[a]
		case arr.Returned():
			fields.Result[a] = s.whole[a]
		}
	}
	s.reduced[k] = fields.Reduced
	return part.Sequential(s.params, fields)
}
