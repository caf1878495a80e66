package ranks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
)

// A session is what a process knows of those that were started with it, from one
// run to the next. Every run has a rendezvous of its own. The first is where package
// launch says; in each run the process that leads opens the one of the next, and
// tells the others, which come there at once: so a process that ends between two
// runs is noticed.
type session struct {
	mu     sync.Mutex // held during a run
	opened bool
	err    error           // why there is no further run
	from   *launch.Starter // nil: this process is alone
	info   launch.Info     // with the rendezvous of the next run
	root   *launch.Root    // that, in the process that leads
	next   *enlisting      // this process, at the rendezvous of the next run
}

// process is the session of this process.
var process session

// run is Run.
func (s *session) run(ctx context.Context, prog *sched.Program, params []int, blocks *Blocks, o Options) (sched.Summary, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx, &o); err != nil {
		return sched.Summary{Rank: -1}, err
	}
	if s.from == nil {
		return local(ctx, prog, params, blocks, o)
	}
	var sum sched.Summary
	var err error
	if s.root != nil {
		sum, err = s.lead(ctx, prog, params, blocks, o)
	} else {
		sum, err = s.member(ctx, prog, params, blocks, o, nil)
	}
	if err != nil {
		s.err = fmt.Errorf("these ranks have failed in an earlier run: %w", err)
		s.close()
		return sum, err
	}
	sum.GiveReduced(blocks.fields)
	return sum, nil
}

// open finds out, the first time, whether this process is one of several, and goes to
// where they meet.
func (s *session) open(ctx context.Context, o *Options) error {
	if s.opened {
		return s.err
	}
	s.opened = true
	s.err = s.meet(ctx, o)
	return s.err
}

// meet does what open does the first time.
func (s *session) meet(ctx context.Context, o *Options) error {
	info, isRank, err := launch.FromEnv(os.Stdin)
	if err != nil {
		return err
	}
	if isRank {
		return errors.New("this program is no solver that loopc run can start: start it by srun, mpiexec, or with LOOPC_RANK, LOOPC_SIZE, LOOPC_ROOT and LOOPC_SECRET_FILE")
	}
	from, err := launch.FindStarter(os.Getenv, info.Secret)
	if err != nil || from == nil {
		return err
	}
	encryption, err := o.Security.Encryption()
	if err != nil {
		return err
	}
	from.Listen = o.Security.Listen
	info, listener, err := from.Meet(ctx)
	if err != nil {
		return err
	}
	info.TLS, info.Patience = encryption, o.Patience
	if listener != nil {
		if s.root, err = serve(listener, info); err != nil {
			return errors.Join(err, listener.Close())
		}
		info.Root = listener.Addr().String()
	}
	s.from, s.info, s.next = from, info, enlist(info)
	return nil
}

// serve opens a rendezvous for the processes of info.
func serve(listener net.Listener, info launch.Info) (*launch.Root, error) {
	return launch.Serve(launch.ServeConfig{Listener: listener, Size: info.Size, Secret: info.Secret, TLS: info.TLS, Patience: info.Patience})
}

// close ends the lines of this process: those of others break.
func (s *session) close() {
	if s.next != nil {
		s.next.close()
	}
	if s.root != nil {
		s.root.Close()
	}
}

// An enlisting is a process that is at a rendezvous, or on its way, and waits for
// what it is to do there.
type enlisting struct {
	stop context.CancelFunc
	done chan struct{} // closed when there is a job, or none will come

	far  *launch.Service
	rank int // of this process in the run
	job  json.RawMessage
	err  error
}

// enlist sends this process to the rendezvous of info.
func enlist(info launch.Info) *enlisting {
	ctx, stop := context.WithCancel(context.Background()) // a run may be long before the next
	e := &enlisting{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		if e.far, e.err = launch.OpenService(ctx, info); e.err == nil {
			e.rank, e.job, e.err = e.far.Enlist(ctx, launch.Self(os.Getenv))
		}
	}()
	return e
}

// wait waits until there is a job.
func (e *enlisting) wait(ctx context.Context) error {
	select {
	case <-e.done:
		return e.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close ends the line to the rendezvous.
func (e *enlisting) close() {
	e.stop()
	<-e.done
	if e.far != nil {
		_ = e.far.Close() // there is nothing left to say
	}
}
