package shm_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/shm"
	"loopc/runtime/transport/tcp"
	"loopc/runtime/transport/transporttest"
)

// connectOver returns connected ranks. Ranks for which local holds can be reached through shared
// memory.
func connectOver(t testing.TB, size int, local func(rank int) bool) []transport.Transport {
	t.Helper()
	secret := auth.NewSecret()
	cfgs, err := tcp.Loopback(size, secret)
	if err != nil {
		t.Fatal(err)
	}
	for k := range cfgs {
		if local(k) {
			if cfgs[k].Local, err = shm.Listen(k, secret); err != nil {
				t.Fatal(err)
			}
		}
	}
	ranks, err := tcp.Together(cfgs, func(cfg tcp.Config) (transport.Transport, error) {
		cfg.Connect = 10 * time.Second
		return tcp.New(t.Context(), cfg)
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, r := range ranks {
		for peer := range size {
			want := "tcp"
			if local(k) && local(peer) {
				want = "shm"
			}
			if got := r.(transport.Carrier).Carrier(peer); peer != k && got != want {
				t.Fatalf("rank %d reaches rank %d by %s, want %s", k, peer, got, want)
			}
		}
	}
	return ranks
}

// connect returns ranks that share a host.
func connect(t testing.TB, size int) []transport.Transport {
	return connectOver(t, size, func(int) bool { return true })
}

func TestConformance(t *testing.T) { transporttest.Run(t, connect) }

// TestConformanceMixed: a mesh with rank 1 on another host keeps the same contract.
func TestConformanceMixed(t *testing.T) {
	transporttest.Run(t, func(t testing.TB, size int) []transport.Transport {
		return connectOver(t, size, func(rank int) bool { return rank != 1 })
	})
}

// BenchmarkSHM and BenchmarkTCP measure the same with the same ranks.
func BenchmarkSHM(b *testing.B) { transporttest.Benchmark(b, connect) }

func BenchmarkTCP(b *testing.B) {
	transporttest.Benchmark(b, func(t testing.TB, size int) []transport.Transport {
		return connectOver(t, size, func(int) bool { return false })
	})
}

// otherEnv makes the test binary rank 1 of a run. Its value says what rank 1 does, and has the
// secret and the address of rank 0.
const otherEnv = "LOOPC_SHM_TEST_OTHER"

func TestMain(m *testing.M) {
	if text := os.Getenv(otherEnv); text != "" {
		words := strings.Fields(text)
		if err := beOther(words[0], words[1], words[2]); err != nil {
			os.Stderr.WriteString("rank 1: " + err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// What rank 1 does as a process of its own.
const (
	isVictim     = "victim"      // sends a face and sleeps until it is killed
	measuresSHM  = "measure-shm" // see transporttest.Measure
	measuresTCP  = "measure-tcp"
	measureLimit = time.Minute
)

// beOther is rank 1.
func beOther(what, text, addr string) error {
	secret, err := auth.ParseSecret(text)
	if err != nil {
		return err
	}
	cfg := tcp.Config{Rank: 1, Size: 2, Addrs: []string{addr}, Secret: secret}
	if what != measuresTCP {
		if cfg.Local, err = shm.Listen(1, secret); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), measureLimit)
	defer cancel()
	rank, err := tcp.New(ctx, cfg)
	if err != nil {
		return err
	}
	if what == isVictim {
		return beVictim(rank)
	}
	_, err = transporttest.Measure(ctx, rank)
	return errors.Join(err, rank.Close(err))
}

// startOther starts rank 1 as a process of its own, and returns rank 0.
func startOther(t testing.TB, what string) (rank transport.Transport, local tcp.Local, other *exec.Cmd) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := tcp.Config{Rank: 0, Size: 2, Listener: listener, Secret: auth.NewSecret()}
	want := "tcp"
	if what != measuresTCP {
		if cfg.Local, err = shm.Listen(0, cfg.Secret); err != nil {
			t.Fatal(err)
		}
		want = "shm"
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other = exec.CommandContext(t.Context(), self)
	other.Env = append(os.Environ(), otherEnv+"="+what+" "+cfg.Secret.Text()+" "+listener.Addr().String())
	other.Stderr = os.Stderr
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if rank, err = tcp.New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if by := rank.(transport.Carrier).Carrier(1); by != want {
		t.Fatalf("the other process is reached by %s, want %s", by, want)
	}
	return rank, cfg.Local, other
}

// measure returns what two processes measure.
func measure(t testing.TB, what string) transporttest.Figures {
	t.Helper()
	rank, _, other := startOther(t, what)
	ctx, cancel := context.WithTimeout(t.Context(), measureLimit)
	defer cancel()
	found, err := transporttest.Measure(ctx, rank)
	if err := errors.Join(err, rank.Close(err), other.Wait()); err != nil {
		t.Fatal(err)
	}
	return found
}

// BenchmarkPair has two processes measure both ways, in turn, and reports the best of
// each. It fails unless half a round trip over shared memory takes a small fraction of
// that over TCP, as it does for two processes that spin on a word of shared memory.
func BenchmarkPair(b *testing.B) {
	best := map[string]transporttest.Figures{measuresSHM: {}, measuresTCP: {}}
	for b.Loop() {
		for what, figures := range best {
			figures.Better(measure(b, what))
		}
	}
	for what, figures := range best {
		for name, value := range figures {
			b.ReportMetric(value, strings.TrimPrefix(what, "measure-")+"-"+name)
		}
	}
	b.ReportMetric(0, "ns/op")
	ours, tcp := best[measuresSHM][transporttest.HalfTrip], best[measuresTCP][transporttest.HalfTrip]
	if limit := 1.5 * tcp * 0.22 / 5.2; ours > limit {
		b.Errorf("half a round trip takes %.2f µs, over TCP %.2f: more than %.2f", ours, tcp, limit)
	}
}

// victimSlots and victimBytes are the edge from the victim.
const victimSlots, victimBytes = 3, 1 << 20

// beVictim sends one face and then sleeps until it is killed.
func beVictim(rank transport.Transport) error {
	send, err := rank.OpenSend(transport.Edge{Peer: 0, ID: 5, Capacity: victimBytes, Slots: victimSlots})
	if err != nil {
		return err
	}
	slot, err := send.Acquire(context.Background())
	if err != nil {
		return err
	}
	copy(slot, "alive")
	if err := send.Post(5); err != nil {
		return err
	}
	time.Sleep(time.Minute)
	return errors.New("nobody killed it")
}

// TestKilledPeer kills a rank in another process with a face on the way and
// another awaited: who waits learns it at once, and nothing is left in the
// system.
func TestKilledPeer(t *testing.T) {
	before := sharedFiles(t)
	rank, local, victim := startOther(t, isVictim)
	recv, err := rank.OpenRecv(transport.Edge{Peer: 1, ID: 5, Capacity: victimBytes, Slots: victimSlots})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), measureLimit)
	defer cancel()
	face, err := recv.Arrived(ctx)
	if err != nil || string(face) != "alive" {
		t.Fatalf("first face: %q, %v", face, err)
	}
	killed := make(chan time.Time, 1)
	time.AfterFunc(100*time.Millisecond, func() {
		killed <- time.Now()
		_ = victim.Process.Kill()
	})
	_, err = recv.Arrived(ctx)
	took := time.Since(<-killed)
	var e *transport.Error
	if !errors.Is(err, transport.ErrGone) || !errors.As(err, &e) || e.Rank != 0 || e.Peer != 1 || e.Edge != 5 {
		t.Errorf("waiting for a killed rank: %v, want ErrGone with ranks and edge", err)
	}
	if took > 5*time.Second { // it takes milliseconds where CPUs are free
		t.Errorf("the death of a rank took %v to be noticed", took)
	}
	_ = victim.Wait() // it was killed
	if string(face) != "alive" {
		t.Errorf("the face of a killed rank has become %q", face)
	}
	if err := rank.Close(nil); !errors.Is(err, transport.ErrGone) {
		t.Errorf("Close: %v, want ErrGone", err)
	}
	if after := sharedFiles(t); after > before {
		t.Errorf("%d files are left in /dev/shm", after-before)
	}
	sockets, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	if name := local.Listener().Addr().String(); strings.Contains(string(sockets), name) {
		t.Errorf("socket %s is left", name)
	}
}

// sharedFiles counts what lies in /dev/shm with our name, other than the folders of
// tests that run meanwhile.
func sharedFiles(t *testing.T) int {
	entries, err := os.ReadDir("/dev/shm")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if strings.Contains(e.Name(), "loopc") && !strings.HasPrefix(e.Name(), "loopc-test-") {
			n++
		}
	}
	return n
}

// TestDescriptors opens and closes many edges: no descriptor is left open.
func TestDescriptors(t *testing.T) {
	count := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(fds)
	}
	before := count()
	ranks := connect(t, 2)
	for id := range 300 {
		for from := range ranks {
			if _, err := ranks[from].OpenRecv(transport.Edge{Peer: 1 - from, ID: id, Capacity: 8, Slots: 1}); err != nil {
				t.Fatal(err)
			}
			if id%3 > 0 { // some that the other side never opens
				if _, err := ranks[1-from].OpenSend(transport.Edge{Peer: from, ID: id, Capacity: 8, Slots: 1}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	var both sync.WaitGroup
	for _, r := range ranks {
		both.Go(func() {
			if err := r.Close(nil); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if after := count(); after > before+2 { // the poller's own may have come
		t.Errorf("%s descriptors open, %d before", strconv.Itoa(after), before)
	}
}
