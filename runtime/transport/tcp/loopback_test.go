package tcp_test

import (
	"errors"
	"testing"

	"loopc/runtime/transport"
	"loopc/runtime/transport/tcp"
)

// TestTogetherFails: if one rank does not connect, the ranks that have connected are closed.
func TestTogetherFails(t *testing.T) {
	cfgs, err := tcp.Loopback(3, secret)
	if err != nil {
		t.Fatal(err)
	}
	cfgs[0].Peers, cfgs[1].Peers, cfgs[2].Peers = []int{1}, []int{0}, []int{0}
	defer cfgs[2].Listener.Close()
	ranks := make([]transport.Transport, 2)
	late := errors.New("rank 2 is late")
	all, err := tcp.Together(cfgs, func(cfg tcp.Config) (rank transport.Transport, err error) {
		if cfg.Rank == 2 {
			return nil, late
		}
		ranks[cfg.Rank], err = tcp.New(t.Context(), cfg)
		return ranks[cfg.Rank], err
	})
	if all != nil || !errors.Is(err, late) {
		t.Fatalf("%v, %v, want the error of rank 2", all, err)
	}
	for k, r := range ranks {
		if _, err := r.OpenSend(transport.Edge{Peer: 1 - k, ID: 1, Capacity: 8, Slots: 1}); !errors.Is(err, transport.ErrClosed) {
			t.Errorf("rank %d after that: %v, want ErrClosed", k, err)
		}
	}
}
