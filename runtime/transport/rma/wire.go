package rma

import (
	"encoding/binary"
	"fmt"
	"math"

	"loopc/runtime/transport"
)

// Messages over the control between two ranks, little-endian: a hello from each, then
// openings, then a goodbye. Each is a face of at most controlBytes on the control's edge
// number 0; its first byte is its kind.
const (
	controlBytes = 512
	controlSlots = 32

	sayHello   = 1 // version uint16, bell base and key uint64, then two texts: provider, address
	sayOffer   = 2 // a sender has opened: an opening
	sayGrant   = 3 // a receiver has opened: an opening
	sayGoodbye = 4 // no face follows

	helloVersion = 2 // of this protocol: immediates, headers and control
	openingBytes = 1 + 4 + 4 + 8 + 4 + 8 + 8
	maxTextBytes = 200
)

// A hello has the address of a rank's endpoint.
type hello struct {
	provider string
	address  []byte
	bell     place // see peer.bell
}

// A place is memory into which a peer may write.
type place struct{ base, key uint64 }

// append appends the hello to b.
func (h hello) append(b []byte) []byte {
	b = append(b, sayHello)
	b = binary.LittleEndian.AppendUint16(b, helloVersion)
	b = binary.LittleEndian.AppendUint64(b, h.bell.base)
	b = binary.LittleEndian.AppendUint64(b, h.bell.key)
	for _, text := range [][]byte{[]byte(h.provider), h.address} {
		b = append(b, byte(len(text)))
		b = append(b, text...)
	}
	return b
}

// parseHello decodes a hello. Errors are ErrProtocol.
func parseHello(b []byte) (hello, error) {
	const fixed = 1 + 2 + 8 + 8
	var h hello
	if len(b) < fixed+2 || b[0] != sayHello {
		return h, fmt.Errorf("%w: no hello of an RDMA endpoint", transport.ErrProtocol)
	}
	if v := binary.LittleEndian.Uint16(b[1:]); v != helloVersion {
		return h, fmt.Errorf("%w: version %d of the protocol over RDMA, not %d", transport.ErrProtocol, v, helloVersion)
	}
	h.bell = place{base: binary.LittleEndian.Uint64(b[3:]), key: binary.LittleEndian.Uint64(b[11:])}
	var texts [2][]byte
	rest := b[fixed:]
	for k := range texts {
		if len(rest) == 0 || int(rest[0]) > min(len(rest)-1, maxTextBytes) {
			return h, fmt.Errorf("%w: the hello of an RDMA endpoint was cut", transport.ErrProtocol)
		}
		texts[k], rest = rest[1:1+rest[0]], rest[1+rest[0]:]
	}
	if len(rest) > 0 {
		return h, fmt.Errorf("%w: the hello of an RDMA endpoint has %d bytes too many", transport.ErrProtocol, len(rest))
	}
	h.provider = transport.OneLine(string(texts[0]), maxTextBytes)
	h.address = append([]byte(nil), texts[1]...)
	return h, nil
}

// An opening is the message from one end of an edge to the other.
type opening struct {
	edge   transport.Edge // its Peer is not sent
	handle uint32         // for immediates to this end
	slots  place          // of a receiver; zero for a sender
}

// append appends the opening of a sender (sayOffer) or a receiver (sayGrant) to b.
func (o opening) append(b []byte, say byte) []byte {
	b = append(b, say)
	b = binary.LittleEndian.AppendUint32(b, uint32(o.edge.ID))
	b = binary.LittleEndian.AppendUint32(b, o.handle)
	b = binary.LittleEndian.AppendUint64(b, uint64(o.edge.Capacity))
	b = binary.LittleEndian.AppendUint32(b, uint32(o.edge.Slots))
	b = binary.LittleEndian.AppendUint64(b, o.slots.base)
	return binary.LittleEndian.AppendUint64(b, o.slots.key)
}

// parseOpening decodes an opening. Errors are ErrProtocol.
func parseOpening(b []byte) (opening, error) {
	if len(b) != openingBytes {
		return opening{}, fmt.Errorf("%w: opening of %d bytes", transport.ErrProtocol, len(b))
	}
	id, capacity := binary.LittleEndian.Uint32(b[1:]), binary.LittleEndian.Uint64(b[9:])
	o := opening{
		edge:   transport.Edge{ID: int(id), Capacity: int(capacity), Slots: int(binary.LittleEndian.Uint32(b[17:]))},
		handle: binary.LittleEndian.Uint32(b[5:]),
		slots:  place{base: binary.LittleEndian.Uint64(b[21:]), key: binary.LittleEndian.Uint64(b[29:])},
	}
	if id >= transport.MaxEdges || capacity > math.MaxInt || o.handle >= maxHandles {
		return opening{}, fmt.Errorf("%w: opening of edge %d with slots of %d bytes as end %d", transport.ErrProtocol, id, capacity, o.handle)
	}
	return o, nil
}
