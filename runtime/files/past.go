package files

import (
	"errors"
	"io"
	"os"
	"sync"
	"unsafe"
)

// PastAlign is a multiple of the alignment that systems want of positions and memory, if a file
// is written past the page cache.
const PastAlign = 4096

// pastBuffer is how many bytes are collected before they are written. Pages of the buffer that are never used take no memory.
const pastBuffer = 16 << 20

// buffers keeps the unused buffers of pastBuffer bytes for the next Past: they are large, and a run may have turned garbage
// collection off.
var buffers = sync.Pool{New: func() any { return (*[pastBuffer]byte)(aligned(pastBuffer)[:pastBuffer]) }}

// A Past writes files from their beginning, past the page cache: copying much data into the page
// cache takes time, and pushes out what others use. Where the system cannot write so, and for the
// end of a file, it writes as usual. Call Begin for each file, Flush after its last Write, and End after the last file.
//
// It makes few and long system calls. While a goroutine is in one, Go gives its processor (P) to another goroutine only
// after some milliseconds. A worker that needs this processor waits so long in each call.
type Past struct {
	to     io.Writer
	direct *os.File // which the system writes past its page cache; nil: none
	buf    []byte   // collected bytes, which are written before those that follow; aligned
}

// Begin begins a file, which is empty. If w is no *os.File, or cached, it is written as usual.
func (p *Past) Begin(w io.Writer, cached bool) {
	p.to, p.direct, p.buf = w, nil, p.buf[:0]
	if f, ok := w.(*os.File); ok && !cached && setDirect(f, true) == nil {
		p.direct = f
	}
}

// Write implements io.Writer. If the memory of b and the position in the file are aligned, it writes without a copy, up to
// the last aligned byte of b; it copies all other bytes to the buffer.
func (p *Past) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		did := 0
		if len(b) >= PastAlign && len(p.buf)%PastAlign == 0 && uintptr(unsafe.Pointer(&b[0]))%PastAlign == 0 {
			if err = p.empty(); err == nil {
				did, err = p.put(b[:len(b)/PastAlign*PastAlign])
			}
		} else {
			if p.buf == nil {
				p.buf = buffers.Get().(*[pastBuffer]byte)[:0]
			}
			did = copy(p.buf[len(p.buf):cap(p.buf)], b)
			if p.buf = p.buf[:len(p.buf)+did]; len(p.buf) == cap(p.buf) {
				err = p.empty()
			}
		}
		n, b = n+did, b[did:]
	}
	return n, err
}

// empty writes the collected bytes.
func (p *Past) empty() error {
	b := p.buf
	p.buf = p.buf[:0]
	_, err := p.put(b)
	return err
}

// Flush writes the end of the file.
func (p *Past) Flush() error {
	end := len(p.buf) / PastAlign * PastAlign
	if _, err := p.put(p.buf[:end]); err != nil {
		return err
	}
	if len(p.buf) > end {
		p.usual()
	}
	_, err := p.put(p.buf[end:])
	p.buf = p.buf[:0]
	return err
}

// End releases the buffer for another Past. Nothing may be written afterwards.
func (p *Past) End() {
	if p.buf != nil {
		buffers.Put((*[pastBuffer]byte)(p.buf[:pastBuffer]))
		p.buf = nil
	}
}

// usual writes as usual from now on.
func (p *Past) usual() {
	if p.direct != nil {
		_ = setDirect(p.direct, false) // a write that the system refuses then says why
		p.direct = nil
	}
}

// put writes b. If the system refuses to write it past its cache, it writes as usual.
func (p *Past) put(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, err = p.to.Write(b)
	if p.direct == nil || !errors.Is(err, errAlignment) {
		return n, err
	}
	p.usual()
	more, err := p.to.Write(b[n:])
	return n + more, err
}

// aligned returns an empty aligned slice of this capacity.
func aligned(n int) []byte {
	b := make([]byte, n+PastAlign-1)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) % PastAlign)
	return b[skip : skip : skip+n]
}
