package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certify writes an authority, and a certificate with its key that it has signed,
// into a new folder, and returns their names: certificate, key, authority.
func certify(t *testing.T) (cert, key, ca string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	template := func(name string, authority bool) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IsCA: authority, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		}
	}
	var keys [2]*ecdsa.PrivateKey
	for k := range keys {
		var err error
		if keys[k], err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	root, leaf := template("authority", true), template("rank", false)
	der, err := x509.CreateCertificate(rand.Reader, root, root, &keys[0].PublicKey, keys[0])
	ca = write("ca.pem", "CERTIFICATE", der, err)
	der, err = x509.CreateCertificate(rand.Reader, leaf, root, &keys[1].PublicKey, keys[0])
	cert = write("cert.pem", "CERTIFICATE", der, err)
	der, err = x509.MarshalECPrivateKey(keys[1])
	key = write("key.pem", "EC PRIVATE KEY", der, err)
	return cert, key, ca
}

// Ranks that are processes compute the same over TLS, with certificates made up
// or given, and with MACs; a certificate that another authority has signed ends
// the run with the reason.
func TestSecureRuns(t *testing.T) {
	cert, key, ca := certify(t)
	_, _, other := certify(t)
	base := []string{"-n", "3", "-p", "T=4,N=12", "--random", "1", "--check"}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"made up":  {[]string{"--tls"}, 0, "result equals the sequential loops"},
		"given":    {[]string{"--tls-cert", cert, "--tls-key", key, "--tls-ca", ca}, 0, "result equals the sequential loops"},
		"not ours": {[]string{"--tls-cert", cert, "--tls-key", key, "--tls-ca", other}, 1, "certificate signed by unknown authority"},
		"no file":  {[]string{"--tls-cert", "absent", "--tls-key", key, "--tls-ca", ca}, 1, "absent"},
		"macs":     {[]string{"--mac", "on", "--listen", "127.0.0.1"}, 0, "result equals the sequential loops"},
		"address":  {[]string{"--listen", "192.0.2.1"}, 1, `cannot accept connections at 192\.0\.2\.1`},
		"half":     {[]string{"--tls-cert", cert}, 2, "--tls-key"},
		"inproc":   {[]string{"--transport", "inproc", "--tls"}, 2, "--tls"},
		"macs?":    {[]string{"--mac", "perhaps"}, 2, "perhaps"},
		"a name":   {[]string{"--listen", "localhost"}, 2, "IP address"},
		"verify":   {[]string{"--tls", "--verify"}, 2, "--verify"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := run(t, "diffusion", t.TempDir(), append(base, c.args...)...)
			o.expect(t, c.code, c.want)
		})
	}
}
