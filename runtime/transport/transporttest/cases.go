package transporttest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"loopc/runtime/transport"
)

// Cases are the requirements of the contract.
var Cases = []Case{
	{"Order", checkOrder},
	{"Sizes", checkSizes},
	{"Slots", checkSlots},
	{"OpeningOrder", checkOpeningOrder},
	{"OpeningRefused", checkOpeningRefused},
	{"Mismatch", checkMismatch},
	{"Credits", checkCredits},
	{"CreditTooMany", checkCreditTooMany},
	{"TooLong", checkTooLong},
	{"Sync", checkSync},
	{"Background", checkBackground},
	{"BigFace", checkBigFace},
	{"ManyEdges", checkManyEdges},
	{"ManyRanks", checkManyRanks},
	{"Stats", checkStats},
	{"ContextEnd", checkContextEnd},
	{"CloseDelivers", checkCloseDelivers},
	{"CloseWaits", checkCloseWaits},
	{"Finished", checkFinished},
	{"FinishedBefore", checkFinishedBefore},
	{"Closed", checkClosed},
	{"GaveUp", checkGaveUp},
	{"CloseUnderWay", checkCloseUnderWay},
	{"FirstCause", checkFirstCause},
}

// checkOrder sends many faces of many sizes through few slots.
func checkOrder(t testing.TB, connect Connect) {
	for _, slots := range []int{1, 2, 5} {
		w := newWorld(t, connect, 2)
		const faces, capacity = 500, 3000
		l := w.link(0, 1, 9, capacity, slots)
		var sending sync.WaitGroup
		sending.Go(func() {
			for k := range faces {
				if !l.put(k, k*37%(capacity+1)) {
					return
				}
			}
		})
		for k := range faces {
			if !l.get(k, k*37%(capacity+1)) || !l.release() {
				w.abort()
				break
			}
		}
		sending.Wait()
		w.close()
	}
}

// checkSizes sends faces of lengths from 0 to the capacity: of every length, if the capacity is small.
func checkSizes(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	for id, capacity := range []int{0, 1, 65, 5000} {
		l := w.link(0, 1, id, capacity, 2)
		seq := 0
		for n := 0; n <= capacity; n += max(1, capacity/65) {
			if !l.put(seq, n) || !l.get(seq, n) || !l.release() {
				return
			}
			seq++
		}
	}
}

// checkSlots requires slots of full length and alignment.
func checkSlots(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	l := w.link(0, 1, 1, 100, 3)
	for k := range 3 {
		slot, err := l.send.Acquire(w.ctx)
		if err != nil {
			t.Fatalf("Acquire: %v", err)
		}
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(slot))); at%64 != 0 || len(slot) != 100 {
			t.Errorf("slot %d has %d bytes at %#x, want 100 at a multiple of 64", k, len(slot), at)
		}
		if !l.put(k, 100) {
			return
		}
	}
	for k := range 3 {
		if !l.get(k, 100) {
			return
		}
	}
}

// checkOpeningOrder opens the sender first on one edge, and the receiver first on another.
func checkOpeningOrder(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	for id, recvFirst := range []bool{true, false} {
		l := &link{w: w, from: w.ranks[0], size: transport.Edge{Peer: 1, ID: id, Capacity: 50, Slots: 2}}
		var err error
		open := []func(){
			func() { l.send, err = w.ranks[0].OpenSend(l.size) },
			func() {
				l.recv, err = w.ranks[1].OpenRecv(transport.Edge{Peer: 0, ID: id, Capacity: 50, Slots: 2})
			},
		}
		if recvFirst {
			slices.Reverse(open)
		}
		open[0]()
		if err != nil {
			t.Fatalf("opening the first end: %v", err)
		}
		if !recvFirst {
			ctx, cancel := w.within(50 * time.Millisecond)
			if _, err := l.send.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Acquire before the receiver has opened: %v, want no credit", err)
			}
			cancel()
		}
		open[1]()
		if err != nil {
			t.Fatalf("opening the second end: %v", err)
		}
		if !l.put(0, 50) || !l.get(0, 50) || !l.release() {
			return
		}
	}
}

// checkOpeningRefused opens invalid edges.
func checkOpeningRefused(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	good := transport.Edge{Peer: 1, ID: 1, Capacity: 8, Slots: 1}
	for what, e := range map[string]transport.Edge{
		"to itself":         {Peer: 0, ID: 1, Capacity: 8, Slots: 1},
		"to no rank":        {Peer: 2, ID: 1, Capacity: 8, Slots: 1},
		"numbered too high": {Peer: 1, ID: transport.MaxEdges, Capacity: 8, Slots: 1},
		"without slots":     {Peer: 1, ID: 1, Capacity: 8},
		"of negative size":  {Peer: 1, ID: 1, Capacity: -8, Slots: 1},
	} {
		if _, err := w.ranks[0].OpenSend(e); err == nil {
			t.Errorf("OpenSend of an edge %s succeeded", what)
		}
		if _, err := w.ranks[0].OpenRecv(e); err == nil {
			t.Errorf("OpenRecv of an edge %s succeeded", what)
		}
	}
	if _, err := w.ranks[0].OpenSend(good); err != nil {
		t.Errorf("OpenSend: %v", err)
	}
	var e *transport.Error
	if _, err := w.ranks[0].OpenSend(good); !errors.As(err, &e) {
		t.Errorf("second OpenSend of an edge: %v, want a *transport.Error", err)
	}
	if _, err := w.ranks[0].OpenRecv(good); err != nil {
		t.Errorf("OpenRecv of the edge of the same number in the other direction: %v", err)
	}
	if _, err := w.ranks[0].OpenRecv(good); err == nil {
		t.Errorf("second OpenRecv of an edge succeeded")
	}
}

