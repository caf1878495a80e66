package shm

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// ends returns both ends of one edge, each with a mapping of its own.
func ends(t testing.TB, capacity, slots int) (*sendEdge, *recvEdge) {
	t.Helper()
	e := transport.Edge{Peer: 1, ID: 7, Capacity: capacity, Slots: slots}
	m, file, err := create(capacity, slots)
	if err != nil {
		t.Fatal(err)
	}
	s := newSend(0, e)
	if err := s.Map(file); err != nil {
		t.Fatal(err)
	}
	e.Peer = 0
	return s, newRecv(1, e, m)
}

// soon ends what would wait.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}

// wantNonsense demands ErrProtocol that names both ranks, and that the edge stays broken.
func wantNonsense(t *testing.T, err error, rank, peer int) {
	t.Helper()
	var e *transport.Error
	if !errors.Is(err, transport.ErrProtocol) || !errors.As(err, &e) || e.Rank != rank || e.Peer != peer || e.Edge != 7 {
		t.Errorf("%v, want ErrProtocol that names ranks %d and %d", err, rank, peer)
	}
}

// TestNonsense lets the peer write impossible values into each word that this side reads.
func TestNonsense(t *testing.T) {
	for _, n := range []uint64{3, 1 << 40, ^uint64(0)} {
		s, r := ends(t, 8, 2)
		s.memory.Load().posted.Store(n)
		_, err := r.Arrived(soon(t))
		wantNonsense(t, err, 1, 0)
		wantNonsense(t, r.Release(), 1, 0)
	}
	for _, n := range []uint64{9, 1 << 63, ^uint64(0)} {
		s, r := ends(t, 8, 2)
		s.memory.Load().length(0).Store(n)
		s.memory.Load().posted.Store(1)
		_, err := r.Arrived(soon(t))
		wantNonsense(t, err, 1, 0)
	}
	for _, n := range []uint64{3, 1 << 40, ^uint64(0)} {
		s, r := ends(t, 8, 2)
		for range 2 {
			if _, err := s.Acquire(soon(t)); err != nil {
				t.Fatal(err)
			}
			if err := s.Post(8); err != nil {
				t.Fatal(err)
			}
		}
		r.ring.released.Store(n)
		_, err := s.Acquire(soon(t))
		wantNonsense(t, err, 0, 1)
		wantNonsense(t, s.Post(8), 0, 1)
	}
}

// TestLostWakeup lets the peer reset a sleeper's futex again and again. The sleeper must
// nevertheless notice the end of its context.
func TestLostWakeup(t *testing.T) {
	s, r := ends(t, 8, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	over := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			default:
				s.memory.Load().receiver.Store(1)
			}
		}
	}()
	begun := time.Now()
	if _, err := r.Arrived(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Arrived: %v", err)
	}
	if took := time.Since(begun); took > 50*time.Millisecond+3*longestSleep {
		t.Errorf("the end of the context took %v to be noticed", took)
	}
	close(over)
	<-done
}

// TestMemoryRefused passes descriptors that are not the memory of the edge.
func TestMemoryRefused(t *testing.T) {
	unsealed := func() *os.File {
		m, file, err := create(8, 2)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		name := []byte("x\x00")
		fd, err := memfd(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Ftruncate(int(fd), int64(len(m.mem))); err != nil {
			t.Fatal(err)
		}
		return os.NewFile(fd, "unsealed")
	}
	small := func() *os.File {
		_, file, err := create(8, 1)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	null := func() *os.File {
		file, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, file := range map[string]func() *os.File{"unsealed": unsealed, "small": small, "device": null} {
		s := newSend(0, transport.Edge{Peer: 1, Capacity: 8, Slots: 2})
		if err := s.Map(file()); !errors.Is(err, transport.ErrProtocol) {
			t.Errorf("%s memory: %v, want ErrProtocol", name, err)
		}
	}
}

// TestSealed tries to change the size of the memory that a peer was given.
func TestSealed(t *testing.T) {
	_, file, err := create(100, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, size := range []int64{0, 1 << 20} {
		if err := file.Truncate(size); !errors.Is(err, syscall.EPERM) {
			t.Errorf("truncating to %d bytes: %v, want EPERM", size, err)
		}
	}
}

func TestEdgeDoesNotAllocate(t *testing.T) {
	s, r := ends(t, 64, 2)
	ctx := t.Context()
	if n := testing.AllocsPerRun(1000, func() {
		_, _ = s.Acquire(ctx)
		_ = s.Post(64)
		_, _ = r.Arrived(ctx)
		_ = r.Release()
	}); n != 0 {
		t.Errorf("a face costs %v allocations", n)
	}
}

// FuzzPeer plays a peer that writes any words at any time between the other
// side's operations. Whatever it writes, an operation gives a face or a slot of
// this edge, or an error.
func FuzzPeer(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 1, 5})
	f.Add([]byte{2, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 4, 5, 6, 7})
	f.Fuzz(func(t *testing.T, script []byte) {
		const capacity, slots = 24, 3
		s, r := ends(t, capacity, slots)
		m := s.memory.Load()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		arrived := 0
		for len(script) > 0 {
			op := script[0] % 8
			script = script[1:]
			if op < 4 {
				var b [8]byte
				script = script[copy(b[:], script):]
				n := binary.LittleEndian.Uint64(b[:])
				switch op {
				case 0:
					m.posted.Store(n)
				case 1:
					m.released.Store(n)
				case 2:
					m.length(int(n>>32) % slots & 3).Store(n & 0xffff)
				case 3:
					m.receiver.Store(uint32(n))
					m.sender.Store(uint32(n >> 32))
				}
				continue
			}
			switch op {
			case 4:
				face, err := r.Arrived(ended)
				if err == nil {
					if arrived++; len(face) > capacity || arrived-int(r.released) > slots {
						t.Fatalf("face of %d bytes, %d arrived, %d released", len(face), arrived, r.released)
					}
					clear(face)
				}
			case 5:
				_ = r.Release() // an error or not, it must not crash
			case 6:
				slot, err := s.Acquire(ended)
				if err == nil {
					if len(slot) != capacity || s.posted-s.released >= slots {
						t.Fatalf("slot of %d bytes, %d posted, %d released", len(slot), s.posted, s.released)
					}
					clear(slot)
				}
			case 7:
				_ = s.Post(int(s.posted) % (capacity + 2)) // as above
			}
		}
	})
}
