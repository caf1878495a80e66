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
	Free int64 // bytes that are free where it is; -1: that cannot be known
	Err  error // what the system says
}

// Error implements error.
func (e *SpaceError) Error() string {
	if e.Free < 0 {
		return fmt.Sprintf("%v: it takes %d bytes", e.Err, e.Need)
	}
	return fmt.Sprintf("%v: it takes %d bytes, and %d are free there", e.Err, e.Need, e.Free)
}

// Unwrap returns what the system says.
func (e *SpaceError) Unwrap() error { return e.Err }

// errUnsupported says that space cannot be reserved here.
var errUnsupported = errors.New("space cannot be reserved")

// reserveAtOnce is how much is reserved between two looks at whether that is still wanted:
// in memory it takes the time to clear it.
const reserveAtOnce = 256 << 20

// Reserve reserves space for the first bytes of f, which is at least as long as they are,
// so that writing them cannot fail for want of it. It returns false if space cannot be
// reserved here, and a *SpaceError if there is none; f is empty then.
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

// NoSpace returns a *SpaceError for f, of which it drops what was reserved.
func NoSpace(f *os.File, bytes int64, err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	if err := f.Truncate(0); err != nil {
		return &SpaceError{Need: bytes, Free: -1, Err: err} // it cannot even be emptied
	}
	return &SpaceError{Need: bytes, Free: Free(f), Err: err}
}
