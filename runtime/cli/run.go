package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"loopc/runtime/files"
	"loopc/runtime/kernel"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the run failed, or something that it needs
	exitUsage  = 2 // the command line is wrong
	exitBug    = 3 // our bug

	exitStopped = 4 // a signal ended the run, with a checkpoint to continue from
)

// A command is one run of an emitted program.
type command struct {
	planned
	settings       *settings
	machine        *cost.Machine // by which the plans were made
	stdin          io.Reader
	stdout, stderr io.Writer
	pipe           io.Writer  // takes the result that goes to standard output; what else is printed then goes to stderr
	trace          *traceFile // nil: no trace is wanted
	crew           *crew      // nil: this process starts its ranks, or runs them
	fleet          *fleet     // nil: ranks run on this host
	saving         *saving    // nil: there are no checkpoints
	metrics        *metrics   // nil: no metrics are wanted
	log            *slog.Logger
	unchecked      string // with --check: the predicted times of loops and tiles, if without it the loops would run as they are written
	hooks          hooks
}

// hooks let tests make a run fail.
type hooks struct {
	// results may change what a run of verify produced, before it is compared.
	results func(plans []*plan.Plan, fields kernel.Fields)
	// mesh may change the transports of a run of verify.
	mesh func([]transport.Transport) []transport.Transport
}

// Run is Main without a process of its own: it takes the arguments after the program's name and
// returns the exit code. The end of ctx ends the run.
func Run(ctx context.Context, prog *sched.Program, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if caught := recover(); caught != nil {
			fmt.Fprintf(stderr, "%s: BUG: %s\n%s", prog.Nest.Name, strings.TrimPrefix(fmt.Sprint(caught), "BUG: "), debug.Stack())
			code = exitBug
		}
	}()
	if launch.Watch(ctx, stdin, stdout) {
		return exitDone
	}
	stderr = &lockedWriter{w: stderr}
	info, isRank, err := launch.FromEnv(stdin)
	switch {
	case err != nil:
		return report(stderr, prog.Nest.Name, err)
	case isRank:
		return runRank(ctx, prog, info, stdin, stderr)
	}
	from, err := launch.FindStarter(os.Getenv, info.Secret)
	switch {
	case err != nil:
		return report(stderr, prog.Nest.Name, err)
	case from != nil:
		return runStarted(ctx, prog, from, args, stdout, stderr)
	}
	s, err := parse(prog, args)
	if errors.Is(err, flag.ErrHelp) {
		usage(stdout, prog.Nest)
		return exitDone
	}
	if err != nil {
		return report(stderr, prog.Nest.Name, err)
	}
	prog = prog.With(s.floats...)
	if !s.verify || s.kernel != "" {
		chosen, err := prog.Choose(s.kernel)
		if err != nil {
			return report(stderr, prog.Nest.Name, usageError{err})
		}
		prog = chosen
	}
	c := newCommand(prog, s, stdout, stderr)
	c.stdin = stdin
	return report(stderr, prog.Nest.Name, c.run(ctx))
}

// newCommand returns a command without input. If a result or the summary goes to standard output, whatever reads it gets a
// file of NumPy, or JSON, and nothing else.
func newCommand(prog *sched.Program, s *settings, stdout, stderr io.Writer) *command {
	c := &command{planned: planned{prog: prog}, settings: s, stdout: stdout, stderr: stderr, pipe: stdout}
	if _, out := s.pipes(); (out > 0 || s.summary == pipe && !s.verify) && !s.planOnly {
		c.stdout = stderr
	}
	return c
}

// report prints err, one line for each joined error, and returns the exit code for it.
func report(stderr io.Writer, name string, err error) int {
	if err == nil {
		return exitDone
	}
	for _, e := range parts(err) {
		for line := range strings.SplitSeq(e.Error(), "\n") {
			fmt.Fprintf(stderr, "%s: %s\n", name, line)
		}
	}
	var bug *sched.Bug
	if errors.As(err, &bug) {
		fmt.Fprintf(stderr, "%s", bug.Stack)
	}
	var own *sched.Panic
	if errors.As(err, &own) {
		fmt.Fprintf(stderr, "%s", own.Stack)
	}
	var usage usageError
	switch {
	case bug != nil || errors.Is(err, errBug):
		return exitBug
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, sched.ErrStopped):
		return exitStopped
	}
	return exitFailed
}

// errBug is a bug in another process.
var errBug = errors.New("BUG")

// parts returns the errors that are joined in err, in order.
func parts(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || !strings.Contains(err.Error(), "\n") {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, parts(e)...)
	}
	return all
}

