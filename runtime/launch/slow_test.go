package launch

import (
	"net"
	"testing"
	"time"

	"loopc/runtime/transport/auth"
)

// TestJoinSlowly: a rank that was admitted, and then gets no CPU for longer than the time limit of
// strangers, registers nevertheless, without another attempt.
func TestJoinSlowly(t *testing.T) {
	t.Parallel() // it does little but wait
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	secret := auth.NewSecret()
	root, err := Serve(ServeConfig{Listener: listener, Size: 1, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	session, err := call(t.Context(), Info{Rank: 0, Size: 1, Root: listener.Addr().String(), Secret: secret}, [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Conn.Close()
	time.Sleep(2300 * time.Millisecond)
	l := newLine(session, 0)
	err = l.write(message{Type: toRootHello, Addrs: []string{"127.0.0.1:9"}})
	m := message{Type: beat}
	for err == nil && m.Type == beat {
		m, err = l.read()
	}
	if err != nil || m.Type != toRankStart {
		t.Errorf("%q, %v", m.Type, err)
	}
}
