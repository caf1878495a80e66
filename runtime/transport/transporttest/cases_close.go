package transporttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// checkContextEnd ends the context during each waiting operation; the edge must stay
// usable.
func checkContextEnd(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	l := w.link(0, 1, 4, 8, 1)
	cause := errors.New("the user has seen enough")
	for _, late := range []bool{false, true} {
		// canceled ends before the operation, or while it waits.
		canceled := func() context.Context {
			ctx, cancel := context.WithCancelCause(w.ctx)
			if late {
				time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
			} else {
				cancel(cause)
			}
			return ctx
		}
		var e *transport.Error
		if _, err := l.recv.Arrived(canceled()); !errors.Is(err, cause) || !errors.As(err, &e) {
			t.Errorf("Arrived when the context ends: %v, want its cause in a *transport.Error", err)
		}
		if !l.put(0, 8) {
			return
		}
		if _, err := l.send.Acquire(canceled()); !errors.Is(err, cause) || !errors.As(err, &e) {
			t.Errorf("Acquire when the context ends: %v, want its cause in a *transport.Error", err)
		}
		if err := l.send.Sync(canceled()); err != nil && !errors.Is(err, cause) {
			t.Errorf("Sync when the context ends: %v, want its cause or success", err)
		}
		if !l.get(0, 8) || !l.release() {
			return
		}
	}
}

// checkCloseDelivers closes the sender right after a Post, without a Flush.
func checkCloseDelivers(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	const n = 1 << 20
	l := w.link(0, 1, 4, n, 2)
	for k := range 2 {
		slot, err := l.send.Acquire(w.ctx)
		if err != nil {
			t.Fatalf("Acquire: %v", err)
		}
		copy(slot, content(4, k, n))
		if err := l.send.Post(n); err != nil {
			t.Fatalf("Post: %v", err)
		}
	}
	var closing sync.WaitGroup
	closing.Go(func() {
		if err := w.ranks[0].Close(nil); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	for k := range 2 {
		if !l.get(k, n) || !l.release() {
			break
		}
	}
	if err := w.ranks[1].Close(nil); err != nil {
		t.Errorf("Close: %v", err)
	}
	closing.Wait()
	w.stop()
}

// checkCloseWaits requires that Close waits until all ranks have finished.
func checkCloseWaits(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	var busy atomic.Bool
	busy.Store(true)
	var closing sync.WaitGroup
	closing.Go(func() {
		if err := w.ranks[0].Close(nil); err != nil {
			t.Errorf("Close: %v", err)
		}
		if busy.Load() {
			t.Errorf("Close of rank 0 returned while rank 1 was busy")
		}
	})
	time.Sleep(100 * time.Millisecond)
	busy.Store(false)
	if err := w.ranks[1].Close(nil); err != nil {
		t.Errorf("Close: %v", err)
	}
	closing.Wait()
	w.stop()
}

// checkFinished waits for a face and for a credit from a peer that has finished: both must
// fail.
func checkFinished(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	to := w.link(0, 1, 4, 8, 1)
	from := w.link(1, 0, 4, 8, 2)
	if !from.put(0, 8) || !to.put(0, 8) || !to.get(0, 8) {
		w.abort()
		return
	}
	var closing sync.WaitGroup
	closing.Go(func() {
		if err := w.ranks[1].Close(nil); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	from.get(0, 8)
	if _, err := from.recv.Arrived(w.ctx); !errors.Is(err, transport.ErrGone) {
		t.Errorf("Arrived when the peer has finished: %v, want ErrGone", err)
	}
	if _, err := to.send.Acquire(w.ctx); !errors.Is(err, transport.ErrGone) {
		t.Errorf("Acquire when the peer has finished: %v, want ErrGone", err)
	}
	if err := w.ranks[0].Close(nil); err != nil {
		t.Errorf("Close: %v", err)
	}
	closing.Wait()
	w.stop()
}

// checkFinishedBefore opens edges to a peer that has already opened its ends and finished:
// its credits can be used, and waiting for more is an error.
func checkFinishedBefore(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	const slots = 2
	last := w.link(1, 0, 1, 8, 1) // its end shows that the goodbye has arrived
	to := transport.Edge{Peer: 0, ID: 4, Capacity: 8, Slots: slots}
	_, err := w.ranks[1].OpenRecv(to)
	if err == nil {
		_, err = w.ranks[1].OpenSend(to)
	}
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	var closing sync.WaitGroup
	closing.Go(func() {
		if err := w.ranks[1].Close(nil); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	defer func() {
		if err := w.ranks[0].Close(nil); err != nil {
			t.Errorf("Close: %v", err)
		}
		closing.Wait()
		w.stop()
	}()
	if _, err := last.recv.Arrived(w.ctx); !errors.Is(err, transport.ErrGone) {
		t.Errorf("Arrived when the peer has finished: %v, want ErrGone", err)
	}
	from := transport.Edge{Peer: 1, ID: 4, Capacity: 8, Slots: slots}
	ctx, cancel := w.within(5 * time.Second)
	defer cancel()
	send, err := w.ranks[0].OpenSend(from)
	if err != nil {
		t.Errorf("OpenSend to a peer that has finished: %v", err)
		return
	}
	recv, err := w.ranks[0].OpenRecv(from)
	if err != nil {
		t.Errorf("OpenRecv from a peer that has finished: %v", err)
		return
	}
	for range slots {
		_, err := send.Acquire(ctx)
		if err == nil {
			err = send.Post(8)
		}
		if err != nil {
			t.Errorf("a slot that a peer has granted before it finished: %v", err)
			return
		}
	}
	if _, err := send.Acquire(ctx); !errors.Is(err, transport.ErrGone) {
		t.Errorf("Acquire of one slot more than a peer has granted that has finished: %v, want ErrGone", err)
	}
	if _, err := recv.Arrived(ctx); !errors.Is(err, transport.ErrGone) {
		t.Errorf("Arrived on an edge that was opened after the peer had finished: %v, want ErrGone", err)
	}
}

// checkClosed uses a transport after Close.
func checkClosed(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	l := w.link(0, 1, 4, 8, 1)
	w.close()
	if _, err := l.send.Acquire(context.Background()); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Acquire after Close: %v, want ErrClosed", err)
	}
	if _, err := l.recv.Arrived(context.Background()); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Arrived after Close: %v, want ErrClosed", err)
	}
	if err := l.send.Sync(context.Background()); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Sync after Close: %v, want ErrClosed", err)
	}
	if _, err := w.ranks[0].OpenSend(transport.Edge{Peer: 1, ID: 9, Capacity: 8, Slots: 1}); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("OpenSend after Close: %v, want ErrClosed", err)
	}
	if err := w.ranks[0].Close(nil); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// waiters starts every waiting operation on rank 0, and calls report with its error.
func (w *world) waiters(report func(what string, err error)) *sync.WaitGroup {
	w.Helper()
	full := w.link(0, 1, 4, 8, 1)
	empty := w.link(1, 0, 4, 8, 1)
	full.put(0, 8)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		_, err := full.send.Acquire(w.ctx)
		report("Acquire", err)
	})
	waiting.Go(func() {
		_, err := empty.recv.Arrived(w.ctx)
		report("Arrived", err)
	})
	time.Sleep(20 * time.Millisecond)
	return &waiting
}

// checkGaveUp makes the peer give up while operations wait: these and all later operations
// must return the peer's rank and cause, without delay.
func checkGaveUp(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	const cause = "tile (3, 4) divided by zero"
	waiting := w.waiters(func(what string, err error) { wantGone(t, what, err, 1, cause) })
	begun := time.Now()
	_ = w.ranks[1].Close(errors.New(cause)) // its own error does not matter
	waiting.Wait()
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("the failure of a peer took %v to be noticed", took)
	}
	_, err := w.ranks[0].OpenSend(transport.Edge{Peer: 1, ID: 77, Capacity: 8, Slots: 1})
	if err == nil {
		var send transport.SendEdge
		if send, err = w.ranks[0].OpenSend(transport.Edge{Peer: 1, ID: 78, Capacity: 8, Slots: 1}); err == nil {
			_, err = send.Acquire(w.ctx)
		}
	}
	wantGone(t, "OpenSend", err, 1, cause)
	wantGone(t, "Close", w.ranks[0].Close(nil), 1, cause)
	w.stop()
}

