package npy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"loopc/runtime/array"
)

// A Writer writes cells into a .npy file. Several writers, in several
// processes, may write to one file as long as their cells differ.
type Writer struct {
	elem  string
	size  int
	shape []int
	start int64
	file  Storage
}

// Size returns the length of the file that Create makes.
func Size(form Form, elem string, shape []int) (int64, error) {
	header, err := form.header(elem, shape)
	if err != nil {
		return 0, err
	}
	bytes := int64(array.SizeOf(elem))
	for _, e := range shape {
		if e < 0 || e > 0 && bytes > (math.MaxInt64-int64(len(header)))/int64(e) {
			return 0, fmt.Errorf("an array of shape %s is too large for a file", Shape(shape))
		}
		bytes *= int64(e)
	}
	return int64(len(header)) + bytes, nil
}

// header returns what a new file has before its cells.
func (form Form) header(elem string, shape []int) ([]byte, error) {
	if form == Raw {
		return nil, nil
	}
	return appendHeader(elem, shape, headerAlign)
}

// Create writes the header of its form to f, which must be empty, and extends the file to the size of the
// array; unwritten cells are zero. The caller still has to close f.
func Create(form Form, f *os.File, elem string, shape []int) (*Writer, error) {
	bytes, err := Size(form, elem, shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	header, err := form.header(elem, shape)
	if err != nil {
		return nil, err
	}
	w := &Writer{elem: elem, size: array.SizeOf(elem), shape: shape, start: int64(len(header)), file: f}
	if _, err := f.WriteAt(header, 0); err != nil {
		return nil, err
	}
	if err := f.Truncate(bytes); err != nil {
		return nil, err
	}
	return w, nil
}

// Append returns a writer of the file f, which Create has prepared, possibly in another
// process, for the same form, type and shape. f must also be open for reading. The caller still
// has to close f.
func Append(form Form, f Storage, elem string, shape []int) (*Writer, error) {
	h, err := check(f)
	if form == Raw {
		h, err = checkRaw(f, elem, shape)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	view := &File{Header: *h, name: f.Name(), file: f}
	if err := view.Want(elem, shape); err != nil {
		return nil, err
	}
	if h.BigEndian || h.Fortran {
		return nil, fmt.Errorf("%s: not a little-endian file in C order", f.Name())
	}
	return &Writer{elem: elem, size: h.Size, shape: h.Shape, start: h.Start, file: f}, nil
}

// WriteAt writes consecutive cells in C order, the first at position cell.
func (w *Writer) WriteAt(cells []byte, cell int64) error {
	if nativeBig && w.size > 1 {
		cells = append([]byte(nil), cells...)
		swap(cells, w.size)
	}
	n, err := w.file.WriteAt(cells, w.start+cell*int64(w.size))
	if err == nil && n < len(cells) {
		err = io.ErrShortWrite
	}
	return err
}

// WriteWritten writes the cells of src that are marked as written; or all cells if src does
// not track writes. src is a box of the array whose first cell has the indices origin,
// stored in C order without gaps.
func (w *Writer) WriteWritten(src *array.View, origin []int) error {
	if err := inside(w.elem, w.shape, src, origin); err != nil {
		return fmt.Errorf("%s: %w", w.file.Name(), err)
	}
	walk, any := newWalk(w.shape, false, src, origin)
	if !any {
		return nil
	}
	row := walk.loops[len(walk.loops)-1]
	if row.view != 1 {
		return errors.New("BUG: a view to be written has gaps")
	}
	return walk.rows(func(file, view int64) error {
		if src.Written == nil {
			return w.WriteAt(src.Data[view*int64(w.size):(view+int64(row.n))*int64(w.size)], file)
		}
		return src.WrittenRuns(int(view), int(view)+row.n, func(begin, end int) error {
			return w.WriteAt(src.Data[begin*w.size:end*w.size], file+int64(begin)-view)
		})
	})
}

// Stream writes a file with an array of the given type and shape to out, in order. Function cells
// passes the cells, in C order and in pieces of any number of whole cells, to put. The cells begin at a
// multiple of align bytes, which is a power of two, 64 to 4096.
func Stream(out io.Writer, elem string, shape []int, align int, cells func(put func(cells []byte) error) error) error {
	header, err := appendHeader(elem, shape, align)
	if err != nil {
		return err
	}
	if _, err := out.Write(header); err != nil {
		return err
	}
	size := array.SizeOf(elem)
	return cells(func(cells []byte) error {
		if nativeBig && size > 1 {
			cells = append([]byte(nil), cells...)
			swap(cells, size)
		}
		_, err := out.Write(cells)
		return err
	})
}
