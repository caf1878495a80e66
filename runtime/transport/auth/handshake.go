package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"

	"loopc/runtime/transport"
)

// The handshake between the caller and the answerer of a connection:
//
//	caller                                     answerer
//	greeting: nonce                       ->
//	                                      <-   greeting: nonce
//	introduction: who I am, proof         ->
//	                                      <-   verdict: introduction, proof; or why not
//
// A proof is the HMAC-SHA256 of the transcript so far, in both directions, up to the
// introduction that the proof ends. With TLS it also covers the session's exporter (RFC 9266),
// so that the ends of the handshake are the ends of the TLS session. A proof's key is derived from
// the secret and both nonces, and differs for each side: a proof can be neither replayed in
// another handshake nor reflected. The nonces come first, so that a stranger learns nothing
// from the answerer except the version of the protocol.
//
// All messages have a fixed length, up to the verdict of an authenticated answerer, whose
// length is bounded.

// ProtocolVersion is raised by every incompatible change of the protocol.
const ProtocolVersion = 2

// magic opens every connection, in both directions.
const magic = "loopcrun"

// The layout of a greeting, little-endian:
//
//	0  magic    [8]byte
//	8  version  uint16; what follows is of this version
//	10 side     uint8
//	11 flags    uint8
//	12 nonce    [32]byte
//
// of an introduction:
//
//	0  role     uint8
//	1  reserved [3]byte, 0
//	4  rank     uint32
//	8  size     uint32
//	12 goarch   [16]byte, padded with zeros
//	28 digest   [32]byte, of program and plan
//	60 proof    [32]byte
//
// and of a verdict. An introduction follows a welcome, and nothing a verdict for a stranger.
// The reason and a proof of the reason follow a refusal:
//
//	0  verdict  uint8
//	1  reserved uint8, 0
//	2  length   uint16, bytes of the reason
const (
	prefixBytes   = 10 // magic and version
	greetingBytes = 44
	nonceBytes    = 32
	introBytes    = 92
	saidBytes     = 60 // of an introduction, without the proof
	proofBytes    = 32
	archBytes     = 16
	verdictBytes  = 4

	sideCaller, sideAnswerer = 1, 2
	flagMAC                  = 1 // this side wants a MAC on what follows

	verdictWelcome, verdictRefused, verdictStranger = 0, 1, 2

	maxReasonBytes = 1024
	maxRanks       = 1 << 20
)

// Errors about the other side. Test with errors.Is.
var (
	ErrStranger = errors.New("not a process of this run")              // it does not know the secret, or speaks another protocol
	ErrVersion  = errors.New("speaks another version of the protocol") // whether it knows the secret is unknown
	ErrTLS      = errors.New("TLS is used by one side only")

	// ErrCertificate: one side rejects the certificate of the other, or their TLS settings
	// are incompatible.
	ErrCertificate = errors.New("refused by TLS")
)

// A RefusalError is the reason that the other side gave for refusing us.
type RefusalError string

// Error implements error.
func (e RefusalError) Error() string { return "the other side says: " + string(e) }

// Final reports whether a call that failed with err would fail again.
func Final(err error) bool {
	var refusal RefusalError
	return errors.Is(err, ErrStranger) || errors.Is(err, ErrVersion) || errors.Is(err, ErrTLS) || errors.Is(err, ErrCertificate) || errors.As(err, &refusal)
}

// A talk is a handshake in progress.
type talk struct {
	id      *Identity
	conn    net.Conn
	binding []byte // of the TLS session; empty without TLS
	said    []byte // the transcript, both directions
	macs    bool
	keys    schedule
}

// newNonce returns a nonce.
func newNonce() (n [nonceBytes]byte) {
	_, _ = rand.Read(n[:]) // never fails
	return n
}

// greet sends our greeting.
func (t *talk) greet(side byte, nonce [nonceBytes]byte) error {
	var flags byte
	if t.id.wants(t.conn) {
		flags, t.macs = flagMAC, true
	}
	b := append([]byte(nil), magic...)
	b = binary.LittleEndian.AppendUint16(b, ProtocolVersion)
	b = append(b, side, flags)
	b = append(b, nonce[:]...)
	t.said = append(t.said, b...)
	_, err := t.conn.Write(b)
	return err
}

