package shm_test

import (
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/shm"
	"loopc/runtime/transport/tcp"
)

// TestStrangers: strangers who have found out the name of a rank's socket connect to it before the
// peer does. One says nothing, one sends something else, one passes a descriptor, one is a rank of
// another run. None may be let in or taken for the peer, and the ranks must still share memory.
func TestStrangers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	secret := auth.NewSecret()
	local, err := shm.Listen(0, secret)
	if err != nil {
		t.Fatal(err)
	}
	name := local.Listener().Addr().String()
	var ranks [2]transport.Transport
	var joining sync.WaitGroup
	joining.Go(func() {
		rank, err := tcp.New(t.Context(), tcp.Config{Rank: 0, Size: 2, Listener: listener, Secret: secret, Local: local})
		if err != nil {
			t.Errorf("rank 0: %v", err)
			return
		}
		ranks[0] = rank
	})
	call := func() *net.UnixConn {
		c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: name, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		return c
	}
	call() // says nothing
	other := call()
	if _, err := other.Write([]byte("GET / HTTP/1.1\r\n\r\nand then so much more that it is longer than what a rank says first, whoever it may be that listens here")); err != nil {
		t.Fatal(err)
	}
	generous := call()
	if _, _, err := generous.WriteMsgUnix(make([]byte, 64), syscall.UnixRights(0), nil); err != nil {
		t.Fatal(err)
	}
	identity := &auth.Identity{Service: "tcp", Secret: auth.NewSecret(), Self: auth.Party{Role: auth.Rank, Rank: 1, Size: 2}}
	if _, err := identity.Call(call()); err == nil || !strings.Contains(err.Error(), auth.ErrStranger.Error()) {
		t.Errorf("a rank of another run is told %v, want ErrStranger", err)
	}

	mine, err := shm.Listen(1, secret)
	if err != nil {
		t.Fatal(err)
	}
	if ranks[1], err = tcp.New(t.Context(), tcp.Config{Rank: 1, Size: 2, Addrs: []string{listener.Addr().String()}, Secret: secret, Local: mine}); err != nil {
		t.Fatal(err)
	}
	joining.Wait()
	if t.Failed() {
		return
	}
	if by := ranks[1].(transport.Carrier).Carrier(0); by != "shm" {
		t.Errorf("the ranks talk by %s", by)
	}
	var closing sync.WaitGroup
	for _, r := range ranks {
		closing.Go(func() {
			if err := r.Close(nil); err != nil {
				t.Error(err)
			}
		})
	}
	closing.Wait()
}
