// Package auth is how the processes of a run recognize one another: ranks in a
// mesh, and a rank and its launcher.
//
// All of them share a Secret, 32 random bytes made for the run. It reaches them
// by a way that others cannot read (LoadSecret), never on a command line. Who
// connects and who answers prove to each other that they know it, and who they
// are, before either believes a byte of what the other says (handshake.go). A
// Door lets a bounded number of strangers try that at a time. From the same
// handshake come keys for the MACs of what follows (mac.go); with TLS, the
// proofs cover the TLS session too, so that nobody can sit in between (tls.go).
package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// secretBytes is the length of a secret.
const secretBytes = 32

// A Secret is what the processes of one run know and nobody else does. Its zero
// value is none. It does not show itself to package fmt, to loggers or in JSON.
type Secret struct{ key [secretBytes]byte }

// NewSecret returns a secret for a run.
func NewSecret() Secret {
	var s Secret
	_, _ = rand.Read(s.key[:]) // never fails
	return s
}

// errNoSecret is text that is not a secret. It does not repeat the text.
var errNoSecret = fmt.Errorf("not a secret: want %d hexadecimal digits", 2*secretBytes)

// ParseSecret reads what Text has written; space around it does not matter.
func ParseSecret(text string) (Secret, error) {
	b, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(b) != secretBytes {
		return Secret{}, errNoSecret
	}
	var s Secret
	copy(s.key[:], b)
	if s.IsZero() {
		return Secret{}, errors.New("not a secret: nothing but zeros")
	}
	return s, nil
}

// Next returns the secret of the run after that of s, by the same processes. Who
// learns it does not learn s.
func (s Secret) Next() Secret {
	mac := hmac.New(sha256.New, s.key[:])
	_, _ = mac.Write([]byte("loopc: the secret of the next run")) // never fails
	var next Secret
	copy(next.key[:], mac.Sum(nil))
	return next
}

// IsZero reports whether s is none.
func (s Secret) IsZero() bool { return s == Secret{} }

// Text returns s in hexadecimal, for a pipe or a file that only the processes
// of the run can read.
func (s Secret) Text() string { return hex.EncodeToString(s.key[:]) }

// Line returns Text as a line, which is how FromDescriptor expects it.
func (s Secret) Line() string { return s.Text() + "\n" }

// Format implements fmt.Formatter: whatever the verb, nothing of s is printed.
func (s Secret) Format(f fmt.State, _ rune) {
	if s.IsZero() {
		_, _ = io.WriteString(f, "no secret")
	} else {
		_, _ = io.WriteString(f, "a secret")
	}
}