// run executes the command line.
func (c *command) run(ctx context.Context) error {
	if err := c.bring(ctx); err != nil {
		return err
	}
	defer c.leave()
	if err := c.readFrom(ctx); err != nil {
		return err
	}
	if err := c.makePlans(ctx); err != nil {
		return err
	}
	if c.settings.verify {
		return c.verify(ctx)
	}
	c.showPlans(ctx)
	by := c.settings.launched()
	switch {
	case c.settings.planOnly:
		return nil
	case len(c.settings.ways()) > 0:
		return c.submit(ctx)
	case by == nil || c.crew != nil: // no launcher is needed, or this process has been started already
	case c.ranks() > 1:
		return by.start(c, ctx)
	default:
		c.settings.tcp = false // a single rank has no peers
	}
	return c.runPlans(ctx)
}

// runPlans opens the files, runs the plans, and keeps the results. It finds files that cannot
// be read or written before the run.
func (c *command) runPlans(ctx context.Context) error {
	givens, err := c.openGiven(ctx)
	if err != nil {
		return err
	}
	defer closeGiven(givens)
	c.tellConverted(givens)
	if s := c.settings.summary; s != "" && s != "-" {
		if err := files.CheckInPlace(s); err != nil {
			return fmt.Errorf("summary: %w", err)
		}
	}
	if err := c.findLast(); err != nil {
		return err
	}
	results, err := newResults(ctx, c.prog.Nest, c.params(), c.settings, c.settings.tcp && c.settings.check, func(text string) {
		fmt.Fprintf(c.stderr, "%s: warning: %s\n", c.prog.Nest.Name, text)
	})
	if err != nil {
		return err
	}
	defer results.discard()
	if c.saving, err = c.openSaving(ctx, givens); err != nil {
		return err
	}
	defer c.saving.close()
	if c.settings.checkpointing.dir != "" {
		defer heed(ctx, c.saving.ask)()
	}
	if c.trace, err = newTrace(c.settings, c.ranks()); err != nil {
		return err
	}
	defer c.trace.discard()
	c.noteDropped()
	c.log = newLog(c.stderr, c.settings.log, "program", c.prog.Nest.Name, "at", "launcher")
	if c.metrics, err = c.openMetrics(); err != nil {
		return err
	}
	defer c.metrics.close()
	sum, err := c.compute(ctx, givens, results)
	for n := 1; n <= c.settings.restarts && c.restarts(ctx, n, err); n++ {
		if err = c.prepareRestart(ctx); err == nil {
			sum, err = c.compute(ctx, givens, results)
		}
	}
	if err == nil {
		c.showLast(results)
	}
	c.saving.named()
	if err == nil {
		err = keep(ctx, sum, givens, results, c.pipe)
	}
	if err = c.writeTrace(err); err != nil {
		return err
	}
	if err := c.writeSummary(sum); err != nil {
		return err
	}
	return c.writeLine(sum)
}

// compute runs the ranks, and logs their beginning and end.
func (c *command) compute(ctx context.Context, givens []*given, results *results) (sched.Summary, error) {
	c.log.Info("begins", "ranks", c.ranks(), "cpus", c.cpus(), "steps", c.stepCount(), "plan", sched.PlansDigest(c.prog, c.plans))
	ranks := c.local
	if c.settings.tcp {
		ranks = c.remote
	}
	sum, err := ranks(ctx, givens, results)
	if err != nil {
		c.log.Error("failed", "err", err.Error())
	} else {
		c.log.Info("done", did(&sum)...)
	}
	if c.settings.virtual > 0 {
		sum.Reductions = nil // there were no iterations
	}
	return sum, err
}

// keep gives the results their names, unless the run has been ended.
func keep(ctx context.Context, sum sched.Summary, givens []*given, results *results, to io.Writer) error {
	if err := results.writeReduced(sum); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	closeGiven(givens) // results may replace them now
	if err := results.commit(); err != nil {
		return err
	}
	return results.writePipe(to)
}

// noteDropped warns of results without a file.
func (c *command) noteDropped() {
	if c.settings.check {
		return
	}
	for k := range c.prog.Nest.Arrays {
		if a := &c.prog.Nest.Arrays[k]; a.Returned() && c.settings.out[k] == "" && c.settings.last[k] == "" {
			fmt.Fprintf(c.stderr, "%s: note: result %s is computed and dropped; --out %s=file.npy keeps it\n", c.prog.Nest.Name, a.Name, a.Name)
		}
	}
}
