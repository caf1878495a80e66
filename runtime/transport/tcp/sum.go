package tcp

import (
	"encoding/binary"
	"hash/crc32"

	"loopc/runtime/transport/auth"
)

// A seal computes the check data after headers and payloads: MACs if the connection has
// them, else CRC-32C. TCP's own checksum is not enough: it has only 16 bits, and network
// hardware recomputes it.
type seal interface {
	// Append appends the seal of data to b.
	Append(b, data []byte) []byte
	// Check reports whether tag is the seal of data.
	Check(tag, data []byte) bool
}

// sumBytes is the length of a CRC-32C.
const sumBytes = crc32.Size

// castagnoli is the polynomial of CRC-32C, for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sums are seals against accidental changes: CRC-32C, little-endian.
type sums struct{}

// Append implements seal.
func (sums) Append(b, data []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(data, castagnoli))
}

// Check implements seal.
func (sums) Check(tag, data []byte) bool {
	return len(tag) == sumBytes && binary.LittleEndian.Uint32(tag) == crc32.Checksum(data, castagnoli)
}

// setSeals chooses the seals of the connection of s.
func (p *peer) setSeals(s *auth.Session) {
	p.checks, p.signs, p.sealBytes, p.sealName = sums{}, sums{}, sumBytes, "CRC"
	if s.MAC {
		p.checks, p.signs, p.sealBytes, p.sealName = s.Receive, s.Send, auth.TagBytes, "MAC"
	}
}
