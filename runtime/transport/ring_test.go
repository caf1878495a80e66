package transport_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"loopc/runtime/transport"
)

// ends returns the two handles of a new ring.
func ends(capacity, slots int) (*transport.Ring, *transport.RingSender, *transport.RingReceiver) {
	ring := transport.NewRing(capacity, slots)
	return ring, ring.Sender(0, 1, 7), ring.Receiver(1, 0, 7)
}

// eventually bounds a test that would otherwise hang.
func eventually(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// A hundred thousand faces go through rings of several shapes, on one
// processor and on several, and come out in order and whole.
func TestRingOrder(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		for _, slots := range []int{1, 2, 3, 8} {
			t.Run(fmt.Sprintf("procs=%d,slots=%d", procs, slots), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				const faces = 10000
				ctx := eventually(t)
				_, sender, receiver := ends(24, slots)
				var sending sync.WaitGroup
				sending.Go(func() {
					for k := range uint64(faces) {
						slot, err := sender.Acquire(ctx)
						if err != nil {
							t.Error(err)
							return
						}
						binary.LittleEndian.PutUint64(slot, k)
						if err := sender.Post(8 + int(k%17)); err != nil {
							t.Error(err)
							return
						}
					}
				})
				for k := range uint64(faces) {
					face, err := receiver.Arrived(ctx)
					if err != nil {
						t.Fatal(err)
					}
					if got := binary.LittleEndian.Uint64(face); got != k || len(face) != 8+int(k%17) {
						t.Fatalf("face %d came as face %d of %d bytes", k, got, len(face))
					}
					if err := receiver.Release(); err != nil {
						t.Fatal(err)
					}
				}
				sending.Wait()
			})
		}
	}
}

