package tcp

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// The secrets of this run and of another one.
var sesame, thistle = auth.NewSecret(), auth.NewSecret()

// rank1 returns the identity of rank 1 of 2, after a call of change, if change is not nil.
func rank1(change func(*auth.Identity)) *auth.Identity {
	id := &auth.Identity{Service: service, Secret: sesame, Self: auth.Party{Role: auth.Rank, Rank: 1, Size: 2}}
	if change != nil {
		change(id)
	}
	return id
}

// patience is for how long the ranks of pair wait for one another: far longer than
// they need, even on a machine that is busy.
const patience = 20 * time.Second

// pair calls change with the config of each of two ranks, and New with what change leaves. It closes the
// ranks, and returns what New returned.
func pair(t *testing.T, change func(rank int, cfg *Config)) (ranks [2]transport.Transport, errs [2]error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for k := range 2 {
		cfg := Config{Rank: k, Size: 2, Addrs: []string{listener.Addr().String(), ""}, Secret: sesame, Connect: patience}
		if k == 0 {
			cfg.Listener = listener
		}
		change(k, &cfg)
		both.Go(func() { ranks[k], errs[k] = New(t.Context(), cfg) })
	}
	both.Wait()
	for _, r := range ranks {
		if r != nil {
			_ = r.Close(errors.New("not expected"))
		}
	}
	return ranks, errs
}

// TestHandshakeRefused: ranks that do not fit refuse each other. Both must name the difference,
// before their time limit.
func TestHandshakeRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(cfg *Config) // of rank 1
		want   string
	}{
		"digest": {func(cfg *Config) { cfg.Digest[31] = 1 }, "rank 1 runs another program or plan than rank 0"},
		"size":   {func(cfg *Config) { cfg.Size, cfg.Peers = 3, []int{0} }, "rank 1 counts 3 ranks, rank 0 counts 2"},
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			_, errs := pair(t, func(rank int, cfg *Config) {
				if rank == 1 {
					c.change(cfg)
				}
			})
			for k, err := range errs {
				if !errors.Is(err, transport.ErrHandshake) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("rank %d: %v, want ErrHandshake with %q", k, err, c.want)
				}
			}
			if took := time.Since(begun); took > patience/2 {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A rank of another run is a stranger: it is told so, and the run that it came
// to goes on waiting for its own.
func TestHandshakeOtherJob(t *testing.T) {
	var errs [2]error
	// A machine that is busy may keep rank 1 from coming in time.
	for connect := 300 * time.Millisecond; connect < patience; connect *= 4 {
		_, errs = pair(t, func(rank int, cfg *Config) {
			cfg.Connect = connect
			if rank == 1 {
				cfg.Secret = thistle
			}
		})
		if want := fmt.Sprintf("ranks [1] did not connect within %v", connect); !errors.Is(errs[0], transport.ErrGone) || !strings.Contains(errs[0].Error(), want) {
			t.Errorf("rank 0: %v", errs[0])
		}
		if errors.Is(errs[1], transport.ErrHandshake) {
			break
		}
	}
	if !errors.Is(errs[1], transport.ErrHandshake) || !strings.Contains(errs[1].Error(), "not a process of this run") {
		t.Errorf("rank 1: %v", errs[1])
	}
}

// hail connects to addr as the rank that id describes, and returns the answer.
func hail(t *testing.T, addr string, id *auth.Identity) error {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	_, err = id.Call(conn)
	return err
}

// Strangers of all kinds, and ranks that are not expected, come before and during
// a run; it does not notice.
func TestStrangers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	digest := [32]byte{7}
	visitor := func(change func(*auth.Identity)) *auth.Identity {
		return rank1(func(id *auth.Identity) { id.Self.Digest = digest; change(id) })
	}
	strangers := map[string]struct {
		who  *auth.Identity
		want string
	}{
		"secret":     {visitor(func(id *auth.Identity) { id.Secret = thistle }), "not a process of this run"},
		"service":    {visitor(func(id *auth.Identity) { id.Service = "shm" }), "not a process of this run"},
		"rank again": {visitor(func(*auth.Identity) {}), "rank 1 is connected already"},
		"rank 0":     {visitor(func(id *auth.Identity) { id.Self.Rank = 0 }), "rank 0 is not a peer of rank 0"},
		"rank 7":     {visitor(func(id *auth.Identity) { id.Self.Rank = 7 }), "not a process of this run"},
		"launcher":   {visitor(func(id *auth.Identity) { id.Self.Role = auth.Launcher }), "not a rank"},
		"size":       {visitor(func(id *auth.Identity) { id.Self.Size = 3 }), "rank 1 counts 3 ranks, rank 0 counts 2"},
		"goarch":     {visitor(func(id *auth.Identity) { id.Self.Arch = "pdp11" }), "rank 1 runs on pdp11"},
	}
	early := []string{"secret", "service", "rank 7"}

	// Silent ones, more than are tolerated at a time.
	for range 100 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	var ranks [2]transport.Transport
	var errs [2]error
	var both sync.WaitGroup
	cfg := Config{Size: 2, Addrs: []string{addr, ""}, Secret: sesame, Digest: digest}
	both.Go(func() {
		cfg := cfg
		cfg.Listener = listener
		ranks[0], errs[0] = New(t.Context(), cfg)
	})
	for _, name := range early {
		if err := hail(t, addr, strangers[name].who); err == nil || !strings.Contains(err.Error(), strangers[name].want) {
			t.Errorf("%s, early: told %v, want %q", name, err, strangers[name].want)
		}
	}
	both.Go(func() {
		cfg := cfg
		cfg.Rank = 1
		ranks[1], errs[1] = New(t.Context(), cfg)
	})
	both.Wait()
	for k, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", k, err)
		}
	}
	send, err := ranks[1].OpenSend(transport.Edge{Peer: 0, ID: 1, Capacity: 8, Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	recv, err := ranks[0].OpenRecv(transport.Edge{Peer: 1, ID: 1, Capacity: 8, Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range strangers {
		if err := hail(t, addr, s.who); err == nil || !strings.Contains(err.Error(), s.want) {
			t.Errorf("%s: told %v, want %q", name, err, s.want)
		}
		slot, err := send.Acquire(t.Context())
		if err != nil {
			t.Fatalf("after %s: %v", name, err)
		}
		if err := send.Post(copy(slot, name)); err != nil {
			t.Fatalf("after %s: %v", name, err)
		}
		if err := ranks[1].Flush(); err != nil {
			t.Fatalf("after %s: %v", name, err)
		}
		face, err := recv.Arrived(t.Context())
		if err != nil || string(face) != name[:min(8, len(name))] {
			t.Fatalf("after %s: got %q, %v", name, face, err)
		}
		if err := recv.Release(); err != nil {
			t.Fatal(err)
		}
	}
	both.Go(func() { errs[0] = ranks[0].Close(nil) })
	errs[1] = ranks[1].Close(nil)
	both.Wait()
	if errs[0] != nil || errs[1] != nil {
		t.Errorf("Close: %v, %v", errs[0], errs[1])
	}
}
