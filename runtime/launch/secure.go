package launch

import (
	"errors"
	"fmt"
	"net"

	"loopc/runtime/transport/auth"
)

// Security is how the processes of a run are kept from others. All of them must
// have the same.
type Security struct {
	TLS  bool   `json:"tls,omitempty"`
	Cert string `json:"cert,omitempty"` // file; "": a certificate of its own for each process
	Key  string `json:"key,omitempty"`  // file
	CA   string `json:"ca,omitempty"`   // file

	MAC    string `json:"mac,omitempty"`    // see auth.MACsNamed
	Listen string `json:"listen,omitempty"` // the only address where connections are accepted
}

// Encryption returns how connections are encrypted: nil if they are not.
func (s *Security) Encryption() (*auth.TLS, error) {
	switch {
	case !s.TLS:
		return nil, nil
	case s.Cert == "":
		return auth.SelfSigned()
	}
	return auth.Certified(s.Cert, s.Key, s.CA)
}

// MACs returns whether frames carry MACs.
func (s *Security) MACs() (auth.MACs, error) { return auth.MACsNamed(s.MAC) }

// Open opens a port at the address where connections are accepted: host, unless
// s names another.
func (s *Security) Open(host string) (net.Listener, error) {
	if s.Listen != "" {
		host = s.Listen
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("cannot accept connections at %s: %w", host, errors.Unwrap(err))
	}
	return l, nil
}
