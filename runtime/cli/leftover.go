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
)

// A run that is killed cannot remove the temporary files of its results and its trace.
// The next run that writes a file of the same name removes them. A run holds a lock on
// its temporary files while it lives; the system releases the lock when the process
// ends, however it ends.
//
// A run takes the lock a moment after it has made the file. A run that looks for
// leftovers in between may take the lock and remove the file; the first run then makes
// another one.

// temporary returns a name for a file that will be called base, and matches what
// isTemporary knows.
func temporary(base, random string) string { return "." + base + "." + random + ".tmp" }

// older returns a name for what a file base was, while it is replaced.
func older(base, random string) string { return "." + base + "." + random + ".old" }

// rescued returns a name for a complete result that cannot be called base. It matches what
// isTemporary knows for no other base either.
func rescued(base, random string) string { return base + "." + random + ".npy" }

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

// randomLetters are those of a temporary name.
const randomLetters = 8

// newTemporary makes a file, or if inside is not empty a directory with a file of this
// name, that is to be called base in dir, and removes what killed runs have left in its
// place. It returns the path, the file, and what holds its lock, to be closed when the
// path has gone; nil where files have no locks: there they stay if the run is killed.
func newTemporary(dir, base, inside string) (path string, file, hold *os.File, err error) {
	removeLeftovers(dir, base, inside)
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
		if err := errors.Join(file.Close(), os.RemoveAll(path)); err != nil {
			return "", nil, nil, err
		}
	}
	return "", nil, nil, fmt.Errorf("%s: other runs have taken %d temporary files of this one for leftovers", filepath.Join(dir, base), mostClaims)
}

// mostClaims is how many files a run makes of which it loses the lock: far more than there
// are runs at once, but a file system may have no lasting identity of its files.
const mostClaims = 100

// claim takes the lock of a new file, and returns what holds it, nil where files have no
// locks. The file is lost if somebody has taken it for a leftover.
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

// same reports whether name still is that of the open file.
func same(f *os.File, name string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(opened, named)
}

// errLocked says that somebody else has the lock.
var errLocked = errors.New("locked")

// missing reports whether there is nothing of this name.
func missing(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// emptyAge is that of an empty directory which no run will put a file into any more.
const emptyAge = time.Minute

// removeLeftovers removes what runs of this user that were killed have left in place of
// the file base of dir; see newTemporary. That it cannot is no error of this run.
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
			_ = os.Remove(name) // unless something is in it
		}
		if err != nil {
			continue
		}
		switch {
		case lock(f) != nil:
		case older && missing(filepath.Join(dir, base)):
			_ = os.Rename(name, filepath.Join(dir, base)) // a run was killed before it had put another in its place
		default:
			_ = os.RemoveAll(name)
		}
		_ = f.Close()
	}
}
