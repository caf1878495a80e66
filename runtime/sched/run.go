package sched

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// Options say how to run a nest. The zero value plans for one rank that uses
// the CPUs of the process.
type Options struct {
	// Options are those of the planner, except that CPUs = 0 without a Mesh
	// shares GOMAXPROCS among the ranks: as many for each as the space can use,
	// at least one.
	plan.Options
	// Machine is what computation and messages cost here; nil: the built-in
	// figures. What the options leave open is chosen with it.
	Machine *plan.Machine
	Watch   Watch
	// Warn is called with each warning of the planner; nil: they are dropped.
	Warn func(string)
}

// A Mesh makes the transports of size ranks in this process. run names the
// program and the plan.
type Mesh func(size int, run string) ([]transport.Transport, error)

// Run runs every rank of a nest in this process, on whole arrays. fields has
// the caller's arrays in Given (in and inout) and in Result (those given back), and
// gets the results of reductions in Reduced, as the summary has them; an inout array may be the same in both, and then has its old content again if
// Run fails.
func Run(ctx context.Context, prog *Program, params []int, fields kernel.Fields, o Options, mesh Mesh) (Summary, error) {
	plans, err := MakePlans(ctx, prog, params, o, plan.LinkInproc, 0)
	if err != nil {
		return Summary{Rank: -1}, err
	}
	if prog.Nests != nil {
		return RunSteps(ctx, prog, plans, params, fields, o.Watch, mesh)
	}
	return RunPlan(ctx, prog, plans[0], fields, o.Watch, mesh)
}

// MakePlans plans the nests of a program for a run whose ranks are joined by link
// and have cpus each, unless o says otherwise; 0 shares those of this process. It
// warns of what the planner warns of. If ctx ends meanwhile, the error is the cause of that.
func MakePlans(ctx context.Context, prog *Program, params []int, o Options, link string, cpus int) ([]*plan.Plan, error) {
	each := []plan.Options{o.Options}
	if prog.Nests != nil {
		var err error
		if each, err = prog.OptionsForEach(o.Options); err != nil {
			return nil, err
		}
	}
	plans, err := prog.PlanSteps(params, func(k int, _ *plan.Nest, params []int) (*plan.Plan, error) {
		return makePlan(ctx, prog.Part(k), params, each[k], o.Machine, link, cpus)
	})
	if err != nil || o.Warn == nil {
		return plans, err
	}
	for _, p := range plans {
		for _, w := range p.Warnings {
			if prog.Nests != nil {
				w = p.Nest.Name + ": " + w
			}
			o.Warn(w)
		}
	}
	return plans, nil
}

// OptionsForEach is plan.ForEach for the nests of a program of several.
func (prog *Program) OptionsForEach(o plan.Options) ([]plan.Options, error) {
	var nests []*plan.Nest
	for _, part := range prog.Nests {
		nests = append(nests, part.Nest)
	}
	return plan.ForEach(nests, o)
}

// trifle is the time in seconds below which a run is too short for the choice of a plan
// to pay.
const trifle = 1e-3

// makePlan plans a run of one nest. CPUs that nobody asked for are no more than are of use.
func makePlan(ctx context.Context, prog *Program, params []int, o plan.Options, m *plan.Machine, link string, cpus int) (*plan.Plan, error) {
	nest := prog.Nest
	o = nest.Scheduled(o)
	shared := o.CPUs == 0 && o.Mesh == nil
	if shared && cpus > 0 {
		o.CPUs = cpus
	} else if shared {
		ranks := o.Ranks
		if ranks == 0 {
			ranks = product(o.Grid)
		}
		o.CPUs = max(1, runtime.GOMAXPROCS(0)/max(1, ranks))
	}
	if m == nil {
		m = plan.DefaultMachine()
	}
	m = prog.Costs(params, m)
	if shared {
		p, _, err := plan.ChooseUpTo(ctx, nest, params, o, m, link, trifle)
		return p, err
	}
	p, err := plan.NewContext(ctx, nest, params, o)
	if err != nil || p.Estimate(m, link) < trifle {
		return p, err
	}
	p, _, err = plan.ChooseContext(ctx, nest, params, o, m, link)
	return p, err
}

// product multiplies the entries of v, of which 0 counts as 1: it is chosen.
func product(v []int) int {
	x := 1
	for _, f := range v {
		x *= max(1, f)
	}
	return x
}

