package tcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// TestBadFrames sends invalid frames. Each must break the connection at once: the edges fail with
// an error that says what was wrong, on both sides.
func TestBadFrames(t *testing.T) {
	face := frame{kind: kindFace, edge: 5, length: 8}
	for name, c := range map[string]struct {
		send func(*raw)
		want string
	}{
		"oversized face": {func(w *raw) { w.write(frame{kind: kindFace, edge: 5, length: 1 << 40}, nil) },
			"face of 1099511627776 bytes on edge 5, whose slots have 8"},
		"face one byte too long": {func(w *raw) { w.write(frame{kind: kindFace, edge: 5, length: 9}, make([]byte, 9)) },
			"face of 9 bytes on edge 5, whose slots have 8"},
		"face beyond all memory": {func(w *raw) { w.write(frame{kind: kindFace, edge: 5, length: 1 << 63}, nil) },
			"face of 9223372036854775808 bytes"},
		"face on an unknown edge": {func(w *raw) { w.write(frame{kind: kindFace, edge: 6, length: 8}, make([]byte, 8)) },
			"face on edge 6, which is not open"},
		"edge out of range": {func(w *raw) { w.write(frame{kind: kindFace, edge: transport.MaxEdges, length: 8}, nil) },
			"face on edge 32768"},
		"face skipped": {func(w *raw) { w.write(frame{kind: kindFace, edge: 5, sequence: 1, length: 8}, make([]byte, 8)) },
			"face 1 on edge 5, expected face 0"},
		"face repeated": {func(w *raw) { w.write(face, make([]byte, 8)); w.write(face, make([]byte, 8)) },
			"face 0 on edge 5, expected face 1"},
		"face without a credit": {func(w *raw) {
			for k := range uint64(3) {
				w.write(frame{kind: kindFace, edge: 5, sequence: k, length: 8}, make([]byte, 8))
			}
		}, "face 2 on edge 5 without a credit"},
		"face after the goodbye": {func(w *raw) { w.write(frame{kind: kindGoodbye}, nil); w.write(face, make([]byte, 8)) },
			"face after the goodbye"},
		"second goodbye": {func(w *raw) { w.write(frame{kind: kindGoodbye}, nil); w.write(frame{kind: kindGoodbye}, nil) },
			"second goodbye"},
		"credit for a face not sent": {func(w *raw) { w.write(frame{kind: kindCredit, edge: 5, sequence: 1}, nil) },
			"credit for face 1 on edge 5, of which 0 were sent"},
		"credit on an unknown edge": {func(w *raw) { w.write(frame{kind: kindCredit, edge: 6}, nil) },
			"credit on edge 6, which is not open"},
		"acknowledgement of a face not sent": {func(w *raw) { w.write(frame{kind: kindAck, edge: 5, sequence: 9}, nil) },
			"acknowledgement for face 9 on edge 5"},
		"sync for faces not sent": {func(w *raw) { w.write(frame{kind: kindSync, edge: 5, sequence: 4}, nil) },
			"sync after face 4 on edge 5, of which 0 have arrived"},
		"sync on an unknown edge": {func(w *raw) { w.write(frame{kind: kindSync, edge: 6}, nil) },
			"sync on edge 6"},
		"second opening": {func(w *raw) { w.open(kindOpenSend); w.open(kindOpenSend) },
			"second sender's opening of edge 5"},
		"second grant": {func(w *raw) { w.open(kindOpenRecv); w.open(kindOpenRecv) },
			"second receiver's opening of edge 5"},
		"opening of odd length": {func(w *raw) { w.write(frame{kind: kindOpenSend, edge: 5, length: 15}, make([]byte, 15)) },
			"sender's opening of 15 bytes"},
		"payload where none belongs": {func(w *raw) { w.write(frame{kind: kindHeartbeat, length: 8}, make([]byte, 8)) },
			"heartbeat of 8 bytes"},
		"unknown kind":  {func(w *raw) { w.write(frame{kind: 77}, nil) }, "frame of kind 77"},
		"long abort":    {func(w *raw) { w.write(frame{kind: kindAbort, length: 1 << 20}, nil) }, "abort of 1048576 bytes"},
		"other program": {func(w *raw) { _, _ = io.WriteString(w.conn, "GET / HTTP/1.1\r\nHost: loopc\r\n\r\n") }, "no frame begins with 4745: rank 1 runs another version, or its data were altered on the way"},
		// A frame without seal, as an older version sends: shorter than a header with its seal.
		"older version": {func(w *raw) { _, _ = w.conn.Write([]byte{0x4c, 0x9c, byte(kindHeartbeat), headerBytes - 1: 0}) },
			"no frame begins with 4c9c: rank 1 runs another version, or its data were altered on the way"},
		"reserved byte": {func(w *raw) {
			b := frame{kind: kindHeartbeat}.append(nil)
			b[3] = 1
			_, _ = w.conn.Write(sums{}.Append(b, b))
		}, "no frame begins with 4d9c"},
		"altered header": {func(w *raw) {
			b := summed(frame{kind: kindCredit, edge: 5}, nil)
			b[8] ^= 1
			_, _ = w.conn.Write(b)
		}, "a header from rank 1 was altered, repeated or left out on the way: wrong CRC"},
		"other frames": {func(w *raw) {
			const header = "GET / HTTP/1.1\r\nHost: xy"
			_, _ = w.conn.Write(sums{}.Append([]byte(header), []byte(header)))
		}, "no frame begins with 4745: rank 1 runs another version, or its data were altered on the way"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRaw(t, nil)
			if _, err := w.rank.OpenSend(edge5); err != nil {
				t.Fatal(err)
			}
			recv, err := w.rank.OpenRecv(edge5)
			if err != nil {
				t.Fatal(err)
			}
			w.await(kindOpenRecv)
			begun := time.Now()
			c.send(w)
			for err == nil {
				_, err = recv.Arrived(t.Context())
			}
			if errors.Is(err, transport.ErrGone) && strings.Contains(err.Error(), "has finished") {
				// A goodbye came first.
				time.Sleep(50 * time.Millisecond)
				_, err = recv.Arrived(t.Context())
			}
			if !errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ErrProtocol with %q", err, c.want)
			}
			if took := time.Since(begun); took > 4*time.Second { // a silent peer is gone after 5 s
				t.Errorf("it took %v to notice", took)
			}
			if _, text := w.await(kindAbort); !strings.Contains(string(text), c.want) {
				t.Errorf("rank 1 is told %q, want %q in it", text, c.want)
			}
		})
	}
}

