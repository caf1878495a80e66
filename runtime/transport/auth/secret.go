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

// A Secret is shared by the processes of one run and known to nobody else. Its zero value
// means no secret. Package fmt, loggers and JSON do not print it.
type Secret struct{ key [secretBytes]byte }

// NewSecret returns a secret for a run.
func NewSecret() Secret {
	var s Secret
	_, _ = rand.Read(s.key[:]) // never fails
	return s
}

// errNoSecret: a text is not a secret. The error does not repeat the text.
var errNoSecret = fmt.Errorf("not a secret: want %d hexadecimal digits", 2*secretBytes)

// ParseSecret parses the format of Text; surrounding space does not matter.
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

// Next returns the secret for the next run of the same processes. s cannot be computed from
// it.
func (s Secret) Next() Secret {
	mac := hmac.New(sha256.New, s.key[:])
	_, _ = mac.Write([]byte("loopc: the secret of the next run")) // never fails
	var next Secret
	copy(next.key[:], mac.Sum(nil))
	return next
}

// IsZero reports whether s is zero.
func (s Secret) IsZero() bool { return s == Secret{} }

// Text returns s in hexadecimal, for a pipe or a file that only the processes
// of the run can read.
func (s Secret) Text() string { return hex.EncodeToString(s.key[:]) }

// Line returns Text as a line, which is what FromEnvironment reads from a descriptor.
func (s Secret) Line() string { return s.Text() + "\n" }

// Format implements fmt.Formatter: no verb prints the secret.
func (s Secret) Format(f fmt.State, _ rune) {
	if s.IsZero() {
		_, _ = io.WriteString(f, "no secret")
	} else {
		_, _ = io.WriteString(f, "a secret")
	}
}
