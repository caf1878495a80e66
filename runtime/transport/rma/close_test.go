package rma

import (
	"errors"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
)

// tcpControls returns two ranks that TCP connects.
func tcpControls(t *testing.T) []transport.Transport {
	t.Helper()
	cfgs, err := tcp.Loopback(2, auth.NewSecret())
	if err != nil {
		t.Fatal(err)
	}
	ranks, err := tcp.Together(cfgs, func(cfg tcp.Config) (transport.Transport, error) { return tcp.New(t.Context(), cfg) })
	if err != nil {
		t.Fatal(err)
	}
	return ranks
}

// A receiver that has read all that it wants closes at once, before it has taken
// notice of the handles of the senders, to which it owes acknowledgements: it listens
// until the sender, who closes too, has them.
func TestCloseBeforeOffers(t *testing.T) {
	for range 20 {
		network := newNetwork(1)
		ranks := connectMeshes(t, tcpControls(t), func(int) (Fabric, error) { return network.endpoint(), nil })
		from, to := ranks[0], ranks[1]
		deaf := to.(*mesh).peers[0]
		var ends []transport.RecvEdge
		for id := range 2 * controlSlots / 3 {
			e, err := to.OpenRecv(transport.Edge{Peer: 0, ID: id, Capacity: 8, Slots: 1})
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, e)
		}
		deaf.mu.Lock()
		for id := range ends {
			e, err := from.OpenSend(transport.Edge{Peer: 1, ID: id, Capacity: 8, Slots: 1})
			if err == nil {
				_, err = e.Acquire(t.Context())
			}
			if err == nil {
				err = e.Post(8)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range ends {
			if _, err := e.Arrived(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := e.Release(); err != nil {
				t.Fatal(err)
			}
		}
		deaf.mu.Unlock()
		stuck := time.AfterFunc(10*time.Second, func() {
			t.Error("the ranks wait for one another")
			for _, r := range ranks {
				_ = r.Close(errors.New("given up"))
			}
		})
		var closing sync.WaitGroup
		for _, r := range []transport.Transport{to, from} {
			closing.Go(func() {
				if err := r.Close(nil); err != nil {
					t.Error(err)
				}
			})
		}
		closing.Wait()
		if stuck.Stop(); t.Failed() {
			return
		}
	}
}
