package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// The secrets of a run and of another one.
var sesame, thistle = NewSecret(), NewSecret()

// identities returns those of rank 3, which calls, and of rank 2, which answers.
func identities() (caller, answerer *Identity) {
	of := func(rank int) *Identity {
		return &Identity{Service: "test", Secret: sesame, Self: Party{Role: Rank, Rank: rank, Size: 4, Digest: [32]byte{31: byte(rank)}}}
	}
	return of(3), of(2)
}

// A side is how the handshake ended for one side.
type side struct {
	session *Session
	err     error
}

// shake holds a handshake between two ends of a connection, and closes whichever
// fails.
func shake(caller, answerer *Identity, one, other net.Conn) (called, answered side) {
	deadline := time.Now().Add(10 * time.Second)
	_, _ = one.SetDeadline(deadline), other.SetDeadline(deadline)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if called.session, called.err = caller.Call(one); called.err != nil {
			_ = one.Close()
		}
	}()
	v, err := answerer.Answer(other)
	if err == nil {
		answered.session, err = v.Welcome()
	}
	if answered.err = err; err != nil {
		_ = other.Close()
	}
	<-done
	return called, answered
}

// connection returns the two ends of a TCP connection.
func connection(t testing.TB) (one, other net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if one, err = net.Dial("tcp", listener.Addr().String()); err == nil {
		other, err = listener.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = one.Close(); _ = other.Close() })
	return one, other
}

// selfSigned returns TLS with a certificate of its own.
func selfSigned(t testing.TB) *TLS {
	t.Helper()
	s, err := SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Both sides learn who the other one is, and can check what it signs; whether
// they have to is decided alike.
func TestHandshake(t *testing.T) {
	for _, c := range []struct {
		caller, answerer MACs
		tls, want        bool
	}{
		{MACBetweenHosts, MACBetweenHosts, false, false}, // loopback
		{MACAlways, MACAlways, false, true},
		{MACAlways, MACNever, false, true},
		{MACBetweenHosts, MACAlways, false, true},
		{MACNever, MACNever, false, false},
		{MACBetweenHosts, MACBetweenHosts, true, false},
		{MACAlways, MACBetweenHosts, true, true},
	} {
		caller, answerer := identities()
		caller.MAC, answerer.MAC = c.caller, c.answerer
		if c.tls {
			caller.TLS, answerer.TLS = selfSigned(t), selfSigned(t)
		}
		one, other := connection(t)
		called, answered := shake(caller, answerer, one, other)
		if called.err != nil || answered.err != nil {
			t.Fatalf("%+v: %v, %v", c, called.err, answered.err)
		}
		for _, s := range []struct {
			*Session
			peer Party
		}{{called.session, answerer.Self}, {answered.session, caller.Self}} {
			s.Peer.Arch = ""
			if s.Peer != s.peer || s.MAC != c.want {
				t.Errorf("%+v: peer %+v, MAC %t, want %+v", c, s.Peer, s.MAC, s.peer)
			}
		}
		for _, way := range [][2]*Session{{called.session, answered.session}, {answered.session, called.session}} {
			for k := range 3 {
				text := fmt.Appendf(nil, "message %d", k)
				if tag := way[0].Send.Append(nil, text); len(tag) != TagBytes || !way[1].Receive.Check(tag, text) {
					t.Errorf("%+v: %s is not believed", c, text)
				}
			}
		}
	}
}

// MACs are wanted between hosts, that is unless both ends of a connection are on
// the loopback interface, or it has none.
func TestMACBetweenHosts(t *testing.T) {
	tcp := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 1} }
	for _, c := range []struct {
		local, remote net.Addr
		tls           *TLS
		want          bool
	}{
		{tcp("127.0.0.1"), tcp("127.9.9.9"), nil, false},
		{tcp("::1"), tcp("::1"), nil, false},
		{tcp("10.0.0.1"), tcp("10.0.0.2"), nil, true},
		{tcp("10.0.0.1"), tcp("10.0.0.1"), nil, true},
		{tcp("127.0.0.1"), tcp("10.0.0.2"), nil, true},
		{tcp("10.0.0.1"), tcp("10.0.0.2"), &TLS{}, false},
		{&net.UnixAddr{}, &net.UnixAddr{}, nil, false},
		{nil, nil, nil, true},
	} {
		id := &Identity{TLS: c.tls}
		if got := id.wants(addressed{local: c.local, remote: c.remote}); got != c.want {
			t.Errorf("from %v to %v, TLS %t: %t", c.local, c.remote, c.tls != nil, got)
		}
	}
}

// addressed is a connection that has only addresses.
type addressed struct {
	net.Conn
	local, remote net.Addr
}

func (a addressed) LocalAddr() net.Addr  { return a.local }
func (a addressed) RemoteAddr() net.Addr { return a.remote }

