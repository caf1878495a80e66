package rma

import (
	"context"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// Sync waits for all faces also if there were more of them, since the last Sync,
// than an immediate can count: what it said was taken for a count from the last
// acknowledgement on, and Sync waited for ever.
func TestSyncAfterManyFaces(t *testing.T) {
	const faces = sequenceMask + 1 + 5000
	ranks := connectOn(t, newNetwork(1), 2)
	send, err := ranks[0].OpenSend(transport.Edge{Peer: 1, ID: 3, Capacity: 8, Slots: 64})
	if err != nil {
		t.Fatal(err)
	}
	recv, err := ranks[1].OpenRecv(transport.Edge{Peer: 0, ID: 3, Capacity: 8, Slots: 64})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var reading sync.WaitGroup
	reading.Go(func() {
		for range 2 * faces {
			if _, err := recv.Arrived(ctx); err != nil {
				t.Error(err)
				return
			}
			if err := recv.Release(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 2 {
		for range faces {
			if _, err := send.Acquire(ctx); err != nil {
				t.Fatal(err)
			}
			if err := send.Post(8); err != nil {
				t.Fatal(err)
			}
		}
		if err := send.Sync(ctx); err != nil {
			t.Fatal(err)
		}
	}
	reading.Wait()
	var closing sync.WaitGroup
	for _, r := range ranks {
		closing.Go(func() {
			if err := r.Close(nil); err != nil {
				t.Error(err)
			}
		})
	}
	closing.Wait()
}
