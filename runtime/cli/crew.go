package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net"
	"sync"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/trace"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A crew is the processes that another launcher has started, as seen by the process of that
// launcher's rank 0. That process does for the others what our own launcher does for its
// processes: it plans, has the files, and makes sure that all end. It is also a rank like the
// others.
type crew struct {
	root    *launch.Root
	info    launch.Info
	members []launch.Member // by the launcher's numbers
	rank    sync.WaitGroup  // waits for the rank of this process

	mu       sync.Mutex
	progress func(rank int, done, total int64)
	stats    func(rank int, stats json.RawMessage)
	part     func(rank int, part json.RawMessage)
}

// runStarted runs the program as one of several processes that another launcher
// has started with the same command line.
func runStarted(ctx context.Context, prog *sched.Program, from *launch.Starter, args []string, stdout, stderr io.Writer) int {
	first := from.Rank == 0
	s, err := parse(prog, args)
	if err == nil {
		err = s.suit(from)
	}
	if !first && err != nil {
		stdout, stderr = io.Discard, io.Discard // the first process prints it
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(stdout, prog.Nest)
		return exitDone
	case err != nil:
		return report(stderr, prog.Nest.Name, err)
	case !first && s.planOnly:
		return exitDone
	}
	chosen, err := prog.With(s.floats...).Choose(s.kernel)
	if err != nil {
		return report(stderr, prog.Nest.Name, usageError{err})
	}
	c := newCommand(chosen, s, stdout, stderr)
	if s.planOnly {
		return report(stderr, prog.Nest.Name, c.run(ctx))
	}
	encryption, err := s.security.Encryption()
	if err != nil {
		return report(stderr, prog.Nest.Name, err)
	}
	from.Listen = s.security.Listen
	if by := s.launched(); by != nil {
		if err := by.join(from); err != nil {
			return report(stderr, prog.Nest.Name, err)
		}
	}
	info, listener, err := from.Meet(ctx)
	if err != nil {
		return report(stderr, prog.Nest.Name, err)
	}
	info.TLS, info.Patience = encryption, s.patience
	if !first {
		if s.checkpointing.dir != "" {
			defer heed(ctx, func(bool) {})() // rank 0 decides
		}
		return runMember(ctx, prog, info, false, stderr)
	}
	if c.crew, err = newCrew(info, listener, s.log, c.stderr); err != nil {
		return report(stderr, prog.Nest.Name, errors.Join(err, listener.Close()))
	}
	err = c.lead(ctx)
	return report(stderr, prog.Nest.Name, err)
}

// suit adapts the settings to a run on the processes that a starter has started.
func (s *settings) suit(from *launch.Starter) error {
	in, out := s.pipes()
	switch {
	case s.verify:
		return usagef("--verify runs many plans in one process: start it without %s", from.Name)
	case s.options.Ranks > 0 && s.options.Ranks != from.Size:
		return usagef("-n %d: %s has started %d ranks", s.options.Ranks, from.Name, from.Size)
	case in+out > 0:
		return usagef("%s has started the ranks, and their input and output are no pipes: name files instead of -", from.Name)
	case s.hosts != "":
		return usagef("--hosts starts ranks by ssh: %s has started them already", from.Name)
	case len(s.ways()) > 0:
		return usagef("%s makes another program start the ranks: %s has started them already", s.ways()[0], from.Name)
	case s.restarts > 0:
		return usagef("--restarts starts ranks again: %s has started them", from.Name)
	case s.inproc:
		return usagef("--transport inproc: %s has started %d processes", from.Name, from.Size)
	}
	s.options.Ranks, s.tcp = from.Size, true
	return nil
}

// newCrew opens the rendezvous, and starts the rank of this process, which waits for its job.
func newCrew(info launch.Info, listener net.Listener, mode string, stderr io.Writer) (*crew, error) {
	w := &crew{info: info}
	w.info.Root = listener.Addr().String()
	var err error
	w.root, err = launch.Serve(launch.ServeConfig{
		Listener: listener, Size: info.Size, Secret: info.Secret, TLS: info.TLS, Logger: newLogger(stderr, mode), Patience: info.Patience,
		Progress: func(rank int, done, total int64) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.progress != nil {
				w.progress(rank, done, total)
			}
		},
		Stats: func(rank int, stats json.RawMessage) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.stats != nil {
				w.stats(rank, stats)
			}
		},
		Part: func(rank int, part json.RawMessage) {
			w.mu.Lock()
			f := w.part
			w.mu.Unlock()
			if f != nil {
				f(rank, part)
			}
		},
	})
	return w, err
}

// lead runs the program with the crew, until all of its processes have ended.
func (c *command) lead(ctx context.Context) error {
	w := c.crew
	defer w.root.Close()
	own, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w.rank.Go(func() { runMember(own, c.prog, w.info, true, c.stderr) })
	members, err := w.root.Members(ctx, w.info.Meeting)
	if err == nil {
		w.members = members
		if c.settings.allCPUs {
			c.settings.options.CPUs = launch.CPUs(members)
		}
		err = c.run(ctx)
	}
	if err != nil {
		w.root.Cancel(err)
	}
	w.root.Drain()
	stop(err)
	w.rank.Wait()
	return err
}

// run gives the processes their jobs and waits for their results.
func (w *crew) run(ctx context.Context, p *plan.Plan, text json.RawMessage, files launch.Files, progress func(rank int, done, total int64), stats, part func(rank int, said json.RawMessage)) ([]json.RawMessage, error) {
	w.mu.Lock()
	w.progress, w.stats, w.part = progress, stats, part
	w.mu.Unlock()
	said, err := w.root.Lead(ctx, w.members, func() [][]int64 { return cost.Traffic(p) }, text, files, trace.Origin)
	if err != nil {
		return nil, err
	}
	w.root.Proceed(nil)
	return said, nil
}

// spans reports whether the processes are on several hosts.
func (w *crew) spans() bool {
	return w != nil && launch.Spans(w.members)
}
