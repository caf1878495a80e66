package rma

import (
	"testing"

	"loopc/runtime/transport"
	"loopc/runtime/transport/transporttest"
)

// TestConformance holds the contract over a made-up network: over a quiet one, and
// over one with every accident that libfabric may have, with faces in many pieces.
func TestConformance(t *testing.T) {
	for name, wild := range map[string]bool{"quiet": false, "wild": true} {
		t.Run(name, func(t *testing.T) {
			transporttest.Run(t, func(t testing.TB, size int) []transport.Transport {
				n := newNetwork(uint64(size))
				if wild {
					n.limit, n.refuse, n.mixed = 1000, 0.2, true
				}
				return connectOn(t, n, size)
			})
		})
	}
}
