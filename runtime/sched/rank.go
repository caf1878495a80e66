package sched

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/trace"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// Summary is what a rank, or a whole run, did.
type Summary struct {
	Rank    int     `json:"rank"`            // -1 for a whole run
	Kernel  string  `json:"kernel"`          // that computed: see Program.Choose
	Rows    int     `json:"rows"`            // that it computes together, 0: rows do not matter
	Lanes   int     `json:"lanes"`           // rows of the rest that it computes together
	Across  int     `json:"across"`          // whether these are rows: see kernel.Traits
	Lines   bool    `json:"lines,omitempty"` // results are streamed meanwhile: plan.Kernel's
	Points  int64   `json:"points"`
	Seconds float64 `json:"seconds"`
	GPts    float64 `json:"gpts_per_second"`
	// Prepare is the part of Seconds that a rank takes before its first tile, the
	// most of all ranks: mostly for the memory of its own, which the system supplies.
	Prepare float64 `json:"prepare_seconds"`
	// Hold is the part of Prepare that Watch.Begin takes; of several ranks the longest, as of
	// Prepare.
	Hold     float64 `json:"hold_seconds,omitempty"`
	Steps    int     `json:"steps"`
	Tiles    int64   `json:"tiles"`
	Messages int64   `json:"messages"` // between ranks
	Bytes    int64   `json:"bytes"`
	// Time that workers spent with their tiles, of which packing is estimated: copying
	// cells into and out of faces. Then time that they spent waiting; all of it summed
	// over the workers.
	Compute    float64     `json:"compute_seconds"`
	Pack       float64     `json:"pack_seconds"`
	WaitData   float64     `json:"wait_data_seconds"`
	WaitCredit float64     `json:"wait_credit_seconds"`
	WaitSync   float64     `json:"wait_sync_seconds"` // blocking sends
	Reductions []Reduction `json:"reductions,omitempty"`
	// Moved is the part of Bytes, and MovedMessages that of Messages, that went from
	// the distribution of one nest to that of the next.
	MovedMessages int64 `json:"moved_messages,omitempty"`
	Moved         int64 `json:"moved_bytes,omitempty"`
	// Runs has, for each nest of a program of several, how often it was run, and
	// Repeats, for each repeat, how many repetitions it had, the last time.
	Runs    []int `json:"nest_runs,omitempty"`
	Repeats []int `json:"repeats,omitempty"`
	// Carriers names, each once, what carried faces between processes: tcp, shm.
	Carriers []string `json:"carriers,omitempty"`
	// Needs is what the plan of a rank with a process of its own needs, of one nest.
	// Peak is the most memory, in bytes, that this process, or that of a whole run, has
	// had: 0 where the system does not tell.
	Needs *plan.Memory `json:"needs,omitempty"`
	Peak  int64        `json:"peak_memory_bytes,omitempty"`
	// Ranks are the parts of a whole run.
	Ranks []Summary `json:"ranks,omitempty"`
}

// add counts what another worker or rank did.
func (s *Summary) add(o Summary) {
	s.Points += o.Points
	s.Tiles += o.Tiles
	s.Messages += o.Messages
	s.Bytes += o.Bytes
	s.Compute += o.Compute
	s.Pack += o.Pack
	s.MovedMessages += o.MovedMessages
	s.Moved += o.Moved
	s.WaitData += o.WaitData
	s.WaitCredit += o.WaitCredit
	s.WaitSync += o.WaitSync
	s.Seconds = max(s.Seconds, o.Seconds)
	s.Prepare = max(s.Prepare, o.Prepare)
	s.Hold = max(s.Hold, o.Hold)
	s.Steps = max(s.Steps, o.Steps)
}

// Merge returns the summary of a run from those of its ranks, which no longer have
// their parts of the reductions then.
func Merge(ranks []Summary) (Summary, error) {
	s := Summary{Rank: -1, Ranks: ranks}
	var err error
	s.Reductions, err = reduceRanks(ranks)
	for _, r := range ranks {
		s.add(r)
		if s.Kernel == "" || r.Points > 0 { // who computed anything has the same
			s.Kernel, s.Rows, s.Lanes, s.Across, s.Lines = r.Kernel, r.Rows, r.Lanes, r.Across, r.Lines
		}
		s.Runs, s.Repeats = r.Runs, r.Repeats // all have the same
		s.Carriers = append(s.Carriers, r.Carriers...)
	}
	slices.Sort(s.Carriers)
	s.Carriers = slices.Compact(s.Carriers)
	s.rate()
	return s, err
}