// checkMismatch opens the two ends differently: both must get an error, at opening or at
// the first operation.
func checkMismatch(t testing.TB, connect Connect) {
	id := 0
	for _, wrong := range []transport.Edge{{Capacity: 9, Slots: 2}, {Capacity: 8, Slots: 3}} {
		for _, recvFirst := range []bool{true, false} {
			w := newWorld(t, connect, 2)
			id++
			var sendErr, recvErr error
			open := []func(){
				func() {
					var send transport.SendEdge
					if send, sendErr = w.ranks[0].OpenSend(transport.Edge{Peer: 1, ID: id, Capacity: 8, Slots: 2}); sendErr == nil {
						_, sendErr = send.Acquire(w.ctx)
					}
				},
				func() {
					var recv transport.RecvEdge
					if recv, recvErr = w.ranks[1].OpenRecv(transport.Edge{Peer: 0, ID: id, Capacity: wrong.Capacity, Slots: wrong.Slots}); recvErr == nil {
						_, recvErr = recv.Arrived(w.ctx)
					}
				},
			}
			if recvFirst {
				slices.Reverse(open)
			}
			var both sync.WaitGroup
			both.Go(open[0])
			time.Sleep(20 * time.Millisecond)
			both.Go(open[1])
			both.Wait()
			if !errors.Is(sendErr, transport.ErrMismatch) {
				t.Errorf("sender with 2 slots of 8 bytes, receiver with %d of %d: sender got %v, want ErrMismatch", wrong.Slots, wrong.Capacity, sendErr)
			}
			if !errors.Is(recvErr, transport.ErrMismatch) {
				t.Errorf("sender with 2 slots of 8 bytes, receiver with %d of %d: receiver got %v, want ErrMismatch", wrong.Slots, wrong.Capacity, recvErr)
			}
			w.close()
		}
	}
}

// checkCredits fills all slots: the next Acquire must wait, and unreleased faces must not
// change.
func checkCredits(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	const slots = 3
	l := w.link(0, 1, 4, 200, slots)
	var held [slots][]byte
	for k := range slots {
		if !l.put(k, 200) {
			return
		}
		face, err := l.recv.Arrived(w.ctx)
		if err != nil {
			t.Fatalf("Arrived: %v", err)
		}
		held[k] = face
	}
	ctx, cancel := w.within(100 * time.Millisecond)
	if _, err := l.send.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Acquire with %d of %d slots in use: %v, want to wait", slots, slots, err)
	}
	cancel()
	// One credit frees one slot, the slot of the oldest face.
	if !l.release() || !l.put(slots, 200) || !l.get(slots, 200) {
		return
	}
	for k := 1; k < slots; k++ {
		l.same(held[k], k, 200)
	}
	ctx, cancel = w.within(50 * time.Millisecond)
	defer cancel()
	if _, err := l.send.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Acquire after one credit and one face: %v, want to wait", err)
	}
}

// checkCreditTooMany releases more faces than have arrived.
func checkCreditTooMany(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.abort()
	l := w.link(0, 1, 4, 8, 2)
	if err := l.recv.Release(); !errors.Is(err, transport.ErrProtocol) {
		t.Errorf("Release before anything arrived: %v, want ErrProtocol", err)
	}
	if !l.put(0, 8) || !l.get(0, 8) || !l.release() {
		return
	}
	if err := l.recv.Release(); !errors.Is(err, transport.ErrProtocol) {
		t.Errorf("second Release of a face: %v, want ErrProtocol", err)
	}
}

// checkTooLong posts too long and negative lengths.
func checkTooLong(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	l := w.link(0, 1, 4, 8, 2)
	if err := l.send.Post(0); !errors.Is(err, transport.ErrProtocol) {
		t.Errorf("Post without Acquire: %v, want ErrProtocol", err)
	}
	if _, err := l.send.Acquire(w.ctx); err != nil {
		t.Fatalf("Acquire: %v", err)
	}
	var e *transport.Error
	if err := l.send.Post(9); !errors.Is(err, transport.ErrTooLong) || !errors.As(err, &e) || e.Edge != 4 || e.Peer != 1 {
		t.Errorf("Post of 9 bytes into 8: %v, want ErrTooLong that names the edge", err)
	}
	if err := l.send.Post(-1); err == nil {
		t.Errorf("Post of -1 bytes succeeded")
	}
	if !l.put(0, 8) {
		return
	}
	l.get(0, 8)
}

// checkSync requires that Sync waits until faces are in the peer's memory, and not for the
// peer to read them.
func checkSync(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	const faces = 4
	l := w.link(0, 1, 4, 1<<20, faces)
	if err := l.send.Sync(w.ctx); err != nil {
		t.Errorf("Sync of nothing: %v", err)
	}
	for round := range 2 {
		for k := range faces {
			slot, err := l.send.Acquire(w.ctx)
			if err != nil {
				t.Fatalf("Acquire: %v", err)
			}
			copy(slot, content(4, round*faces+k, 1<<20))
			if err := l.send.Post(1 << 20); err != nil {
				t.Fatalf("Post: %v", err)
			}
		}
		// No Flush: Sync does it.
		if err := l.send.Sync(w.ctx); err != nil {
			t.Fatalf("Sync: %v", err)
		}
		ctx, cancel := w.within(20 * time.Millisecond)
		for k := range faces {
			face, err := l.recv.Arrived(ctx)
			if err != nil {
				t.Errorf("Arrived after Sync: %v", err)
				cancel()
				return
			}
			if !l.same(face, round*faces+k, 1<<20) {
				break
			}
			cancel()
			ctx, cancel = w.within(20 * time.Millisecond)
			l.release()
		}
		cancel()
	}
}
