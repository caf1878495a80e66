package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/launch"
	"loopc/runtime/npy"
	"loopc/runtime/sched"
	"loopc/runtime/transport/tcp"
	"loopc/transform/plan"
)

// runRank is the life of a process that was started as a rank: it reads its job,
// joins the others, runs its part, writes its cells into the launcher's
// temporary files, and waits until all ranks have done so.
func runRank(ctx context.Context, prog *sched.Program, info launch.Info, stdin io.Reader, stderr io.Writer) int {
	// An interrupt at the terminal reaches every process; the launcher acts.
	signal.Ignore(os.Interrupt)
	j, p, err := readJob(stdin, prog.Nest)
	if err != nil {
		return report(stderr, prog.Nest.Name, fmt.Errorf("rank %d: %w", info.Rank, err))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return report(stderr, prog.Nest.Name, fmt.Errorf("rank %d: %w", info.Rank, err))
	}
	control, err := launch.Join(ctx, info, listener.Addr().String(), digest(p))
	if err != nil {
		_ = listener.Close() // the first error is the one to tell
		var canceled *launch.CanceledError
		if errors.As(err, &canceled) {
			return exitFailed
		}
		return report(stderr, prog.Nest.Name, err)
	}
	defer control.Close()
	j.Trace.begin()
	sum, err := rankPart(control, prog, p, j, info, listener, stderr)
	if err != nil {
		defer j.Trace.write(info.Rank, stderr) // once others know of the failure
		return failRank(control, prog, err, stderr)
	}
	j.Trace.write(info.Rank, stderr)
	err = control.Result(sum)
	if err == nil {
		if err = control.Proceed(ctx); err == nil {
			return exitDone
		}
	}
	return failRank(control, prog, err, stderr)
}

// failRank tells the launcher why the rank fails. The launcher tells the user;
// the rank does so itself only where others know less: the stack of a bug, and
// how the end of another rank looked from here.
func failRank(control *launch.Control, prog *sched.Program, err error, stderr io.Writer) int {
	var canceled *launch.CanceledError
	if errors.As(err, &canceled) || errors.Is(err, launch.ErrLauncherGone) {
		return exitFailed
	}
	_ = control.Fail(err) // a launcher that is gone needs to know no more
	var bug *sched.Bug
	var gone interface{ PeerGone() bool }
	switch {
	case errors.As(err, &bug):
		fmt.Fprintf(stderr, "%s", bug.Stack)
		return exitBug
	case errors.As(err, &gone) && gone.PeerGone():
		return report(stderr, prog.Nest.Name, err)
	}
	return exitFailed
}

// rankPart runs the part of a rank. It closes the listener.
func rankPart(control *launch.Control, prog *sched.Program, p *plan.Plan, j *job, info launch.Info, listener net.Listener, stderr io.Writer) (sched.Summary, error) {
	ctx := control.Context()
	given, result, err := j.rankViews(prog, p, info.Rank)
	if err != nil {
		return sched.Summary{}, errors.Join(err, listener.Close())
	}
	defer useProcessors(p.CPUs)()
	tr, err := tcp.New(ctx, tcp.Config{
		Rank: info.Rank, Size: info.Size, Listener: listener, Addrs: control.Addrs(),
		Peers: p.Peers(info.Rank), Secret: info.Secret, Digest: digest(p), Logger: newLogger(stderr),
	})
	if err != nil {
		return sched.Summary{}, err
	}
	var points atomic.Int64
	stop := func() {}
	if j.Report {
		m := &meter{mode: "call", call: func(done int64) { _ = control.Progress(done, 0) }} // of no consequence if it is lost
		stop = m.follow(points.Load)
	}
	watch := sched.Watch{Points: &points, Trace: j.Trace.recorder()}
	if prog, err = prog.Choose(j.Kernel); err != nil {
		return sched.Summary{}, errors.Join(err, tr.Close(err))
	}
	if j.Virtual > 0 {
		prog = virtual(prog, j.Virtual)
	} else if p.Ranks*p.CPUs >= runtime.NumCPU() {
		watch.Thread = launch.ComputeThread // every CPU of the host computes
	}
	sum, err := sched.Rank(ctx, prog, p, tr, halo.Fields{Given: given, Result: result}, watch)
	stop()
	if err != nil {
		return sum, err
	}
	return sum, j.write(prog, p, result)
}

// write writes what the rank has computed into the files of the results.
func (j *job) write(prog *sched.Program, p *plan.Plan, views []array.View) error {
	for _, r := range j.Results {
		if v := &views[r.Array]; v.Cells() > 0 {
			if err := writeCells(p, &prog.Nest.Arrays[r.Array], *r.File, v); err != nil {
				return fmt.Errorf("result %s: %w", prog.Nest.Arrays[r.Array].Name, err)
			}
		}
	}
	return nil
}

// writeCells writes the marked cells of v into the file at the given place.
func writeCells(p *plan.Plan, a *plan.Array, at place, v *array.View) error {
	file, err := at.open(true)
	if err != nil {
		return err
	}
	lo, extent := a.SliceExtent(p.Params)
	w, err := npy.Append(file, a.Elem, extent)
	if err == nil {
		err = w.WriteWritten(v, lo)
	}
	return errors.Join(err, file.Close())
}

// A lockedWriter lets several goroutines write, each a call at a time.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