func (s *Summary) rate() {
	if s.Seconds > 0 {
		s.GPts = float64(s.Points) / s.Seconds / 1e9
	}
}

// Watch is how others look into a run, and after its threads. Any part may be
// nil.
type Watch struct {
	Points *atomic.Int64   // iterations done, added to after every tile
	Trace  *trace.Recorder // who did what when
	Live   *Live           // what was done so far
	// Thread is called by each worker as it starts, and what it returns as the
	// worker ends: see launch.ComputeThread.
	Thread func() (release func())
	// Begin is called when the workers of a rank are prepared, before any of them
	// computes. What it takes counts as preparation.
	Begin func()
}

// Rank runs the part of one rank: plan p, of which tr is the rank's transport.
// It returns when every tile of the rank is done and everything it sent is on
// its way, or on the first failure, which is told to the other ranks.
//
// Errors: *transport.Error if a peer or the network fails; the kernel's own,
// with rank and step; context.Cause(ctx).
func Rank(ctx context.Context, prog *Program, p *plan.Plan, tr transport.Transport, fields kernel.Fields, watch Watch) (Summary, error) {
	prog, err := prog.Choose("")
	if err == nil {
		err = checkMemory(prog, p, tr.Rank())
	}
	if err != nil {
		return Summary{Rank: tr.Rank()}, errors.Join(err, tr.Close(err))
	}
	sum, err := rank(ctx, prog, p, tr, fields, watch)
	sum.Steps = p.Steps()
	return sum, err
}

// rank is Rank for a program whose kernel is chosen, with memory that is there. It leaves
// Summary.Steps to its caller, who may have very many ranks: all have the same.
func rank(ctx context.Context, prog *Program, p *plan.Plan, tr transport.Transport, fields kernel.Fields, watch Watch) (Summary, error) {
	began := time.Now()
	sum := Summary{Rank: tr.Rank()}
	sum.Kernel, sum.Rows, sum.Lanes, sum.Across = prog.Kernel.Name, prog.Kernel.Rows, prog.Kernel.Lanes, prog.Kernel.Across
	if ctx.Err() != nil {
		err := context.Cause(ctx)
		return sum, errors.Join(err, tr.Close(err))
	}
	watch.Live.sends(tr.Rank(), tr.Stats)
	observe(tr, watch.Trace)
	links, err := openLinks(p, tr, 0)
	if err == nil {
		c := crew{thread: watch.Thread}
		err = part(ctx, prog, p, tr, links, fields, watch, &sum, &c, -1)
		c.end()
	}
	stats := tr.Stats()
	sum.Messages, sum.Bytes = stats.Messages, stats.Bytes
	if closeErr := tr.Close(err); err == nil {
		err = closeErr
	}
	sum.Seconds = time.Since(began).Seconds()
	sum.rate()
	return sum, err
}

// part runs the tiles of a rank, of which links are the edges, by its crew, and adds to
// sum what it did. nest is its number, -1 if it is not run again.
func part(ctx context.Context, prog *Program, p *plan.Plan, tr transport.Transport, links []link, fields kernel.Fields, watch Watch, sum *Summary, c *crew, nest int) error {
	began := time.Now()
	workers, err := newWorkers(prog, p, tr, links, fields, watch, c, nest)
	if err == nil && watch.Begin != nil {
		ready := time.Now()
		watch.Begin()
		sum.Hold += time.Since(ready).Seconds()
	}
	sum.Prepare += time.Since(began).Seconds()
	if err == nil && len(workers) > 0 && workers[0].levels != nil {
		l := workers[0].levels
		sum.Rows, sum.Lanes, sum.Across, sum.Lines = l.Count*max(1, l.Chains), l.Count, kernel.AcrossLevels, l.Lined != nil
	}
	if err == nil {
		err = runWorkers(ctx, workers, c)
	}
	if err == nil {
		sum.Reductions, err = partial(p.Nest, workers)
	}
	for _, w := range workers {
		sum.add(w.done())
	}
	return err
}

