package tcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/testdata/lacking"
)

// signed returns a frame and its payload as they go over a connection with MACs.
func (w *raw) signed(f frame, payload []byte) []byte {
	b := f.append(nil)
	b = w.with.Send.Append(b, b)
	if len(payload) > 0 {
		b = append(b, payload...)
		b = w.with.Send.Append(b, payload)
	}
	return b
}

// send sends bytes as they are.
func (w *raw) send(b []byte) {
	w.t.Helper()
	if _, err := w.conn.Write(b); err != nil {
		w.t.Fatal(err)
	}
}

// rawMAC is newRaw on a connection with MACs, with edge 5 open to receive.
func rawMAC(t *testing.T, change func(*Config)) (*raw, transport.RecvEdge) {
	t.Helper()
	w := newRaw(t, func(cfg *Config) {
		cfg.MAC = auth.MACAlways // unless the change says something else
		if change != nil {
			change(cfg)
		}
	})
	recv, err := w.rank.OpenRecv(edge5)
	if err != nil {
		t.Fatal(err)
	}
	return w, recv
}

// eight is the payload of a face on edge 5.
var eight = []byte("12345678")

// TestAlteredFrame changes each byte of a face on its way, one at a time. The face must not be
// delivered. The error must name both ranks and say that data were altered, with MACs and with
// checksums.
func TestAlteredFrame(t *testing.T) {
	face := frame{kind: kindFace, edge: 5, length: 8}
	alter(t, "MAC", headerBytes+auth.TagBytes+len(eight)+auth.TagBytes, func(w *raw) []byte { return w.signed(face, eight) })
	alter(t, "CRC", headerBytes+sumBytes+len(eight)+sumBytes, func(*raw) []byte { return summed(face, eight) })
}

// alter does that for frames with seals of this name.
func alter(t *testing.T, name string, whole int, sealed func(*raw) []byte) {
	for at := range whole + 1 {
		w, recv := rawMAC(t, func(cfg *Config) {
			if name == "CRC" {
				cfg.MAC = auth.MACNever
			}
		})
		b := sealed(w)
		if len(b) != whole {
			t.Fatalf("a face has %d bytes, want %d", len(b), whole)
		}
		if at < whole { // else nothing is changed
			b[at] ^= 1
		}
		w.send(b)
		face, err := recv.Arrived(t.Context())
		var e *transport.Error
		want := "wrong " + name
		if at < magicBytes { // the magic is compared first
			want = "or its data were altered on the way"
		}
		switch {
		case at == whole:
			if err != nil || !bytes.Equal(face, eight) {
				t.Errorf("unaltered: %q, %v", face, err)
			}
		case !errors.Is(err, transport.ErrProtocol) || !errors.As(err, &e) || !strings.Contains(err.Error(), want):
			t.Errorf("byte %d: %q, %v, want ErrProtocol with %q", at, face, err, want)
		case e.Rank != 0 || e.Peer != 1 || e.Edge != 5:
			t.Errorf("byte %d: %v does not say between whom", at, err)
		}
		_ = w.conn.Close()
		_ = w.rank.Close(errors.New("the next one"))
	}
}

// Faces that come again, or not, or in another order, are noticed at once.
func TestReplayedFrame(t *testing.T) {
	for name, order := range map[string][]int{"again": {0, 0}, "left out": {1}, "exchanged": {1, 0}} {
		w, recv := rawMAC(t, nil)
		var faces [2][]byte
		for k := range faces {
			faces[k] = w.signed(frame{kind: kindFace, edge: 5, sequence: uint64(k), length: 8}, eight)
		}
		for _, k := range order {
			w.send(faces[k])
		}
		var err error
		for err == nil {
			_, err = recv.Arrived(t.Context())
		}
		if !errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), "a header from rank 1 was altered, repeated or left out on the way: wrong MAC") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What rank 0 has said itself, sent back.
	w, recv := rawMAC(t, nil)
	b := make([]byte, headerBytes+auth.TagBytes)
	if _, err := io.ReadFull(w.r, b); err != nil {
		t.Fatal(err)
	}
	w.send(b)
	if _, err := recv.Arrived(t.Context()); !errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), "wrong MAC") {
		t.Errorf("its own words: %v", err)
	}
}

