package sched

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Written returns prog such that runs by plans are runs of the loops as they are written, if these are predicted to take clearly
// less time on machine m and may replace tiles: the run is on one rank, or in one process with a batch; nobody asks for several CPUs, and
// the options with which the plans were made (each) ask for nothing else. If the user has named the kernel of a single nest, only this
// kernel may replace its tiles. Tiles of several nests begin anew in each run of a nest, so that loops in Go may replace them, too.
//
// Errors: options ask for these loops, and they cannot replace the tiles.
func (prog *Program) Written(plans []*plan.Plan, each []plan.Options, m *cost.Machine) (*Program, error) {
	chosen, err := prog.Choose("")
	if err != nil || chosen.weighed != nil {
		return prog, nil
	}
	out := chosen.weigh(plans, each, m)
	if each[0].Written && !out.written() {
		return nil, fmt.Errorf("the loops cannot run as they are written: %s", out.weighed.Tiled())
	}
	return out, nil
}

// AsWritten returns what Written has returned in another process, which Divides, for a rank that has so many CPUs.
// seconds is the predicted time.
func (prog *Program) AsWritten(plans []*plan.Plan, cpus int, seconds float64) *Program {
	out := prog.weigh(plans, make([]plan.Options, len(plans)), nil)
	out.cpus, out.weighed = cpus, &kernel.Weighing{Loops: seconds, Tiles: math.Inf(1)}
	return out
}

// Predicted returns the predicted seconds of the loops as they are written; 0 if tiles run.
func (prog *Program) Predicted() float64 {
	if !prog.written() {
		return 0
	}
	return prog.weighed.Loops
}

// weigh does what Written does, for the chosen kernel.
func (prog *Program) weigh(plans []*plan.Plan, each []plan.Options, m *cost.Machine) *Program {
	if m == nil {
		m = cost.DefaultMachine()
	}
	out := *prog
	out.weighed, out.rows, out.named = &kernel.Weighing{Asked: each[0].Written}, nil, !prog.free && !prog.Several()
	if out.cpus = each[0].CPUs * plans[0].Ranks; out.cpus == 0 {
		out.cpus = runtime.GOMAXPROCS(0)
	}
	shared, divides := sharedNests(out.steps(), false), out.HasBatch()
	out.typical = slices.Clone(plans)
	out.eachRun(plans, kernel.Weighed(), func(k int, p *plan.Plan, runs int) {
		part := out.Parts()[k]
		loops := part.asLoops()
		loops.Ranks = divides
		if shared[k] {
			out.typical[k] = p // the last call has the greatest item
			loops.CPUs, loops.Copied = out.cpus, out.copiedBytes(part.Nest, p.Params)
		} else if out.beginsItems(k) {
			return // the loops do not run
		}
		out.weighed.Add(p, each[k], runs, loops, part.Costs(p.Params, m), out.Several())
	})
	for k, part := range out.Parts() {
		out.rows = append(out.rows, part.asLoops().Fast(out.typical[k].Window(0, 0)) && !part.ordersItems(out.Nest))
	}
	return &out
}

// copiedBytes is the size of the arrays of a nest that a run in tiles for one item of a batch copies: those with the results of all items.
func (prog *Program) copiedBytes(nest *plan.Nest, params []int) (bytes int64) {
	for a := range nest.Arrays {
		if arr := &nest.Arrays[a]; arr.Returned() && prog.Nest.Arrays[a].Item == 0 {
			_, extent, _ := arr.Extent(params) // impossible arrays were refused before
			bytes = plan.AddBytes(bytes, plan.BytesOf(append([]int{arr.Size}, extent...)...))
		}
	}
	return bytes
}

// ordersItems reports whether a vector kernel of the nest would read a reordered copy (RowDim) of an array of items. The nests
// of the items change such an array, which is internal to the program whole.
func (prog *Program) ordersItems(whole *plan.Nest) bool {
	for a := range whole.Arrays {
		if whole.Arrays[a].Item > 0 && prog.Nest.Arrays[a].RowDim != 0 {
			return true
		}
	}
	return false
}

// asLoops returns the cycles of an iteration of the sequential loops: in Go and, if the chosen
// kernel computes rows in the entire arrays, with this kernel.
func (prog *Program) asLoops() kernel.AsLoops {
	l := kernel.AsLoops{Pace: prog.Pace, Unpaced: prog.Unpaced, Reached: prog.Reached, Sections: prog.Sections, Front: prog.Kernel.Front, Named: prog.named}
	if prog.InArrays && prog.Kernel.Name != kernel.Portable {
		l.Cycles, l.Waits, l.Apart = prog.Kernel.Cycles, prog.Waits, prog.Apart
	}
	return l
}

