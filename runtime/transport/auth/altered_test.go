package auth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// A wire passes on what is written to it and keeps a copy. In one direction, it changes the byte at
// one position.
type wire struct {
	net.Conn
	at   int // -1: none
	flip byte
	sent []byte
}

// Write implements net.Conn.
func (w *wire) Write(b []byte) (int, error) {
	out := slices.Clone(b)
	if k := w.at - len(w.sent); w.at >= 0 && k >= 0 && k < len(out) {
		out[k] ^= w.flip
	}
	w.sent = append(w.sent, out...)
	return w.Conn.Write(out)
}

// Whichever byte of a handshake is changed on its way, to either side, the side
// that reads it does not let the other one in.
func TestAlteredHandshake(t *testing.T) {
	const up, down = greetingBytes + introBytes, greetingBytes + verdictBytes + introBytes
	for at := range up + down {
		for _, flip := range []byte{1, 0x80} {
			caller, answerer := identities()
			a, b := connection(t)
			one, other := &wire{Conn: a, at: -1}, &wire{Conn: b, at: -1}
			if at < up {
				one.at, one.flip = at, flip
			} else {
				other.at, other.flip = at-up, flip
			}
			called, answered := shake(caller, answerer, one, other)
			if at < up && answered.err == nil {
				t.Errorf("byte %d from the caller is %#02x otherwise, and it is let in", at, flip)
			}
			if called.err == nil {
				t.Errorf("byte %d to or from the caller is %#02x otherwise, and it believes the other side", at, flip)
			}
			if at >= up+greetingBytes && answered.err != nil {
				t.Errorf("byte %d of the verdict: %v; the handshake was over for who answers", at, answered.err)
			}
			_, _ = a.Close(), b.Close()
		}
	}
	caller, answerer := identities()
	a, b := connection(t)
	one, other := &wire{Conn: a, at: -1}, &wire{Conn: b, at: -1}
	if called, answered := shake(caller, answerer, one, other); called.err != nil || answered.err != nil || len(one.sent) != up || len(other.sent) != down {
		t.Errorf("unaltered: %v, %v, %d and %d bytes", called.err, answered.err, len(one.sent), len(other.sent))
	}
}

// play answers a handshake with recorded bytes, and returns the error of the handshake.
func play(t *testing.T, recorded []byte, shake func(net.Conn) error) error {
	t.Helper()
	one, other := connection(t)
	_ = other.SetDeadline(time.Now().Add(10 * time.Second))
	go func() {
		_, _ = one.Write(recorded)
		_, _ = io.Copy(io.Discard, one)
	}()
	err := shake(other)
	_ = other.Close()
	return err
}

// TestReplayedHandshake: messages of one handshake must not be accepted in another one by either
// side, nor may a side accept its own messages.
func TestReplayedHandshake(t *testing.T) {
	caller, answerer := identities()
	a, b := connection(t)
	one, other := &wire{Conn: a, at: -1}, &wire{Conn: b, at: -1}
	if called, answered := shake(caller, answerer, one, other); called.err != nil || answered.err != nil {
		t.Fatal(called.err, answered.err)
	}
	answer := func(conn net.Conn) error { _, err := answerer.Answer(conn); return err }
	call := func(conn net.Conn) error { _, err := caller.Call(conn); return err }
	if err := play(t, one.sent, answer); !errors.Is(err, ErrStranger) {
		t.Errorf("a caller's words again: %v", err)
	}
	if err := play(t, other.sent, call); !errors.Is(err, ErrStranger) {
		t.Errorf("an answerer's words again: %v", err)
	}
	// A mirror, that also turns callers into answerers.
	for _, turn := range []bool{false, true} {
		one, other := connection(t)
		_ = other.SetDeadline(time.Now().Add(10 * time.Second))
		go func() {
			b := make([]byte, 4096)
			for first := true; ; first = false {
				n, err := one.Read(b)
				if err != nil {
					return
				}
				if first && turn {
					b[10] = sideAnswerer
				}
				if !first {
					_, _ = one.Write([]byte{verdictWelcome, 0, 0, 0})
				}
				_, _ = one.Write(b[:n])
			}
		}()
		if err := call(other); !errors.Is(err, ErrStranger) {
			t.Errorf("a mirror, turned %t: %v", turn, err)
		}
	}
}