// readGreeting reads the greeting of the other side.
func (t *talk) readGreeting(side byte) (nonce [nonceBytes]byte, err error) {
	var b [greetingBytes]byte
	_, err = io.ReadFull(t.conn, b[:prefixBytes])
	if looksLikeTLS(b[:]) && t.id.TLS == nil { // an alert may be shorter than the prefix
		return nonce, fmt.Errorf("%w, the other one", ErrTLS)
	}
	if err != nil {
		return nonce, err
	}
	switch version := binary.LittleEndian.Uint16(b[8:]); {
	case string(b[:8]) != magic:
		return nonce, ErrStranger
	case version != ProtocolVersion:
		return nonce, fmt.Errorf("%w: %d, not %d", ErrVersion, version, ProtocolVersion)
	}
	if _, err := io.ReadFull(t.conn, b[prefixBytes:]); err != nil {
		return nonce, err
	}
	if b[10] != side || b[11]&^flagMAC != 0 {
		return nonce, ErrStranger
	}
	t.macs = t.macs || b[11]&flagMAC != 0
	t.said = append(t.said, b[:]...)
	copy(nonce[:], b[12:])
	return nonce, nil
}

// proof returns a side's proof of the transcript so far.
func (t *talk) proof(by byte) []byte {
	h := hmac.New(sha256.New, t.keys.key(fmt.Sprintf("proof %d", by), nil))
	h.Write(t.said)
	h.Write(t.binding)
	return h.Sum(nil)
}

// introduce returns our introduction, and adds it to the transcript.
func (t *talk) introduce(side byte) []byte {
	p := t.id.Self
	b := make([]byte, saidBytes, introBytes)
	b[0] = byte(p.Role)
	binary.LittleEndian.PutUint32(b[4:], uint32(p.Rank))
	binary.LittleEndian.PutUint32(b[8:], uint32(p.Size))
	arch := p.Arch
	if arch == "" {
		arch = runtime.GOARCH
	}
	copy(b[12:12+archBytes], arch)
	copy(b[28:], p.Digest[:])
	t.said = append(t.said, b...)
	proof := t.proof(side)
	t.said = append(t.said, proof...)
	return append(b, proof...)
}

// readIntroduction reads the introduction of a side and checks its proof.
func (t *talk) readIntroduction(side byte) (Party, error) {
	var b [introBytes]byte
	if _, err := io.ReadFull(t.conn, b[:]); err != nil {
		return Party{}, err
	}
	t.said = append(t.said, b[:saidBytes]...)
	known := hmac.Equal(b[saidBytes:], t.proof(side))
	t.said = append(t.said, b[saidBytes:]...)
	if !known {
		return Party{}, ErrStranger
	}
	p := Party{
		Role: Role(b[0]),
		Rank: int(binary.LittleEndian.Uint32(b[4:])),
		Size: int(binary.LittleEndian.Uint32(b[8:])),
		Arch: transport.OneLine(string(bytes.TrimRight(b[12:12+archBytes], "\x00")), archBytes),
	}
	copy(p.Digest[:], b[28:])
	if p.Role != Rank && p.Role != Launcher || b[1]|b[2]|b[3] != 0 || p.Size < 1 || p.Size > maxRanks || p.Rank < 0 || p.Rank >= p.Size {
		return Party{}, fmt.Errorf("%w: no role %d of rank %d among %d", ErrStranger, p.Role, p.Rank, p.Size)
	}
	return p, nil
}

// session returns one side's session after a successful handshake.
func (t *talk) session(side byte, peer Party) *Session {
	transcript := append(t.said, t.binding...)
	toAnswerer := newTagger(t.keys.key("MACs to who answers", transcript))
	toCaller := newTagger(t.keys.key("MACs to the caller", transcript))
	s := &Session{Conn: t.conn, Peer: peer, MAC: t.macs, Send: toAnswerer, Receive: toCaller}
	if side == sideAnswerer {
		s.Send, s.Receive = toCaller, toAnswerer
	}
	return s
}