// written reports whether the loops run as they are written.
func (prog *Program) written() bool { return prog.weighed != nil && prog.weighed.Written() }

// Weighed says what the loops take as they are written, and why that is chosen; "" if it is not.
func (prog *Program) Weighed() string {
	if !prog.written() {
		return ""
	}
	return fmt.Sprintf("%s for the loops as they are written, %s in tiles", duration(prog.weighed.Loops), duration(prog.weighed.Tiles)) + map[bool]string{true: ", if each item is as large as it may be"}[hasItems(prog.steps())]
}

// OneRank returns the predicted times of one rank and of the ranks of these plans, if one rank takes less time, and nothing but the number
// of ranks requires tiles; else "". tiled is what Written has returned for a rank that needs tiles; nil: the loops run as they are written.
func (prog *Program) OneRank(plans []*plan.Plan, tiled *Program) string {
	if prog.weighed == nil {
		return ""
	}
	one := prog.weighed.Loops
	if tiled != nil {
		one = tiled.weighed.Tiles
	}
	if !prog.weighed.OneRank(one) {
		return ""
	}
	return fmt.Sprintf("1 rank is predicted to take %s, these %d ranks %s", duration(one), plans[0].Ranks, duration(prog.weighed.Tiles))
}

// duration is a predicted time, in milliseconds or seconds.
func duration(seconds float64) string {
	switch {
	case seconds < 0.9995:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	case seconds < 999.5:
		return fmt.Sprintf("%.3g s", seconds)
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// LosesLoops is for a run that needs tiles for another reason. It returns the predicted times of the loops as they are written and of
// tiles, if tiles take clearly longer: by a tenth of a second, and ten times as long; else "".
func (prog *Program) LosesLoops() string {
	if !prog.written() || prog.weighed.Tiles < max(prog.weighed.Loops+0.1, 10*prog.weighed.Loops) {
		return ""
	}
	return prog.Weighed()
}

// ItemsTiled returns why the items of batches run in tiles; "" if they do not, or if the program has no batch.
func (prog *Program) ItemsTiled() string {
	if prog.weighed == nil || !prog.HasBatch() {
		return ""
	}
	return prog.weighed.Tiled()
}

// HasBatch reports whether the program has a batch.
func (prog *Program) HasBatch() bool {
	return slices.ContainsFunc(prog.Repeats(), func(r *Repeat) bool { return r.Batch })
}

// KernelName is the name of the kernel of nest k in a Summary.
func (prog *Program) KernelName(k int) string {
	part := prog.Parts()[k]
	switch {
	case !prog.written():
		return part.Kernel.Name
	case prog.rows[k]:
		return part.Kernel.Name + kernel.InArrays
	}
	return kernel.AsWritten
}

// needsTiles reports whether a caller observes tiles, or acts between them.
func (w *Watch) needsTiles() bool {
	return w.Trace != nil || w.Live != nil || w.Checkpoints != nil || w.Couple != nil
}

// loaded is a point in time. Only time.Now reads two clocks: a short run measures times since this point.
var loaded = time.Now()

// runWritten runs the loops as they are written, on the caller's arrays. If again, it allocates nothing, and the summary has neither ranks
// nor reductions, and Runs and Repeats until the next run. It sets the summary, which was zero.
func (s *sequence) runWritten(ctx context.Context, watch *Watch, again bool, sum *Summary) error {
	began := time.Since(loaded)
	sum.Rank, sum.Kernel, sum.NestKernels = -1, s.kernel, s.kernels
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if watch.Thread != nil {
		s.crew.release = watch.Thread()
	}
	prepared := began
	if watch.Begin != nil {
		held := time.Since(loaded)
		watch.Begin()
		prepared = time.Since(loaded) // a short run does not read the clock for that
		sum.Hold = (prepared - held).Seconds()
	}
	s.ctx, s.progress, s.told, s.done = ctx, watch.Points, 0, 0
	s.looks.later = s.looks.later[:0]
	s.showing = showing{Shows: watch.Shows}
	s.crew.thread = watch.Thread
	s.clocked(watch.Times)
	defer s.crew.end()
	keeps := !watch.Drops && (s.looks.wanted && ctx.Done() != nil || s.prog.fails())
	if keeps {
		s.keep()
	}
	if err := s.whole(); err != nil {
		if keeps {
			s.restore()
		}
		return err
	}
	ended := time.Since(loaded)
	sum.NestSeconds = s.clock.stop(ended)
	sum.Prepare, sum.Compute, sum.Seconds = (prepared - began).Seconds(), (ended - prepared).Seconds(), (ended - began).Seconds()
	s.finish()
	if s.all != 0 {
		s.done = s.all
		copy(s.runs, s.counted[0])
		copy(s.repeats, s.counted[1])
	}
	s.all = 0
	if watch.Points == nil && s.same {
		s.all, s.counted = s.done, [2][]int{append(s.counted[0][:0], s.runs...), append(s.counted[1][:0], s.repeats...)}
	}
	sum.Points, sum.Steps = s.done, 1
	sum.rate()
	s.tell()
	if again {
		sum.Runs, sum.Repeats = s.runs, s.repeats
		return nil
	}
	// The reductions are the caller's from run to run, so the summary has copies.
	sum.Runs, sum.Repeats = append([]int{}, s.runs...), append([]int{}, s.repeats...)
	mine := *sum
	mine.Rank, sum.Ranks = 0, []Summary{mine}
	for k, r := range s.prog.Nest.Reduces {
		v := s.fields.Reduced[k].Value
		v.Data = append([]byte{}, v.Data...)
		sum.Reductions = append(sum.Reductions, Reduction{Name: r.Name, Op: r.Op, Type: r.Elem, Value: jsonValue(v), result: v})
	}
	return nil
}

// fails reports whether the loops of a program may fail, or a function of the user's that they call.
func (prog *Program) fails() bool {
	return prog.Fails || slices.ContainsFunc(prog.Parts(), func(part *Program) bool { return part.Fails || part.Nest.Varies })
}

// keep copies the content of inout arrays whose results have the same memory: a run that fails gives it back.
func (s *sequence) keep() {
	for k := range s.prog.Nest.Arrays {
		if s.prog.Nest.Arrays[k].Role != plan.InOut || !SameSlice(s.fields.Given[k].Data, s.fields.Result[k].Data) {
			continue
		}
		if s.before == nil {
			s.before = make([][]byte, len(s.prog.Nest.Arrays))
		}
		s.before[k] = append(s.before[k][:0], s.fields.Given[k].Data...)
	}
}

// restore gives inout arrays the content that keep has copied.
func (s *sequence) restore() {
	for k, content := range s.before {
		copy(s.fields.Result[k].Data, content)
	}
}

// between is called before each run of a nest, and between repetitions that a function runs: it tells the progress, and
// returns the cause if the run is to end.
func (s *sequence) between() error {
	if s.ctx == nil {
		return nil
	}
	s.tell()
	return s.cause()
}

// cause returns why the run is to end; nil if it continues.
func (s *sequence) cause() error {
	if s.ctx == nil || s.ctx.Err() == nil { // takes less than to ask for the cause
		return nil
	}
	return context.Cause(s.ctx)
}

// tell adds to the progress the iterations that have run since it was told last.
func (s *sequence) tell() {
	if s.progress != nil {
		s.progress.Add(s.done - s.told)
		s.told = s.done
	}
}

// newWritten returns the loops of a program as they are written, on the caller's entire arrays.
func newWritten(prog *Program, plans []*plan.Plan, fields kernel.Fields) (*sequence, error) {
	if err := CheckWhole(prog.Nest, plans[0].Params, fields); err != nil {
		return nil, err
	}
	s, err := newSequence(prog, plans[0].Params[:len(prog.Nest.Params)], fields)
	if err != nil {
		return nil, err
	}
	for k, p := range plans {
		s.sizes = append(s.sizes, newSize(p.Window(0, 0)))
		var r *inArrays
		if prog.rows != nil && prog.rows[k] {
			r = newInArrays(prog.Parts()[k], p, prog.typical[k], s.params, s.nests[k])
		}
		s.inArrays = append(s.inArrays, r)
	}
	s.plans, s.crew.parks, s.same = plans, prog.HasBatch(), !hasUntil(prog.steps()) && !hasItems(prog.steps())
	if s.kernel = prog.KernelName(0); prog.Several() {
		s.kernel = kernel.AsWritten
		for k := range plans {
			s.kernels = append(s.kernels, prog.KernelName(k))
		}
	}
	s.repeatable()
	return s, nil
}
