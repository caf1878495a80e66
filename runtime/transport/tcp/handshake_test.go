package tcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/transporttest"
)

// The secrets of this run and of another one.
var sesame, thistle = auth.NewSecret(), auth.NewSecret()

// rank1 returns what rank 1 of 2 is known by, to be changed.
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

// pair calls New for two ranks whose configs change may have changed.
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

// hail presents who id describes to addr, and returns what it is told.
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

// Who answers where rank 0 should be, but is somebody else, is not believed.
func TestFalseRank(t *testing.T) {
	rank0 := func(change func(*auth.Identity)) func(net.Conn) {
		id := rank1(func(id *auth.Identity) { id.Self.Rank = 0; change(id) })
		return func(conn net.Conn) {
			if v, err := id.Answer(conn); err == nil {
				_, _ = v.Welcome()
			}
		}
	}
	for name, c := range map[string]struct {
		answer func(net.Conn)
		want   string
	}{
		"does not know the secret": {rank0(func(id *auth.Identity) { id.Secret = thistle }), "not a process of this run"},
		"is rank 1":                {rank0(func(id *auth.Identity) { id.Self.Rank = 1 }), "rank 1 answered"},
		"runs something else":      {rank0(func(id *auth.Identity) { id.Self.Digest[0] = 1 }), "rank 0 runs another program or plan"},
		"is a launcher":            {rank0(func(id *auth.Identity) { id.Self.Role = auth.Launcher }), "not a rank"},
		"speaks HTTP":              {func(conn net.Conn) { _, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n") }, "not a process of this run"},
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
			c.answer(conn)
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}()
		_, err = New(t.Context(), Config{Rank: 1, Size: 2, Addrs: []string{listener.Addr().String(), ""}, Secret: sesame})
		if !errors.Is(err, transport.ErrHandshake) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want ErrHandshake with %q", name, err, c.want)
		}
		_ = listener.Close()
	}
}

// A peer may begin to listen later than it is called.
func TestLateListener(t *testing.T) {
	addr, err := transporttest.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Size: 2, Addrs: []string{addr, ""}, Secret: sesame, Connect: 10 * time.Second}
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
	if _, err := New(ctx, Config{Rank: 0, Size: 3, Listener: listener, Secret: sesame}); !errors.Is(err, enough) || !strings.Contains(err.Error(), "still waiting for ranks [1 2]") {
		t.Errorf("New under a canceled context: %v", err)
	}
	for k, cfg := range []Config{
		{},
		{Rank: 1, Size: 2, Addrs: []string{listener.Addr().String()}}, // no secret
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
	cfgs, err := Loopback(size, sesame)
	if err != nil {
		t.Fatal(err)
	}
	for k := range size - 1 {
		cfgs[k].Peers, cfgs[k+1].Peers = append(cfgs[k].Peers, k+1), append(cfgs[k+1].Peers, k)
	}
	var all sync.WaitGroup
	for k, cfg := range cfgs {
		all.Go(func() {
			rank, err := New(t.Context(), cfg)
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
	// A machine that is busy may keep rank 1 from coming before rank 0 gives up.
	late := true
	for connect := 200 * time.Millisecond; late && connect < patience; connect *= 4 {
		cfgs, err := Loopback(3, sesame)
		if err != nil {
			t.Fatal(err)
		}
		cfgs[0].Connect, cfgs[1].Connect = connect, 2*patience
		var errs [2]error
		var both sync.WaitGroup
		for k, cfg := range cfgs[:2] {
			both.Go(func() {
				begun := time.Now()
				_, errs[k] = New(t.Context(), cfg)
				if took := time.Since(begun); took > patience+connect {
					t.Errorf("rank %d: it took %v", k, took)
				}
			})
		}
		both.Wait()
		_ = cfgs[2].Listener.Close()
		if late = strings.Contains(errs[0].Error(), "ranks [1 2] did not connect"); late {
			continue
		}
		want := fmt.Sprintf("ranks [2] did not connect within %v", connect)
		for k, err := range errs {
			if !errors.Is(err, transport.ErrGone) || !strings.Contains(err.Error(), want) {
				t.Errorf("rank %d: %v, want %q", k, err, want)
			}
		}
	}
	if late {
		t.Error("rank 1 never came in time")
	}
}

// A rank that calls one that has just given up learns why, as those do that were
// connected: it has not been refused.
func TestPeerGaveUpBefore(t *testing.T) {
	for try := 0; ; try++ {
		err := callTooLate(t)
		if try < 5 && strings.Contains(err.Error(), "did not connect") {
			continue // even later: nobody answers any more
		}
		var giveUp *transport.GiveUp
		if !errors.Is(err, transport.ErrGone) || errors.Is(err, transport.ErrHandshake) || !errors.As(err, &giveUp) || giveUp.Rank != 0 || !strings.Contains(giveUp.Text, "out of tea") {
			t.Errorf("%v, want the reason of rank 0", err)
		}
		return
	}
}

// callTooLate returns the error of rank 2, which calls while rank 0, which has given up,
// waits for rank 1 to take note of that.
func callTooLate(t *testing.T) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addrs := []string{listener.Addr().String(), "", ""}
	ctx, giveUp := context.WithCancelCause(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := New(ctx, Config{Size: 3, Listener: listener, Addrs: addrs, Secret: sesame, Connect: 20 * time.Second}); err == nil {
			t.Error("rank 0 has found all")
		}
	}()
	defer func() { <-ended }()
	conn, err := net.Dial("tcp", addrs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := rank1(func(id *auth.Identity) { id.Self.Size = 3 }).Call(conn); err != nil {
		t.Fatal(err)
	}
	giveUp(errors.New("out of tea"))
	if n, err := conn.Read(make([]byte, 1)); n == 0 { // of why it gives up
		t.Fatal(err)
	}
	late, err := New(t.Context(), Config{Rank: 2, Size: 3, Peers: []int{0}, Addrs: addrs, Secret: sesame, Connect: time.Second})
	if err != nil {
		return err
	}
	defer func() { _ = late.Close(errors.New("nothing to do")) }()
	edge, err := late.OpenRecv(transport.Edge{Peer: 0, ID: 1, Capacity: 8, Slots: 1})
	if err == nil {
		_, err = edge.Arrived(t.Context())
	}
	if err == nil {
		t.Fatal("a face from who has given up")
	}
	return err
}
