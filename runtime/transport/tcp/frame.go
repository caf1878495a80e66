package tcp

import (
	"encoding/binary"
	"fmt"
	"math"

	"loopc/runtime/transport"
)

// A kind is the kind of a frame. Each kind about an edge comes only from the edge's sender
// or only from its receiver, so the two directions between a pair of ranks may use the same
// edge numbers.
type kind uint8

const (
	kindFace      kind = iota + 1 // sender: a face; sequence counts faces from 0
	kindOpenSend                  // sender: its capacity and slots
	kindOpenRecv                  // receiver: its capacity and slots; grants the first credits
	kindCredit                    // receiver: it has released sequence faces so far
	kindSync                      // sender: asks for an acknowledgement of sequence faces
	kindAck                       // receiver: sequence faces have arrived so far
	kindHeartbeat                 // sent when there is nothing else to send
	kindGoodbye                   // no face follows
	kindAbort                     // the rank in the field edge gave up; the payload is its cause
	kindEnd
)

// String returns the name of k for error messages.
func (k kind) String() string {
	names := [...]string{"frame of kind 0", "face", "sender's opening", "receiver's opening", "credit", "sync", "acknowledgement", "heartbeat", "goodbye", "abort"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("frame of kind %d", uint8(k))
}

// The layout of a frame's header, little-endian:
//
//	0  magic     uint16
//	2  kind      uint8
//	3  reserved  uint8, 0
//	4  edge      uint32
//	8  sequence  uint64
//	16 length    uint64, bytes of payload that follow
//
// A seal follows the header, and another seal follows the payload, if any. A seal is a MAC
// of auth.TagBytes on a connection with MACs, else a checksum of sumBytes. The header has
// its own seal so that its length can be checked before it is used.
const (
	headerBytes = 24
	frameMagic  = 0x9c4d

	openBytes     = 16   // capacity uint64, slots uint32, reserved uint32
	maxAbortBytes = 1024 // text of an abort
)

// A frame is a decoded header.
type frame struct {
	kind     kind
	edge     uint32
	sequence uint64
	length   uint64 // bytes of payload
}

// append appends f's header to b.
func (f frame) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, frameMagic)
	b = append(b, byte(f.kind), 0)
	b = binary.LittleEndian.AppendUint32(b, f.edge)
	b = binary.LittleEndian.AppendUint64(b, f.sequence)
	return binary.LittleEndian.AppendUint64(b, f.length)
}

// parseFrame decodes a header of headerBytes bytes and makes all checks that do not depend
// on the open edges. Errors are ErrProtocol.
func parseFrame(b []byte) (frame, error) {
	f := frame{
		kind:     kind(b[2]),
		edge:     binary.LittleEndian.Uint32(b[4:]),
		sequence: binary.LittleEndian.Uint64(b[8:]),
		length:   binary.LittleEndian.Uint64(b[16:]),
	}
	if !isFrame(b) || b[3] != 0 {
		return f, fmt.Errorf("%w: no frame begins with %x", transport.ErrProtocol, b[:4])
	}
	var most uint64
	switch f.kind {
	case kindFace:
		most = math.MaxInt
	case kindOpenSend, kindOpenRecv:
		most = openBytes
		if f.length != openBytes {
			return f, fmt.Errorf("%w: %v of %d bytes", transport.ErrProtocol, f.kind, f.length)
		}
	case kindAbort:
		most = maxAbortBytes
	case kindCredit, kindSync, kindAck, kindHeartbeat, kindGoodbye:
	default:
		return f, fmt.Errorf("%w: %v", transport.ErrProtocol, f.kind)
	}
	if f.length > most {
		return f, fmt.Errorf("%w: %v of %d bytes", transport.ErrProtocol, f.kind, f.length)
	}
	if f.edge >= transport.MaxEdges && f.kind != kindAbort {
		return f, fmt.Errorf("%w: %v on edge %d", transport.ErrProtocol, f.kind, f.edge)
	}
	return f, nil
}

// magicBytes is the length of the magic number with which a frame begins.
const magicBytes = 2

// isFrame reports whether b begins with the magic number of this version's frames.
func isFrame(b []byte) bool { return binary.LittleEndian.Uint16(b) == frameMagic }

// appendOpening appends the payload of an opening.
func appendOpening(b []byte, e transport.Edge) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(e.Capacity))
	b = binary.LittleEndian.AppendUint32(b, uint32(e.Slots))
	return binary.LittleEndian.AppendUint32(b, 0)
}

// parseOpening decodes the payload of an opening. Any numbers are legal here: the caller
// compares them with its own.
func parseOpening(f frame, b []byte) (transport.Edge, error) {
	capacity := binary.LittleEndian.Uint64(b)
	if capacity > math.MaxInt {
		return transport.Edge{}, fmt.Errorf("%w: %v of edge %d has slots of %d bytes", transport.ErrProtocol, f.kind, f.edge, capacity)
	}
	return transport.Edge{ID: int(f.edge), Capacity: int(capacity), Slots: int(binary.LittleEndian.Uint32(b[8:]))}, nil
}
