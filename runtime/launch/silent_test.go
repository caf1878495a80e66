package launch

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"loopc/runtime/transport/auth"
)

// TestSilentHere requires that ranks and their launcher miss the heartbeats of one another, on one
// host too, where a process may be stopped. It is so after the end of the run, while the launcher
// waits for the processes of the ranks.
func TestSilentHere(t *testing.T) {
	t.Parallel() // it does little but wait
	for _, proceeds := range []bool{false, true} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		secret := auth.NewSecret()
		root, err := Serve(ServeConfig{Listener: listener, Size: 1, Secret: secret, Patience: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		session, err := call(t.Context(), Info{Rank: 0, Size: 1, Root: listener.Addr().String(), Secret: secret}, [32]byte{})
		if err != nil {
			t.Fatal(err)
		}
		defer session.Conn.Close()
		l := newLine(session, time.Second)
		err = l.write(message{Type: toRootHello, Addrs: []string{"127.0.0.1:9"}})
		m := message{Type: beat}
		for err == nil && m.Type == beat {
			m, err = l.read()
		}
		if err != nil || m.Type != toRankStart {
			t.Fatal(m.Type, err)
		}
		if proceeds {
			root.Proceed(nil)
		}
		select {
		case <-root.Failed():
		case <-time.After(20 * time.Second):
			t.Fatalf("a silent rank is not missed; proceeds: %t", proceeds)
		}
		var failure *Failure
		if err := root.Failure(); !errors.As(err, &failure) || !failure.Lost || !strings.Contains(failure.Text, "silent for 3s") {
			t.Errorf("proceeds: %t: %v", proceeds, err)
		}
	}
	here, there := net.Pipe()
	defer there.Close()
	l := newLine(&auth.Session{Conn: here}, time.Second)
	l.guard()
	var silent errSilent
	if _, err := l.read(); !errors.As(err, &silent) {
		t.Errorf("a silent launcher is not missed: %v", err)
	}
}
