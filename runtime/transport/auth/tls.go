package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// bindingLabel is the label of the channel binding, which only the ends of a TLS session
// can compute (RFC 9266).
const bindingLabel = "EXPORTER-Channel-Binding"

// alertRecord is a TLS record with the alert handshake_failure.
var alertRecord = []byte{0x15, 3, 3, 0, 2, 2, 40}

// bindingBytes is the length of the channel binding.
const bindingBytes = 32

// TLS configures the encryption of a run's connections, by TLS 1.3. Authentication does not
// rely on certificates: the handshake of this package authenticates the other side and is
// bound to the TLS session.
type TLS struct{ config *tls.Config }

// tlsConfig is the configuration that all uses share.
func tlsConfig(cert tls.Certificate) *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{cert},
		// The name in a certificate does not matter, because the proof authenticates;
		// VerifyConnection checks the chain if there is an authority.
		InsecureSkipVerify:          true,
		SessionTicketsDisabled:      true,
		DynamicRecordSizingDisabled: true, // faces are long
	}
}

// SelfSigned returns TLS with a new certificate for this process. It protects against
// eavesdroppers; the handshake protects against a man in the middle.
func SelfSigned() (*TLS, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "loopc run"},
		NotBefore:    now.Add(-24 * time.Hour), // clocks differ
		NotAfter:     now.Add(365 * 24 * time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return &TLS{tlsConfig(tls.Certificate{Certificate: [][]byte{cert}, PrivateKey: key})}, nil
}

// Certified returns TLS with a certificate and its key from files in PEM. Both sides must
// present a certificate that an authority in the file ca has signed.
func Certified(cert, key, ca string) (*TLS, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	text, err := os.ReadFile(ca)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("TLS: %s has no certificate of an authority", ca)
	}
	config := tlsConfig(pair)
	config.ClientAuth = tls.RequireAnyClientCert
	config.VerifyConnection = func(s tls.ConnectionState) error {
		between := x509.NewCertPool()
		for _, c := range s.PeerCertificates[1:] {
			between.AddCert(c)
		}
		_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{
			Roots: authorities, Intermediates: between, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
		})
		if err != nil {
			return fmt.Errorf("%w: %w", ErrCertificate, err)
		}
		return nil
	}
	return &TLS{config}, nil
}

// client returns conn with TLS, and the channel binding. Without TLS it returns conn.
func (t *TLS) client(conn net.Conn) (net.Conn, []byte, error) {
	if t == nil {
		return conn, nil, nil
	}
	return bind(tls.Client(conn, t.config))
}

// server does what client does, for the other side.
func (t *TLS) server(conn net.Conn) (net.Conn, []byte, error) {
	if t == nil {
		return conn, nil, nil
	}
	return bind(tls.Server(conn, t.config))
}

// bind performs the TLS handshake.
func bind(conn *tls.Conn) (net.Conn, []byte, error) {
	err := conn.Handshake()
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) {
		if plain.Conn != nil { // tells a caller without TLS that TLS is required
			_, _ = plain.Conn.Write(alertRecord)
		}
		return nil, nil, fmt.Errorf("%w, this one: %w", ErrTLS, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("TLS: %w", alert(err))
	}
	state := conn.ConnectionState()
	binding, err := state.ExportKeyingMaterial(bindingLabel, nil, bindingBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("TLS: %w", err)
	}
	return conn, binding, nil
}

// alert returns err, as ErrCertificate if it is a TLS alert from the other side.
func alert(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" { // see crypto/tls
		return fmt.Errorf("%w, by the other side: %w", ErrCertificate, err)
	}
	return err
}

// looksLikeTLS reports whether b begins like a TLS record, of a handshake or an alert.
func looksLikeTLS(b []byte) bool { return (b[0] == 0x16 || b[0] == 0x15) && b[1] == 3 }
