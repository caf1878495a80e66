package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A SpaceError says that there is no space for a file.
type SpaceError struct {
	Need int64 // bytes of the file
	Free int64 // free bytes in its file system; -1: unknown
	Err  error // the system's error
}

// Error implements error.
func (e *SpaceError) Error() string {
	if e.Free < 0 {
		return fmt.Sprintf("%v: it takes %d bytes", e.Err, e.Need)
	}
	return fmt.Sprintf("%v: it takes %d bytes, and %d are free there", e.Err, e.Need, e.Free)
}

// Unwrap returns the system's error.
func (e *SpaceError) Unwrap() error { return e.Err }

// errUnsupported: space cannot be reserved here.
var errUnsupported = errors.New("space cannot be reserved")

// reserveAtOnce is the number of bytes reserved between two checks of the context. In a
// file system in memory, reserving takes the time to clear the bytes.
const reserveAtOnce = 256 << 20

// Reserve reserves space for the first bytes of f, so that writing them cannot fail for
// lack of space. f must have at least this length. Reserve returns false if space cannot be
// reserved here, and a *SpaceError if there is not enough space; f is empty after that.
func Reserve(ctx context.Context, f *os.File, bytes int64) (bool, error) {
	for at := int64(0); at < bytes; at += reserveAtOnce {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		err := reserve(f, at, min(reserveAtOnce, bytes-at))
		switch {
		case errors.Is(err, errUnsupported):
			return false, nil
		case err != nil:
			return false, NoSpace(f, bytes, err)
		}
	}
	return true, nil
}

// NoSpace releases the space reserved for f and returns a *SpaceError.
func NoSpace(f *os.File, bytes int64, err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	if err := f.Truncate(0); err != nil {
		return &SpaceError{Need: bytes, Free: -1, Err: err} // f cannot even be truncated
	}
	return &SpaceError{Need: bytes, Free: Free(f), Err: err}
}
