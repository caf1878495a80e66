package tcp_test

import (
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
	"loopc/runtime/transport/transporttest"
)

// secret is the secret of the runs in these tests.
var secret = auth.NewSecret()

// connectWith returns connected ranks, with configs that change may have changed.
func connectWith(t testing.TB, size int, change func(cfg *tcp.Config)) []transport.Transport {
	t.Helper()
	cfgs, err := tcp.Loopback(size, secret)
	if err != nil {
		t.Fatal(err)
	}
	for k := range cfgs {
		cfgs[k].Connect = 10 * time.Second
		change(&cfgs[k])
	}
	ranks, err := tcp.Together(cfgs, func(cfg tcp.Config) (transport.Transport, error) { return tcp.New(t.Context(), cfg) })
	if err != nil {
		t.Fatal(err)
	}
	return ranks
}

// connect returns connected ranks, in the plainest way.
func connect(t testing.TB, size int) []transport.Transport {
	t.Helper()
	return connectWith(t, size, func(*tcp.Config) {})
}

// connectMAC connects ranks whose frames carry MACs, as they do between hosts.
func connectMAC(t testing.TB, size int) []transport.Transport {
	t.Helper()
	return connectWith(t, size, func(cfg *tcp.Config) { cfg.MAC = auth.MACAlways })
}

// connectTLS connects ranks by TLS, each with a certificate of its own.
func connectTLS(t testing.TB, size int) []transport.Transport {
	t.Helper()
	return connectWith(t, size, func(cfg *tcp.Config) {
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
