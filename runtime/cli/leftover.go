package cli

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A run that is killed cannot remove the files that were to become its results. The
// next one that writes a result of the same name does: while a run lives it holds a
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
// base of dir. That it cannot is no error of this run.
func removeLeftovers(dir, base string) {
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !isTemporary(e.Name(), base) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err != nil || time.Since(info.ModTime()) < leftoverAge {
			continue
		}
		name := filepath.Join(dir, e.Name())
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if lock(f) {
			_ = os.Remove(name)
		}
		_ = f.Close()
	}
}
