package transporttest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
)

// A fakeTB is a testing.TB that remembers complaints instead of failing.
type fakeTB struct {
	testing.TB // for what the checks do not call
	mu         sync.Mutex
	complaints []string
}

// Helper implements testing.TB.
func (*fakeTB) Helper() {}

// Errorf implements testing.TB.
func (f *fakeTB) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.complaints = append(f.complaints, fmt.Sprintf(format, args...))
}

// Fatalf implements testing.TB.
func (f *fakeTB) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

// complaintsOf runs one check on a transport and returns the failures that it reports.
func complaintsOf(t *testing.T, name string, connect Connect) string {
	t.Helper()
	fake := &fakeTB{TB: t}
	for _, c := range Cases {
		if c.Name != name {
			continue
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.Run(fake, connect)
		}()
		<-done
		return strings.Join(fake.complaints, "\n")
	}
	t.Fatalf("there is no case %s", name)
	return ""
}

// wrapped connects ranks in this process and wraps each.
func wrapped(wrap func(transport.Transport) transport.Transport) Connect {
	return func(_ testing.TB, size int) []transport.Transport {
		ranks := inproc.NewMesh(size)
		for k := range ranks {
			ranks[k] = wrap(ranks[k])
		}
		return ranks
	}
}

// injected wraps each rank with faults.
func injected(f Faults) Connect {
	return wrapped(func(r transport.Transport) transport.Transport { return Inject(r, f) })
}

// A loose is a transport that breaks the contract: fields say how, and the rest
// goes through.
type loose struct {
	transport.Transport
	send    func(transport.SendEdge, transport.Edge) transport.SendEdge
	recv    func(transport.RecvEdge, transport.Edge) transport.RecvEdge
	closing func(transport.Transport, error) error
}

// OpenSend implements transport.Transport.
func (l *loose) OpenSend(e transport.Edge) (transport.SendEdge, error) {
	send, err := l.Transport.OpenSend(e)
	if err == nil && l.send != nil {
		send = l.send(send, e)
	}
	return send, err
}

// OpenRecv implements transport.Transport.
func (l *loose) OpenRecv(e transport.Edge) (transport.RecvEdge, error) {
	recv, err := l.Transport.OpenRecv(e)
	if err == nil && l.recv != nil {
		recv = l.recv(recv, e)
	}
	return recv, err
}

// Close implements transport.Transport.
func (l *loose) Close(cause error) error {
	if l.closing != nil {
		return l.closing(l.Transport, cause)
	}
	return l.Transport.Close(cause)
}

// deaf ignores the end of a context.
type deaf struct{ transport.SendEdge }

// Acquire implements transport.SendEdge.
func (d deaf) Acquire(context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	return d.SendEdge.Acquire(ctx)
}

// greedy acquires slots that are not free.
type greedy struct {
	transport.SendEdge
	capacity int
}

// Acquire implements transport.SendEdge.
func (g greedy) Acquire(ctx context.Context) ([]byte, error) {
	soon, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	slot, err := g.SendEdge.Acquire(soon)
	if err != nil {
		return make([]byte, g.capacity), nil
	}
	return slot, nil
}

// lazy sends a face when it is to send the next one, and claims that it has arrived.
type lazy struct {
	transport.SendEdge
	held int // bytes of the face that it still has to send
}

// Acquire implements transport.SendEdge.
func (l *lazy) Acquire(ctx context.Context) ([]byte, error) {
	if l.held > 0 {
		if err := l.SendEdge.Post(l.held); err != nil {
			return nil, err
		}
		l.held = 0
	}
	return l.SendEdge.Acquire(ctx)
}

// Post implements transport.SendEdge.
func (l *lazy) Post(n int) error {
	l.held = n
	return nil
}

// crooked returns slots that are not aligned.
type crooked struct {
	transport.SendEdge
	size int
}

// Acquire implements transport.SendEdge.
func (c crooked) Acquire(ctx context.Context) ([]byte, error) {
	_, err := c.SendEdge.Acquire(ctx)
	return make([]byte, c.size+64)[1 : c.size+1], err
}

// lenient takes any release.
type lenient struct{ transport.RecvEdge }

// Release implements transport.RecvEdge.
func (l lenient) Release() error {
	_ = l.RecvEdge.Release()
	return nil
}

