package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"loopc/runtime/array"
)

// TestShown writes more snapshots than wait for their names at a time. While one is synced, others must be written, and then be synced
// together. None has its name before it is synced, and one that cannot be synced never gets it. What a killed run has left goes.
func TestShown(t *testing.T) {
	const count, bad = 4 * mostShown, 7
	dir := t.TempDir()
	pattern := filepath.Join(dir, "u-%03d.npy")
	left := filepath.Join(dir, temporary(filepath.Base(pattern), "ABCDEFGH"))
	if err := os.WriteFile(left, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	v, err := array.Make("float64", []int{1}, []int{9})
	if err != nil {
		t.Fatal(err)
	}
	named := func(k int) bool { return !missing(fmt.Sprintf(pattern, k)) }
	var warned atomic.Int32
	s := newShown(func(path string, err error) {
		if path != fmt.Sprintf(pattern, bad) || !errors.Is(err, errLocked) {
			t.Errorf("%s: %v", path, err)
		}
		warned.Add(1)
	})
	var synced, running atomic.Int32
	first, both := make(chan bool), make(chan bool)
	var once sync.Once
	s.sync = func(f *os.File) error {
		defer running.Add(-1)
		if running.Add(1) == 2 {
			once.Do(func() { close(both) })
		}
		if synced.Add(1) == 1 {
			<-first
		} else {
			select {
			case <-both:
			case <-time.After(20 * time.Second):
				t.Error("snapshots are synced one by one")
				once.Do(func() { close(both) })
			}
		}
		info, err := f.Stat()
		cell := make([]byte, 1)
		if _, read := f.ReadAt(cell, info.Size()-int64(len(v.Data))); err != nil || read != nil {
			t.Errorf("%v, %v", err, read)
		}
		if named(int(cell[0])) {
			t.Errorf("snapshot %d has its name before it is synced", cell[0])
		}
		if cell[0] == bad {
			return errLocked
		}
		return nil
	}
	for k := range count {
		v.Data[0] = byte(k)
		if s.write(pattern, k, &v); k == mostShown/2 {
			close(first)
		}
	}
	s.wait()
	for k := range count {
		if named(k) != (k != bad) {
			t.Errorf("snapshot %d has its name: %t", k, named(k))
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != count-1 || synced.Load() != count || warned.Load() != 1 {
		t.Errorf("%d files, %d synced, %d warnings: %v", len(all), synced.Load(), warned.Load(), err)
	}
}