// Who does not know the secret, or wants another service, is a stranger to both
// sides.
func TestHandshakeStranger(t *testing.T) {
	for name, change := range map[string]func(*Identity){
		"secret":    func(id *Identity) { id.Secret = thistle },
		"no secret": func(id *Identity) { id.Secret = Secret{} },
		"service":   func(id *Identity) { id.Service = "other" },
	} {
		for _, which := range []string{"caller", "answerer"} {
			caller, answerer := identities()
			if which == "caller" {
				change(caller)
			} else {
				change(answerer)
			}
			one, other := connection(t)
			called, answered := shake(caller, answerer, one, other)
			var refusal RefusalError
			if !errors.Is(answered.err, ErrStranger) || !errors.As(called.err, &refusal) || !Final(called.err) {
				t.Errorf("%s of the %s: %v, %v", name, which, called.err, answered.err)
			}
		}
	}
}

// A reason for a refusal arrives, whatever is in it, and nobody else can give one.
func TestRefusal(t *testing.T) {
	for _, reason := range []string{"", "rank 3 is connected already", strings.Repeat("x", 5000), "bell\a"} {
		caller, answerer := identities()
		one, other := connection(t)
		told := make(chan error)
		go func() {
			_, err := caller.Call(one)
			told <- err
		}()
		v, err := answerer.Answer(other)
		if err == nil {
			err = v.Refuse(reason)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := reason[:min(len(reason), maxReasonBytes)]
		var refusal RefusalError
		if err := <-told; !errors.As(err, &refusal) || string(refusal) != strings.ReplaceAll(want, "\a", " ") {
			t.Errorf("told %.40q, want %.40q", err, want)
		}
	}
	caller, _ := identities()
	_, false1 := identities()
	false1.Secret = thistle
	one, other := connection(t)
	go func() {
		v := &Visit{talk: &talk{id: false1, conn: other}}
		_, _ = v.talk.readGreeting(sideCaller)
		_ = v.talk.greet(sideAnswerer, newNonce())
		v.talk.keys = newSchedule(thistle, "test", newNonce(), newNonce())
		_, _ = v.talk.readIntroduction(sideCaller)
		_ = v.Refuse("go away")
	}()
	if _, err := caller.Call(one); !errors.Is(err, ErrStranger) {
		t.Errorf("a refusal from a stranger: %v", err)
	}
}

// A wire passes on what is written to it, with one byte changed: that at a place
// of the bytes that go one way. It keeps what it has passed on.
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

// play answers whoever reads from the connection with bytes that were recorded,
// and returns what it says.
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

// What was said in a handshake is worth nothing in another one, to either side,
// and neither is what a side has said itself.
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

// Who ends both TLS sessions and passes on what is said in them is found out,
// although he has changed nothing.
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

func (s *script) Read(b []byte) (int, error)       { return s.r.Read(b) }
func (s *script) Write(b []byte) (int, error)      { return len(b), nil }
func (s *script) SetDeadline(time.Time) error      { return nil }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }
func (s *script) Close() error                     { return nil }

// FuzzHandshake feeds arbitrary bytes to both sides of a handshake. Nobody is let
// in, since nonces are fresh, and what goes wrong is one of the errors that there
// are.
func FuzzHandshake(f *testing.F) {
	caller, answerer := identities()
	a, b := connection(f)
	one, other := &wire{Conn: a, at: -1}, &wire{Conn: b, at: -1}
	if called, answered := shake(caller, answerer, one, other); called.err != nil || answered.err != nil {
		f.Fatal(called.err, answered.err)
	}
	f.Add(one.sent)
	f.Add(other.sent)
	f.Add(one.sent[:20])
	f.Add(append(slices.Clone(other.sent[:greetingBytes]), verdictRefused, 0, 0xff, 0xff))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte{0x16, 3, 1, 0, 200, 1, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, said []byte) {
		_, answered := answerer.Answer(&script{r: bytes.NewReader(said)})
		_, called := caller.Call(&script{r: bytes.NewReader(said)})
		for _, err := range []error{answered, called} {
			if err == nil {
				t.Errorf("%x is believed", said)
			} else if !Final(err) && !cut(err) {
				t.Errorf("%x: %v", said, err)
			}
		}
	})
}

// BenchmarkMAC measures what a MAC costs, beside one that is computed otherwise.
func BenchmarkMAC(b *testing.B) {
	for _, n := range []int{24, 1 << 10, 64 << 10} {
		data := make([]byte, n)
		tag := make([]byte, 0, 32)
		b.Run(fmt.Sprintf("GMAC-%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			t := newTagger(make([]byte, 32))
			for b.Loop() {
				t.Append(tag, data)
			}
		})
		b.Run(fmt.Sprintf("HMAC-SHA256-%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			h := hmac.New(sha256.New, make([]byte, 32))
			for b.Loop() {
				h.Reset()
				h.Write(data)
				h.Sum(tag)
			}
		})
	}
}
