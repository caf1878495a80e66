package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
)

// TagBytes is the length of a MAC.
const TagBytes = 16

// A Tagger computes the MACs of what one side of a connection sends; the Tagger of the same
// direction on the other side checks them. MACs are numbered. The number goes into the MAC
// and is not sent, so altered, missing, repeated and reordered messages are detected.
//
// The MAC is GMAC: AES-GCM of an empty text, with the data as additional data. With
// instructions for AES it is several times faster than HMAC with SHA-256 [note waiting].
// GMAC must never use a nonce twice with one key. The nonce is the number of the MAC, and
// each direction of each connection has its own key, derived from the nonces of both sides.
type Tagger struct {
	aead  cipher.AEAD
	count uint64
	nonce [12]byte // 4 zeros, count in big-endian
}

// newTagger returns the tagger for a key of 32 bytes.
func newTagger(key []byte) *Tagger {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &Tagger{aead: aead}
}

// next returns the nonce of the next MAC. 2^64 nonces are enough for any run.
func (t *Tagger) next() []byte {
	binary.BigEndian.PutUint64(t.nonce[4:], t.count)
	t.count++
	return t.nonce[:]
}

// Append appends the MAC of data, TagBytes long, to b.
func (t *Tagger) Append(b, data []byte) []byte { return t.aead.Seal(b, t.next(), nil, data) }

// Check reports, in constant time, whether tag is the MAC of data. After the first failure
// nothing more from the other side can be trusted.
func (t *Tagger) Check(tag, data []byte) bool {
	_, err := t.aead.Open(nil, t.next(), tag, data)
	return err == nil && len(tag) == TagBytes
}

// A schedule derives the keys of one connection, with HKDF (RFC 5869): extracted from the
// secret and the nonces of both sides, and expanded by purpose.
type schedule struct {
	root    []byte
	service string
}

// newSchedule returns the schedule for the nonces of caller and answerer.
func newSchedule(secret Secret, service string, caller, answerer [nonceBytes]byte) schedule {
	root, err := hkdf.Extract(sha256.New, secret.key[:], append(caller[:], answerer[:]...))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return schedule{root: root, service: service}
}

// key returns the key for a purpose: for a proof, or, with the transcript of the
// whole handshake, for the MACs of a direction.
func (s schedule) key(purpose string, transcript []byte) []byte {
	info := "loopc " + s.service + " " + purpose
	if transcript != nil {
		digest := sha256.Sum256(transcript)
		info += " " + string(digest[:])
	}
	key, err := hkdf.Expand(sha256.New, s.root, info, 32)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return key
}
