package tcp

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"

	"loopc/runtime/transport"
)

// protocolVersion is raised by every change that ranks of two builds would
// disagree on.
const protocolVersion = 1

// helloMagic opens every connection, in both directions.
const helloMagic = "loopcTCP"

// The layout of a hello, little-endian:
//
//	0  magic    [8]byte
//	8  version  uint16; what follows is of this version
//	10 role     uint8
//	11 reserved uint8, 0
//	12 goarch   [16]byte, padded with zeros
//	28 rank     uint32
//	32 size     uint32
//	36 job      [32]byte, SHA-256 of the token that the ranks of a run share
//	68 digest   [32]byte, of program and plan
//
// and of the answer, which a hello follows if the verdict is 0:
//
//	0  magic    [8]byte
//	8  version  uint16
//	10 verdict  uint8, 0 for welcome
//	11 reserved uint8, 0
//	12 length   uint32, bytes of the reason that follows
const (
	helloBytes     = 100
	prefixBytes    = 10 // magic and version
	answerBytes    = 16
	maxReasonBytes = 1024
	roleRank       = 1
	archBytes      = 16
)

// A hello is how a rank presents itself.
type hello struct {
	arch       string
	rank, size int
	job        [32]byte
	digest     [32]byte
}

// newHello returns the hello of a rank of the job with this token.
func newHello(rank, size int, token string, digest [32]byte) hello {
	return hello{arch: runtime.GOARCH, rank: rank, size: size, job: sha256.Sum256([]byte(token)), digest: digest}
}

// append appends h as it goes over the wire.
func (h hello) append(b []byte) []byte {
	b = append(b, helloMagic...)
	b = binary.LittleEndian.AppendUint16(b, protocolVersion)
	b = append(b, roleRank, 0)
	var arch [archBytes]byte
	copy(arch[:], h.arch)
	b = append(b, arch[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.rank))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.size))
	b = append(b, h.job[:]...)
	return append(b, h.digest[:]...)
}

// Why a hello is not welcome.
var (
	errStranger = errors.New("not a rank of this run")                 // it does not speak our protocol, or does not know the token
	errVersion  = errors.New("speaks another version of the protocol") // and whether it knows the token cannot be said
)

// A differenceError says how a rank of this run differs from us.
type differenceError string

// Error implements error.
func (e differenceError) Error() string { return string(e) }

// readHello reads a hello. The error is errStranger, errVersion, or one of
// reading.
func readHello(r io.Reader) (hello, error) {
	var b [helloBytes]byte
	if _, err := io.ReadFull(r, b[:prefixBytes]); err != nil {
		return hello{}, err
	}
	if string(b[:8]) != helloMagic {
		return hello{}, errStranger
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != protocolVersion {
		return hello{}, fmt.Errorf("%w: %d, not %d", errVersion, v, protocolVersion)
	}
	if _, err := io.ReadFull(r, b[prefixBytes:]); err != nil {
		return hello{}, err
	}
	if b[10] != roleRank || b[11] != 0 {
		return hello{}, errStranger
	}
	h := hello{
		arch: string(bytes.TrimRight(b[12:12+archBytes], "\x00")),
		rank: int(binary.LittleEndian.Uint32(b[28:])),
		size: int(binary.LittleEndian.Uint32(b[32:])),
	}
	copy(h.job[:], b[36:])
	copy(h.digest[:], b[68:])
	return h, nil
}

// check compares the hello of another rank with ours. The error is errStranger
// if it does not know the token, else a differenceError.
func (h hello) check(other hello) error {
	job := subtle.ConstantTimeCompare(h.job[:], other.job[:])
	digest := subtle.ConstantTimeCompare(h.digest[:], other.digest[:])
	switch {
	case job != 1:
		return errStranger
	case other.size != h.size:
		return differenceError(fmt.Sprintf("rank %d counts %d ranks, rank %d counts %d", other.rank, other.size, h.rank, h.size))
	case other.arch != h.arch:
		return differenceError(fmt.Sprintf("rank %d runs on %s, rank %d on %s", other.rank, transport.OneLine(other.arch, archBytes), h.rank, h.arch))
	case digest != 1:
		return differenceError(fmt.Sprintf("rank %d runs another program or plan than rank %d", other.rank, h.rank))
	}
	return nil
}

// appendAnswer appends an answer: a welcome, with our own hello, if reason is
// "", else a refusal.
func appendAnswer(b []byte, reason string, own hello) []byte {
	b = append(b, helloMagic...)
	b = binary.LittleEndian.AppendUint16(b, protocolVersion)
	if reason == "" {
		b = append(b, 0, 0, 0, 0, 0, 0)
		return own.append(b)
	}
	reason = transport.OneLine(reason, maxReasonBytes)
	b = append(b, 1, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(reason)))
	return append(b, reason...)
}

// A refusalError is the reason that the other side gave for refusing us.
type refusalError string

// Error implements error.
func (e refusalError) Error() string { return "the other side says: " + string(e) }

// readAnswer reads the answer to a hello and, after a welcome, the hello of the
// other side. The error is a refusalError, errStranger, or one of reading.
func readAnswer(r io.Reader) (hello, error) {
	var b [answerBytes]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return hello{}, err
	}
	if string(b[:8]) != helloMagic || b[10] > 1 || b[11] != 0 {
		return hello{}, errStranger
	}
	if b[10] == 0 {
		return readHello(r)
	}
	n := binary.LittleEndian.Uint32(b[12:])
	if n > maxReasonBytes {
		return hello{}, errStranger
	}
	reason := make([]byte, n)
	if _, err := io.ReadFull(r, reason); err != nil {
		return hello{}, err
	}
	return hello{}, refusalError(transport.OneLine(string(reason), maxReasonBytes))
}
