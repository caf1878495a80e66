package auth

import (
	"fmt"
	"net"
)

// A Role is the role of a process in a run.
type Role uint8

// The roles.
const (
	Rank     Role = 1
	Launcher Role = 2
)

// A Party is the claimed identity of a process.
type Party struct {
	Role       Role
	Rank, Size int      // a launcher has Rank 0
	Arch       string   // its GOARCH; this process's if ""
	Digest     [32]byte // of program and plan; zero for a launcher
}

// An Identity is what a process needs for a handshake: its Party and the secret.
type Identity struct {
	// Service names the purpose of the connection. A handshake for one service cannot be
	// relayed to another.
	Service string

	Secret Secret
	Self   Party
	MAC    MACs // whether this side wants MACs
	TLS    *TLS // nil: without
}

// MACs says when this side wants MACs on a connection. The connection has MACs if either
// side wants them.
type MACs int

// The choices.
const (
	MACBetweenHosts MACs = iota // unless the connection has TLS or stays on this host
	MACAlways
	MACNever
)

// String returns the value of the flag --mac for m.
func (m MACs) String() string { return [...]string{"auto", "on", "off"}[m] }

// MACsNamed returns the choice for a value of the flag --mac; "" means auto.
func MACsNamed(name string) (MACs, error) {
	for _, m := range []MACs{MACBetweenHosts, MACAlways, MACNever} {
		if name == m.String() || name == "" {
			return m, nil
		}
	}
	return 0, fmt.Errorf("--mac %q: want auto, on or off", name)
}

// wants reports whether this side wants MACs on conn.
func (id *Identity) wants(conn net.Conn) bool {
	switch {
	case id.MAC == MACNever:
		return false
	case id.MAC == MACAlways:
		return true
	}
	return id.TLS == nil && !(local(conn.LocalAddr()) && local(conn.RemoteAddr()))
}

// local reports whether addr is a loopback or Unix address.
func local(addr net.Addr) bool {
	switch a := addr.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// A Session is a connection after mutual authentication.
type Session struct {
	Conn net.Conn // to be used from now on; with TLS, it wraps the original connection
	Peer Party

	// MAC says whether messages carry MACs; it is equal on both sides. Send and Receive are
	// the taggers of the two directions; they are set even without MACs.
	MAC           bool
	Send, Receive *Tagger
}
