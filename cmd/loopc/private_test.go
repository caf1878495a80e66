package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestTrusted checks whose files, with which modes, are run from the cache.
func TestTrusted(t *testing.T) {
	for _, c := range []struct {
		user, owner int
		mode        fs.FileMode
		reason      string
	}{
		{1000, 1000, 0o700 | fs.ModeDir, ""},
		{1000, 1000, 0o755 | fs.ModeDir, ""},
		{0, 0, 0o700, ""},
		{0, 1000, 0o700, "belongs to user 1000, not to user 0"}, // as under sudo
		{1000, 0, 0o755, "belongs to user 0, not to user 1000"},
		{1000, 1000, 0o770, "mode 0770, so that others can write there"},
		{1000, 1000, 0o702, "mode 0702, so that others can write there"},
		{1000, 1000, 0o777 | fs.ModeDir | fs.ModeSticky, "mode 0777, so that others can write there"},
	} {
		err := trustedBy(c.user, c.owner, c.mode, "here")
		if c.reason == "" && err != nil || c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("user %d, owner %d, mode %v: %v, want %q", c.user, c.owner, c.mode, err, c.reason)
		}
	}
}

// TestTrustedEntry: neither an entry nor the runtime of its program may be such that others can write it.
func TestTrustedEntry(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files say nothing on Windows")
	}
	cache := t.TempDir()
	entry, copied := filepath.Join(cache, "entry"), filepath.Join(cache, "runtime")
	if err := trustedEntry(entry, copied); err != nil {
		t.Errorf("there is nothing yet: %v", err)
	}
	putIn(t, entry, filepath.Base(executable(entry)), nil)
	putIn(t, entry, filepath.Base(seal(entry)), nil)
	putIn(t, copied, "go.mod", nil)
	all := []string{entry, executable(entry), seal(entry), copied, ""}
	for _, open := range all {
		for _, name := range all[:4] {
			mode := fs.FileMode(0o700)
			if name == open {
				mode = 0o720
			}
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := trustedEntry(entry, copied); (err != nil) != (open != "") {
			t.Errorf("others can write %q: %v", open, err)
		}
	}
}
