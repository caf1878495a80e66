package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// CopyMember copies an array of a .npz archive, as a .npy file, to to. In the archive it is stored or
// deflated. Errors name archive and member; without such a member, the error lists those that there are.
func CopyMember(to io.Writer, path, name string) error {
	all, err := zip.OpenReader(path)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) {
			err = fmt.Errorf("%s: not a .npz archive", path)
		}
		return err
	}
	defer all.Close()
	var names []string
	for _, f := range all.File {
		member, _ := strings.CutSuffix(f.Name, ".npy")
		if member != name && f.Name != name {
			names = append(names, member)
			continue
		}
		from, err := f.Open()
		if err == nil {
			err = errors.Join(CopyArray(to, from), from.Close())
		}
		if err != nil {
			return fmt.Errorf("%s:%s: %w", path, name, err)
		}
		return nil
	}
	if len(names) == 0 {
		return fmt.Errorf("%s has no member %s: it is empty", path, name)
	}
	slices.Sort(names)
	return fmt.Errorf("%s has no member %s: those of the archive are %s", path, name, strings.Join(names, ", "))
}

// CopyArray copies a .npy file: its header, and the cells that the header promises. A file that ends before the last cell,
// or after it, is an error.
func CopyArray(to io.Writer, from io.Reader) error {
	var begin bytes.Buffer
	h, err := ReadHeader(io.TeeReader(from, &begin))
	if err != nil {
		return err
	}
	if _, err := to.Write(begin.Bytes()); err != nil {
		return err
	}
	want := h.Cells() * int64(h.Size)
	there, err := io.CopyN(to, from, want)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return h.truncated(there)
	}
	if err == nil {
		if _, err = io.CopyN(io.Discard, from, 1); err == nil { // an archive compares its checksum at the end
			err = h.tooLong()
		} else if err == io.EOF {
			err = nil
		}
	}
	return err
}

// tooLong is the error of a file with something behind its cells.
func (h *Header) tooLong() error {
	return fmt.Errorf("something follows the %s cells of %s, which take %d bytes: a file or stream has one array, and nothing else", Shape(h.Shape), h.Elem, h.Cells()*int64(h.Size))
}

// truncated is the error of a file that has too few bytes of cells.
func (h *Header) truncated(there int64) error {
	return fmt.Errorf("truncated: %d bytes of cells, but %s cells of %s take %d", there, Shape(h.Shape), h.Elem, h.Cells()*int64(h.Size))
}
