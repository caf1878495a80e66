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

// TestFalseRank: a process that answers at rank 0's address without being rank 0 must not be
// believed.
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
