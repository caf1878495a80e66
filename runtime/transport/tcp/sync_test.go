package tcp_test

import (
	"context"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// TestSyncAfterGoodbye syncs a face that the peer has read before it said
// goodbye: it has arrived, so that the sender must learn that, and not that the
// peer has finished.
func TestSyncAfterGoodbye(t *testing.T) {
	ranks := connect(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	closed := make(chan error, 1)
	go func() {
		recv, err := ranks[1].OpenRecv(transport.Edge{Peer: 0, Capacity: 8, Slots: 2})
		if err == nil {
			_, err = recv.Arrived(ctx)
		}
		if err == nil {
			err = recv.Release()
		}
		if err != nil {
			closed <- err
			return
		}
		closed <- ranks[1].Close(nil)
	}()
	send, err := ranks[0].OpenSend(transport.Edge{Peer: 1, Capacity: 8, Slots: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := send.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	if err := send.Post(8); err != nil {
		t.Fatal(err)
	}
	if err := ranks[0].Flush(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // the goodbye arrives
	if err := send.Sync(ctx); err != nil {
		t.Errorf("sync: %v", err)
	}
	if err := ranks[0].Close(nil); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
