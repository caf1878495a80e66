package main

import (
	"io/fs"
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
