package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/inproc"
	"loopc/runtime/transport/shm"
	"loopc/runtime/transport/tcp"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// trialTime bounds a trial: a run that takes longer counts as hung.
const trialTime = 2 * time.Minute

// verify runs many plans, and the loops as they are written, in this process, and compares every result with that of
// the sequential loops.
func (c *command) verify(ctx context.Context) error {
	trials, ways := c.matrix(), c.ways()
	began := time.Now()
	var failures []error
	var refused error // of a trial in which the sequential loops fail, too
	failing := 0      // the number of such trials
	for k := range trials {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := &trials[k]
		same, err := c.try(ctx, t)
		if same != nil {
			refused, failing = same, failing+1
		}
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			failures = append(failures, fmt.Errorf("%w\n    %s %s", err, c.prog.Nest.Name, t.flags(c.prog)+t.flagsOfNext()))
			var bug *sched.Bug
			if errors.As(err, &bug) {
				break // further failures would be alike
			}
		}
		if c.settings.progress == "lines" {
			fmt.Fprintf(c.stderr, "%d of %d plans\n", k+1, len(trials))
		}
	}
	for k := range ways {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := c.try(ctx, &ways[k]); err != nil {
			failures = append(failures, fmt.Errorf("the loops as they are written, %s: %w\n    %s %s", kernelNames(ways[k].written), err, c.prog.Nest.Name, ways[k].flags(c.prog)))
		}
	}
	if len(failures) > 0 {
		failures = append(failures, fmt.Errorf("%d of %s failed", len(failures), plural(len(trials)+len(ways), "plan")))
		return errors.Join(failures...)
	}
	also := ""
	switch {
	case failing > 0 && failing == len(trials):
		return fmt.Errorf("the sequential loops fail with every plan tried: %w; the content of arrays is random: a run with --in and --check has yours", refused)
	case failing > 0:
		also = fmt.Sprintf("; %d of them end in the same integer division by zero, as the sequential loops do", failing)
	}
	asWritten := ""
	if len(ways) > 0 {
		asWritten = fmt.Sprintf(" and the loops as they are written (%d runs)", len(ways))
	}
	_, err := fmt.Fprintf(c.stdout, "%s: verified %s%s in %.3g s: every result equals the sequential loops%s\n",
		c.prog.Nest.Name, plural(len(trials), "plan"), asWritten, time.Since(began).Seconds(), also)
	return err
}

// try runs one trial. A nil err means that the run is correct. If the sequential loops fail and the
// run fails in the same way, same is the error of the loops.
func (c *command) try(ctx context.Context, t *trial) (same, err error) {
	nest := c.prog.Nest
	p := planned{prog: c.prog}
	if p.plans = t.replaced; t.written == nil {
		p.plans, err = c.trialPlans(t, t.nests)
	}
	if err != nil {
		return nil, err
	}
	givens := make([]*given, len(nest.Arrays))
	for k := range nest.Arrays {
		if isGiven(&nest.Arrays[k]) {
			if givens[k], err = randomGiven(nest, t.params, k, t.seed); err != nil {
				return nil, err
			}
		}
	}
	want, _, wantErr := sequential(ctx, c.prog, t.params, givens)
	var arithmetic *arith.Error
	if wantErr != nil && !errors.As(wantErr, &arithmetic) {
		return nil, fmt.Errorf("the sequential loops: %w", wantErr)
	}
	fields, err := makeFields(ctx, c.prog, t.params, givens)
	if err != nil {
		return nil, err
	}
	sum, err := c.runWays(ctx, t, &p, givens, fields)
	switch {
	case wantErr != nil && errors.As(err, &arithmetic):
		return wantErr, nil // both divide by zero; the plan decides which of several divisions comes first
	case wantErr != nil && err == nil:
		return nil, fmt.Errorf("the sequential loops fail, but the run did not: %w", wantErr)
	case err != nil:
		return nil, err
	}
	if c.hooks.results != nil {
		c.hooks.results(p.plans, fields)
	}
	wrong, err := c.wrong(&p, sum, want, func(k int) (array.View, error) { return fields.Result[k], nil })
	switch {
	case err != nil:
		return nil, err
	case len(wrong) > 0:
		return nil, wrong[0]
	}
	return nil, checkVolume(c.prog, p.plans, sum)
}

