package npy

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"loopc/runtime/array"
)

const (
	directBytes = 32 << 10 // rows at least this long are read directly into the view
	bufferBytes = 1 << 20  // shorter rows are read through a buffer of this size
	gapBytes    = 16 << 10 // gaps between rows up to this size are read too
)

// A File is an open .npy file. Its methods are safe for concurrent use.
type File struct {
	Header
	name string
	file Storage
	as   string // the type of the array that is read; "": that of the file
}

// Storage is the storage of a .npy file: an *os.File, or an object that accesses a file on
// another host.
type Storage interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
}

// Open opens the named file and reads its header. A file shorter or longer than its
// header says is refused. Errors name the file.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return OpenFile(f, path)
}

// OpenFile does what Open does, for a file that is already open. It takes over the file: on an error,
// the file is closed.
func OpenFile(f Storage, path string) (*File, error) {
	h, err := check(f)
	if err != nil {
		_ = f.Close() // the first error is the one to report
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{Header: *h, name: path, file: f}, nil
}

// check reads the header of f and compares it with the size of the file.
func check(f Storage) (*Header, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	h, err := ReadHeader(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return nil, err
	}
	switch there, want := info.Size()-h.Start, h.Cells()*int64(h.Size); {
	case there < want:
		return nil, h.truncated(there)
	case there > want:
		return nil, h.tooLong()
	}
	return h, nil
}

// Storage returns the storage of the file.
func (f *File) Storage() Storage { return f.file }

// Name returns the path of the file.
func (f *File) Name() string { return f.name }

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// Want returns an error if the file does not hold an array of the given type
// and shape.
func (f *File) Want(elem string, shape []int) error {
	if f.Elem != elem {
		return fmt.Errorf("%s: expected cells of type %s, the file has %s", f.name, elem, f.Elem)
	}
	same := len(shape) == len(f.Shape)
	for k := range shape {
		same = same && shape[k] == f.Shape[k]
	}
	if !same {
		return fmt.Errorf("%s: expected shape %s, the file has %s", f.name, Shape(shape), Shape(f.Shape))
	}
	return nil
}

// ReadBox reads the cells of dst, a box of the array whose first cell has the
// indices origin. The box must lie in the array and have the file's type, or that given to Fit.
func (f *File) ReadBox(dst *array.View, origin []int) error {
	if err := inside(cmp.Or(f.as, f.Elem), f.Shape, dst, origin); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	w, any := newWalk(f.Shape, f.Fortran, dst, origin)
	if !any {
		return nil
	}
	if err := f.read(&w, dst); err != nil {
		return fmt.Errorf("reading %s: %w", f.name, err)
	}
	return nil
}

// inside checks that v is a box of an array with this type, shape and origin.
func inside(elem string, shape []int, v *array.View, origin []int) error {
	if v.Elem != elem || len(v.Lo) != len(shape) || len(origin) != len(shape) {
		return fmt.Errorf("a box of %d dimensions of %s is no part of an array of shape %s of %s", len(v.Lo), v.Elem, Shape(shape), elem)
	}
	for k, e := range shape {
		if v.Lo[k] <= v.Hi[k] && (v.Lo[k] < origin[k] || v.Hi[k]-origin[k] >= e) {
			return fmt.Errorf("cells %d to %d along dimension %d are not among the %d from %d on", v.Lo[k], v.Hi[k], k+1, e, origin[k])
		}
	}
	return nil
}

// read reads the rows of w: long rows directly into dst, others through a buffer that holds
// several rows.
func (f *File) read(w *walk, dst *array.View) error {
	row := w.loops[len(w.loops)-1]
	size := f.Size
	flip := f.BigEndian != nativeBig && size > 1
	rowBytes := row.n * size
	if row.view == 1 && !flip && !f.Converts() && rowBytes >= directBytes {
		return w.rows(func(file, view int64) error {
			at := int(view) * size
			return f.readAt(dst.Data[at:at+rowBytes], file)
		})
	}
	piece := min(row.n, bufferBytes/size) // a row longer than the buffer is read in pieces
	buffer := make([]byte, bufferBytes)
	type part struct{ file, view, n int64 }
	var parts []part
	var begin, end int64 // range in the buffer, in cells of the file
	flush := func() error {
		if len(parts) == 0 {
			return nil
		}
		b := buffer[:(end-begin)*int64(size)]
		if err := f.readAt(b, begin); err != nil {
			return err
		}
		if flip {
			swap(b, size)
		}
		for _, p := range parts {
			if err := f.place(dst, int(p.view), row.view, b, int(p.file-begin), int(p.n)); err != nil {
				return err
			}
		}
		parts = parts[:0]
		return nil
	}
	err := w.rows(func(file, view int64) error {
		for done := 0; done < row.n; done += piece {
			n := min(piece, row.n-done)
			first := file + int64(done)
			last := first + int64(n)
			if len(parts) > 0 && (first < end || (first-end)*int64(size) > gapBytes || (last-begin)*int64(size) > int64(len(buffer))) {
				if err := flush(); err != nil {
					return err
				}
			}
			if len(parts) == 0 {
				begin = first
			}
			end = last
			parts = append(parts, part{first, view + int64(done*row.view), int64(n)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// readAt fills b with the cells from position cell on.
func (f *File) readAt(b []byte, cell int64) error {
	_, err := f.file.ReadAt(b, f.Start+cell*int64(f.Size))
	if err == io.EOF {
		return io.ErrUnexpectedEOF // the file was truncated while it was open
	}
	return err
}
