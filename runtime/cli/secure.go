package cli

import (
	"flag"
	"net"
	"path/filepath"

	"loopc/runtime/launch"
	"loopc/runtime/transport/auth"
)

// security says how the processes of a run are protected from other processes. Flags set it, and
// the launcher passes it to ranks.
type security = launch.Security

// defineSecurity defines the flags of s.
func defineSecurity(s *security, f *flag.FlagSet) {
	f.BoolVar(&s.TLS, "tls", false, "encrypt what ranks send one another over TCP")
	f.StringVar(&s.Cert, "tls-cert", "", "`file` with the certificate that ranks show, in PEM (one made up for the run)")
	f.StringVar(&s.Key, "tls-key", "", "`file` with its key")
	f.StringVar(&s.CA, "tls-ca", "", "`file` with the authorities that must have signed the certificates of others")
	f.StringVar(&s.MAC, "mac", "", "auto, on or `off`: whether what ranks send over TCP carries MACs (auto: between hosts, without TLS)")
	f.StringVar(&s.Listen, "listen", "", "`address` of this host where ranks and launcher accept connections (127.0.0.1)")
}

// checkSecurity checks the flags of s, for a run with the other settings.
func checkSecurity(s *security, of *settings) error {
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