// RunPlan is Run for a plan that was made already.
func RunPlan(ctx context.Context, prog *Program, p *plan.Plan, fields kernel.Fields, watch Watch, mesh Mesh) (sum Summary, err error) {
	sum.Rank = -1
	if prog, err = prog.Choose(""); err != nil {
		return sum, err
	}
	sum.Kernel = prog.Kernel.Name
	if err := checkFields(p, fields); err != nil {
		return sum, err
	}
	need, err := memories(ctx, prog, p)
	if err == nil {
		err = checkMemories(need)
	}
	if err != nil {
		return sum, err
	}
	// What ranks read must stay as it was while others write results.
	old := kernel.Fields{Given: append([]array.View(nil), fields.Given...), Result: fields.Result, Reduced: newReduced(prog.Nest)}
	for k := range p.Nest.Arrays {
		if p.Nest.Arrays[k].Role != plan.InOut {
			continue
		}
		before := array.Bytes(len(fields.Given[k].Data))
		copy(before, fields.Given[k].Data)
		old.Given[k].Data = before
		defer func() {
			if err != nil {
				copy(fields.Result[k].Data, before)
			}
		}()
	}
	transports, err := mesh(p.Ranks, p.Digest())
	if err != nil {
		return sum, err
	}
	sum, err = together(ctx, transports, func(running context.Context, _ int, tr transport.Transport) (Summary, error) {
		return rank(running, prog, p, tr, old, watch)
	})
	if err != nil {
		return sum, err
	}
	sum.Steps = p.Steps()
	for k := range sum.Ranks {
		sum.Ranks[k].Steps = sum.Steps
	}
	sum.GiveReduced(fields)
	return sum, Rest(prog, p, old)
}

// together runs one rank for each transport, at the same time, and merges what they
// say. The first that fails stops the others.
//
// Errors: the best explanation of a failure, see failures.
func together(ctx context.Context, transports []transport.Transport, rank func(running context.Context, r int, tr transport.Transport) (Summary, error)) (Summary, error) {
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ranks := make([]Summary, len(transports))
	var failed failures
	var all sync.WaitGroup
	for r, tr := range transports {
		all.Go(func() {
			if running.Err() != nil { // of very many ranks, most may not have begun
				_ = tr.Close(context.Cause(running)) // why it ends is known
				return
			}
			s, err := rank(running, r, tr)
			ranks[r] = s
			if err != nil {
				failed.add(err) // before those that follow from it
				stop(err)
			}
		})
	}
	all.Wait()
	sum, mergeErr := Merge(ranks)
	if err := failed.cause(ctx); err != nil {
		return sum, err
	}
	return sum, mergeErr
}

// checkFields checks that views are there and hold every cell of their arrays.
func checkFields(p *plan.Plan, fields kernel.Fields) error {
	for k := range p.Nest.Arrays {
		a := &p.Nest.Arrays[k]
		lo, extent, err := a.Extent(p.Params)
		if err != nil {
			return err
		}
		if a.Role == plan.In || a.Role == plan.InOut {
			if err := checkView(a, &fields.Given[k], lo, extent); err != nil {
				return err
			}
		}
		if !a.Returned() {
			continue
		}
		if a.Slice != nil {
			lo, extent = a.SliceExtent(p.Params)
		}
		if err := checkView(a, &fields.Result[k], lo, extent); err != nil {
			return err
		}
	}
	return nil
}

func checkView(a *plan.Array, v *array.View, lo, extent []int) error {
	cells := 1
	for k := range lo {
		cells *= extent[k]
	}
	if v.Elem != a.Elem {
		return fmt.Errorf("array %s holds %s, not %s", a.Name, a.Elem, v.Elem)
	}
	if v.Cells() != cells {
		return fmt.Errorf("array %s has %d cells, not %d", a.Name, cells, v.Cells())
	}
	for k := range lo {
		if v.Lo[k] != lo[k] || v.Hi[k] != lo[k]+extent[k]-1 {
			return fmt.Errorf("array %s runs from %d to %d along dimension %d, not from %d to %d", a.Name, lo[k], lo[k]+extent[k]-1, k+1, v.Lo[k], v.Hi[k])
		}
	}
	return nil
}
