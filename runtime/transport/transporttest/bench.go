package transporttest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// Link opens an edge in a benchmark. It returns its two ends, and the Flush of the sender's
// transport.
type Link func(b *testing.B, forward bool, capacity, slots int) (transport.SendEdge, transport.RecvEdge, func() error)

// Benchmark measures half a round trip of 8 bytes, and the bandwidth of faces of 64 KiB and
// 1 MiB with at most 4 unreleased faces.
func Benchmark(b *testing.B, connect Connect) {
	ranks := connect(b, 2)
	defer func() {
		var all sync.WaitGroup
		for _, r := range ranks {
			all.Go(func() {
				if err := r.Close(nil); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
	}()
	var id int
	BenchmarkLink(b, func(b *testing.B, forward bool, capacity, slots int) (transport.SendEdge, transport.RecvEdge, func() error) {
		from, to := 0, 1
		if !forward {
			from, to = to, from
		}
		id++
		send, err := ranks[from].OpenSend(transport.Edge{Peer: to, ID: id, Capacity: capacity, Slots: slots})
		if err != nil {
			b.Fatal(err)
		}
		recv, err := ranks[to].OpenRecv(transport.Edge{Peer: from, ID: id, Capacity: capacity, Slots: slots})
		if err != nil {
			b.Fatal(err)
		}
		return send, recv, ranks[from].Flush
	})
}

// BenchmarkLink does what Benchmark does, for edges that link opens.
func BenchmarkLink(b *testing.B, link Link) {
	b.Run("half-round-trip-8B", func(b *testing.B) { pingPong(b, link) })
	for _, n := range []int{64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("bandwidth-%dKiB", n>>10), func(b *testing.B) { stream(b, link, n) })
	}
}

// must ends a benchmark's goroutine on an error.
func must(b *testing.B, err error) {
	if err != nil {
		b.Error(err)
		panic(err)
	}
}

// pingPong sends a face of 8 bytes back and forth.
func pingPong(b *testing.B, link Link) {
	ctx := context.Background()
	there, atPeer, flushThere := link(b, true, 8, 2)
	back, atHome, flushBack := link(b, false, 8, 2)
	pass := func(send transport.SendEdge, flush func() error) {
		_, err := send.Acquire(ctx)
		must(b, err)
		must(b, send.Post(8))
		must(b, flush())
	}
	take := func(recv transport.RecvEdge) {
		_, err := recv.Arrived(ctx)
		must(b, err)
		must(b, recv.Release())
	}
	var peer sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	n := b.N
	peer.Go(func() {
		for range n {
			take(atPeer)
			pass(back, flushBack)
		}
	})
	begun := time.Now()
	for range n {
		pass(there, flushThere)
		take(atHome)
	}
	b.ReportMetric(float64(time.Since(begun).Microseconds())/float64(2*n), "us/half")
	peer.Wait()
}

// stream sends faces of n bytes one way. Each side touches each face once, as packing and
// unpacking would.
func stream(b *testing.B, link Link, n int) {
	ctx := context.Background()
	send, recv, flush := link(b, true, n, 4)
	source, sink := make([]byte, n), make([]byte, n)
	var peer sync.WaitGroup
	b.SetBytes(int64(n))
	b.ReportAllocs()
	b.ResetTimer()
	faces := b.N
	peer.Go(func() {
		for range faces {
			face, err := recv.Arrived(ctx)
			must(b, err)
			copy(sink, face)
			must(b, recv.Release())
		}
	})
	for range faces {
		slot, err := send.Acquire(ctx)
		must(b, err)
		copy(slot, source)
		must(b, send.Post(n))
		must(b, flush())
	}
	peer.Wait()
}