// A connection cut within a frame says where, and that the peer is gone.
func TestTruncatedFrames(t *testing.T) {
	whole := summed(frame{kind: kindFace, edge: 5, length: 8}, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	for cut, want := range map[int]string{
		0:                          "closed the connection without a goodbye",
		7:                          "a header was cut after 7 of 28 bytes",
		headerBytes:                "a header was cut after 24 of 28 bytes",
		headerBytes + sumBytes:     "face 0 on edge 5 was cut after 0 of 8 bytes",
		headerBytes + sumBytes + 3: "face 0 on edge 5 was cut after 3 of 8 bytes",
		headerBytes + sumBytes + 8: "face 0 on edge 5 was cut after 8 of 8 bytes",
	} {
		w := newRaw(t, nil)
		recv, err := w.rank.OpenRecv(edge5)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.conn.Write(whole[:cut]); err != nil {
			t.Fatal(err)
		}
		// Only one direction ends: closing a socket with unread heartbeats would
		// reset the connection, and what is on its way would be lost.
		if err := w.conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		_, err = recv.Arrived(t.Context())
		if !errors.Is(err, transport.ErrGone) || !strings.Contains(err.Error(), want) {
			t.Errorf("cut after %d bytes: %v, want ErrGone with %q", cut, err, want)
		}
		if cut > 0 && !errors.Is(err, transport.ErrProtocol) {
			t.Errorf("cut after %d bytes: %v, want ErrProtocol too", cut, err)
		}
	}
}

// A peer that says nothing is gone after the timeout, one that sends heartbeats
// is not, and neither is one whose only sign of life is a long face.
func TestSilence(t *testing.T) {
	t.Parallel()                            // it does little but wait
	const timeout = 1500 * time.Millisecond // longer than this test may be kept from its CPU
	quick := func(cfg *Config) { cfg.Heartbeat, cfg.Timeout = 20*time.Millisecond, timeout }
	w := newRaw(t, quick)
	recv, err := w.rank.OpenRecv(edge5)
	if err != nil {
		t.Fatal(err)
	}
	w.await(kindHeartbeat)
	begun := time.Now()
	for time.Since(begun) < 2*timeout {
		w.write(frame{kind: kindHeartbeat}, nil)
		time.Sleep(50 * time.Millisecond)
	}
	one := summed(frame{kind: kindFace, edge: 5, length: 8}, make([]byte, 8))
	for _, b := range one {
		if _, err := w.conn.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * timeout / time.Duration(len(one))) // longer than the timeout in all
	}
	if _, err := recv.Arrived(t.Context()); err != nil {
		t.Fatalf("a slow face from a living peer: %v", err)
	}
	begun = time.Now()
	_, err = recv.Arrived(t.Context())
	if !errors.Is(err, transport.ErrGone) || !strings.Contains(err.Error(), "rank 1 was silent for") {
		t.Errorf("a silent peer: %v", err)
	}
	if took := time.Since(begun); took < timeout*2/3 || took > 10*timeout {
		t.Errorf("silence of %v was noticed after %v", timeout, took)
	}
	if _, text := w.await(kindAbort); !strings.Contains(string(text), "rank 1 was silent") {
		t.Errorf("the silent peer is told %q", text)
	}
}

