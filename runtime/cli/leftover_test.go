//go:build linux || darwin

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestTemporaryRace has many runs make files of one name at once, each looking for
// leftovers of the others: none loses a file that it has.
func TestTemporaryRace(t *testing.T) {
	for _, inside := range []string{"", "lock"} {
		dir := t.TempDir()
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 50 {
					path, file, hold, err := newTemporary(dir, "u.npy", inside)
					if err != nil {
						t.Error(err)
						return
					}
					removeLeftovers(dir, "u.npy", inside)
					if hold == nil || !same(file, filepath.Join(path, inside)) {
						t.Errorf("%s has no lock, or has been removed", path)
					}
					for _, f := range []*os.File{file, hold} {
						if err := f.Close(); err != nil { // as if the run were killed
							t.Error(err)
						}
					}
				}
			})
		}
		group.Wait()
		removeLeftovers(dir, "u.npy", inside)
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v are left: %v", left, err)
		}
	}
}

// TestClaim: a file that another run has taken for a leftover is lost, both while that run holds
// its lock and after it has removed the file.
func TestClaim(t *testing.T) {
	name := filepath.Join(t.TempDir(), temporary("u.npy", "ABCDEFGH"))
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, lost := claim(name)
	if lost || first == nil {
		t.Fatal("a file that nobody has cannot be claimed")
	}
	if _, lost := claim(name); !lost {
		t.Error("a file that another has is claimed")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if same(first, name) {
		t.Error("a file that is removed has its name still")
	}
	if _, lost := claim(name); !lost {
		t.Error("a file that is removed is claimed")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestForeignLeftovers: removing leftovers touches neither files with other names, nor directories
// without the locked file unless they are empty and old.
func TestForeignLeftovers(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * emptyAge)
	for _, name := range []string{
		"u.npy", ".u.npy.tmp", ".u.npy.ABCDEFG.tmp", ".u.npy.abcdefgh.tmp", ".v.npy.ABCDEFGH.tmp",
		".t.json.AAAAAAAA.tmp/", ".t.json.BBBBBBBB.tmp/", ".t.json.CCCCCCCC.tmp/note", ".t.json.DDDDDDDD.tmp",
	} {
		path := dir + "/" + name
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if name[len(name)-1] != '/' {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{".t.json.BBBBBBBB.tmp", ".t.json.CCCCCCCC.tmp"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	removeLeftovers(dir, "u.npy", "")
	removeLeftovers(dir, "t.json", traceMerged)
	expectFiles(t, dir, ".t.json.AAAAAAAA.tmp", ".t.json.CCCCCCCC.tmp", ".t.json.DDDDDDDD.tmp",
		".u.npy.ABCDEFG.tmp", ".u.npy.abcdefgh.tmp", ".u.npy.tmp", ".v.npy.ABCDEFGH.tmp", "u.npy")
}

// TestRemovedInOrder requires that a directory keeps the file that the next run looks for until it
// has nothing else: a run may be killed while it removes the directory.
func TestRemovedInOrder(t *testing.T) {
	dir := t.TempDir()
	path, file, hold, err := newTemporary(dir, partsName, partsLock)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if hold != nil {
		defer hold.Close()
	}
	for k := range 1000 {
		name := filepath.Join(path, strconv.Itoa(k%10), strconv.Itoa(k))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	removed, looks := make(chan error, 1), 0
	go func() { removed <- removeTemporary(path, partsLock) }()
	for looking := true; looking; looks++ {
		select {
		case err = <-removed:
			looking = false
		default:
		}
		if missing(filepath.Join(path, partsLock)) {
			if entries, _ := os.ReadDir(path); len(entries) > 0 {
				t.Fatalf("without its lock, the directory has %v", entries)
			}
		}
	}
	if err != nil || looks < 10 {
		t.Errorf("%v, %d looks", err, looks)
	}
	expectFiles(t, dir)
}
