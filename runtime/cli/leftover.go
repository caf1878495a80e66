package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopc/runtime/npy"
)

// A run that is killed cannot remove the temporary files of its results and its trace. The next run that writes a file of the
// same name removes them. A run holds a lock on its temporary files while it lives; the system releases the lock when the process
// ends, however it ends.
//
// A run takes the lock a moment after it has made the file. Another run that looks for leftovers in between may take the lock
// first, and remove the file; then the run makes another file.

// temporary returns a temporary name for a file base. isTemporary recognizes it.
func temporary(base, random string) string { return "." + base + "." + random + ".tmp" }

// older returns a name for the older file base while it is replaced.
func older(base, random string) string { return "." + base + "." + random + ".old" }

// rescued returns a name for a complete result that cannot be named base. isTemporary does not
// recognize it, for any base.
func rescued(base, random string) string { return base + "." + random + ending(base) }

// ending returns how the name of a result with the given name ends.
func ending(base string) string {
	if npy.FormOf(base) == npy.Raw {
		return filepath.Ext(base)
	}
	return ".npy"
}

// isTemporary reports whether temporary, or older, made name for a file base.
func isTemporary(name, base string) (temporary, older bool) {
	rest, ok := strings.CutPrefix(name, "."+base+".")
	random, temporary := strings.CutSuffix(rest, ".tmp")
	if !temporary {
		random, older = strings.CutSuffix(rest, ".old")
	}
	if !ok || len(random) != randomLetters || strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return false, false
	}
	return temporary, older
}

// randomLetters is the number of random letters in a temporary name.
const randomLetters = 8

// newTemporary removes what killed runs have left for the same base, and then does what makeTemporary does.
func newTemporary(dir, base, inside string) (path string, file, hold *os.File, err error) {
	removeLeftovers(dir, base, inside)
	return makeTemporary(dir, base, inside)
}

// makeTemporary makes a file that will later be named base in dir; if inside is not empty, a
// directory, with a file named inside. It returns the path, the file, and the holder of the file's
// lock, to be closed when the path is gone. The holder is nil if files have no locks here: then the
// file stays if the run is killed.
func makeTemporary(dir, base, inside string) (path string, file, hold *os.File, err error) {
	for range mostClaims {
		path = filepath.Join(dir, temporary(base, rand.Text()[:randomLetters]))
		name := path
		if inside != "" {
			if err := os.Mkdir(path, 0o700); err != nil {
				return "", nil, nil, err
			}
			name = filepath.Join(path, inside)
		}
		if file, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666); err != nil {
			if inside != "" {
				err = errors.Join(err, os.Remove(path))
			}
			return "", nil, nil, err
		}
		hold, lost := claim(name)
		if !lost {
			return path, file, hold, nil
		}
		if err := errors.Join(file.Close(), removeTemporary(path, inside)); err != nil {
			return "", nil, nil, err
		}
	}
	return "", nil, nil, fmt.Errorf("%s: other runs have taken %d temporary files of this one for leftovers", filepath.Join(dir, base), mostClaims)
}

// mostClaims bounds how many files a run makes because another run took the lock of the one before:
// far more than there are runs at once. On a file system that gives files no lasting identity, every
// lock would seem lost, and the run would make files forever.
const mostClaims = 100

// claim takes the lock of a new file, and returns its holder, nil if files have no locks here.
// lost says that another run took the file for a leftover.
func claim(name string) (hold *os.File, lost bool) {
	hold, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	switch err := lock(hold); {
	case err == nil && same(hold, name):
		return hold, false
	case err == nil || errors.Is(err, errLocked):
		lost = true
	}
	_ = hold.Close()
	return nil, lost
}

// same reports whether name is still the name of the open file.
func same(f *os.File, name string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(opened, named)
}

// errLocked says that another process holds the lock.
var errLocked = errors.New("locked")

// missing reports whether no file has this name.
func missing(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// removeTemporary removes what newTemporary has made. The file inside a directory is the last one to
// go: if this process is killed before, the next run finds it, and removes the rest.
func removeTemporary(path, inside string) error {
	var errs []error
	entries, _ := os.ReadDir(path) // there are none in a file, or if it is gone
	for _, e := range entries {
		if e.Name() != inside {
			errs = append(errs, os.RemoveAll(filepath.Join(path, e.Name())))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// emptyAge is the age from which an empty directory counts as a leftover: no run will put a
// file into it any more.
const emptyAge = time.Minute

// removeLeftovers removes the temporary files that killed runs of this user have left in dir for the file base. If base is
// missing, it gets its older content back. If removeLeftovers cannot do this, the run does not fail.
func removeLeftovers(dir, base, inside string) {
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		temporary, older := isTemporary(e.Name(), base)
		if !temporary && !older || e.IsDir() != (inside != "") || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil || !ours(info) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		f, err := os.OpenFile(filepath.Join(name, inside), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) && e.IsDir() && time.Since(info.ModTime()) > emptyAge {
			_ = os.Remove(name) // unless it is not empty
		}
		if err != nil {
			continue
		}
		switch {
		case lock(f) != nil:
		case older && missing(filepath.Join(dir, base)):
			_ = os.Rename(name, filepath.Join(dir, base)) // the killed run had renamed the older file, and not yet put a new one there
		default:
			_ = removeTemporary(name, inside)
		}
		_ = f.Close()
	}
}
