package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/launch"
	"loopc/runtime/npy"
	"loopc/runtime/sched"
	"loopc/runtime/transport/tcp"
)

// runRank runs a process that our launcher has started as a rank: it reads its job from
// standard input.
func runRank(ctx context.Context, prog *sched.Program, info launch.Info, stdin io.Reader, stderr io.Writer) int {
	// A terminal sends interrupts and its end to every process; only the launcher reacts.
	signal.Ignore(os.Interrupt, syscall.SIGHUP)
	r := &rank{planned: planned{prog: prog}, info: info, host: "127.0.0.1", stderr: stderr}
	var err error
	if r.job, r.planned, err = readJob(ctx, stdin, prog); err == nil {
		r.info.TLS, err = r.job.Security.Encryption()
	}
	if err == nil {
		r.info.Patience = r.job.Patience
		if r.job.Keep != nil && r.job.Keep.Keep {
			defer heed(ctx, func(bool) {})() // the launcher decides
		}
	}
	if err == nil && r.job.Far {
		if r.far, err = launch.OpenService(ctx, r.info); err == nil {
			defer r.far.Close()
			r.host, r.clock = r.far.Here(), sameBoot(r.job.Boot)
		}
	}
	if err != nil {
		return report(stderr, prog.Nest.Name, fmt.Errorf("rank %d: %w", info.Rank, err))
	}
	return r.run(ctx)
}

// runMember runs a process that another launcher has started as one of several: it gets its job
// and its rank from the process of rank 0. A quiet one leaves error messages to that process.
func runMember(ctx context.Context, prog *sched.Program, info launch.Info, quiet bool, stderr io.Writer) int {
	r := &rank{planned: planned{prog: prog}, info: info, alone: !quiet, stderr: stderr}
	if err := r.enlist(ctx); err != nil {
		r.say(err)
		return exitFailed
	}
	defer r.far.Close()
	return r.run(ctx)
}

// A rank is a process that runs a part of a plan.
type rank struct {
	planned
	info   launch.Info
	job    *job
	host   string          // the address to listen at
	far    *launch.Service // nil: the launcher, and the files, are on this host
	clock  bool            // this host has the launcher's clock
	alone  bool            // no other process tells the user why this rank ends
	stderr io.Writer
}

// say tells the user why this rank ends, if no other process does.
func (r *rank) say(err error) {
	if !r.alone {
		return
	}
	if errors.Is(err, launch.ErrLauncherGone) {
		err = launch.ErrLauncherGone
	}
	if me := fmt.Sprintf("rank %d", r.info.Rank); !strings.HasPrefix(err.Error(), me+":") && !strings.HasPrefix(err.Error(), "launch: "+me) {
		err = fmt.Errorf("%s: %w", me, err)
	}
	report(r.stderr, r.prog.Nest.Name, err)
}

// enlist opens the connection to rank 0 and waits for a job.
func (r *rank) enlist(ctx context.Context) (err error) {
	if r.far, err = launch.OpenService(ctx, r.info); err != nil {
		return err
	}
	self := launch.Self(os.Getenv)
	number, brief, err := r.far.Enlist(ctx, self)
	if err == nil {
		r.info.Rank, r.host = number, r.far.Here()
		if r.job, r.planned, err = readJob(ctx, bytes.NewReader(brief), r.prog); err != nil {
			r.far.Fail(err)
		} else {
			r.clock = sameBoot(r.job.Boot)
		}
	}
	if err != nil {
		_ = r.far.Close() // the first error is reported
	}
	return err
}

// sameBoot reports whether boot names the kernel under which this process runs.
func sameBoot(boot string) bool { return boot != "" && boot == launch.Self(os.Getenv).Boot }

// run joins the other ranks, runs the part of this one, writes its cells into the launcher's
// temporary files, and waits until all ranks have done so.
func (r *rank) run(ctx context.Context) int {
	r.job.far = r.far
	listener, err := r.job.Security.Open(r.host)
	if err != nil {
		return report(r.stderr, r.prog.Nest.Name, fmt.Errorf("rank %d: %w", r.info.Rank, err))
	}
	local, err := r.job.local(r.info, r.stderr) // before other ranks learn this address
	if err != nil {
		return report(r.stderr, r.prog.Nest.Name, errors.Join(fmt.Errorf("rank %d: %w", r.info.Rank, err), listener.Close()))
	}
	control, err := launch.Join(ctx, r.info, listener.Addr().String(), r.digest())
	if err != nil {
		_ = listener.Close() // the first error is reported
		closeLocal(local)
		var canceled *launch.CanceledError
		if r.alone || !errors.As(err, &canceled) {
			return report(r.stderr, r.prog.Nest.Name, err)
		}
		return exitFailed
	}
	defer control.Close()
	if r.far != nil {
		control.Releases(r.far)
	}
	if err := r.job.Trace.begin(r.far, r.clock); err != nil {
		return r.fail(control, errors.Join(err, listener.Close()))
	}
	sum, err := rankPart(control, r.planned, r.job, r.info, listener, local, r.stderr)
	if err != nil {
		defer r.job.Trace.write(r.info.Rank, r.stderr) // after the others know of the failure
		return r.fail(control, err)
	}
	r.job.Trace.write(r.info.Rank, r.stderr)
	sum.Needs = r.needs(r.info.Rank)
	sum.Peak = peakMemory()
	err = control.Result(sum)
	if err == nil {
		if err = control.Proceed(ctx); err == nil {
			return exitDone
		}
	}
	return r.fail(control, err)
}