// runWorkers runs every worker in a goroutine of its own. When one fails, it stops the
// others.
func runWorkers(ctx context.Context, workers []*worker, c *crew) error {
	if len(workers) == 1 { // there is nobody to stop
		var err error
		c.do(1, func(k int) { err = workers[k].run(ctx) })
		if err != nil {
			return err
		}
		return context.Cause(ctx)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c.do(len(workers), func(k int) {
		if err := workers[k].run(ctx); err != nil {
			stop(err) // the first cause wins
		}
	})
	return context.Cause(ctx)
}

// newWorkers prepares the workers of a rank: their columns, and the ends of edges
// that lead into and out of them. Workers are prepared at the same time, each by a
// goroutine, for the memory that they touch first takes longer than many a tile.
func newWorkers(prog *Program, p *plan.Plan, tr transport.Transport, links []link, fields kernel.Fields, watch Watch, c *crew, nest int) (workers []*worker, err error) {
	fields, err = withResults(p, tr.Rank(), fields)
	if err != nil {
		return nil, err
	}
	cpus := 1
	for _, m := range p.Mesh {
		cpus *= m
	}
	var mine [][]int // columns of each worker
	for cpu := range cpus {
		if columns := p.WorkerColumns(tr.Rank(), cpu); len(columns) > 0 {
			mine = append(mine, columns)
			workers = append(workers, &worker{plan: p, tr: tr, watch: watch, lane: watch.Trace.Lane(tr.Rank(), cpu), live: watch.Live.slot(tr.Rank())})
		}
	}
	failed, pools := make([]error, len(workers)), make([]*array.Pool, len(workers))
	for k := range pools {
		pools[k] = c.pool(nest, k)
	}
	prepare := func(k int, beside *halo.Worker) {
		defer func() {
			if caught := recover(); caught != nil {
				failed[k] = newBug(tr.Rank(), -1, caught)
			}
		}()
		workers[k].prepare(prog, fields, mine[k], beside, pools[k])
	}
	var beside *halo.Worker
	next := 0
	if p.KeepsWhole() && len(workers) > 0 { // all use the block of the first
		prepare(0, nil)
		beside, next = workers[0].halo, 1
	}
	c.do(len(workers), func(k int) {
		if k >= next {
			prepare(k, beside)
		}
	})
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	columns := map[int]*column{}
	for k, w := range workers {
		for i, c := range mine[k] {
			columns[c] = w.columns[i]
		}
	}
	defer func() {
		if caught := recover(); caught != nil {
			err = newBug(tr.Rank(), -1, caught)
		}
	}()
	attach(p, links, columns)
	for _, w := range workers {
		if w.idle != nil {
			w.handsWhole()
		}
	}
	return workers, nil
}

// prepare gives a worker its kernel and its columns. beside is another one of the same
// rank, see halo.NewWorker.
func (w *worker) prepare(prog *Program, fields kernel.Fields, columns []int, beside *halo.Worker, pool *array.Pool) {
	fields.Reduced = newReduced(w.plan.Nest)
	w.reduced = fields.Reduced
	loops := prog.Kernel.Kernel(w.plan.Params, fields)
	w.idle = loops.Idle
	w.skips = w.idle != nil && !slices.ContainsFunc(fields.Result, func(v array.View) bool { return v.Written != nil })
	w.halo = halo.NewWorker(w.plan, loops, fields, beside, pool)
	w.levels = w.halo.Levels()
	for _, c := range columns {
		col := &column{Column: w.halo.NewColumn(c)}
		col.number = w.lane.Column(col.At())
		w.columns = append(w.columns, col)
	}
}

// withResults returns fields with a view for every result that kernels write directly,
// also for results that the caller does not take.
func withResults(p *plan.Plan, rank int, fields kernel.Fields) (kernel.Fields, error) {
	fields.Result = slices.Clone(fields.Result)
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		view := &fields.Result[val.Array]
		if !val.Direct || view.Stride != nil {
			continue
		}
		a := &p.Nest.Arrays[val.Array]
		lo, hi, ok := p.ResultBox(rank, val.Array)
		if !ok {
			lo, hi = make([]int, len(a.Lo)), make([]int, len(a.Lo))
			for k := range hi {
				hi[k] = -1
			}
		}
		var err error
		if *view, err = array.Make(a.Elem, lo, hi); err != nil {
			return fields, fmt.Errorf("result of array %s: %w", a.Name, err)
		}
	}
	return fields, nil
}
