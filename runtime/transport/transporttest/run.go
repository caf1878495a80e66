// Package transporttest checks that a transport keeps the contract of package
// transport. Each implementation has
//
//	func TestConformance(t *testing.T) { transporttest.Run(t, connect) }
//
// Inject wraps any transport with faults, for tests of its users, and Benchmark measures a
// transport.
package transporttest

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// Connect returns the connected transports of the size ranks of a run, rank 0 first, or
// ends the test. The caller closes them.
type Connect func(t testing.TB, size int) []transport.Transport

// limit is the time after which a check counts as hanging.
const limit = 30 * time.Second

// A Case is one requirement of the contract.
type Case struct {
	Name  string
	Check func(t testing.TB, connect Connect)
}

// Run runs all Cases, and checks after each that no goroutine is left.
func Run(t *testing.T, connect Connect) {
	for _, c := range Cases {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, connect) })
	}
}

// Run runs the check and then fails if goroutines are left over.
func (c Case) Run(t testing.TB, connect Connect) {
	before := runtime.NumGoroutine()
	c.Check(t, connect)
	deadline := time.Now().Add(2 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if now := runtime.NumGoroutine(); now > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines are left after Close:\n%s", now-before, stacks[:runtime.Stack(stacks, true)])
	}
}

// A world is the transports of a check and its context.
type world struct {
	testing.TB
	ctx   context.Context
	ranks []transport.Transport
	stop  context.CancelFunc
}

// newWorld connects size ranks.
func newWorld(t testing.TB, connect Connect, size int) *world {
	t.Helper()
	ranks := connect(t, size)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	return &world{TB: t, ctx: ctx, ranks: ranks, stop: cancel}
}

// close closes all ranks concurrently, and requires that no Close returns an error.
func (w *world) close() {
	w.Helper()
	var all sync.WaitGroup
	for _, r := range w.ranks {
		all.Go(func() {
			if err := r.Close(nil); err != nil {
				w.Errorf("rank %d: Close: %v", r.Rank(), err)
			}
		})
	}
	finished := make(chan struct{})
	go func() { all.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-w.ctx.Done():
		w.Errorf("Close of all ranks still waits after %v", limit)
		w.abort()
		<-finished
	}
	w.stop()
}

// abort closes every rank with a cause.
func (w *world) abort() {
	for _, r := range w.ranks {
		_ = r.Close(errors.New("the check is over"))
	}
	w.stop()
}

// within returns a context that ends d from now.
func (w *world) within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(w.ctx, d)
}

// A link is an open edge, both ends.
type link struct {
	w    *world
	from transport.Transport
	size transport.Edge
	send transport.SendEdge
	recv transport.RecvEdge
}

// link opens an edge from one rank to another.
func (w *world) link(from, to, id, capacity, slots int) *link {
	w.Helper()
	send, err := w.ranks[from].OpenSend(transport.Edge{Peer: to, ID: id, Capacity: capacity, Slots: slots})
	if err != nil {
		w.Fatalf("OpenSend: %v", err)
	}
	recv, err := w.ranks[to].OpenRecv(transport.Edge{Peer: from, ID: id, Capacity: capacity, Slots: slots})
	if err != nil {
		w.Fatalf("OpenRecv: %v", err)
	}
	size := transport.Edge{Peer: to, ID: id, Capacity: capacity, Slots: slots}
	return &link{w: w, from: w.ranks[from], size: size, send: send, recv: recv}
}

// content returns face seq of edge id: n pseudo-random bytes.
func content(id, seq, n int) []byte {
	b := make([]byte, n)
	var seed [32]byte
	seed[0], seed[1], seed[2], seed[3], seed[4] = byte(id), byte(id>>8), byte(seq), byte(seq>>8), byte(seq>>16)
	_, _ = rand.NewChaCha8(seed).Read(b) // never fails
	return b
}

// put sends face seq with n bytes, flushed. It returns false after reporting an
// error.
func (l *link) put(seq, n int) bool {
	l.w.Helper()
	slot, err := l.send.Acquire(l.w.ctx)
	if err != nil {
		l.w.Errorf("Acquire for face %d: %v", seq, err)
		return false
	}
	if len(slot) != l.size.Capacity {
		l.w.Errorf("Acquire gave %d bytes, want %d", len(slot), l.size.Capacity)
		return false
	}
	copy(slot, content(l.size.ID, seq, n))
	if err := l.send.Post(n); err != nil {
		l.w.Errorf("Post of face %d: %v", seq, err)
		return false
	}
	if err := l.from.Flush(); err != nil {
		l.w.Errorf("Flush after face %d: %v", seq, err)
		return false
	}
	return true
}

// get receives the next face, which must be face seq with n bytes, and does not release it.
// It returns false after reporting an error.
func (l *link) get(seq, n int) bool {
	l.w.Helper()
	face, err := l.recv.Arrived(l.w.ctx)
	if err != nil {
		l.w.Errorf("Arrived for face %d: %v", seq, err)
		return false
	}
	return l.same(face, seq, n)
}

// same says whether face is face seq with n bytes.
func (l *link) same(face []byte, seq, n int) bool {
	l.w.Helper()
	want := content(l.size.ID, seq, n)
	if len(face) != n {
		l.w.Errorf("face %d of edge %d has %d bytes, want %d", seq, l.size.ID, len(face), n)
		return false
	}
	if string(face) != string(want) {
		l.w.Errorf("face %d of edge %d, %d bytes: content is not what was sent", seq, l.size.ID, n)
		return false
	}
	return true
}

// release releases a face. It returns false after reporting an error.
func (l *link) release() bool {
	l.w.Helper()
	if err := l.recv.Release(); err != nil {
		l.w.Errorf("Release: %v", err)
		return false
	}
	return true
}

// wantGone requires that err is the error of a peer that gave up with this cause.
func wantGone(t testing.TB, what string, err error, rank int, cause string) {
	t.Helper()
	var e *transport.Error
	var giveUp *transport.GiveUp
	switch {
	case !errors.Is(err, transport.ErrGone):
		t.Errorf("%s after the peer gave up: %v, want ErrGone", what, err)
	case !errors.As(err, &e):
		t.Errorf("%s after the peer gave up: %v is not a *transport.Error", what, err)
	case !errors.As(err, &giveUp) || giveUp.Rank != rank || !strings.Contains(giveUp.Text, cause):
		t.Errorf("%s after rank %d gave up with %q: %v does not say so", what, rank, cause, err)
	}
}
