package sched

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A Prepared runs a program again and again, with the same parameters and plans: Bind, then Run, as often as the arrays stay the same. Its
// caller calls Enter before, and Leave afterwards.
//
// A program of one nest on one rank keeps everything that a run needs, so that all runs but the
// first allocate nothing; see solo. So does a program whose loops run as they are written. Other programs keep their plans.
//
// What is kept holds for the slices that it was made with. If small arrays come in other slices, the runs compute in
// slices of the Prepared, and copy: that takes less than to make all anew.
type Prepared struct {
	gate   gate // from Enter to Leave
	prog   *Program
	plans  []*plan.Plan
	watch  Watch
	mesh   Mesh
	fields kernel.Fields   // in which runs compute
	caller kernel.Fields   // fields is a copy of them; its Given is nil: there is no copy
	solo   *solo           // nil: the next run makes it, if the program has one
	loops  *sequence       // that run as they are written; nil: the next run makes it, if the program is Written
	lost   runtime.Cleanup // ends the workers of solo when nobody has the Prepared any more
}

// Prepare plans the runs of a program whose ranks are all in this process: see MakePlans. A nil ctx never ends.
func Prepare(ctx context.Context, prog *Program, params []int, o Options, mesh Mesh) (*Prepared, error) {
	plans, err := makePlans(endless(ctx), prog, params, o, cost.LinkInproc, 0)
	if err != nil {
		return nil, Ended(endless(ctx), err)
	}
	each, err := prog.OptionsForEach(o.Options)
	if err != nil {
		return nil, err
	}
	if o.Written && o.Watch.needsTiles() {
		return nil, errTiles
	}
	if prog, err = prog.Written(plans, each, o.Machine); err != nil {
		return nil, err
	}
	return Planned(prog, plans, o.Watch, mesh)
}

// Planned is Prepare with a plan for each nest.
func Planned(prog *Program, plans []*plan.Plan, watch Watch, mesh Mesh) (*Prepared, error) {
	prog, err := prog.Choose("")
	if err != nil {
		return nil, err
	}
	return &Prepared{gate: newGate(), prog: prog, plans: plans, watch: watch, mesh: mesh}, nil
}

// Enter waits until no other goroutine is between Enter and Leave. If ctx ends first, Enter returns its cause, see Ended, and
// the caller must not run. A nil ctx never ends. Nobody enters a nil Prepared, that of the zero Runner.
func (p *Prepared) Enter(ctx context.Context) error {
	if p == nil {
		return errors.New("a Runner comes from Prepare")
	}
	return Ended(endless(ctx), p.gate.enter(endless(ctx)))
}

// Leave lets another goroutine enter.
func (p *Prepared) Leave() { p.gate.leave() }

// Bind sets the caller's complete arrays, see Run, for the runs that follow.
func (p *Prepared) Bind(fields kernel.Fields) {
	switch {
	case p.caller.Given != nil:
		p.caller = fields
	case (p.solo != nil || p.loops != nil) && arrayBytes(fields) <= mostCopied:
		p.End()
		p.fields, p.caller = copied(fields), fields
	default:
		p.End()
		p.fields = fields
	}
}

// mostCopied is the most bytes of arrays that are copied for each run.
const mostCopied = 1 << 16

// arrayBytes is the bytes of all arrays of fields.
func arrayBytes(fields kernel.Fields) (n int) {
	for k := range fields.Given {
		n += len(fields.Given[k].Data) + len(fields.Result[k].Data)
	}
	return n
}

// copied returns fields with new slices. An array has one slice if it had one before.
func copied(fields kernel.Fields) kernel.Fields {
	out := fields
	out.Given, out.Result = slices.Clone(fields.Given), slices.Clone(fields.Result)
	for k := range out.Given {
		given, result := &out.Given[k], &out.Result[k]
		one := SameSlice(given.Data, result.Data)
		given.Data, result.Data = array.Bytes(len(given.Data)), array.Bytes(len(result.Data))
		if one {
			result.Data = given.Data
		}
	}
	return out
}

// endless returns ctx; if ctx is nil, it returns a context that never ends.
func endless(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// Run does what the function Run does. From the second run on the same arrays on, the summary may lack
// Ranks and Reductions; Fields.Reduced has the results. Its Runs and Repeats may be valid until the next run only.
func (p *Prepared) Run(ctx context.Context) (sum Summary, err error) {
	for k := range p.caller.Given {
		copy(p.fields.Result[k].Data, p.caller.Result[k].Data)
		copy(p.fields.Given[k].Data, p.caller.Given[k].Data)
	}
	if p.prog.written() && !p.watch.needsTiles() {
		err = p.runWritten(endless(ctx), &sum)
	} else {
		sum, err = p.run(endless(ctx))
	}
	for k := range p.caller.Given {
		copy(p.caller.Result[k].Data, p.fields.Result[k].Data)
	}
	copy(p.caller.Reduced, p.fields.Reduced)
	return sum, Ended(endless(ctx), err)
}

// run does what Run does in tiles, in fields.
func (p *Prepared) run(ctx context.Context) (Summary, error) {
	if !p.alone() {
		return RunPlans(ctx, p.prog, p.plans, p.fields, p.watch, p.mesh)
	}
	if p.solo == nil {
		s, err := newSolo(ctx, p.prog, p.plans[0], p.fields, p.mesh)
		if err != nil {
			return Summary{Rank: -1}, err
		}
		p.solo = s
		p.lost = runtime.AddCleanup(p, (*crew).end, s.crew)
	}
	sum, err := p.solo.run(ctx)
	if err != nil { // messages of the failed run may be left
		p.End()
	}
	return sum, err
}

// runWritten runs the loops as they are written. It sets sum, which takes long to copy for the smallest runs.
func (p *Prepared) runWritten(ctx context.Context, sum *Summary) (err error) {
	again := p.loops != nil
	if !again {
		if p.loops, err = newWritten(p.prog, p.plans, p.fields); err != nil {
			sum.Rank = -1
			return err
		}
	}
	return p.loops.runWritten(ctx, &p.watch, again, sum)
}

// End releases what is kept for further runs; it may be called at any time, even twice.
func (p *Prepared) End() {
	if p.solo != nil {
		p.lost.Stop()
		p.solo.end()
		p.solo = nil
	}
	p.loops = nil
}

// alone reports whether a solo can run the program: it is one nest on one rank, whose run is not cut, and which nobody watches.
func (p *Prepared) alone() bool {
	w := &p.watch
	return !p.prog.Several() && p.plans[0].Ranks == 1 && p.plans[0].Windows == 1 && w.Points == nil && w.Trace == nil && w.Live == nil &&
		w.Thread == nil && w.Begin == nil && w.Checkpoints == nil && w.Couple == nil
}

// A restored is an inout array: what workers read of it, the caller's content, and the caller's result.
type restored struct {
	before, given, result []byte
}

// An orderedCopy is a given array whose rows do not lie along the last dimension, and its copy whose rows do.
type orderedCopy struct {
	from   array.View
	row    int
	lo, hi []int
	memory []byte
}

// make makes the copy.
func (c *orderedCopy) make(workers int) array.View {
	return c.from.Ordered(c.row, c.lo, c.hi, c.memory, workers)
}
