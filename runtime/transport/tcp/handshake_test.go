package tcp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// pair calls New for two ranks whose configs change may have changed.
func pair(t *testing.T, change func(rank int, cfg *Config)) (ranks [2]transport.Transport, errs [2]error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for k := range 2 {
		cfg := Config{Rank: k, Size: 2, Addrs: []string{listener.Addr().String(), ""}, Job: "sesame", Connect: 2 * time.Second}
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

// Ranks that do not fit refuse each other, both say what is different, and
// neither waits for its time to be up.
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
			if took := time.Since(begun); took > 1900*time.Millisecond { // New would wait 2 s
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A rank of another run is a stranger: it is told so, and the run that it came
// to goes on waiting for its own.
func TestHandshakeOtherJob(t *testing.T) {
	_, errs := pair(t, func(rank int, cfg *Config) {
		cfg.Connect = 300 * time.Millisecond
		if rank == 1 {
			cfg.Job = "thistle"
		}
	})
	if !errors.Is(errs[1], transport.ErrHandshake) || !strings.Contains(errs[1].Error(), "not a rank of this run") {
		t.Errorf("rank 1: %v", errs[1])
	}
	if !errors.Is(errs[0], transport.ErrGone) || !strings.Contains(errs[0].Error(), "ranks [1] did not connect within 300ms") {
		t.Errorf("rank 0: %v", errs[0])
	}
}

// say sends b to addr and returns all that comes back.
func say(t *testing.T, addr string, b []byte) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil && !strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
	return string(answer)
}

// Strangers of all kinds come before and during a run; it does not notice.
func TestStrangers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	digest := [32]byte{7}
	otherArch := newHello(1, 2, "sesame", digest)
	otherArch.arch = "pdp11"
	otherVersion := newHello(1, 2, "sesame", digest).append(nil)
	binary.LittleEndian.PutUint16(otherVersion[8:], 99)
	strangers := map[string]struct {
		bytes []byte
		want  string
	}{
		"http":       {[]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n" + strings.Repeat("x", helloBytes)), ""},
		"job":        {newHello(1, 2, "thistle", digest).append(nil), "not a rank of this run"},
		"rank again": {newHello(1, 2, "sesame", digest).append(nil), "rank 1 is connected already"},
		"rank 0":     {newHello(0, 2, "sesame", digest).append(nil), "rank 0 is not a peer of rank 0"},
		"rank 7":     {newHello(7, 2, "sesame", digest).append(nil), "rank 7 is not a peer"},
		"version":    {otherVersion, "speaks another version of the protocol: 99, not 1"},
		"goarch":     {otherArch.append(nil), "rank 1 runs on pdp11"},
	}
	early := []string{"http", "job", "rank 7", "version"}

	// Silent ones, more than are tolerated at a time.
	for range 60 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	var ranks [2]transport.Transport
	var errs [2]error
	var both sync.WaitGroup
	cfg := Config{Size: 2, Addrs: []string{addr, ""}, Job: "sesame", Digest: digest}
	both.Go(func() {
		cfg := cfg
		cfg.Listener = listener
		ranks[0], errs[0] = New(t.Context(), cfg)
	})
	for _, name := range early {
		if got := say(t, addr, strangers[name].bytes); !strings.Contains(got, strangers[name].want) {
			t.Errorf("%s, early: told %q, want %q", name, got, strangers[name].want)
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
		if got := say(t, addr, s.bytes); !strings.Contains(got, s.want) {
			t.Errorf("%s: told %q, want %q", name, got, s.want)
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

// Who answers where rank 0 should be, but does not know the token, is not
// believed.
func TestFalseRank(t *testing.T) {
	for name, answer := range map[string][]byte{
		"does not know the token": appendAnswer(nil, "", newHello(0, 2, "thistle", [32]byte{})),
		"speaks HTTP":             []byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write(answer)
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}()
		_, err = New(t.Context(), Config{Rank: 1, Size: 2, Addrs: []string{listener.Addr().String(), ""}, Job: "sesame"})
		if !errors.Is(err, transport.ErrHandshake) || !strings.Contains(err.Error(), "not a rank of this run") {
			t.Errorf("%s: %v", name, err)
		}
		_ = listener.Close()
	}
}

// A peer may begin to listen later than it is called.
func TestLateListener(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close()
	cfg := Config{Size: 2, Addrs: []string{addr, ""}, Job: "sesame", Connect: 10 * time.Second}
	var both sync.WaitGroup
	both.Go(func() {
		cfg := cfg
		cfg.Rank = 1
		rank, err := New(t.Context(), cfg)
		if err == nil {
			err = rank.Close(nil)
		}
		if err != nil {
			t.Error(err)
		}
	})
	time.Sleep(150 * time.Millisecond)
	late, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	first := cfg
	first.Listener = late
	rank, err := New(t.Context(), first)
	if err == nil {
		err = rank.Close(nil)
	}
	if err != nil {
		t.Error(err)
	}
	both.Wait()
}

// New ends with its context, and a wrong config is an error at once.
func TestNewErrors(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(enough) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(ctx, Config{Rank: 0, Size: 3, Listener: listener}); !errors.Is(err, enough) || !strings.Contains(err.Error(), "still waiting for ranks [1 2]") {
		t.Errorf("New under a canceled context: %v", err)
	}
	for k, cfg := range []Config{
		{},
		{Rank: 2, Size: 2},
		{Rank: -1, Size: 2},
		{Rank: 1, Size: 2},
		{Rank: 0, Size: 2},
		{Rank: 0, Size: 2, Peers: []int{0}},
		{Rank: 0, Size: 2, Peers: []int{5}},
	} {
		if _, err := New(t.Context(), cfg); err == nil {
			t.Errorf("config %d was accepted", k)
		}
	}
	alone, err := New(t.Context(), Config{Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := alone.Close(nil); err != nil {
		t.Error(err)
	}
}

// Only named peers are connected; an edge to another is refused.
func TestPeers(t *testing.T) {
	const size = 4 // a line of ranks
	var listeners [size]net.Listener
	var addrs []string
	for k := range listeners {
		var err error
		if listeners[k], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		addrs = append(addrs, listeners[k].Addr().String())
	}
	var all sync.WaitGroup
	for k := range size {
		all.Go(func() {
			var peers []int
			if k > 0 {
				peers = append(peers, k-1)
			}
			if k < size-1 {
				peers = append(peers, k+1)
			}
			rank, err := New(t.Context(), Config{Rank: k, Size: size, Listener: listeners[k], Addrs: addrs, Peers: peers})
			if err != nil {
				t.Errorf("rank %d: %v", k, err)
				return
			}
			far := (k + 2) % size
			_, err = rank.OpenSend(transport.Edge{Peer: far, ID: 0, Capacity: 1, Slots: 1})
			if want := fmt.Sprintf("rank %d is not among the peers", far); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("rank %d: %v, want %q", k, err, want)
			}
			if err := rank.Close(nil); err != nil {
				t.Errorf("rank %d: %v", k, err)
			}
		})
	}
	all.Wait()
}

// A rank whose peer gives up while it still waits for others does not go on
// waiting.
func TestPeerGivesUpDuringNew(t *testing.T) {
	var listeners [3]net.Listener
	var addrs []string
	for k := range listeners {
		var err error
		if listeners[k], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		addrs = append(addrs, listeners[k].Addr().String())
	}
	defer listeners[2].Close()
	var both sync.WaitGroup
	for k, connect := range []time.Duration{200 * time.Millisecond, 20 * time.Second} {
		both.Go(func() {
			begun := time.Now()
			_, err := New(t.Context(), Config{Rank: k, Size: 3, Listener: listeners[k], Addrs: addrs, Connect: connect})
			if !errors.Is(err, transport.ErrGone) || !strings.Contains(err.Error(), "ranks [2] did not connect within 200ms") {
				t.Errorf("rank %d: %v", k, err)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("rank %d: it took %v", k, took)
			}
		})
	}
	both.Wait()
}
