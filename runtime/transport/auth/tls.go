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

// bindingLabel names what both ends of a TLS session can compute and nobody in
// between, see RFC 9266.
const bindingLabel = "EXPORTER-Channel-Binding"

// alertRecord is a record of TLS that says that its handshake has failed.
var alertRecord = []byte{0x15, 3, 3, 0, 2, 2, 40}

// bindingBytes is its length.
const bindingBytes = 32

// TLS is how the connections of a run are encrypted: TLS 1.3 and nothing older.
// Who is at the other end is not left to certificates: the handshake proves it,
// and covers the session.
type TLS struct{ config *tls.Config }

// tlsConfig is common to both sides, and to both kinds.
func tlsConfig(cert tls.Certificate) *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{cert},
		// The name in a certificate says less than the proof does; and a chain is
		// checked by VerifyConnection where there is one.
		InsecureSkipVerify:          true,
		SessionTicketsDisabled:      true,
		DynamicRecordSizingDisabled: true, // faces are long
	}
}

// SelfSigned returns TLS with a certificate made up for this process. It stops
// those who only listen; the handshake stops those who sit in between.
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

// Certified returns TLS with a certificate and its key from files in PEM. Both
// sides must show one that an authority in the file ca has signed.
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

// client returns conn with TLS, and what identifies the session. Without TLS it
// returns conn as it is.
func (t *TLS) client(conn net.Conn) (net.Conn, []byte, error) {
	if t == nil {
		return conn, nil, nil
	}
	return bind(tls.Client(conn, t.config))
}

// server is client for the other side.
func (t *TLS) server(conn net.Conn) (net.Conn, []byte, error) {
	if t == nil {
		return conn, nil, nil
	}
	return bind(tls.Server(conn, t.config))
}

// bind holds the handshake of TLS.
func bind(conn *tls.Conn) (net.Conn, []byte, error) {
	err := conn.Handshake()
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) {
		if plain.Conn != nil { // who calls without TLS is told what is spoken here
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

// alert returns err, as ErrCertificate if it is what the other side says about our
// certificate or what else it does not like.
func alert(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" { // see crypto/tls
		return fmt.Errorf("%w, by the other side: %w", ErrCertificate, err)
	}
	return err
}

// looksLikeTLS reports whether b begins as a record of TLS does: one of a
// handshake, or an alert.
func looksLikeTLS(b []byte) bool { return (b[0] == 0x16 || b[0] == 0x15) && b[1] == 3 }
