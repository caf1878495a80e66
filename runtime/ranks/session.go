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

// A session is a process's state between runs. Every run has its own rendezvous. Package
// launch finds the first one. In each run, the leading process opens the rendezvous of the
// next run and tells the others, which enlist there at once, so that the end of a process
// between two runs is noticed.
type session struct {
	mu     sync.Mutex // held during a run
	opened bool
	err    error           // why there is no further run
	from   *launch.Starter // nil: this process is alone
	info   launch.Info     // with the rendezvous of the next run
	root   *launch.Root    // the rendezvous itself, in the leading process
	next   *enlisting      // this process's registration at that rendezvous
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

// open finds out, in the first run, whether this process is one of several, and enlists it
// at the rendezvous.
func (s *session) open(ctx context.Context, o *Options) error {
	if s.opened {
		return s.err
	}
	s.opened = true
	s.err = s.meet(ctx, o)
	return s.err
}

// meet is open in the first run.
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

// close closes the connections of this process, which the other processes notice.
func (s *session) close() {
	if s.next != nil {
		s.next.close()
	}
	if s.root != nil {
		s.root.Close()
	}
}

// An enlisting is a process that waits for its job at a rendezvous.
type enlisting struct {
	stop context.CancelFunc
	done chan struct{} // closed when the job has arrived, or will not

	far  *launch.Service
	rank int // of this process in the run
	job  json.RawMessage
	err  error
}

// enlist registers this process at the rendezvous of info.
func enlist(info launch.Info) *enlisting {
	ctx, stop := context.WithCancel(context.Background()) // not the run's ctx: the next run may be much later
	e := &enlisting{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		if e.far, e.err = launch.OpenService(ctx, info); e.err == nil {
			e.rank, e.job, e.err = e.far.Enlist(ctx, launch.Self(os.Getenv))
		}
	}()
	return e
}

// wait waits for the job.
func (e *enlisting) wait(ctx context.Context) error {
	select {
	case <-e.done:
		return e.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close closes the connection to the rendezvous.
func (e *enlisting) close() {
	e.stop()
	<-e.done
	if e.far != nil {
		_ = e.far.Close() // the error does not matter any more
	}
}
