package tcp_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// TestHanded hands faces over one after the other. When Handed returns, the face must be written to
// the connection, although nobody has read it yet.
func TestHanded(t *testing.T) {
	ranks := connect(t, 2)
	var written atomic.Int64
	ranks[0].(transport.Observable).Observe(transport.Observer{Written: func(transport.Passage) { written.Add(1) }})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	const faces, size = 64, 32 << 10
	recv, err := ranks[1].OpenRecv(transport.Edge{Peer: 0, Capacity: size, Slots: faces})
	if err != nil {
		t.Fatal(err)
	}
	send, err := ranks[0].OpenSend(transport.Edge{Peer: 1, Capacity: size, Slots: faces})
	if err != nil {
		t.Fatal(err)
	}
	for k := range faces {
		if _, err := send.Acquire(ctx); err != nil {
			t.Fatal(err)
		}
		if err := send.Post(size); err != nil {
			t.Fatal(err)
		}
		if err := ranks[0].Flush(); err != nil {
			t.Fatal(err)
		}
		if err := send.(transport.HandingEdge).Handed(ctx); err != nil {
			t.Fatal(err)
		}
		if n := written.Load(); n != int64(k+1) {
			t.Fatalf("%d faces were handed over, %d written", k+1, n)
		}
	}
	for range faces {
		if _, err := recv.Arrived(ctx); err != nil {
			t.Fatal(err)
		}
		if err := recv.Release(); err != nil {
			t.Fatal(err)
		}
	}
	closed := make(chan error, 1)
	go func() { closed <- ranks[1].Close(nil) }()
	if err := ranks[0].Close(nil); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
