package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
)

// local runs every rank in this process, on entire arrays.
func (c *command) local(ctx context.Context, givens []*given, files *results) (sched.Summary, error) {
	if err := c.checkArrays(); err != nil {
		return sched.Summary{}, err
	}
	fields, err := makeFields(ctx, c.prog, c.params(), givens)
	if err != nil {
		return sched.Summary{}, err
	}
	if c.settings.touch {
		for k := range fields.Result {
			if fields.Given[k].Data == nil {
				clear(fields.Result[k].Data) // new, so zero already
			}
		}
	}
	keeps, kept := c.saving.checkpoints()
	shows, shown := c.shows(fields)
	if shows != nil {
		keeps = nil // the loops run as they are written
	}
	launch.LetMonitorWait()
	defer launch.UseProcessors(c.ranks()*c.cpus(), 0)()
	defer launch.Uncollected(c.memories())()
	var points atomic.Int64
	m := c.newMeter()
	stop := m.follow(points.Load)
	record := c.trace.record()
	prog := c.prog
	if c.settings.virtual > 0 {
		prog = virtual(prog, c.settings.virtual)
	}
	watch := sched.Watch{Points: &points, Trace: record, Live: c.metrics.watch(), Thread: new(launch.Seats).Take, Checkpoints: keeps, Shows: shows, Drops: true, Times: c.settings.summary != "" || c.settings.verbose}
	if c.settings.hold {
		watch.Begin = sync.OnceFunc(func() { c.hold(ctx) })
	}
	runs, err := sched.Planned(prog, c.plans, watch, inproc.Mesh)
	if err != nil {
		return sched.Summary{}, err
	}
	runs.Bind(fields)
	sum, err := c.repeated(fields, func() (sched.Summary, error) { return runs.Run(ctx) })
	runs.End()
	kept()
	shown()
	stop()
	c.trace.writeParts(record, c.ranks(), c.stderr)
	if errors.Is(err, sched.ErrStopped) {
		return sum, c.saving.stopped(sum.Stopped)
	}
	if err != nil {
		return sum, err
	}
	m.finish(sum.Points)
	if c.settings.check {
		if err := c.checkAgainst(ctx, givens, sum, func(k int) (array.View, error) { return fields.Result[k], nil }); err != nil {
			return sum, err
		}
	}
	for _, res := range files.all {
		if err := res.write(&fields.Result[res.arr]); err != nil {
			return sum, fmt.Errorf("result %s: %w", res.path, err)
		}
	}
	sum.Peak = peakMemory()
	if c.ranks() == 1 {
		sum.Needs = c.needs(0)
	}
	return sum, nil
}

// repeated calls run until all runs together have taken the time of --at-least, and returns the
// summary of the first run, with mean times. Every run finds the given content in inout arrays,
// which is restored while the clock is stopped. A short first run, to which the system gives the
// memory that all runs use, does not count.
func (c *command) repeated(fields kernel.Fields, run func() (sched.Summary, error)) (sum sched.Summary, err error) {
	if c.settings.atLeast <= 0 {
		return run()
	}
	before := make([][]byte, len(fields.Given))
	for k, v := range fields.Given {
		if v.Data != nil && fields.Result[k].Data != nil {
			before[k] = bytes.Clone(v.Data)
		}
	}
	enough := c.settings.atLeast.Seconds()
	sum, err = run()
	if err != nil || sum.Seconds-sum.Prepare >= enough {
		return sum, err
	}
	var total, prepare, held float64
	for runs := 1.0; ; runs++ {
		for k, old := range before {
			copy(fields.Given[k].Data, old)
		}
		next, err := run()
		if err != nil {
			return sum, err
		}
		total, prepare, held = total+next.Seconds, prepare+next.Prepare, held+next.Hold
		if total-prepare >= enough {
			sum.Seconds, sum.Prepare, sum.Hold = total/runs, prepare/runs, held/runs
			sum.GPts = float64(sum.Points) / sum.Seconds / 1e9
			return sum, nil
		}
	}
}

// hold reports that workers are prepared, and waits for a line, the end of the input, or the
// end of ctx.
func (c *command) hold(ctx context.Context) {
	fmt.Fprintln(c.pipe, `"ready"`)
	if c.stdin == nil {
		return
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		_, _ = bufio.NewReader(c.stdin).ReadString('\n') // the end of the input counts, too
	}()
	select {
	case <-told:
	case <-ctx.Done():
	}
}

// checkArrays refuses arrays that do not fit into memory together.
func (c *command) checkArrays() error {
	limit := sched.MemoryLimit()
	bytes, largest, err := sched.ArrayBytes(c.prog, c.params())
	if err == nil && limit > 0 && bytes > limit {
		return fmt.Errorf("the arrays take %d MiB, but the limit here is %d MiB: %s; with --hosts FILE, each host has a part of them only", bytes>>20, limit>>20, largest)
	}
	return err
}

// checkAgainst compares the results of a run, array by array, with the sequential loops.
func (c *command) checkAgainst(ctx context.Context, givens []*given, sum sched.Summary, got func(arr int) (array.View, error)) error {
	want, took, err := sequential(ctx, c.prog, c.params(), givens)
	if err != nil {
		return fmt.Errorf("the sequential loops fail, but the run did not: %w", err)
	}
	wrong, err := c.wrong(&c.planned, sum, want, got)
	if err != nil || len(wrong) > 0 {
		return errors.Join(append(wrong, err)...)
	}
	fmt.Fprintf(c.stderr, "%s: result equals the sequential loops (%s here, %s sequentially)\n",
		c.prog.Nest.Name, seconds(sum.Seconds), seconds(took.Seconds()))
	if c.unchecked != "" {
		fmt.Fprintf(c.stderr, "%s: note: what is checked are tiles; without --check this run is predicted to take %s\n", c.prog.Nest.Name, c.unchecked)
	}
	return nil
}

// wrong returns errors for the arrays and reductions of a run that differ from the sequential
// loops. got returns an array of the run, or why it cannot be read.
func (c *command) wrong(p *planned, sum sched.Summary, want kernel.Fields, got func(arr int) (array.View, error)) (all []error, err error) {
	for k := range c.prog.Nest.Arrays {
		if !c.prog.Nest.Arrays[k].Returned() {
			continue
		}
		v, err := got(k)
		if err != nil {
			return nil, err
		}
		if text := differs(p, k, v, want.Result[k]); text != "" {
			all = append(all, errors.New(text))
		}
	}
	for k := range sum.Reductions {
		if text := differsReduced(&sum.Reductions[k], want.Reduced[k].Value); text != "" {
			all = append(all, errors.New(text))
		}
	}
	return all, nil
}