// A peer that sends half a frame and then nothing is given up after the time for
// which it may be silent, and the error says so; nothing of the half is delivered.
func TestHalfFrame(t *testing.T) {
	t.Parallel() // it does little but wait
	quick := func(cfg *Config) { cfg.Heartbeat, cfg.Timeout = 20*time.Millisecond, 200*time.Millisecond }
	for _, macs := range []bool{false, true} {
		for _, sent := range []int{1, headerBytes - 1, headerBytes + 3, headerBytes + auth.TagBytes + 3} {
			var w *raw
			var recv transport.RecvEdge
			b := append(frame{kind: kindFace, edge: 5, length: 8}.append(nil), eight...)
			if macs {
				w, recv = rawMAC(t, quick)
				b = w.signed(frame{kind: kindFace, edge: 5, length: 8}, eight)
			} else {
				w = newRaw(t, quick)
				var err error
				if recv, err = w.rank.OpenRecv(edge5); err != nil {
					t.Fatal(err)
				}
			}
			if sent >= len(b) {
				continue
			}
			w.send(b[:sent])
			began := time.Now()
			face, err := recv.Arrived(t.Context())
			if want := "rank 0: arrived from rank 1, edge 5: peer is gone: rank 1 was silent for"; !errors.Is(err, transport.ErrGone) || !strings.Contains(err.Error(), want) {
				t.Errorf("%d bytes, MACs %t: %q, %v, want %q", sent, macs, face, err, want)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("%d bytes, MACs %t: it took %v", sent, macs, took)
			}
		}
	}
}

// Lengths that a peer makes up cost no memory, whether or not it can sign them.
func TestHugeLength(t *testing.T) {
	for _, length := range []uint64{9, 1 << 20, 1 << 40, 1 << 62, 1<<63 - 1, 1<<64 - 1} {
		for _, k := range []kind{kindFace, kindOpenSend, kindAbort, kindCredit} {
			for _, macs := range []bool{false, true} {
				f := frame{kind: k, edge: 5, length: length}
				var w *raw
				var recv transport.RecvEdge
				if macs {
					w, recv = rawMAC(t, nil)
				} else {
					w = newRaw(t, nil)
					var err error
					if recv, err = w.rank.OpenRecv(edge5); err != nil {
						t.Fatal(err)
					}
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if macs {
					b := f.append(nil)
					w.send(w.with.Send.Append(b, b))
				} else {
					w.write(f, nil)
				}
				if k == kindAbort && length <= maxAbortBytes {
					_ = w.conn.Close() // it waits for the text, rightly
				}
				_, err := recv.Arrived(t.Context())
				runtime.ReadMemStats(&after)
				if err == nil || k != kindAbort && (!errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), strconv.FormatUint(length, 10)+" bytes")) {
					t.Errorf("%v of %d bytes, MACs %t: %v", k, length, macs, err)
				}
				if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<10 {
					t.Errorf("%v of %d bytes, MACs %t: %d bytes were allocated", k, length, macs, grown)
				}
				_ = w.conn.Close()
				_ = w.rank.Close(errors.New("the next one"))
			}
		}
	}
}

// idleEnv tells a test binary that is started again to open idle connections:
// how many, and where to.
const idleEnv = "LOOPC_TEST_IDLE"

// idleConnections is how many there are in the test.
const idleConnections = 10_000

