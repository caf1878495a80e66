package npy

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"loopc/runtime/array"
)

// A Form says what a file has before its cells.
type Form bool

// The forms of files.
const (
	Headed Form = false // the header of a .npy file
	Raw    Form = true  // nothing: the cells are little-endian, in C order
)

// FormOf returns the form of a file with the given name: it is raw if the name ends in .raw or .bin.
func FormOf(path string) Form {
	end := filepath.Ext(path)
	return Form(end == ".raw" || end == ".bin")
}

// OpenAs does what OpenFile does, for a file of the given form. A raw file holds an array of the given type and
// shape, and nothing else; the other forms ignore both. It takes over the file: on an error, the file is
// closed.
func OpenAs(form Form, f Storage, path, elem string, shape []int) (*File, error) {
	if form == Headed {
		return OpenFile(f, path)
	}
	h, err := checkRaw(f, elem, shape)
	if err != nil {
		_ = f.Close() // the first error is the one to report
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{Header: *h, name: path, file: f}, nil
}

// checkRaw returns the header that a raw file would have. It refuses a file of another length.
func checkRaw(f Storage, elem string, shape []int) (*Header, error) {
	bytes, err := Size(Raw, elem, shape)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	}
	if there := info.Size(); there != bytes {
		what := fmt.Sprintf("it has cells without a header, as .astype(%q).tofile(...) of the array writes them", elem)
		var begin [len(magic)]byte
		if _, err := io.ReadFull(io.NewSectionReader(f, 0, there), begin[:]); err == nil && string(begin[:]) == magic {
			what = "it begins as a .npy file does, and needs a name that ends in .npy"
		}
		return nil, fmt.Errorf("%d bytes, but %s cells of %s take %d: %s", there, Shape(shape), elem, bytes, what)
	}
	return &Header{Elem: elem, Size: array.SizeOf(elem), Shape: shape}, nil
}
