package transport_test

import (
	"testing"

	"loopc/runtime/transport"
	"loopc/runtime/transport/transporttest"
)

func BenchmarkRing(b *testing.B) {
	transporttest.BenchmarkLink(b, func(_ *testing.B, _ bool, capacity, slots int) (transport.SendEdge, transport.RecvEdge, func() error) {
		_, sender, receiver := ends(capacity, slots)
		return sender, receiver, func() error { return nil }
	})
}