// Call performs the handshake as the side that has opened conn. It obeys conn's deadline,
// and never closes conn. Errors are ErrStranger, ErrVersion, ErrTLS, ErrCertificate, a
// RefusalError, or one of conn.
func (id *Identity) Call(conn net.Conn) (*Session, error) {
	t := &talk{id: id}
	var err error
	if t.conn, t.binding, err = id.TLS.client(conn); err != nil {
		return nil, err
	}
	ours := newNonce()
	if err := t.greet(sideCaller, ours); err != nil {
		return nil, err
	}
	theirs, err := t.readGreeting(sideAnswerer)
	if err != nil {
		return nil, alert(err) // the answerer's opinion of our certificate arrives here
	}
	t.keys = newSchedule(id.Secret, id.Service, ours, theirs)
	if _, err := t.conn.Write(t.introduce(sideCaller)); err != nil {
		return nil, err
	}
	peer, err := t.readVerdict()
	if err != nil {
		return nil, err
	}
	return t.session(sideCaller, peer), nil
}

// readVerdict reads the other side's verdict on our introduction, and its introduction.
func (t *talk) readVerdict() (Party, error) {
	var b [verdictBytes]byte
	if _, err := io.ReadFull(t.conn, b[:]); err != nil {
		return Party{}, err
	}
	n := binary.LittleEndian.Uint16(b[2:])
	switch {
	case b[1] != 0 || n > maxReasonBytes || n > 0 && b[0] != verdictRefused:
		return Party{}, ErrStranger
	case b[0] == verdictStranger:
		return Party{}, RefusalError(ErrStranger.Error())
	case b[0] != verdictWelcome && b[0] != verdictRefused:
		return Party{}, ErrStranger
	}
	t.said = append(t.said, b[:]...)
	if b[0] == verdictWelcome {
		return t.readIntroduction(sideAnswerer)
	}
	var reason [maxReasonBytes + proofBytes]byte
	if _, err := io.ReadFull(t.conn, reason[:n+proofBytes]); err != nil {
		return Party{}, err
	}
	t.said = append(t.said, reason[:n]...)
	if !hmac.Equal(reason[n:n+proofBytes], t.proof(sideAnswerer)) {
		return Party{}, ErrStranger
	}
	return Party{}, RefusalError(transport.OneLine(string(reason[:n]), maxReasonBytes))
}

// A Visit is an authenticated caller that waits for the verdict, which Welcome or Refuse
// gives once.
type Visit struct {
	Peer Party
	Conn net.Conn // with TLS, it wraps the connection given to Answer
	talk *talk
}

// Answer performs the handshake as the side that has accepted conn, up to the verdict. It
// obeys conn's deadline, and never closes conn. Strangers are told that they were not
// recognized. Errors are those of Call.
func (id *Identity) Answer(conn net.Conn) (*Visit, error) {
	t := &talk{id: id}
	var err error
	if t.conn, t.binding, err = id.TLS.server(conn); err != nil {
		return nil, err
	}
	theirs, err := t.readGreeting(sideCaller)
	if errors.Is(err, ErrVersion) || errors.Is(err, ErrTLS) {
		_ = t.greet(sideAnswerer, newNonce()) // tells the caller our version, unless the caller is gone
	}
	if err != nil {
		return nil, err
	}
	ours := newNonce()
	if err := t.greet(sideAnswerer, ours); err != nil {
		return nil, err
	}
	t.keys = newSchedule(id.Secret, id.Service, theirs, ours)
	peer, err := t.readIntroduction(sideCaller)
	if errors.Is(err, ErrStranger) {
		_, _ = t.conn.Write([]byte{verdictStranger, 0, 0, 0}) // the caller may be gone
	}
	if err != nil {
		return nil, err
	}
	return &Visit{Peer: peer, Conn: t.conn, talk: t}, nil
}

// Welcome lets the caller in.
func (v *Visit) Welcome() (*Session, error) {
	verdict := []byte{verdictWelcome, 0, 0, 0}
	v.talk.said = append(v.talk.said, verdict...)
	if _, err := v.talk.conn.Write(append(verdict, v.talk.introduce(sideAnswerer)...)); err != nil {
		return nil, err
	}
	return v.talk.session(sideAnswerer, v.Peer), nil
}

// Refuse tells the caller why it is not let in.
func (v *Visit) Refuse(reason string) error {
	reason = transport.OneLine(reason, maxReasonBytes)
	b := binary.LittleEndian.AppendUint16([]byte{verdictRefused, 0}, uint16(len(reason)))
	b = append(b, reason...)
	v.talk.said = append(v.talk.said, b...)
	_, err := v.talk.conn.Write(append(b, v.talk.proof(sideAnswerer)...))
	return err
}

// cut reports whether err means that either side has closed or reset the connection.
func cut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrClosed)
}