// TestTLSInBetween: an attacker who terminates both TLS sessions and passes their content on
// unchanged must be found out.
func TestTLSInBetween(t *testing.T) {
	caller, answerer := identities()
	caller.TLS, answerer.TLS = selfSigned(t), selfSigned(t)
	between := selfSigned(t)
	one, left := connection(t)
	right, other := connection(t)
	go func() {
		l, _, err := between.server(left)
		if err != nil {
			return
		}
		r, _, err := between.client(right)
		if err != nil {
			return
		}
		go func() { _, _ = io.Copy(l, r); _ = left.Close() }()
		_, _ = io.Copy(r, l)
		_ = right.Close()
	}()
	called, answered := shake(caller, answerer, one, other)
	if !errors.Is(answered.err, ErrStranger) || called.err == nil {
		t.Errorf("somebody in between: %v, %v", called.err, answered.err)
	}
}

// If only one side uses TLS, both say so.
func TestTLSOnOneSide(t *testing.T) {
	for _, which := range []string{"caller", "answerer"} {
		caller, answerer := identities()
		if which == "caller" {
			caller.TLS = selfSigned(t)
		} else {
			answerer.TLS = selfSigned(t)
		}
		one, other := connection(t)
		called, answered := shake(caller, answerer, one, other)
		if !errors.Is(called.err, ErrTLS) || !errors.Is(answered.err, ErrTLS) {
			t.Errorf("only the %s: %v, %v", which, called.err, answered.err)
		}
	}
}

// Processes of another version hear which one is spoken here.
func TestOtherVersion(t *testing.T) {
	caller, answerer := identities()
	a, b := connection(t)
	one := &wire{Conn: a, at: 8, flip: 1}
	called, answered := shake(caller, answerer, one, &wire{Conn: b, at: 8, flip: 1})
	for _, err := range []error{called.err, answered.err} {
		if want := fmt.Sprintf("%d, not %d", ProtocolVersion^1, ProtocolVersion); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// What is signed is believed once, in order, and as it was.
func TestTagger(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	text := []byte("face 1")
	first := newTagger(key).Append(nil, text)
	sender := newTagger(key)
	_ = sender.Append(nil, nil)
	second := sender.Append(nil, text)
	if bytes.Equal(first, second) {
		t.Error("the same text has the same MAC twice")
	}
	if r := newTagger(key); !r.Check(first, text) || r.Check(first, text) {
		t.Error("a repeated message is believed, or none is")
	}
	if newTagger(key).Check(second, text) {
		t.Error("a message is believed although one before it is missing")
	}
	if newTagger(bytes.Repeat([]byte{8}, 32)).Check(first, text) {
		t.Error("another key does as well")
	}
	for bit := range 8 * len(text) {
		altered := slices.Clone(text)
		altered[bit/8] ^= 1 << (bit % 8)
		if newTagger(key).Check(first, altered) {
			t.Errorf("bit %d of the text does not matter", bit)
		}
	}
	for bit := range 8 * TagBytes {
		altered := slices.Clone(first)
		altered[bit/8] ^= 1 << (bit % 8)
		if newTagger(key).Check(altered, text) {
			t.Errorf("bit %d of the MAC does not matter", bit)
		}
	}
	for _, tag := range [][]byte{nil, first[:15], append(slices.Clone(first), 0)} {
		if newTagger(key).Check(tag, text) {
			t.Errorf("a MAC of %d bytes is believed", len(tag))
		}
	}
}

// A script is a connection from which fixed bytes come, and which takes any.
type script struct {
	addressed
	r io.Reader
}

func (s *script) Read(b []byte) (int, error) { return s.r.Read(b) }

func (s *script) Write(b []byte) (int, error) { return len(b), nil }

func (s *script) SetDeadline(time.Time) error { return nil }

func (s *script) SetReadDeadline(time.Time) error { return nil }

func (s *script) SetWriteDeadline(time.Time) error { return nil }

func (s *script) Close() error { return nil }
