package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// onSocket calls f for the socket of a connection.
func onSocket(conn net.Conn, f func(fd int) error) error {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = f(int(fd)) })
	return errors.Join(err, failed)
}

// cut makes the system drop all packets for conn before TCP sees them, as if the link were cut.
// mend ends this.
func cut(conn net.Conn) error {
	const returns = 0x06 // BPF_RET|BPF_K
	return onSocket(conn, func(fd int) error {
		//lint:ignore SA1019 a filter of one instruction needs no package of its own
		return syscall.AttachLsf(fd, []syscall.SockFilter{{Code: returns}})
	})
}

func mend(conn net.Conn) error {
	//lint:ignore SA1019 see cut
	return onSocket(conn, syscall.DetachLsf)
}

// A cable is two ranks, and an edge from each to the other.
type cable struct {
	ranks []transport.Transport
	send  [2]transport.SendEdge
	recv  [2]transport.RecvEdge
}

// newCable connects two ranks with the given patience. Those of an old system retry at
// intervals that double.
func newCable(ctx context.Context, timeout time.Duration, old bool) (*cable, error) {
	cfgs, err := Loopback(2, auth.NewSecret())
	if err != nil {
		return nil, err
	}
	w := &cable{}
	w.ranks, err = Together(cfgs, func(cfg Config) (transport.Transport, error) {
		cfg.Timeout = timeout
		return New(ctx, cfg)
	})
	if err != nil {
		return nil, err
	}
	for k := range w.ranks {
		var errs [2]error
		w.send[k], errs[0] = w.ranks[k].OpenSend(transport.Edge{Peer: 1 - k, ID: 5, Capacity: 8, Slots: 2})
		w.recv[k], errs[1] = w.ranks[k].OpenRecv(transport.Edge{Peer: 1 - k, ID: 5, Capacity: 8, Slots: 2})
		if err := errors.Join(errs[:]...); err != nil {
			return nil, err
		}
	}
	if err := w.exchange(ctx); err != nil || !old {
		return w, err
	}
	for k := range w.ranks {
		w.peer(k).prompt.Store(false)
		_ = retryWithin(w.peer(k).conn, 120*time.Second) // as it is where that is unknown
	}
	return w, nil
}

// peer is the other rank as rank k has it.
func (w *cable) peer(k int) *peer { return w.ranks[k].(*mesh).peers[1-k] }

// post has both ranks send a face.
func (w *cable) post(ctx context.Context) error {
	for k := range w.ranks {
		if _, err := w.send[k].Acquire(ctx); err != nil {
			return err
		}
		if err := errors.Join(w.send[k].Post(8), w.ranks[k].Flush()); err != nil {
			return err
		}
	}
	return nil
}

// take has both ranks get a face.
func (w *cable) take(ctx context.Context) error {
	for k := range w.ranks {
		if _, err := w.recv[k].Arrived(ctx); err != nil {
			return err
		}
		if err := w.recv[k].Release(); err != nil {
			return err
		}
	}
	return nil
}

// exchange has a face go both ways.
func (w *cable) exchange(ctx context.Context) error {
	if err := w.post(ctx); err != nil {
		return err
	}
	return w.take(ctx)
}

// outage cuts the link for a time, with a face on its way in each direction.
func (w *cable) outage(ctx context.Context, lasts time.Duration) error {
	for k := range w.ranks {
		if err := cut(w.peer(k).conn); err != nil {
			return err
		}
	}
	err := w.post(ctx)
	time.Sleep(lasts)
	for k := range w.ranks {
		err = errors.Join(err, mend(w.peer(k).conn))
	}
	if err != nil {
		return err
	}
	if err := w.take(ctx); err != nil {
		return err
	}
	return w.exchange(ctx)
}

// TestOutage cuts the link between two ranks for half of their time limit, with many limits. No
// error may follow, although the attempt that succeeds may come much later than the end of the
// outage: the system retries at growing intervals.
func TestOutage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds of waiting")
	}
	t.Parallel() // it does little but wait
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for _, old := range []bool{false, true} {
		for timeout := 1200 * time.Millisecond; timeout < 7*time.Second; timeout += 150 * time.Millisecond {
			all.Go(func() {
				w, err := newCable(ctx, timeout, old)
				if err != nil {
					t.Error(err)
					return
				}
				if err := w.outage(ctx, timeout/2); err != nil {
					t.Errorf("patience %v, old system %t: %v", timeout, old, err)
				}
				for _, rank := range w.ranks {
					_ = rank.Close(errors.New("the test is over"))
				}
			})
		}
	}
	all.Wait()
}

// TestCutLink cuts the link for good: both ranks give one another up after the time that
// they were told to wait, or the longer one that an old system needs.
func TestCutLink(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds of waiting")
	}
	t.Parallel() // it does little but wait
	for _, c := range []struct {
		timeout, least time.Duration
		old            bool
	}{{4 * time.Second, 4 * time.Second, false}, {2 * time.Second, 2500 * time.Millisecond, true}} {
		t.Run(fmt.Sprint(c.timeout), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			w, err := newCable(ctx, c.timeout, c.old)
			if err != nil {
				t.Fatal(err)
			}
			for k := range w.ranks {
				if err := cut(w.peer(k).conn); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			_, err = w.recv[0].Arrived(ctx)
			took := time.Since(began)
			if !errors.Is(err, transport.ErrGone) {
				t.Errorf("%v, want ErrGone", err)
			}
			if took < c.least*4/5 || took > 5*c.least {
				t.Errorf("the other rank was given up after %v, want about %v", took, c.least)
			}
			for _, rank := range w.ranks {
				_ = rank.Close(errors.New("the test is over"))
			}
		})
	}
}