// Each check finds the fault that it is there for, and says it.
func TestChecksFindFaults(t *testing.T) {
	flip := Faults{Arrived: func(_ transport.Edge, seq int, face []byte) error {
		if seq == 2 && len(face) > 0 {
			face[len(face)-1] ^= 1
		}
		return nil
	}}
	drop := Faults{Post: func(_ transport.Edge, seq int) error {
		if seq == 2 {
			return errors.New("lost")
		}
		return nil
	}}
	senders := func(wrap func(transport.SendEdge, transport.Edge) transport.SendEdge) Connect {
		return wrapped(func(r transport.Transport) transport.Transport { return &loose{Transport: r, send: wrap} })
	}
	var late sync.WaitGroup
	for _, c := range []struct {
		check   string
		connect Connect
		want    string
	}{
		{"Order", injected(flip), "content is not what was sent"},
		{"Sizes", injected(flip), "content is not what was sent"},
		{"BigFace", injected(flip), "content is not what was sent"},
		{"Stats", injected(drop), "lost"},
		{"Credits", injected(Faults{Release: func(transport.Edge, int) int { return 2 }}), "Acquire after one credit and one face: <nil>"},
		{"Credits", senders(func(s transport.SendEdge, e transport.Edge) transport.SendEdge { return greedy{s, e.Capacity} }),
			"Acquire with 3 of 3 slots in use: <nil>, want to wait"},
		{"OpeningOrder", senders(func(s transport.SendEdge, e transport.Edge) transport.SendEdge { return greedy{s, e.Capacity} }),
			"Acquire before the receiver has opened: <nil>"},
		{"Slots", senders(func(s transport.SendEdge, e transport.Edge) transport.SendEdge { return crooked{s, e.Capacity} }), "want 100 at a multiple of 64"},
		{"ContextEnd", senders(func(s transport.SendEdge, _ transport.Edge) transport.SendEdge { return deaf{s} }), "want its cause"},
		{"Sync", senders(func(s transport.SendEdge, _ transport.Edge) transport.SendEdge { return &lazy{SendEdge: s} }), "Arrived after Sync"},
		{"CreditTooMany", wrapped(func(r transport.Transport) transport.Transport {
			return &loose{Transport: r, recv: func(e transport.RecvEdge, _ transport.Edge) transport.RecvEdge { return lenient{e} }}
		}), "Release before anything arrived: <nil>"},
		{"CloseWaits", wrapped(func(r transport.Transport) transport.Transport {
			return &loose{Transport: r, closing: func(r transport.Transport, _ error) error { return r.Close(errors.New("at once")) }}
		}), "Close of rank 0 returned while rank 1 was busy"},
		{"GaveUp", wrapped(func(r transport.Transport) transport.Transport {
			return &loose{Transport: r, closing: func(r transport.Transport, cause error) error {
				if cause != nil {
					cause = errors.New("something")
				}
				return r.Close(cause)
			}}
		}), "does not say so"},
		{"Stats", wrapped(func(r transport.Transport) transport.Transport {
			late.Go(func() { time.Sleep(3 * time.Second) })
			return r
		}), "goroutines are left after Close"},
	} {
		t.Run(c.check, func(t *testing.T) {
			got := complaintsOf(t, c.check, c.connect)
			if !strings.Contains(got, c.want) {
				t.Errorf("complained %q, want %q", got, c.want)
			}
			late.Wait()
		})
	}
}

// Without faults the wrappers change nothing.
func TestWrappersKeepContract(t *testing.T) {
	Run(t, injected(Faults{
		Post:    func(transport.Edge, int) error { return nil },
		Arrived: func(transport.Edge, int, []byte) error { return nil },
		Release: func(transport.Edge, int) int { return 1 },
	}))
}

// Edges are independent: one that is held up does not hold up another.
func TestDelayReordersEdges(t *testing.T) {
	other := make(chan struct{}) // closed when edge 1 has its face
	slow := Faults{Post: func(e transport.Edge, _ int) error {
		if e.ID == 0 {
			select {
			case <-other:
			case <-time.After(10 * time.Second):
			}
		}
		return nil
	}}
	w := newWorld(t, injected(slow), 2)
	defer w.close()
	links := [2]*link{w.link(0, 1, 0, 8, 1), w.link(0, 1, 1, 8, 1)}
	var arrived [2]time.Time
	var all sync.WaitGroup
	for k, l := range links {
		all.Go(func() { l.put(0, 8) })
		all.Go(func() {
			l.get(0, 8)
			if arrived[k] = time.Now(); k == 1 {
				close(other)
			}
		})
	}
	all.Wait()
	if !arrived[1].Before(arrived[0]) {
		t.Errorf("edge 1 was %v after edge 0, which is held up until it has its face", arrived[1].Sub(arrived[0]))
	}
}
