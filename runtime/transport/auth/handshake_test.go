package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
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
