//go:build ofi && cgo

package ofi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Files go whose processes have ended, and that are not new; all others stay.
func TestRemoveStale(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	gone, here := ended.Process.Pid, os.Getpid()
	folder := t.TempDir()
	old := time.Now().Add(-2 * staleAge)
	want := []string{fmt.Sprintf("%d:0:0", here), fmt.Sprintf("%d:0:2", gone), fmt.Sprintf("%d:0", gone), fmt.Sprintf("x%d:0:0", gone), "0:0:0"}
	for _, name := range append(want, fmt.Sprintf("%d:0:0", gone), fmt.Sprintf("%d:3:17", gone)) {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if name == fmt.Sprintf("%d:0:2", gone) {
			continue // new
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	removeStale(folder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("%v are left, want %v", left, want)
	}
}