// runWays runs a trial: the loops as they are written, or tiles, with what happens between epochs.
func (c *command) runWays(ctx context.Context, t *trial, p *planned, givens []*given, fields kernel.Fields) (sched.Summary, error) {
	if t.written != nil {
		return sched.RunPlans(ctx, t.written, p.plans, fields, sched.Watch{}, inproc.Mesh)
	}
	return c.runStages(ctx, t, p, givens, fields)
}

// trialPlans plans a trial, with options for each nest.
func (c *command) trialPlans(t *trial, options []plan.Options) ([]*plan.Plan, error) {
	return c.prog.PlanSteps(t.params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		p, err := plan.New(nest, params, options[k])
		if err != nil {
			return nil, named(c.prog, k, fmt.Errorf("the plan is refused: %w", err))
		}
		return p, named(c.prog, k, p.Check())
	})
}

// runTrial runs a trial with its kernel on its transport. A run that takes longer than
// trialTime fails.
func (c *command) runTrial(ctx context.Context, t *trial, p *planned, fields kernel.Fields, watch sched.Watch) (sched.Summary, error) {
	prog, err := c.prog.Choose(t.kernel)
	if err != nil {
		return sched.Summary{}, err
	}
	late := fmt.Errorf("not done after %v", trialTime)
	ctx, cancel := context.WithTimeoutCause(ctx, trialTime, late)
	defer cancel()
	defer launch.UseProcessors(p.ranks()*p.cpus(), 1)()
	return sched.RunPlans(ctx, prog, p.plans, fields, watch, c.trialMesh(ctx, t, p, watch.Checkpoints))
}

// trialMesh connects the ranks of a trial with such checkpoints.
func (c *command) trialMesh(ctx context.Context, t *trial, p *planned, keeps *sched.Checkpoints) sched.Mesh {
	connect := inproc.Mesh
	if t.carrier != "" {
		connect = func(size int, run string) ([]transport.Transport, error) {
			return loopback(ctx, size, func(rank int) []int { return p.peers(rank, keeps) }, run, t)
		}
	}
	return func(size int, run string) ([]transport.Transport, error) {
		all, err := connect(size, run)
		if err == nil && c.hooks.mesh != nil {
			all = c.hooks.mesh(all)
		}
		return all, err
	}
}

// checkVolume compares the volume that was sent with that of the plans, if they know it
// exactly. It does not count arrays that move from nest to nest.
func checkVolume(prog *sched.Program, plans []*plan.Plan, sum sched.Summary) error {
	messages, bytes, runs, exact := prog.Volume(plans, cost.Volume)
	if !exact {
		return nil
	}
	if !slices.Equal(runs, sum.Runs) { // a repeat has ended early
		messages, bytes = 0, 0
		for k, p := range plans {
			if p.Nest.Numbers != nil {
				return nil
			}
			m, b, _ := cost.Volume(p)
			messages, bytes = messages+m*int64(sum.Runs[k]), bytes+b*int64(sum.Runs[k])
		}
	}
	if m, b := sum.Messages-sum.MovedMessages, sum.Bytes-sum.Moved; m != messages || b != bytes {
		return fmt.Errorf("%d messages of %d bytes were sent, the plan has %d of %d", m, b, messages, bytes)
	}
	return nil
}

// loopback connects ranks in this process as the processes of trial t would be connected. With
// TLS, all ranks use the same certificate.
func loopback(ctx context.Context, ranks int, peers func(rank int) []int, run string, t *trial) ([]transport.Transport, error) {
	secret := auth.NewSecret()
	encryption, err := t.security.Encryption()
	if err != nil {
		return nil, err
	}
	macs, err := t.security.MACs()
	if err != nil {
		return nil, err
	}
	cfgs, err := tcp.Loopback(ranks, secret)
	if err != nil {
		return nil, err
	}
	for k := range cfgs {
		cfg := &cfgs[k]
		cfg.Peers, cfg.TLS, cfg.MAC, cfg.Digest = peers(k), encryption, macs, sha256.Sum256([]byte(run))
		if t.carrier != bySHM {
			continue
		}
		if cfg.Local, err = shm.Listen(k, secret); err != nil {
			for _, c := range cfgs {
				_ = c.Listener.Close() // the first error is reported
				closeLocal(c.Local)
			}
			return nil, err
		}
	}
	j := &job{Carrier: t.carrier, Provider: t.provider}
	return tcp.Together(cfgs, func(cfg tcp.Config) (transport.Transport, error) { return j.connect(ctx, cfg) })
}
