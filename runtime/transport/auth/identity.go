package auth

import (
	"fmt"
	"net"
)

// A Role is what a process is in a run.
type Role uint8

// The roles.
const (
	Rank     Role = 1
	Launcher Role = 2
)

// A Party is who a process says that it is.
type Party struct {
	Role       Role
	Rank, Size int      // of a launcher, Rank is 0
	Arch       string   // its GOARCH; this process's if ""
	Digest     [32]byte // of program and plan; a launcher has none
}

// An Identity is what a process needs for a handshake: who it is and what it
// knows.
type Identity struct {
	// Service is what the connection is for. Nobody can pass a handshake for one
	// service on to another.
	Service string

	Secret Secret
	Self   Party
	MAC    MACs // whether this side wants a MAC on what follows
	TLS    *TLS // nil: without
}

// MACs says when a connection is to carry MACs. It does if either side wants it.
type MACs int

// The choices.
const (
	MACBetweenHosts MACs = iota // unless the connection has TLS or stays on this host
	MACAlways
	MACNever
)

// String names m as the flag --mac does.
func (m MACs) String() string { return [...]string{"auto", "on", "off"}[m] }

// MACsNamed returns the choice that the flag --mac names.
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

// local reports whether addr cannot be reached from another host.
func local(addr net.Addr) bool {
	switch a := addr.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// A Session is a connection whose ends have proved who they are.
type Session struct {
	Conn net.Conn // to be used from now on; with TLS, another than was handed in
	Peer Party

	// MAC says whether what follows carries MACs, which is the same on both
	// sides. Send and Receive are the taggers of the two directions, whether or
	// not it does.
	MAC           bool
	Send, Receive *Tagger
}
