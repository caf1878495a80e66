package launch

import (
	"errors"
	"fmt"
	"net"

	"loopc/runtime/transport/auth"
)

// Security configures how the processes of a run authenticate one another. All processes
// must have the same configuration.
type Security struct {
	TLS  bool   `json:"tls,omitempty"`
	Cert string `json:"cert,omitempty"` // file; "": each process makes its own certificate
	Key  string `json:"key,omitempty"`  // file
	CA   string `json:"ca,omitempty"`   // file

	MAC    string `json:"mac,omitempty"`    // see auth.MACsNamed
	Listen string `json:"listen,omitempty"` // the only address where connections are accepted
}

// Encryption returns the TLS configuration of connections, or nil for none.
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