func TestRingSlots(t *testing.T) {
	ctx := t.Context()
	for _, capacity := range []int{0, 1, 63, 64, 65, 5000} {
		_, sender, receiver := ends(capacity, 3)
		for range 3 {
			slot, err := sender.Acquire(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if len(slot) != capacity || cap(slot) != capacity {
				t.Errorf("slot of a ring of %d bytes has length %d and capacity %d", capacity, len(slot), cap(slot))
			}
			if at := uintptr(unsafe.Pointer(unsafe.SliceData(slot))); capacity > 0 && at%64 != 0 {
				t.Errorf("slot of %d bytes lies at %#x", capacity, at)
			}
			if err := sender.Post(capacity); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := sender.TryAcquire(); ok {
			t.Error("a fourth of three slots was free")
		}
		if !receiver.Ready() {
			t.Error("three faces were posted and none is ready")
		}
	}
}

func TestRingMisuse(t *testing.T) {
	ctx := t.Context()
	_, sender, receiver := ends(8, 2)
	if err := sender.Post(1); !errors.Is(err, transport.ErrProtocol) {
		t.Errorf("Post without Acquire: %v", err)
	}
	first, _ := sender.Acquire(ctx)
	again, _ := sender.Acquire(ctx)
	if &first[0] != &again[0] {
		t.Error("Acquire without Post gave another slot")
	}
	if err := sender.Post(9); !errors.Is(err, transport.ErrTooLong) {
		t.Errorf("Post of 9 bytes into 8: %v", err)
	}
	if err := sender.Post(-1); !errors.Is(err, transport.ErrProtocol) {
		t.Errorf("Post of -1 bytes: %v", err)
	}
	if err := sender.Post(8); err != nil {
		t.Error(err)
	}
	if err := receiver.Release(); !errors.Is(err, transport.ErrProtocol) {
		t.Errorf("Release before Arrived: %v", err)
	}
	if _, err := receiver.Arrived(ctx); err != nil {
		t.Error(err)
	}
	if err := receiver.Release(); err != nil {
		t.Error(err)
	}
	// A credit too many is what the sender would overrun the receiver with.
	err := receiver.Release()
	var e *transport.Error
	if !errors.Is(err, transport.ErrProtocol) || !errors.As(err, &e) || e.Op != "release" || e.Edge != 7 || e.Rank != 1 {
		t.Errorf("second Release of a face: %v", err)
	}
}

func TestRingCancel(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, sender, receiver := ends(8, 1)
	if _, err := sender.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	if _, err := receiver.Arrived(ctx); !errors.Is(err, cause) {
		t.Errorf("Arrived under a canceled context: %v", err)
	}
	if err := sender.Post(3); err != nil {
		t.Fatal(err)
	}
	if _, err := sender.Acquire(ctx); !errors.Is(err, cause) {
		t.Errorf("Acquire under a canceled context: %v", err)
	}
	// The ring is as good as before.
	if face, err := receiver.Arrived(t.Context()); err != nil || len(face) != 3 {
		t.Errorf("after the cancellation: face of %d bytes, %v", len(face), err)
	}
}

func TestRingFailWakesBothSides(t *testing.T) {
	ctx := eventually(t)
	boom := errors.New("boom")
	empty, _, receiver := ends(8, 1)
	full, sender, _ := ends(8, 1)
	if _, err := sender.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	if err := sender.Post(0); err != nil {
		t.Fatal(err)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if _, err := sender.Acquire(ctx); !errors.Is(err, boom) {
			t.Errorf("Acquire on a ring that failed: %v", err)
		}
	})
	waiting.Go(func() {
		if _, err := receiver.Arrived(ctx); !errors.Is(err, boom) {
			t.Errorf("Arrived on a ring that failed: %v", err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	empty.Fail(boom)
	full.Fail(boom)
	full.Fail(errors.New("too late"))
	waiting.Wait()
	if err := sender.Sync(ctx); !errors.Is(err, boom) {
		t.Errorf("Sync: %v", err)
	}
	if err := sender.Post(0); !errors.Is(err, boom) {
		t.Errorf("Post: %v", err)
	}
	if err := receiver.Release(); !errors.Is(err, boom) {
		t.Errorf("Release: %v", err)
	}
}

// End lets the receiver read what is there, Fail does not.
func TestRingEnd(t *testing.T) {
	ctx := eventually(t)
	over := errors.New("over")
	ring, sender, receiver := ends(8, 3)
	for range 2 {
		if _, err := sender.Acquire(ctx); err != nil {
			t.Fatal(err)
		}
		if err := sender.Post(8); err != nil {
			t.Fatal(err)
		}
	}
	ring.End(over)
	if _, err := receiver.Arrived(ctx); err != nil {
		t.Errorf("face posted before the end: %v", err)
	}
	ring.Fail(transport.ErrGone)
	if _, err := receiver.Arrived(ctx); !errors.Is(err, transport.ErrGone) {
		t.Errorf("face posted before the failure: %v", err)
	}

	ring, sender, receiver = ends(8, 1)
	time.AfterFunc(20*time.Millisecond, func() { ring.End(over) })
	if _, err := receiver.Arrived(ctx); !errors.Is(err, over) {
		t.Errorf("waiting while the ring ends: %v", err)
	}
	if _, err := sender.Acquire(ctx); err != nil {
		t.Errorf("a credit from before the end: %v", err)
	}
}

func TestRingDoesNotAllocate(t *testing.T) {
	ctx := t.Context()
	_, sender, receiver := ends(64, 2)
	if n := testing.AllocsPerRun(1000, func() {
		_, _ = sender.Acquire(ctx)
		_ = sender.Post(64)
		_, _ = receiver.Arrived(ctx)
		_ = receiver.Release()
	}); n != 0 {
		t.Errorf("a face costs %v allocations", n)
	}
}

func TestEdgeCheck(t *testing.T) {
	good := transport.Edge{Peer: 1, ID: 3, Capacity: 8, Slots: 2}
	if err := good.Check(0, 2); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*transport.Edge){
		"peer -1":           func(e *transport.Edge) { e.Peer = -1 },
		"peer 2 of 2":       func(e *transport.Edge) { e.Peer = 2 },
		"peer is itself":    func(e *transport.Edge) { e.Peer = 0 },
		"number -1":         func(e *transport.Edge) { e.ID = -1 },
		"number 2^15":       func(e *transport.Edge) { e.ID = transport.MaxEdges },
		"capacity -1":       func(e *transport.Edge) { e.Capacity = -1 },
		"no slots":          func(e *transport.Edge) { e.Slots = 0 },
		"size overflows":    func(e *transport.Edge) { e.Capacity, e.Slots = math.MaxInt/2, 3 },
		"rounding up does":  func(e *transport.Edge) { e.Capacity, e.Slots = math.MaxInt-3, 1 },
		"slots in billions": func(e *transport.Edge) { e.Capacity, e.Slots = 1<<20, math.MaxInt/64 },
	} {
		e := good
		spoil(&e)
		if err := e.Check(0, 2); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestGiveUpKeepsFirstCause(t *testing.T) {
	first := transport.NewGiveUp(2, errors.New("disk full\n\x1b[31m"))
	if want := "rank 2 gave up: disk full  [31m"; first.Error() != want {
		t.Errorf("got %q, want %q", first, want)
	}
	passed := transport.NewGiveUp(3, fmt.Errorf("rank 3: %w", transport.Gone(first)))
	if passed.Error() != first.Error() {
		t.Errorf("passed on as %q", passed)
	}
}