// beIdle opens idle connections, their number and address given by text ("10000 127.0.0.1:99"),
// prints how many it has, and holds them until its standard input ends.
func beIdle(text string) error {
	number, addr, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	conns := make([]net.Conn, 0, n)
	for len(conns) < n {
		conn, err := net.DialTimeout("tcp", addr, 20*time.Second)
		if err != nil {
			return fmt.Errorf("connection %d: %w", len(conns), err)
		}
		conns = append(conns, conn)
	}
	fmt.Println(len(conns))
	_, err = io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(conns)
	return err
}

// TestIdleConnections opens 10,000 connections that say nothing to a rank, before
// its peer comes and while both exchange faces. The peer comes in, the faces
// arrive, and the rank has at most 128 goroutines more, and a little memory.
func TestIdleConnections(t *testing.T) {
	if limit := openFiles(); limit > 0 && limit < idleConnections+100 {
		// Not a matter of the rank: who opens them needs that many descriptors.
		lacking.Skipf(t, "a process may open %d files only, %d are needed", limit, idleConnections+100)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	ranks := make(chan transport.Transport, 2)
	errs := make(chan error, 2)
	join := func(cfg Config) {
		cfg.Size, cfg.Addrs, cfg.Secret, cfg.Connect = 2, []string{addr, ""}, sesame, 30*time.Second
		rank, err := New(t.Context(), cfg)
		ranks <- rank
		errs <- err
	}
	go join(Config{Rank: 0, Listener: listener})
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	goroutines := runtime.NumGoroutine()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	crowd := exec.Command(self)
	crowd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", idleEnv, idleConnections, addr))
	crowd.Stderr = os.Stderr
	stdin, err := crowd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := crowd.StdoutPipe()
	if err == nil {
		err = crowd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close(); _ = crowd.Wait() }()
	open := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(stdout).ReadString('\n')
		open <- text
	}()

	time.Sleep(50 * time.Millisecond) // the crowd is coming
	began := time.Now()
	go join(Config{Rank: 1})
	two := []transport.Transport{<-ranks, <-ranks}
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Fatal(err)
	}
	t.Logf("the ranks were connected after %v", time.Since(began))
	slices.SortFunc(two, func(a, b transport.Transport) int { return a.Rank() - b.Rank() })
	edge := transport.Edge{Peer: 1, ID: 5, Capacity: 8, Slots: 2}
	send, err := two[0].OpenSend(edge)
	if err != nil {
		t.Fatal(err)
	}
	edge.Peer = 0
	recv, err := two[1].OpenRecv(edge)
	if err != nil {
		t.Fatal(err)
	}
	most, faces, there := 0, 0, ""
	var held uint64
	for there == "" || faces < 100 {
		slot, err := send.Acquire(t.Context())
		if err == nil {
			copy(slot, eight)
			err = errors.Join(send.Post(8), two[0].Flush())
		}
		if err == nil {
			_, err = recv.Arrived(t.Context())
		}
		if err == nil {
			err = recv.Release()
		}
		if err != nil {
			t.Fatalf("face %d: %v", faces, err)
		}
		faces++
		most = max(most, runtime.NumGoroutine())
		if faces%1000 == 1 {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			held = max(held, now.HeapInuse+now.StackInuse)
		}
		select {
		case there = <-open:
		default:
		}
	}
	if strings.TrimSpace(there) != strconv.Itoa(idleConnections) {
		t.Errorf("%q connections were opened, want %d", there, idleConnections)
	}
	// Beside those of the door: two for each peer, accept, pulse and this test's.
	if grown := most - goroutines; grown > 128+20 {
		t.Errorf("%d goroutines more than before", grown)
	}
	grown := int64(held) - int64(before.HeapInuse+before.StackInuse)
	if grown > 16<<20 {
		t.Errorf("%d KiB of memory more than before", grown>>10)
	}
	t.Logf("%d faces, at most %d goroutines and %d KiB of memory more than before", faces, most-goroutines, grown>>10)
	done := make(chan error, 2)
	for _, r := range two {
		go func() { done <- r.Close(nil) }()
	}
	if err := errors.Join(<-done, <-done); err != nil {
		t.Error(err)
	}
}
