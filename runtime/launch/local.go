package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"loopc/runtime/transport/auth"
)

// DefaultGrace is the time between the order to end and the killing of a rank.
const DefaultGrace = 2 * time.Second

// LocalConfig configures Local.
type LocalConfig struct {
	Size int

	// Start returns the command of a rank, not started, whose environment must end with
	// env. Local writes the secret as the first line of the command's standard input,
	// before the input that Start has set, if any.
	Start func(rank int, env []string) (*exec.Cmd, error)

	// Progress, if not nil, is called when a rank reports done of total
	// points, by one goroutine at a time.
	Progress func(rank int, done, total int64)

	// Stats, if not nil, is called when a rank reports statistics, by one goroutine at a
	// time.
	Stats func(rank int, stats json.RawMessage)

	// Part, if not nil, is called when a rank has written its part of a checkpoint, by several
	// goroutines.
	Part func(rank int, part json.RawMessage)

	// Commit, if not nil, is called with all results before the ranks are told
	// to commit their outputs. If it returns an error, the run fails instead.
	Commit func(results []json.RawMessage) error

	// Listen opens the port of the rendezvous; nil for one of 127.0.0.1.
	Listen func() (net.Listener, error)

	// Opened, if not nil, is called with the rendezvous before the ranks are started.
	Opened func(*Root)

	// Ended, if not nil, explains how the command of a rank has ended.
	Ended func(rank int, err error) error

	// Files, if not nil, are the files that ranks on other hosts may access, and Clock is
	// the time for all ranks, in nanoseconds.
	Files Files
	Clock func() int64

	TLS    *auth.TLS     // how control channels are encrypted; nil if they are not
	Grace  time.Duration // DefaultGrace if zero
	Logger *slog.Logger  // for refused connections; nil for no log

	Patience time.Duration // how long to wait for a silent rank; DefaultPatience if zero
}

// Local starts the ranks of a run as processes of this host and watches over
// them until all have ended. It returns their results by rank.
//
// If a rank fails, or ctx ends, the other ranks are told to end, and killed after the grace
// time. The error is then the cause of ctx's end, or a *Failure with the rank and its
// report or exit status. No process is left when Local returns, and on Linux no process
// survives this one.
func Local(ctx context.Context, cfg LocalConfig) ([]json.RawMessage, error) {
	if cfg.Grace <= 0 {
		cfg.Grace = DefaultGrace
	}
	listen := cfg.Listen
	if listen == nil {
		listen = func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	}
	listener, err := listen()
	if err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	secret := auth.NewSecret()
	root, err := Serve(ServeConfig{Listener: listener, Size: cfg.Size, Secret: secret, TLS: cfg.TLS, Progress: cfg.Progress, Stats: cfg.Stats, Part: cfg.Part, Logger: cfg.Logger, Patience: cfg.Patience})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	defer root.Close()

	root.Serving(cfg.Files, cfg.Clock)
	if cfg.Opened != nil {
		cfg.Opened(root)
	}
	flock := &flock{root: root, secret: secret, ended: cfg.Ended, commands: make([]*exec.Cmd, cfg.Size), gone: make(chan struct{})}
	started := make(chan error)
	go flock.tend(func() error {
		for k := range cfg.Size {
			info := Info{Rank: k, Size: cfg.Size, Root: listener.Addr().String()}
			if err := flock.start(k, cfg.Start, info.Env()); err != nil {
				return err
			}
		}
		return nil
	}, started)

	results, err := []json.RawMessage(nil), <-started
	if err == nil {
		root.Expect()
		results, err = root.Results(ctx)
	}
	if err == nil && cfg.Commit != nil {
		err = cfg.Commit(results)
	}
	if err == nil {
		root.Proceed(nil)
		select {
		case <-flock.gone:
		case <-root.Failed():
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err == nil {
		err = root.Failure()
	}
	if err != nil {
		root.Cancel(err)
		flock.end(cfg.Grace)
		return nil, err
	}
	return results, nil
}

// A flock is the set of processes of a run.
type flock struct {
	root   *Root
	secret auth.Secret
	ended  func(rank int, err error) error // may be nil
	gone   chan struct{}                   // closed when all have ended

	mu       sync.Mutex
	commands []*exec.Cmd // by rank, nil if not started or ended
	living   sync.WaitGroup
}

// tend calls begin, which starts the processes, reports its error, and returns when all
// processes have ended. On Linux a process dies with the thread that started it, so this
// goroutine is locked to its thread.
func (f *flock) tend(begin func() error, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	started <- begin()
	f.living.Wait()
	close(f.gone)
}

// start starts a rank.
func (f *flock) start(rank int, command func(int, []string) (*exec.Cmd, error), env []string) error {
	cmd, err := command(rank, env)
	if err != nil {
		return fmt.Errorf("launch: rank %d: %w", rank, err)
	}
	input := io.Reader(strings.NewReader(f.secret.Line()))
	if cmd.Stdin != nil {
		input = io.MultiReader(input, cmd.Stdin)
	}
	cmd.Stdin = input
	dieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("launch: rank %d: %w", rank, err)
	}
	f.mu.Lock()
	f.commands[rank] = cmd
	f.mu.Unlock()
	f.living.Go(func() {
		err := cmd.Wait()
		f.mu.Lock()
		f.commands[rank] = nil
		f.mu.Unlock()
		if f.ended != nil {
			err = f.ended(rank, err)
		}
		f.root.Exited(rank, err)
	})
	return nil
}

// end waits until all processes have ended. It kills the remaining ones after the grace
// time.
func (f *flock) end(grace time.Duration) {
	select {
	case <-f.gone:
		return
	case <-time.After(grace):
	}
	f.mu.Lock()
	for _, cmd := range f.commands {
		if cmd != nil {
			_ = cmd.Process.Kill() // it may have ended meanwhile
		}
	}
	f.mu.Unlock()
	<-f.gone
}
