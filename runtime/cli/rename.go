package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"loopc/runtime/files"
)

// Several files get their names one after another. Until all have theirs, the older files are
// kept as .NAME.XXXXXXXX.old, where X is a letter or a digit. If one renaming fails, the others
// are undone. If the run is killed in between, some files are new, and their older content stays
// in the files .old, until the next run that writes files of these names removes them.

// A renaming gives a complete file its name.
type renaming struct {
	path         string // of the user, for errors
	temp, target string // in one directory
	old          string // the second name of the older file; "": there is none
	hold         *os.File
	moved        bool // files have only one name here: rename gives the older file the name old instead
}

// renameAll gives all files their names. After an error everything is as before, and the files
// have their temporary names again; the error begins with a path.
func renameAll(all []*renaming) error {
	defer forgetOld(all)
	for k, n := range all {
		if k == len(all)-1 { // no later renaming can fail
			break
		}
		if err := n.keep(); err != nil {
			return fmt.Errorf("%s: %w", n.path, err)
		}
	}
	syncDirs(all)
	for k, n := range all {
		if err := n.rename(); err != nil {
			err = fmt.Errorf("%s: %w", n.path, err)
			for j := k - 1; j >= 0; j-- {
				err = errors.Join(err, all[j].back())
			}
			syncDirs(all)
			return err
		}
	}
	syncDirs(all)
	return nil
}

// keep gives the older file a second name.
func (n *renaming) keep() error {
	_, err := os.Lstat(n.target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return files.Unwritable(n.path, err)
	}
	dir, base := filepath.Split(n.target)
	n.old = filepath.Join(dir, older(base, rand.Text()[:randomLetters]))
	// A lock belongs to the file, whatever its name: other runs find the second name locked.
	for range mostClaims {
		hold, lost := claim(n.target)
		n.hold = hold
		if !lost {
			break
		}
		time.Sleep(time.Millisecond) // a run that looks for leftovers has the lock for a moment
	}
	n.moved = os.Link(n.target, n.old) != nil
	return nil
}

// rename gives the file its name.
func (n *renaming) rename() error {
	if n.moved {
		if err := os.Rename(n.target, n.old); err != nil {
			return files.Unwritable(n.path, err)
		}
	}
	err := os.Rename(n.temp, n.target)
	if err == nil {
		return nil
	}
	err = files.Unwritable(n.path, err)
	if n.moved {
		err = errors.Join(err, n.restore())
	}
	return err
}

// back undoes rename.
func (n *renaming) back() error {
	if err := os.Rename(n.target, n.temp); err != nil {
		return n.lost(err)
	}
	if n.old != "" {
		return n.restore()
	}
	return nil
}

// restore gives the older file its name again.
func (n *renaming) restore() error {
	if err := os.Rename(n.old, n.target); err != nil {
		return n.lost(err)
	}
	n.old = ""
	return nil
}

// lost reports that the older file could not be restored. It stays under its other name.
func (n *renaming) lost(err error) error {
	kept := ""
	if n.old != "" {
		kept = ", which is in " + n.old
	}
	n.old = ""
	return fmt.Errorf("%s cannot become what it was before the run%s: %w", n.path, kept, err)
}

// forgetOld removes the older files.
func forgetOld(all []*renaming) {
	for _, n := range all {
		if n.old != "" {
			_ = os.Remove(n.old) // it may not exist
		}
		if n.hold != nil {
			_ = n.hold.Close() // nothing was written to it
		}
	}
}

// syncDirs makes renames durable.
func syncDirs(all []*renaming) {
	done := map[string]bool{}
	for _, n := range all {
		if dir := filepath.Dir(n.target); !done[dir] {
			done[dir] = true
			files.SyncDir(dir)
		}
	}
}