// What a peer's abort says goes through, without control characters.
func TestAbortText(t *testing.T) {
	w := newRaw(t, nil)
	send, err := w.rank.OpenSend(edge5)
	if err != nil {
		t.Fatal(err)
	}
	text := "disk\x1b[2J full\n"
	w.write(frame{kind: kindAbort, edge: 1, length: uint64(len(text))}, []byte(text))
	_, err = send.Acquire(t.Context())
	if want := "rank 0: acquire to rank 1, edge 5: peer is gone: rank 1 gave up: disk [2J full "; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestFramesSent: credits are coalesced, faces that nobody waits for are not acknowledged, and
// messages posted between two flushes leave in order.
func TestFramesSent(t *testing.T) {
	w := newRaw(t, nil)
	w.open(kindOpenRecv)
	w.open(kindOpenSend)
	send, err := w.rank.OpenSend(edge5)
	if err != nil {
		t.Fatal(err)
	}
	recv, err := w.rank.OpenRecv(edge5)
	if err != nil {
		t.Fatal(err)
	}
	w.await(kindOpenRecv)
	for k := range uint64(2) {
		w.write(frame{kind: kindFace, edge: 5, sequence: k, length: 8}, []byte("12345678"))
		slot, err := send.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		copy(slot, "abcdefgh")
		if err := send.Post(int(k) + 3); err != nil {
			t.Fatal(err)
		}
		if face, err := recv.Arrived(t.Context()); err != nil || string(face) != "12345678" {
			t.Fatalf("%q, %v", face, err)
		}
		if err := recv.Release(); err != nil {
			t.Fatal(err)
		}
	}
	synced := make(chan error)
	go func() { synced <- send.Sync(t.Context()) }()
	for k := range uint64(2) {
		f, payload := w.await(kindFace)
		if f.sequence != k || string(payload) != "abcdefgh"[:k+3] {
			t.Errorf("face %d came as face %d with %q", k, f.sequence, payload)
		}
	}
	if f, _ := w.await(kindSync); f.sequence != 2 {
		t.Errorf("sync after face %d, want 2", f.sequence)
	}
	select {
	case err := <-synced:
		t.Errorf("Sync returned %v before the acknowledgement", err)
	case <-time.After(20 * time.Millisecond):
	}
	w.write(frame{kind: kindAck, edge: 5, sequence: 2}, nil)
	if err := <-synced; err != nil {
		t.Errorf("Sync: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := send.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Acquire without a credit: %v", err)
	}
	w.write(frame{kind: kindCredit, edge: 5, sequence: 2}, nil)
	if _, err := send.Acquire(t.Context()); err != nil {
		t.Errorf("Acquire after two credits: %v", err)
	}
}

// FuzzFrame feeds arbitrary bytes to a peer with open edges. They must be valid frames or give an
// error, and never fill more than the slots.
func FuzzFrame(f *testing.F) {
	face := func(seq, n uint64) []byte {
		return append(frame{kind: kindFace, edge: 5, sequence: seq, length: n}.append(nil), make([]byte, n)...)
	}
	f.Add([]byte{})
	f.Add(face(0, 8))
	f.Add(append(face(0, 8), face(1, 0)...))
	f.Add(append(face(0, 8), face(1, 9)...))
	f.Add(append(frame{kind: kindOpenRecv, edge: 5, length: openBytes}.append(nil), appendOpening(nil, edge5)...))
	f.Add(append(frame{kind: kindOpenSend, edge: 9, length: openBytes}.append(nil), appendOpening(nil, edge5)...))
	f.Add(append(frame{kind: kindAbort, edge: 1, length: 4}.append(nil), "full"...))
	for k := kindFace; k < kindEnd; k++ {
		f.Add(frame{kind: k, edge: 5}.append(nil))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		p := newPeer(&mesh{cfg: Config{Size: 2}}, &auth.Session{Peer: auth.Party{Rank: 1}})
		if _, err := p.openSend(edge5); err != nil {
			t.Fatal(err)
		}
		recv, err := p.openRecv(edge5)
		if err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReaderSize(strings.NewReader(string(stream)), readBytes)
		for err == nil {
			err = p.receive(r)
		}
		var giveUp *transport.GiveUp
		if !errors.Is(err, io.EOF) && !errors.Is(err, transport.ErrProtocol) && !errors.As(err, &giveUp) {
			t.Errorf("%x: %v", stream, err)
		}
		p.recv[5].ring.End(io.EOF)
		for k := 0; ; k++ {
			face, err := recv.Arrived(t.Context())
			if err != nil {
				break
			}
			if len(face) > edge5.Capacity || k >= edge5.Slots {
				t.Fatalf("%x: face %d of %d bytes", stream, k, len(face))
			}
		}
	})
}
