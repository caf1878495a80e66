package files

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestPast writes files in pieces of any length and alignment. The files must have the written
// content, whether or not the system can bypass its page cache.
func TestPast(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	data := aligned(6 << 20)[:6<<20]
	for k := range data {
		data[k] = byte(random.Uint32())
	}
	var p Past
	directly := 0
	for n := range 40 {
		var pieces []int
		for sum := 0; n > 0 && sum < len(data); sum += pieces[len(pieces)-1] {
			piece := 1 + random.IntN([]int{100, PastAlign, len(data)}[random.IntN(3)])
			if random.IntN(2) == 0 {
				piece = (piece + PastAlign - 1) / PastAlign * PastAlign
			}
			pieces = append(pieces, min(piece, len(data)-sum))
			if len(pieces) == n {
				break
			}
		}
		f, err := os.Create(filepath.Join(t.TempDir(), "file"))
		if err != nil {
			t.Fatal(err)
		}
		p.Begin(f, n%4 == 3)
		if p.direct != nil {
			directly++
		}
		at := 0
		for _, piece := range pieces {
			if did, err := p.Write(data[at : at+piece]); did != piece || err != nil {
				t.Fatalf("pieces %v: %d of %d bytes were written: %v", pieces, did, piece, err)
			}
			at += piece
		}
		err = errors.Join(p.Flush(), f.Close())
		got, readErr := os.ReadFile(f.Name())
		if err != nil || readErr != nil || !bytes.Equal(got, data[:at]) {
			t.Fatalf("pieces %v: the file has %d bytes, not those %d that were written: %v, %v", pieces, len(got), at, err, readErr)
		}
	}
	t.Log("files written past the page cache:", directly)
	if f, err := os.Create(filepath.Join(t.TempDir(), "file")); err != nil || setDirect(f, true) == nil && directly != 30 {
		t.Errorf("%d files of 30 were written past the page cache: %v", directly, err)
	} else {
		f.Close()
	}
}

// picky refuses the first write that goes beyond a position, like a file system with other wishes.
type picky struct {
	bytes.Buffer
	at int
}

// Write implements io.Writer.
func (w *picky) Write(b []byte) (int, error) {
	if n := w.at - w.Len(); n < len(b) && w.at > 0 {
		w.at = 0
		did, _ := w.Buffer.Write(b[:n])
		return did, errAlignment
	}
	return w.Buffer.Write(b)
}

// TestPastRefused goes on as usual where a file system refuses to be written past the page cache.
func TestPastRefused(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data := aligned(3 << 20)[:3<<20]
	for k := range data {
		data[k] = byte(k >> 5)
	}
	for _, at := range []int{1, 512, 2 << 20, 3<<20 - 1} {
		w := &picky{at: at}
		p := Past{to: w, direct: f}
		_, err := p.Write(data[:1<<20+7])
		_, more := p.Write(data[1<<20+7:])
		if err := errors.Join(err, more, p.Flush()); err != nil || !bytes.Equal(w.Bytes(), data) || p.direct != nil {
			t.Errorf("refused at %d: %d bytes are written: %v", at, w.Len(), err)
		}
	}
}
