package bench

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// checksum adds the bytes of a result to a checksum, in words of 8 bytes, little-endian, the last
// one padded with zeros. After each word the sum is multiplied by an odd constant and shifted
// into itself, so that every bit counts. testdata/peers/peer.h has the same checksum.
func checksum(sum uint64, result io.Reader) (uint64, error) {
	r := bufio.NewReaderSize(result, 1<<16)
	var word [8]byte
	for {
		n, err := io.ReadFull(r, word[:])
		if n > 0 {
			clear(word[n:])
			sum = (sum ^ binary.LittleEndian.Uint64(word[:])) * 0xbf58476d1ce4e5b9
			sum ^= sum >> 29
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return sum, nil
		default:
			return sum, err
		}
	}
}

// checksumFile adds the content of an .npy file to a checksum, without its header.
func checksumFile(sum uint64, name string) (uint64, error) {
	f, err := os.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	// Magic, version, and the length of the header: 2 bytes in version 1, else 4.
	var start [8]byte
	if _, err := io.ReadFull(f, start[:]); err != nil || string(start[:6]) != "\x93NUMPY" {
		return sum, fmt.Errorf("%s is no .npy file", name)
	}
	length := make([]byte, 2)
	if start[6] > 1 {
		length = make([]byte, 4)
	}
	if _, err := io.ReadFull(f, length); err != nil {
		return sum, fmt.Errorf("%s: %w", name, err)
	}
	header := int64(binary.LittleEndian.Uint16(length))
	if len(length) == 4 {
		header = int64(binary.LittleEndian.Uint32(length))
	}
	if _, err := f.Seek(header, io.SeekCurrent); err != nil {
		return sum, fmt.Errorf("%s: %w", name, err)
	}
	return checksum(sum, f)
}
