package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"loopc/runtime/array"
	"loopc/runtime/files"
	"loopc/runtime/npy"
)

// A shown gives snapshots their names when they are complete and synced. While it syncs some, others are written. Those are then synced
// at the same time, which takes a disk about as long as to sync one.
type shown struct {
	warn func(path string, err error) // says that there is no snapshot
	sync func(f *os.File) error

	mu      sync.Mutex
	named   sync.Cond       // some have their names, or never will
	waiting []*stored       // in the order in which they were written
	bytes   int             // of these, and of those that are synced
	naming  bool            // a goroutine gives names
	cleared map[string]bool // folders, and patterns in them, without files of killed runs
}

// write waits while mostShown snapshots, each with two open files, or snapshots of more than mostShownBytes wait for their names.
const mostShown, mostShownBytes = 48, 256 << 20

// newShown returns a shown that calls warn where there is no snapshot.
func newShown(warn func(path string, err error)) *shown {
	s := &shown{warn: warn, sync: (*os.File).Sync, cleared: map[string]bool{}}
	s.named.L = &s.mu
	return s
}

// write writes a snapshot. Its name is the pattern with the number.
func (s *shown) write(pattern string, number int, v *array.View) {
	path := fmt.Sprintf(pattern, number)
	create := func(dir, _ string) (string, *os.File, *os.File, error) {
		return s.create(dir, filepath.Base(pattern))
	}
	shape := make([]int, len(v.Lo))
	for k := range shape {
		shape[k] = v.Hi[k] - v.Lo[k] + 1
	}
	f, err := newStored(path, v.Elem, shape, create, func(to *npy.Writer) error { return to.WriteWritten(v, v.Lo) })
	if err != nil {
		s.warn(path, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) >= mostShown || s.bytes > mostShownBytes {
		s.named.Wait()
	}
	f.bytes = len(v.Data)
	s.waiting, s.bytes = append(s.waiting, f), s.bytes+f.bytes
	if !s.naming {
		s.naming = true
		go s.name()
	}
}

// create makes a file with a temporary name. It has the pattern instead of the number, so that one look into a folder finds what killed
// runs have left.
func (s *shown) create(dir, pattern string) (path string, file, hold *os.File, err error) {
	s.mu.Lock()
	if at := filepath.Join(dir, pattern); !s.cleared[at] {
		s.cleared[at] = true
		removeLeftovers(dir, pattern, "")
	}
	s.mu.Unlock()
	return makeTemporary(dir, pattern, "")
}

// name gives snapshots their names until none waits.
func (s *shown) name() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) > 0 {
		all := s.waiting
		s.waiting = nil
		s.mu.Unlock()
		errs := make([]error, len(all))
		var syncing sync.WaitGroup
		for k, f := range all {
			syncing.Go(func() { errs[k] = s.sync(f.file) })
		}
		syncing.Wait()
		var folders []string
		bytes := 0
		for k, f := range all {
			bytes += f.bytes
			if err := f.rename(errs[k]); err != nil {
				s.warn(f.path, err)
			} else if dir := filepath.Dir(f.target); !slices.Contains(folders, dir) {
				folders = append(folders, dir)
			}
		}
		for _, dir := range folders {
			files.SyncDir(dir)
		}
		s.mu.Lock()
		s.bytes -= bytes
		s.named.Broadcast()
	}
	s.naming = false
	s.named.Broadcast()
}

// wait waits until no snapshot waits for its name.
func (s *shown) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.naming {
		s.named.Wait()
	}
}
