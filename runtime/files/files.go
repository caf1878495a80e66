// Package files has what replacing a file takes, so that it is there whole, old or new,
// whatever happens: where a name leads, whether it may be written, and space for what is
// to come.
//
// A file is written under another name in the same directory, synced, and renamed.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mostLinks is how many symbolic links are followed to a file, as many as Linux follows.
const mostLinks = 40

// Target returns the file to which path leads through symbolic links. The file need not be
// there, but its directory.
func Target(path string) (string, error) {
	at := path
	for range mostLinks {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, nil // what is wrong with it is found out when it is written
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", Unwritable(path, err)
		}
		if !filepath.IsAbs(to) {
			// A folder on the way may be a link too, and .. is the parent of what it leads to.
			dir, err := filepath.EvalSymlinks(filepath.Dir(at))
			if err != nil {
				return "", Unwritable(path, err)
			}
			to = filepath.Join(dir, to)
		}
		at = to
	}
	return "", fmt.Errorf("cannot write %s: its symbolic links lead in a circle", path)
}

// Unwritable says that path cannot be written. The name of the temporary file with
// which that was tried means nothing to the user.
func Unwritable(path string, err error) error {
	var s *SpaceError
	var e *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &s):
	case errors.As(err, &e):
		err = e.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}

// errReadOnly says that a file has no permission to be written. That binds everybody here:
// its directory, or root's power, would let it be replaced.
var errReadOnly = errors.New("it is read-only")

// CheckWritable returns why nothing can be written to path, or take its place, if that is
// so. It leaves no trace, and does not open what is no file: a pipe would wait for its
// reader.
func CheckWritable(path string) error {
	at, err := Target(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(at)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	case err == nil && info.Mode().Perm()&0o222 == 0:
		return Unwritable(path, errReadOnly)
	case err == nil:
		f, err := os.OpenFile(at, os.O_WRONLY, 0)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return Unwritable(path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return Unwritable(path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(at), ".loop-*")
	if err != nil {
		return Unwritable(path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// SyncDir makes renames in dir durable, where the system can do that.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every system lets directories be synced
		_ = d.Close()
	}
}
