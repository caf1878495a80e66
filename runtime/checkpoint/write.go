package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/files"
	"loopc/runtime/npy"
)

// A File is a file of a part while it is written.
type File interface {
	io.WriteCloser
	Sync() error
}

// FileName is the name of file k of a rank's part.
func FileName(rank, k int) string { return fmt.Sprintf("rank-%d-%d.npy", rank, k) }

// pieceBytes is how many bytes are written at a time. Long pieces take few system calls (see files.Past), but a process
// cannot end before the system has written its piece.
const pieceBytes = 128 << 20

// sums is CRC-32C, the checksum of files. It detects every error of a few bits, and processors have an instruction for it.
var sums = crc32.MakeTable(crc32.Castagnoli)

// sumText is a checksum as text.
func sumText(sum uint32) string { return fmt.Sprintf("%08x", sum) }

// WritePart writes the files of a part, and syncs them if the part is kept. create makes its k-th file. If a file fails, the result has the Error
// and no files.
func WritePart(p *Part, create func(k int) (File, error)) *StoredPart {
	s := &StoredPart{Done: p.Done, At: p.At, Keep: p.Keep, Show: p.Show, Rank: p.Rank, Reductions: p.Reductions}
	w := writer{rank: p.Rank, create: create, cached: p.Show, kept: p.Keep}
	defer w.out.End()
	for _, list := range []struct {
		blocks  []Block
		entries *[]Entry
	}{{p.Values, &s.Values}, {p.Results, &s.Results}, {p.Given, &s.Given}} {
		for k := range list.blocks {
			w.block(&list.blocks[k], list.entries)
		}
	}
	if w.err != nil {
		*s = StoredPart{Done: p.Done, At: p.At, Keep: p.Keep, Show: p.Show, Rank: p.Rank, Error: w.err.Error()}
	}
	return s
}

// A writer writes files until the first error.
type writer struct {
	rank   int
	create func(k int) (File, error)
	cached bool // the files are read soon
	kept   bool // and not removed then
	files  int  // the number of files begun
	out    files.Past
	err    error
}

// block writes the marked cells of a block to a file, and adds the block to entries. It skips a block without marked cells.
func (w *writer) block(b *Block, entries *[]Entry) {
	v := &b.View
	e := Entry{Name: b.Name, Elem: v.Elem, First: append([]int{}, v.Lo...), Last: append([]int{}, v.Hi...)}
	cells := v.Cells()
	marked := cells
	if v.Written != nil {
		marked = v.Marked()
	}
	if marked == 0 {
		return
	}
	shape := []int{marked}
	if marked == cells {
		shape = shape[:0]
		for k := range v.Lo {
			shape = append(shape, v.Hi[k]-v.Lo[k]+1)
		}
	}
	var runs []byte
	e.File, e.CRC32C = w.file(v.Elem, shape, func(put func([]byte) error) error {
		if marked == cells {
			for piece := range slices.Chunk(v.Data[:cells*v.Size], pieceBytes) {
				if err := put(piece); err != nil {
					return err
				}
			}
			return nil
		}
		return v.WrittenRuns(0, v.Cells(), func(begin, end int) error {
			runs = binary.NativeEndian.AppendUint64(runs, uint64(begin))
			runs = binary.NativeEndian.AppendUint64(runs, uint64(end-begin))
			return put(v.Data[begin*v.Size : end*v.Size])
		})
	})
	if marked < cells {
		e.Runs, e.RunsCRC32C = w.file("int64", []int{len(runs) / 16, 2}, func(put func([]byte) error) error { return put(runs) })
	}
	*entries = append(*entries, e)
}

// file writes the next file, and returns its name and checksum.
func (w *writer) file(elem string, shape []int, cells func(put func([]byte) error) error) (name, checksum string) {
	if w.err != nil {
		return "", ""
	}
	f, err := w.create(w.files)
	if err != nil {
		w.err = err
		return "", ""
	}
	name = FileName(w.rank, w.files)
	w.files++
	w.out.Begin(f, w.cached)
	sum := crc32.New(sums)
	if err = npy.Stream(io.MultiWriter(sum, &w.out), elem, shape, files.PastAlign, cells); err == nil {
		if err = w.out.Flush(); err == nil && w.kept {
			err = f.Sync()
		}
	}
	w.err = errors.Join(err, f.Close())
	return name, sumText(sum.Sum32())
}

// A place is the position of a run of cells in a block, and its length.
type place struct{ at, n int }

// places returns the runs of cells that v lists: v is the content of a file of runs.
func places(v *array.View) []place {
	all := make([]place, v.Cells()/2)
	for k := range all {
		all[k] = place{int(v.Cell(2 * k).I), int(v.Cell(2*k + 1).I)}
	}
	return all
}
