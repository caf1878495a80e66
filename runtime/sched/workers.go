package sched

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// part runs the tiles of a rank by its crew, and adds what the rank did to sum. links are the edges of the rank. nest is the number of the
// nest if its memory stays for its next run, else -1. If p is a window (some epochs of a run), it begins with the results in pass.from or
// in the block of pass.beside. It leaves results in pass.into or, in skewed storage, in the block of c.before.
func part(ctx context.Context, prog *Program, p *plan.Plan, tr transport.Transport, links []link, fields kernel.Fields, watch Watch, sum *Summary, c *crew, nest int, pass passing) error {
	began := time.Now()
	c.stays = pass.beside != nil
	sum.Kernel, sum.Rows, sum.Lanes, sum.Across = prog.Kernel.Name, prog.Kernel.Rows, prog.Kernel.Lanes, prog.Kernel.Across
	workers, err := newWorkers(prog, p, tr, links, fields, watch, c, nest, pass)
	if err == nil && watch.Begin != nil {
		ready := time.Now()
		watch.Begin()
		sum.Hold += time.Since(ready).Seconds()
	}
	sum.Prepare += time.Since(began).Seconds()
	if err == nil && len(workers) > 0 && workers[0].levels != nil {
		l := workers[0].levels
		sum.Rows, sum.Lanes, sum.Across, sum.Lines = l.Count*max(1, l.Streams), l.Count, kernel.AcrossLevels, l.Streaming != nil
	}
	if err == nil {
		err = runWorkers(ctx, workers, c)
	}
	if err == nil && p.KeepsWhole() && p.Windows > 1 {
		c.before = c.before[:0]
		for _, w := range workers {
			c.before = append(c.before, w.halo)
		}
	}
	if err == nil {
		sum.Reductions, err = partial(p.Nest, workers)
	}
	for _, w := range workers {
		sum.add(w.done())
	}
	return err
}

// runWorkers runs every worker in a goroutine of its own. When one fails, it stops the others.
func runWorkers(ctx context.Context, workers []*worker, c *crew) error {
	if len(workers) == 1 { // nothing to stop
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
			stop(err) // the first cause counts
		}
	})
	return context.Cause(ctx)
}

// newWorkers prepares the workers of a rank: their columns, and the ends of edges into and out of these. Workers are prepared concurrently,
// each in its goroutine, because touching new memory takes longer than computing a small tile.
func newWorkers(prog *Program, p *plan.Plan, tr transport.Transport, links []link, fields kernel.Fields, watch Watch, c *crew, nest int, pass passing) (workers []*worker, err error) {
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
			workers = append(workers, &worker{prog: prog, plan: p, tr: tr, watch: watch, lane: watch.Trace.Lane(tr.Rank(), cpu, p.Nest.Title), live: watch.Live.slot(tr.Rank())})
		}
	}
	broken, pools := make([]error, len(workers)), make([]*array.Pool, len(workers))
	for k := range pools {
		pools[k] = c.pool(nest, k)
	}
	try := func(k int, do func()) {
		defer func() {
			if caught := recover(); caught != nil {
				broken[k] = failed(prog, tr.Rank(), -1, caught)
			}
		}()
		do()
	}
	prepare := func(k int, beside *halo.Worker) {
		try(k, func() { workers[k].prepare(prog, fields, mine[k], beside, pools[k], pass) })
	}
	beside, next := pass.beside, 0
	if p.KeepsWhole() && beside == nil && len(workers) > 0 { // all use the first worker's block
		prepare(0, nil)
		beside, next = workers[0].halo, 1
	}
	c.do(len(workers), func(k int) {
		if k >= next {
			prepare(k, beside)
		}
	})
	err = errors.Join(broken...)
	if err == nil && pass.from != nil && p.KeepsWhole() {
		c.do(len(workers), func(k int) { try(k, func() { workers[k].halo.Load(k, len(workers)) }) })
		err = errors.Join(broken...)
	}
	if err != nil {
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
			w.sendsWhole()
		}
	}
	return workers, nil
}

// prepare gives a worker its kernel and its columns. beside is another worker of the same rank, see halo.NewWorker.
func (w *worker) prepare(prog *Program, fields kernel.Fields, columns []int, beside *halo.Worker, pool *array.Pool, pass passing) {
	fields.Reduced = newReduced(w.plan.Nest)
	w.reduced = fields.Reduced
	loops, fields := prog.loops(w.plan.Params, fields)
	w.idle = loops.Idle
	// Loops with Idle write no cells, so their iterations are only counted, unless a result must record its written cells.
	w.skips = w.idle != nil && !slices.ContainsFunc(fields.Result, func(v array.View) bool { return v.Written != nil })
	w.halo = halo.NewWorker(w.plan, loops, fields, beside, pool)
	w.levels = w.halo.Levels()
	if pass.from != nil || pass.into != nil {
		w.halo.Continue(pass.from, pass.into)
	}
	for _, c := range w.halo.NewColumns(columns) {
		col := &column{Column: c}
		col.number = w.lane.Column(col.At())
		w.columns = append(w.columns, col)
	}
}

// withResults allocates the results that kernels store directly and for which the caller gives no view.
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
