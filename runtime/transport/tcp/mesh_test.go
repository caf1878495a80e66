package tcp_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
	"loopc/runtime/transport/transporttest"
)

// secret is that of the runs of these tests.
var secret = auth.NewSecret()

// listen returns size listeners on the loopback device and their addresses.
func listen(t testing.TB, size int) (listeners []net.Listener, addrs []string) {
	t.Helper()
	for range size {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
		addrs = append(addrs, l.Addr().String())
	}
	return listeners, addrs
}

// dialAll calls New for every rank at once, with configs that change may have
// changed, and returns what each got.
func dialAll(t testing.TB, size int, change func(rank int, cfg *tcp.Config)) ([]transport.Transport, []error) {
	t.Helper()
	listeners, addrs := listen(t, size)
	ranks := make([]transport.Transport, size)
	errs := make([]error, size)
	var all sync.WaitGroup
	for k := range size {
		cfg := tcp.Config{Rank: k, Size: size, Listener: listeners[k], Addrs: addrs, Secret: secret, Connect: 10 * time.Second}
		change(k, &cfg)
		all.Go(func() { ranks[k], errs[k] = tcp.New(t.Context(), cfg) })
	}
	all.Wait()
	return ranks, errs
}

// connectWith returns connected ranks.
func connectWith(t testing.TB, size int, change func(rank int, cfg *tcp.Config)) []transport.Transport {
	t.Helper()
	ranks, errs := dialAll(t, size, change)
	for k, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", k, err)
		}
	}
	return ranks
}

// connect returns connected ranks, in the plainest way.
func connect(t testing.TB, size int) []transport.Transport {
	t.Helper()
	return connectWith(t, size, func(int, *tcp.Config) {})
}

// connectMAC connects ranks whose frames carry MACs, as they do between hosts.
func connectMAC(t testing.TB, size int) []transport.Transport {
	t.Helper()
	return connectWith(t, size, func(_ int, cfg *tcp.Config) { cfg.MAC = auth.MACAlways })
}

// connectTLS connects ranks by TLS, each with a certificate of its own.
func connectTLS(t testing.TB, size int) []transport.Transport {
	t.Helper()
	return connectWith(t, size, func(_ int, cfg *tcp.Config) {
		var err error
		if cfg.TLS, err = auth.SelfSigned(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestConformance(t *testing.T)    { transporttest.Run(t, connect) }
func TestConformanceMAC(t *testing.T) { transporttest.Run(t, connectMAC) }
func TestConformanceTLS(t *testing.T) { transporttest.Run(t, connectTLS) }

func BenchmarkTCP(b *testing.B) { transporttest.Benchmark(b, connect) }
func BenchmarkMAC(b *testing.B) { transporttest.Benchmark(b, connectMAC) }
func BenchmarkTLS(b *testing.B) { transporttest.Benchmark(b, connectTLS) }
