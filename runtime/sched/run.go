package sched

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/runtime/transport"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// Options say how to run a program. The zero value plans for one rank that uses the CPUs of the process.
type Options struct {
	// Options are those of the planner, with one exception: if CPUs is 0 and there is no Mesh,
	// the ranks share GOMAXPROCS. Each gets as many as the space can use, and at least one.
	plan.Options
	// Machine is the costs of computation and messages here; nil: the built-in figures. Open options are chosen by these costs.
	Machine *cost.Machine
	Watch   Watch
	// Warn is called with each warning of the planner; nil: they are dropped.
	Warn func(string)
}

// A Mesh makes the transports of the ranks in this process; size is the number of ranks. run identifies the program and the plan.
type Mesh func(size int, run string) ([]transport.Transport, error)

// Run runs every rank of a program in this process. fields has the caller's complete arrays: Given (in and inout) and Result (out and
// inout). It gets the results of reductions in Reduced; the summary has them too. An inout array may be the same in both; if Run fails, it
// has its old content again. Ranks read and write these arrays in place, except for arrays that one nest hands on to another.
func Run(ctx context.Context, prog *Program, params []int, fields kernel.Fields, o Options, mesh Mesh) (Summary, error) {
	p, err := Prepare(ctx, prog, params, o, mesh)
	if err != nil {
		return Summary{Rank: -1}, err
	}
	defer p.End()
	p.Bind(fields)
	return p.Run(ctx)
}

// MakePlans plans the nests of a program. link names the link between ranks. cpus is the number
// of CPUs of each rank, unless o gives it; if cpus is 0, the ranks share the CPUs of this process.
// MakePlans passes the planner's warnings on. If ctx ends meanwhile, the error is its cause.
func MakePlans(ctx context.Context, prog *Program, params []int, o Options, link string, cpus int) ([]*plan.Plan, error) {
	if o.Written {
		return nil, errTiles
	}
	return makePlans(ctx, prog, params, o, link, cpus)
}

// errTiles refuses plan.Options.Written where the caller acts on tiles.
var errTiles = errors.New("the loops cannot run as they are written: the run is watched, has checkpoints, or has blocks of arrays, and needs tiles")

// makePlans does what MakePlans does, and also plans for loops that run as they are written (Options.Written).
func makePlans(ctx context.Context, prog *Program, params []int, o Options, link string, cpus int) ([]*plan.Plan, error) {
	each, err := prog.OptionsForEach(o.Options)
	if err != nil {
		return nil, err
	}
	nests, m := prog.Parts(), o.Machine
	if m == nil {
		m = cost.DefaultMachine()
	}
	m = kernel.MachineOf(m, prog.Several())
	plans, err := prog.PlanSteps(params, func(k int, _ *plan.Nest, params []int) (*plan.Plan, error) {
		return o.cutForCalls(prog, each[k], func(each plan.Options) (*plan.Plan, error) {
			return makePlan(ctx, nests[k], params, each, m, link, cpus)
		})
	})
	if err != nil || o.Warn == nil {
		return plans, err
	}
	for k, p := range plans {
		for _, w := range p.Warnings {
			o.Warn(prog.Label(k) + w)
		}
	}
	return plans, nil
}

// trifle is the time in seconds below which choosing a plan takes longer than the choice can save.
const trifle = 1e-3

// makePlan plans a run of one nest. It chooses no more CPUs than are of use, unless o asks for them.
func makePlan(ctx context.Context, prog *Program, params []int, o plan.Options, m *cost.Machine, link string, cpus int) (*plan.Plan, error) {
	nest := prog.Nest
	shared := o.CPUs == 0 && o.Mesh == nil
	if shared && cpus > 0 {
		o.CPUs = cpus
	} else if shared {
		ranks := o.Ranks
		if ranks == 0 {
			ranks = plan.Product(o.Grid)
		}
		o.CPUs = max(1, runtime.GOMAXPROCS(0)/max(1, ranks))
	}
	m = prog.Costs(params, m)
	if shared {
		p, _, err := search.ChooseUpTo(ctx, nest, params, o, m, link, trifle)
		return p, err
	}
	p, err := plan.NewContext(ctx, nest, params, o)
	if err != nil || cost.Estimate(p, m, link, 0).Seconds < trifle {
		return p, err
	}
	p, _, err = search.Choose(ctx, nest, params, o, m, link)
	return p, err
}

