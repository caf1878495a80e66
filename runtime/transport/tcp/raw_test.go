package tcp

import (
	"bufio"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// A raw is rank 1 of 2 as a test plays it, frame by frame, to rank 0.
type raw struct {
	t    *testing.T
	conn net.Conn
	with *auth.Session
	rank transport.Transport // rank 0, which is real
	r    *bufio.Reader
}

// newRaw connects rank 0 to a raw rank 1.
func newRaw(t *testing.T, change func(*Config)) *raw {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Rank: 0, Size: 2, Listener: listener, Secret: sesame}
	if change != nil {
		change(&cfg)
	}
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	called := make(chan error)
	var with *auth.Session
	go func() {
		var err error
		with, err = rank1(func(id *auth.Identity) { id.TLS = cfg.TLS }).Call(conn)
		called <- err
	}()
	rank, err := New(t.Context(), cfg)
	if err := errors.Join(err, <-called); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close() // first, or rank lingers
		_ = rank.Close(errors.New("the test is over"))
	})
	return &raw{t: t, conn: conn, with: with, rank: rank, r: bufio.NewReader(conn)}
}

// summed returns a frame and its payload as they go over a connection without MACs.
func summed(f frame, payload []byte) []byte {
	b := f.append(nil)
	b = append(sums{}.Append(b, b), payload...)
	if len(payload) > 0 {
		b = sums{}.Append(b, payload)
	}
	return b
}

// write sends frames and their payloads.
func (w *raw) write(f frame, payload []byte) {
	w.t.Helper()
	if _, err := w.conn.Write(summed(f, payload)); err != nil {
		w.t.Fatal(err)
	}
}

// open sends an opening of edge 5 with 2 slots of 8 bytes.
func (w *raw) open(k kind) {
	w.t.Helper()
	w.write(frame{kind: k, edge: 5, length: openBytes}, appendOpening(nil, transport.Edge{Capacity: 8, Slots: 2}))
}

// await reads frames until one of kind k has come, and returns it and its
// payload.
func (w *raw) await(k kind) (frame, []byte) {
	w.t.Helper()
	for {
		var b [headerBytes + sumBytes]byte
		if _, err := io.ReadFull(w.r, b[:]); err != nil {
			w.t.Fatalf("waiting for %v: %v", k, err)
		}
		if !(sums{}).Check(b[headerBytes:], b[:headerBytes]) {
			w.t.Fatalf("waiting for %v: %x has another sum", k, b)
		}
		f, err := parseFrame(b[:])
		if err != nil {
			w.t.Fatal(err)
		}
		var payload []byte
		if f.length > 0 {
			payload = make([]byte, f.length+sumBytes)
			if _, err := io.ReadFull(w.r, payload); err != nil {
				w.t.Fatal(err)
			}
			tag := payload[f.length:]
			if payload = payload[:f.length]; !(sums{}).Check(tag, payload) {
				w.t.Fatalf("%v: its payload has another sum", k)
			}
		}
		if f.kind == k {
			return f, payload
		}
	}
}

// edge5 is the edge that these tests use, in either direction.
var edge5 = transport.Edge{Peer: 1, ID: 5, Capacity: 8, Slots: 2}