// fail tells the launcher why the rank fails, and the launcher tells the user. The rank itself
// tells the user only what others do not know: the stack of a bug or of a panic, and how it noticed the end
// of another rank.
func (r *rank) fail(control *launch.Control, err error) int {
	var canceled *launch.CanceledError
	if errors.As(err, &canceled) || errors.Is(err, launch.ErrLauncherGone) {
		r.say(err)
		return exitFailed
	}
	_ = control.Fail(err) // a launcher that is gone need not know
	var bug *sched.Bug
	var own *sched.Panic
	if errors.As(err, &own) {
		fmt.Fprintf(r.stderr, "%s", own.Stack)
	}
	var gone interface{ PeerGone() bool }
	switch {
	case errors.As(err, &bug):
		fmt.Fprintf(r.stderr, "%s", bug.Stack)
		r.say(err)
		return exitBug
	case r.alone:
		r.say(err)
	case errors.As(err, &gone) && gone.PeerGone():
		return report(r.stderr, r.prog.Nest.Name, err)
	}
	return exitFailed
}

// closeLocal closes an unused listener for ranks of this host.
func closeLocal(local tcp.Local) {
	if local != nil {
		_ = local.Listener().Close() // nobody has connected
	}
}

// rankPart runs the part of a rank. It closes the listener.
func rankPart(control *launch.Control, p planned, j *job, info launch.Info, listener net.Listener, local tcp.Local, stderr io.Writer) (sched.Summary, error) {
	ctx := control.Context()
	var err error
	if p.prog, err = p.prog.Choose(j.Kernel); err == nil {
		err = p.checkFits(info.Rank)
	}
	if err == nil && j.Loops > 0 {
		p.prog = p.prog.AsWritten(p.plans, j.CPUs, j.Loops)
	}
	store := j.store(ctx, &p)
	defer store.close()
	defer launch.UseProcessors(p.cpus(), 1)()
	keeps, kept := j.Keep.checkpoints(j.far, control.Asked(), func(s *checkpoint.StoredPart) { _ = control.Part(s) }) // the loss of the connection ends the run
	var part *sched.Rank
	if err == nil {
		prog := p.prog
		if j.Virtual > 0 {
			prog = virtual(prog, j.Virtual)
		}
		part, err = sched.NewRank(ctx, prog, p.plans, info.Rank, store.of(), sched.Watch{Checkpoints: keeps})
	}
	if err != nil {
		return sched.Summary{}, errors.Join(err, listener.Close())
	}
	defer launch.Uncollected(p.memory(info.Rank))()
	macs, err := j.Security.MACs()
	if err != nil {
		return sched.Summary{}, errors.Join(err, listener.Close())
	}
	others := p.peers(info.Rank, keeps)
	tr, err := j.connect(ctx, tcp.Config{
		Rank: info.Rank, Size: info.Size, Listener: listener, Addrs: control.Addrs(), Local: local,
		Peers: others, Secret: info.Secret, TLS: info.TLS, MAC: macs, Digest: p.digest(), Logger: newLogger(stderr, j.Log), Timeout: j.Patience,
	})
	if err != nil {
		return sched.Summary{}, err
	}
	var points atomic.Int64
	stop := func() {}
	if j.Report {
		m := &meter{mode: "call", call: func(done int64) { _ = control.Progress(done, 0) }} // losing a report does no harm
		stop = m.follow(points.Load)
	}
	watch := sched.Watch{Points: &points, Trace: j.Trace.recorder(), Checkpoints: keeps}
	log := newLog(stderr, j.Log, "program", p.prog.Nest.Name, "rank", info.Rank)
	if j.Stats || j.Log != "" {
		watch.Live = &sched.Live{}
	}
	if j.Stats {
		defer tellOf(watch.Live, statsEvery, func(s *sched.Summary) { _ = control.Stats(s) })() // losing a report does no harm
	}
	if j.Log != "" {
		defer tellOf(watch.Live, logEvery, func(s *sched.Summary) { log.Info("computes", did(s)...) })()
	}
	me := launch.Self(os.Getenv)
	log.Info("begins", "host", me.Host, "pid", me.PID)
	if j.Virtual == 0 && p.ranks()*p.cpus() >= runtime.NumCPU() {
		watch.Thread = launch.ComputeThread // every CPU of the host runs a worker
	}
	by := carriers(tr, others)
	sum, err := part.Run(ctx, tr, watch)
	stop()
	sum.Carriers = by
	kept()
	if err == nil && sum.Stopped == 0 {
		err = part.Deliver()
	}
	if err != nil {
		logFailure(log, watch.Live, err)
	} else {
		log.Info("done", did(&sum)...)
	}
	return sum, err
}

// checkFits refuses a rank that needs more memory than there is.
func (p *planned) checkFits(rank int) error {
	if need, limit := p.memory(rank), sched.MemoryLimit(); limit > 0 && need > limit {
		return fmt.Errorf("needs %d MiB for its tiles and arrays, but the limit here is %d MiB; use more ranks", need>>20, limit>>20)
	}
	return nil
}

// writeCells writes the marked cells of v into the file of result arr at the given place.
func writeCells(p *planned, arr int, form npy.Form, at place, far *launch.Service, v *array.View) error {
	file, err := at.open(true, far)
	if err != nil {
		return err
	}
	a := &p.prog.Nest.Arrays[arr]
	lo, extent := a.SliceExtent(p.params())
	w, err := npy.Append(form, file, a.Elem, extent)
	if err == nil {
		err = w.WriteWritten(v, lo)
	}
	return errors.Join(err, file.Close())
}

// A lockedWriter serializes the calls of several goroutines.
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
