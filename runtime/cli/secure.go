package cli

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"path/filepath"

	"loopc/runtime/transport/auth"
)

// security is how the processes of a run are kept from others: flags, and part of
// what ranks are told.
type security struct {
	TLS  bool   `json:"tls,omitempty"`
	Cert string `json:"cert,omitempty"` // file; "": a certificate of its own for each process
	Key  string `json:"key,omitempty"`  // file
	CA   string `json:"ca,omitempty"`   // file

	MAC    string `json:"mac,omitempty"`    // see auth.MACsNamed
	Listen string `json:"listen,omitempty"` // the only address where connections are accepted
}

// define defines the flags.
func (s *security) define(f *flag.FlagSet) {
	f.BoolVar(&s.TLS, "tls", false, "encrypt what ranks send one another over TCP")
	f.StringVar(&s.Cert, "tls-cert", "", "`file` with the certificate that ranks show, in PEM (one made up for the run)")
	f.StringVar(&s.Key, "tls-key", "", "`file` with its key")
	f.StringVar(&s.CA, "tls-ca", "", "`file` with the authorities that must have signed the certificates of others")
	f.StringVar(&s.MAC, "mac", "", "auto, on or `off`: whether what ranks send over TCP carries MACs (auto: between hosts, without TLS)")
	f.StringVar(&s.Listen, "listen", "", "`address` of this host where ranks and launcher accept connections (127.0.0.1)")
}

// check checks the flags, for a run with the other settings.
func (s *security) check(of *settings) error {
	files := []string{s.Cert, s.Key, s.CA}
	named := 0
	for _, name := range files {
		if name != "" {
			named++
		}
	}
	_, err := auth.MACsNamed(s.MAC)
	switch {
	case err != nil:
		return usageError{err}
	case named != 0 && named != len(files):
		return usagef("--tls-cert, --tls-key and --tls-ca go together: a certificate, its key, and who signs those of the others")
	case of.verify && *s != security{} && (of.carrier != byTCP || s.Listen != ""):
		return usagef("--verify runs with TLS and without, and with MACs and without, on the loopback interface: leave out --listen, and --tls and --mac unless with --transport tcp")
	case of.inproc && *s != security{}:
		return usagef("--tls, --mac and --listen are for ranks that are processes of their own, without --transport inproc")
	case s.Listen != "" && net.ParseIP(s.Listen) == nil:
		return usagef("--listen %q: want the IP address of an interface of this host, without a port", s.Listen)
	}
	s.TLS = s.TLS || named > 0
	for _, name := range []*string{&s.Cert, &s.Key, &s.CA} {
		if *name == "" {
			continue
		}
		if *name, err = filepath.Abs(*name); err != nil { // ranks may have another working directory
			return err
		}
	}
	return nil
}

// encryption returns how connections are encrypted: nil if they are not.
func (s *security) encryption() (*auth.TLS, error) {
	switch {
	case !s.TLS:
		return nil, nil
	case s.Cert == "":
		return auth.SelfSigned()
	}
	return auth.Certified(s.Cert, s.Key, s.CA)
}

// macs returns whether frames carry MACs.
func (s *security) macs() (auth.MACs, error) { return auth.MACsNamed(s.MAC) }

// listen opens a port at the address where connections are accepted: host, unless
// the flags name another.
func (s *security) listen(host string) (net.Listener, error) {
	if s.Listen != "" {
		host = s.Listen
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("cannot accept connections at %s: %w", host, errors.Unwrap(err))
	}
	return l, nil
}
