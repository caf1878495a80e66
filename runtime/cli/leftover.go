package cli

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A run that is killed cannot remove the files that were to become its results and its
// trace. The next one that writes one of the same name does: while a run lives it holds a
// lock on them, which goes with it whatever happens. Files younger than leftoverAge
// stay, for a run may not have come to its lock yet.
const leftoverAge = time.Minute

// temporary returns a name for a file that will be called base, and matches what
// isTemporary knows.
func temporary(base, random string) string { return "." + base + "." + random + ".tmp" }

// isTemporary reports whether temporary made name for a file base.
func isTemporary(name, base string) bool {
	rest, ok := strings.CutPrefix(name, "."+base+".")
	random, end := strings.CutSuffix(rest, ".tmp")
	return ok && end && len(random) == randomLetters && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// randomLetters are those of a temporary name.
const randomLetters = 8

// removeLeftovers removes what runs that were killed have left in place of the file
// base of dir: a file, or the directory of a trace with its file traceMerged. That it
// cannot is no error of this run.
func removeLeftovers(dir, base string) {
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		locked := name
		switch {
		case !isTemporary(e.Name(), base):
			continue
		case e.IsDir():
			locked = filepath.Join(name, traceMerged)
		case !e.Type().IsRegular():
			continue
		}
		if info, err := e.Info(); err != nil || time.Since(info.ModTime()) < leftoverAge {
			continue
		}
		f, err := os.OpenFile(locked, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if lock(f) {
			_ = os.RemoveAll(name)
		}
		_ = f.Close()
	}
}
