package auth

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// opened returns a door that lets everybody in who belongs to the run, its
// address, and how to shut it, which returns what was logged.
func opened(t *testing.T) (addr string, shut func() string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, answerer := identities()
	var log bytes.Buffer
	door := NewDoor(answerer, listener, slog.New(slog.NewTextHandler(&log, nil)), func(v *Visit) {
		if _, err := v.Welcome(); err != nil {
			t.Error(err)
		}
		_ = v.Conn.Close()
	})
	served := make(chan struct{})
	go func() { door.Serve(); close(served) }()
	return listener.Addr().String(), func() string {
		door.Shut()
		door.Shut() // twice does not matter
		<-served
		return log.String()
	}
}

// visit calls at a door as a process of the run.
func visit(addr string) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	caller, _ := identities()
	_, err = caller.Call(conn)
	return err
}

// A port scan, who talks nonsense, and who does not know the secret are refused,
// and logged once for each kind, however many they are.
func TestDoorRefuses(t *testing.T) {
	addr, shut := opened(t)
	scan := func(say string) {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(conn, say) // it may be thrown out before it is through
		if say != "" {
			if answer, err := io.ReadAll(conn); err == nil && len(answer) > 0 {
				t.Errorf("%q was told %q", say, answer)
			}
		}
	}
	const times = 20
	for range times {
		scan("")
		scan("GET / HTTP/1.1\r\n\r\n")
		scan(strings.Repeat("\x00", 1<<16))
		if err := visit(addr); err != nil {
			t.Errorf("a process of the run: %v", err)
		}
	}
	log := shut()
	for _, kind := range []string{"closed", "stranger"} {
		if n := strings.Count(log, `msg="refused a connection" kind=`+kind); n != 1 {
			t.Errorf("%d lines of kind %s, want 1:\n%s", n, kind, log)
		}
		if want := `msg="refused more connections" kind=` + kind; !strings.Contains(log, want) {
			t.Errorf("nothing says how many more there were:\n%s", log)
		}
	}
	if err := visit(addr); err == nil {
		t.Error("a door that is shut lets somebody in")
	}
}

// A connection that says nothing, or half of what it should, has 2 s.
func TestDoorTime(t *testing.T) {
	t.Parallel() // it does little but wait
	addr, shut := opened(t)
	defer shut()
	caller, _ := identities()
	var all sync.WaitGroup
	for _, bytes := range []int{0, 20, greetingBytes, greetingBytes + 50} {
		all.Go(func() {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			began := time.Now()
			talk := &talk{id: caller, conn: &script{r: nil}}
			_ = talk.greet(sideCaller, newNonce())
			said := append(talk.said, make([]byte, 100)...)[:bytes]
			if _, err := conn.Write(said); err != nil {
				t.Error(err)
			}
			_ = conn.SetDeadline(began.Add(10 * time.Second))
			_, err = io.ReadAll(conn)
			if took := time.Since(began); took < doorTime/2 || took > 2*doorTime || err != nil && !cut(err) {
				t.Errorf("after %d bytes it ended after %v: %v", bytes, took, err)
			}
		})
	}
	all.Wait()
}

// More than can be at the door are: processes of the run get in all the same,
// although some have to call again, and no more are there at a time than may be.
func TestDoorCrowd(t *testing.T) {
	addr, shut := opened(t)
	for range 5 * doorSlots {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	var all sync.WaitGroup
	for range 2 * doorSlots {
		all.Go(func() {
			var err error
			for range 100 {
				if err = visit(addr); err == nil || !errors.Is(err, io.EOF) && !cut(err) {
					break
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if log := shut(); !strings.Contains(log, "kind=crowd") {
		t.Errorf("there was no crowd:\n%s", log)
	}
}