// checkCloseUnderWay closes a transport with a cause while its own operations and its own
// Close(nil) wait.
func checkCloseUnderWay(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	waiting := w.waiters(func(what string, err error) {
		if err == nil {
			t.Errorf("%s returned without an error when its own rank closed", what)
		}
	})
	if err := w.ranks[0].Close(errors.New("changed my mind")); err != nil {
		t.Errorf("Close with a cause: %v", err)
	}
	waiting.Wait()
	_ = w.ranks[1].Close(errors.New("so did I")) // rank 0 has already given up
	w.stop()

	w = newWorld(t, connect, 2)
	var closing sync.WaitGroup
	closing.Go(func() { _ = w.ranks[0].Close(nil) }) // it only has to return
	time.Sleep(20 * time.Millisecond)
	if err := w.ranks[0].Close(errors.New("waited long enough")); err != nil {
		t.Errorf("Close with a cause: %v", err)
	}
	closing.Wait()
	wantGone(t, "Close", w.ranks[1].Close(nil), 0, "waited long enough")
	w.stop()
}

// checkFirstCause makes a rank give up because another rank did: the third rank must get
// the first rank's cause.
func checkFirstCause(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 3)
	far := w.link(0, 1, 1, 8, 1)
	near := w.link(1, 2, 1, 8, 1)
	_ = w.ranks[0].Close(errors.New("no space left"))
	_, err := far.recv.Arrived(w.ctx)
	wantGone(t, "Arrived", err, 0, "no space left")
	_ = w.ranks[1].Close(fmt.Errorf("step 7: %w", err))
	_, err = near.recv.Arrived(w.ctx)
	wantGone(t, "Arrived", err, 0, "no space left")
	if err != nil && strings.Contains(err.Error(), "step 7") {
		t.Errorf("%v: repeats what rank 1 made of it", err)
	}
	_ = w.ranks[2].Close(err)
	w.stop()
}