// RunPlans is Run with a plan for each nest.
func RunPlans(ctx context.Context, prog *Program, plans []*plan.Plan, fields kernel.Fields, watch Watch, mesh Mesh) (sum Summary, err error) {
	sum.Rank = -1
	if prog, err = prog.Choose(""); err != nil {
		return sum, err
	}
	if err := CheckWhole(prog.Nest, plans[0].Params, fields); err != nil {
		return sum, err
	}
	if prog.written() && !watch.needsTiles() {
		s, err := newWritten(prog, plans, fields)
		if err != nil {
			return sum, err
		}
		err = s.runWritten(ctx, &watch, false, &sum)
		return sum, err
	}
	y, err := layoutHere(ctx, prog, plans, &watch)
	if err != nil {
		return sum, err
	}
	// What ranks read must keep its content while others write results.
	old := kernel.Fields{Given: slices.Clone(fields.Given), Result: fields.Result}
	memory := array.Borrow()
	for a := range prog.Nest.Arrays {
		if prog.Nest.Arrays[a].Role != plan.InOut || !y.anyFinal(a) {
			continue
		}
		before := memory.Bytes(len(fields.Given[a].Data))
		copy(before, fields.Given[a].Data)
		old.Given[a].Data = before
		if watch.changes() {
			before = slices.Clone(before)
		}
		defer func() {
			if err != nil {
				watch.Checkpoints.wait()
				copy(fields.Result[a].Data, before)
			}
		}()
	}
	if err := watch.changed(prog.Nest, old); err != nil {
		return sum, err
	}
	store := WholeStore(old)
	store.Whole = old
	sum, ranks, err := y.run(ctx, prog, func(int) Store { return store }, watch, mesh)
	if err == nil && sum.Stopped > 0 {
		err = ErrStopped
	}
	if err == nil {
		err = y.fillUnwritten(ctx, old)
	}
	if err == nil {
		sum.GiveReduced(fields)
		err = deliver(ctx, ranks)
	}
	if err == nil && watch.Checkpoints == nil { // nobody writes states of the run any more
		memory.Return()
		for _, r := range ranks {
			r.crew.memory.Return()
		}
	}
	return sum, err
}

// RunStores runs every rank of a program in this process, each with a store of its own. Stores
// receive results only after all ranks have computed their parts.
func RunStores(ctx context.Context, prog *Program, plans []*plan.Plan, store func(rank int) Store, watch Watch, mesh Mesh) (Summary, error) {
	prog, err := prog.Choose("")
	if err != nil {
		return Summary{Rank: -1}, err
	}
	y, err := layoutHere(ctx, prog, plans, &watch)
	if err != nil {
		return Summary{Rank: -1}, err
	}
	sum, ranks, err := y.run(ctx, prog, store, watch, mesh)
	if err == nil && sum.Stopped > 0 {
		err = ErrStopped
	}
	if err == nil {
		err = deliver(ctx, ranks)
	}
	return sum, err
}

// layoutHere returns the layout of a program whose ranks are all in this process. It fails if they need more memory than there is.
func layoutHere(ctx context.Context, prog *Program, plans []*plan.Plan, watch *Watch) (*layout, error) {
	need := int64(0)
	for k, part := range prog.Parts() {
		of, err := memories(ctx, part, plans[k])
		if err != nil {
			return nil, err
		}
		need = max(need, of)
	}
	if err := checkMemories(need); err != nil {
		return nil, err
	}
	y := newLayout(ctx, prog, plans, watch)
	y.shared = true
	return y, context.Cause(ctx)
}

// run runs the ranks of a program of this layout concurrently, and merges their summaries. The first rank that fails stops the others.
//
// Errors: the best explanation of the failure, see failures.
func (y *layout) run(ctx context.Context, prog *Program, store func(rank int) Store, watch Watch, mesh Mesh) (Summary, []*Rank, error) {
	transports, err := mesh(y.plans[0].Ranks, PlansDigest(prog, y.plans))
	if err != nil {
		return Summary{Rank: -1}, nil, err
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ranks, sums := make([]*Rank, len(transports)), make([]Summary, len(transports))
	var failed failures
	var all sync.WaitGroup
	for k, tr := range transports {
		all.Go(func() {
			if running.Err() != nil { // there may be very many ranks, most of which have not begun
				_ = tr.Close(context.Cause(running)) // the cause is known already
				return
			}
			ranks[k] = newRank(y, prog, k, store(k))
			var err error
			if sums[k], err = ranks[k].Run(running, tr, watch); err != nil {
				failed.add(err) // before the errors that follow from it
				stop(err)
			}
		})
	}
	all.Wait()
	sum, mergeErr := Merge(sums)
	if err := failed.cause(ctx); err != nil {
		return sum, ranks, err
	}
	return sum, ranks, mergeErr
}

// deliver makes all ranks deliver their results, concurrently.
func deliver(ctx context.Context, ranks []*Rank) error {
	var failed failures
	var all sync.WaitGroup
	for _, r := range ranks {
		all.Go(func() {
			if err := r.Deliver(); err != nil {
				failed.add(err)
			}
		})
	}
	all.Wait()
	return failed.cause(ctx)
}

// WholeStore is the store of ranks that share the caller's process and its complete arrays.
func WholeStore(fields kernel.Fields) Store {
	return Store{
		Fill: func(arr int, v *array.View) error {
			from := fields.Given[arr]
			from.Written = nil
			redist.CopyOwned(v, &from)
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

// CheckWhole checks that the views exist and hold every cell of their arrays.
func CheckWhole(nest *plan.Nest, params []int, fields kernel.Fields) error {
	for k := range nest.Arrays {
		a := &nest.Arrays[k]
		lo, extent, err := a.Extent(params)
		if err != nil {
			return err
		}
		if isGiven(a) {
			if err := checkView(a, &fields.Given[k], lo, extent); err != nil {
				return err
			}
		}
		if !a.Returned() {
			continue
		}
		lo, extent = a.SliceExtent(params)
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
