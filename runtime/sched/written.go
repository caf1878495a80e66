package sched

import (
	"context"
	"reflect"
	"time"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// AsWritten is the Kernel of a Summary if the loops have run as they are written.
const AsWritten = "loops"

// A run of the loops as they are written cannot be ended and does not tell its progress, so it must
// take at most mostWritten seconds. It must take clearly less time than tiles: less than this part. Tiles
// of small runs take longer than predicted: workers, blocks and edges have to be made, and the first rows
// and parts of rows count for more.
const (
	mostWritten    = 50e-3
	clearlyWritten = 0.8
	beginTiles     = 70e-6
	smallTiles     = 2
)

// Written returns prog such that runs by plans are runs of the loops as they are written, if these
// take clearly less time on machine m and may replace tiles: the run is on one CPU, no kernel is named,
// and each of the options that the plans were made with says nothing else.
func (prog *Program) Written(plans []*plan.Plan, each []plan.Options, m *cost.Machine) *Program {
	chosen, err := prog.Choose("")
	if err != nil || chosen.written || !chosen.replaceable(plans, each) {
		return prog
	}
	prog = chosen
	if m == nil {
		m = cost.DefaultMachine()
	}
	var loops, tiles float64 // in seconds
	prog.eachRun(plans, mostCounted, func(k int, p *plan.Plan, runs int) {
		loops += float64(runs) * kernel.WrittenSeconds(p, prog.Parts()[k].Pace)
	})
	if !(loops < mostWritten) {
		return prog
	}
	prog.eachRun(plans, mostCounted, func(k int, p *plan.Plan, runs int) {
		run := cost.NewPredictor(p)
		run.Most, run.Rows = 1<<6, 8
		tiles += float64(runs) * run.Predict(prog.Parts()[k].Costs(p.Params, m), cost.LinkInproc).Seconds
	})
	if loops >= clearlyWritten*(beginTiles+smallTiles*tiles) {
		return prog
	}
	out := *prog
	out.written = true
	return &out
}

// replaceable reports whether the loops as they are written may replace the tiles of plans, which were
// made with the given options. All runs of a nest must have as many iterations.
func (prog *Program) replaceable(plans []*plan.Plan, each []plan.Options) bool {
	if !prog.free || prog.numbered(prog.steps()) {
		return false
	}
	for k, part := range prog.Parts() {
		p, o := plans[k], each[k]
		o.Ranks, o.CPUs = 0, 0
		if part.Pace <= 0 || p.Ranks > 1 || p.CPUs > 1 || p.Windows > 1 || p.Empty || !reflect.ValueOf(o).IsZero() {
			return false
		}
	}
	return true
}

// KernelName is the name of the kernel of nest k in a Summary.
func (prog *Program) KernelName(k int) string {
	if prog.written {
		return AsWritten
	}
	return prog.Parts()[k].Kernel.Name
}

// needsTiles reports whether a caller observes tiles, or acts between them.
func (w *Watch) needsTiles() bool {
	return w.Trace != nil || w.Live != nil || w.Checkpoints != nil || w.Couple != nil
}

// runWritten runs the loops as they are written, on the caller's arrays. If
// again, it allocates nothing, and the summary has neither ranks nor reductions.
func (s *sequence) runWritten(ctx context.Context, watch Watch, again bool) (Summary, error) {
	began := time.Now()
	sum := Summary{Rank: -1, Kernel: AsWritten}
	if ctx.Err() != nil {
		return sum, context.Cause(ctx)
	}
	if watch.Thread != nil {
		defer watch.Thread()()
	}
	if watch.Begin != nil {
		held := time.Now()
		watch.Begin()
		sum.Hold = time.Since(held).Seconds()
	}
	sum.Prepare = time.Since(began).Seconds()
	computing := time.Now()
	if err := s.whole(); err != nil {
		return sum, err
	}
	sum.Compute = time.Since(computing).Seconds()
	sum.Points, sum.Steps = s.points(), 1
	sum.Seconds = time.Since(began).Seconds()
	sum.rate()
	if watch.Points != nil {
		watch.Points.Add(sum.Points)
	}
	if again {
		return sum, nil
	}
	// The reductions are the caller's from run to run, so the summary has copies.
	sum.Runs, sum.Repeats = append([]int{}, s.runs...), append([]int{}, s.repeats...)
	mine := sum
	mine.Rank, sum.Ranks = 0, []Summary{mine}
	for k, r := range s.prog.Nest.Reduces {
		v := s.fields.Reduced[k].Value
		v.Data = append([]byte{}, v.Data...)
		sum.Reductions = append(sum.Reductions, Reduction{Name: r.Name, Op: r.Op, Type: r.Elem, Value: jsonValue(v), result: v})
	}
	return sum, nil
}

// points is the number of iterations that have run.
func (s *sequence) points() (all int64) {
	for k, n := range s.sizes {
		all += n * int64(s.runs[k])
	}
	return all
}

// newWritten returns the loops of a program as they are written, on the caller's entire arrays.
func newWritten(prog *Program, plans []*plan.Plan, fields kernel.Fields) (*sequence, error) {
	if err := CheckWhole(prog.Nest, plans[0].Params, fields); err != nil {
		return nil, err
	}
	s, err := newSequence(prog, plans[0].Params[:len(prog.Nest.Params)], fields)
	for _, p := range plans {
		if err == nil {
			n, _ := p.Points()
			s.sizes = append(s.sizes, n)
		}
	}
	return s, err
}
