package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// remote runs every rank as a process of its own, over TCP.
func (c *command) remote(ctx context.Context, givens []*given, files *results) (sched.Summary, error) {
	var none sched.Summary
	j, err := c.newJob(givens, files)
	if err != nil {
		return none, err
	}
	var need int64 // of this host
	for rank := range c.plan.Ranks {
		if c.several() {
			need += stepMemory(c.prog, c.plans, rank)
		} else {
			need += j.memory(c.prog, c.plan, rank)
		}
	}
	if limit := sched.MemoryLimit(); limit > 0 && need > limit && c.crew == nil && c.fleet == nil {
		return none, fmt.Errorf("the ranks need %d MiB for their tiles and arrays, but the limit here is %d MiB; use smaller tiles, or smaller parameters", need>>20, limit>>20)
	}
	if err := c.prefill(ctx, givens, files); err != nil {
		return none, err
	}
	if j.Far = c.fleet != nil; j.Far || c.crew.spans() {
		j.Security.Listen = "" // which is an address of this host, not of theirs
	}
	if c.crew != nil || c.fleet != nil {
		j.Boot = launch.Self(os.Getenv).Boot
	}
	text, err := json.Marshal(j)
	if err != nil {
		return none, err
	}
	total := c.points()
	m := newMeter(c.stderr, c.settings.progress, total)
	perRank, sum := make([]int64, c.plan.Ranks), int64(0)
	progress := func(rank int, done, _ int64) {
		sum += done - perRank[rank]
		perRank[rank] = done
		m.tell(sum)
	}
	var said []json.RawMessage
	far := &shared{givens: givens, results: files, trace: c.trace, arrays: len(c.prog.Nest.Arrays)}
	switch {
	case c.crew != nil:
		said, err = c.crew.run(ctx, c.busiest(), text, far, progress, c.metrics.hear)
	case c.fleet != nil:
		said, err = c.startFleet(ctx, text, far, progress)
	default:
		said, err = c.startRanks(ctx, text, progress)
	}
	if err != nil {
		return none, tidy(err)
	}
	ranks := make([]sched.Summary, len(said))
	for k, s := range said {
		if err := json.Unmarshal(s, &ranks[k]); err != nil {
			return none, fmt.Errorf("rank %d: its summary cannot be read: %w", k, err)
		}
	}
	all, err := sched.Merge(ranks)
	if err != nil {
		return none, err
	}
	m.finish(all.Points)
	if !c.settings.check {
		return all, nil
	}
	return all, c.checkAgainst(givens, all, func(k int) (array.View, error) { return files.of(k).read() })
}

// startRanks starts the ranks as processes of this host, with text for a job, and
// returns what they say at their ends.
func (c *command) startRanks(ctx context.Context, text []byte, progress func(rank int, done, total int64)) ([]json.RawMessage, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	encryption, err := c.settings.security.Encryption()
	if err != nil {
		return nil, err
	}
	return launch.Local(ctx, launch.LocalConfig{
		Size:   c.plan.Ranks,
		Listen: func() (net.Listener, error) { return c.settings.security.Open("127.0.0.1") },
		TLS:    encryption,
		Grace:  c.trace.grace(),
		Logger: newLogger(c.stderr, c.settings.log),
		Start: func(_ int, env []string) (*exec.Cmd, error) {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), env...)
			cmd.Stdin, cmd.Stderr = bytes.NewReader(text), c.stderr
			cmd.WaitDelay = time.Second
			return cmd, nil
		},
		Progress: progress,
		Stats:    c.metrics.hear,
	})
}

// tidy drops a rank that is named twice, and recognizes bugs of ranks.
func tidy(err error) error {
	var failure *launch.Failure
	if !errors.As(err, &failure) {
		return err
	}
	text := failure.Text
	if !strings.HasPrefix(text, "rank ") {
		text = err.Error()
	}
	if strings.HasPrefix(failure.Text, "BUG: ") {
		return fmt.Errorf("%w: %s", errBug, strings.TrimPrefix(failure.Text, "BUG: "))
	}
	if failure.Text == fmt.Sprintf("exit status %d", exitBug) {
		return fmt.Errorf("%w: %s", errBug, err)
	}
	return errors.New(text)
}

// prefill gives the cells of the results that no iteration writes their initial
// content: a result that is given too begins as a copy, of others only those
// cells are computed.
func (c *command) prefill(ctx context.Context, givens []*given, files *results) error {
	for _, res := range files.all {
		var err error
		if g := givens[res.arr]; g != nil {
			err = copyGiven(ctx, g, res)
		} else if !c.several() && c.hasRest(res) { // of several nests, ranks do it
			err = c.writeRest(ctx, givens, res)
		}
		if err != nil {
			return fmt.Errorf("result %s: %w", c.prog.Nest.Arrays[res.arr].Name, err)
		}
	}
	return nil
}

// copyGiven writes the given content of an inout array into its result.
func copyGiven(ctx context.Context, g *given, res *result) error {
	return res.slabs(func(lo, hi []int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, err := g.box(lo, hi)
		if err != nil {
			return err
		}
		return res.write(&v)
	})
}

// hasRest reports whether any cell of res is written by no iteration.
func (c *command) hasRest(res *result) bool {
	probe := &restProbe{}
	fields := sched.NewFields(c.prog.Nest)
	v := array.View{Elem: res.elem, Size: array.SizeOf(res.elem), Lo: res.lo, Hi: top(res.lo, res.extent), Stride: make([]int, len(res.lo))}
	fields.Result[res.arr] = v
	halo.Rest(c.plan, probe, fields, res.arr, 0, halo.RestRows(&v))
	return probe.asked
}

// A restProbe is a kernel that notes whether it is asked for initial content.
type restProbe struct{ asked bool }

// Bind implements halo.Kernel.
func (*restProbe) Bind(*halo.Block) {}

// Box implements halo.Kernel.
func (*restProbe) Box(lo, hi []int) {}

// Init implements halo.Kernel.
func (r *restProbe) Init(int, []int, int, int, []byte, int, int) { r.asked = true }

// writeRest computes the initial content of the cells of res that no iteration
// writes. The in arrays that it may be made of are read whole.
func (c *command) writeRest(ctx context.Context, givens []*given, res *result) (err error) {
	defer arith.Catch(&err)
	fields := sched.NewFields(c.prog.Nest)
	for k, g := range givens {
		if g == nil {
			continue
		}
		v, err := emptyView(g.elem, len(g.lo))
		if c.prog.Nest.Arrays[k].Role == plan.In {
			v, err = g.whole()
		}
		if err != nil {
			return err
		}
		fields.Given[k] = v
	}
	for k := range c.prog.Nest.Arrays {
		// The kernel looks at the results' strides, and computes none.
		a := &c.prog.Nest.Arrays[k]
		v, err := emptyView(a.Elem, len(a.Lo))
		if err != nil {
			return err
		}
		fields.Result[k] = v
	}
	kernel := c.prog.Kernel(c.plan.Params, fields)
	return res.slabs(func(lo, hi []int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, err := array.Make(res.elem, lo, hi)
		if err != nil {
			return err
		}
		v.TrackWritten()
		fields.Result[res.arr] = v
		halo.Rest(c.plan, kernel, fields, res.arr, 0, halo.RestRows(&v))
		return res.write(&v)
	})
}
