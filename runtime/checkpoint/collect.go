package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"loopc/runtime/files"
	"loopc/runtime/npy"
)

// kept is how many checkpoints are kept.
const kept = 2

// A Collector makes checkpoints of the parts that the ranks of a run have written. Its methods are safe for concurrent use.
type Collector struct {
	dir, temp string
	run       Run
	ranks     int
	show      func(s *State) // nil: there are no snapshots

	mu      sync.Mutex
	at      map[int][]*StoredPart // by the number of levels that are done
	damaged map[string]bool       // names of checkpoints that do not count
}

// NewCollector returns the collector of a run of the given number of ranks. Checkpoints are made in the folder dir; until they are
// complete, their parts are in the folder temp, on the same file system: see Folder. show is called with each state that is wanted for a
// snapshot, which is valid during the call; it may be nil.
//
// damaged are checkpoints that Find has refused: they do not count among those that are kept.
// NewCollector removes old checkpoints that a killed run has left.
func NewCollector(dir, temp string, run Run, ranks int, show func(s *State), damaged []*Damage) *Collector {
	c := &Collector{dir: dir, temp: temp, run: run, ranks: ranks, show: show, at: map[int][]*StoredPart{}, damaged: map[string]bool{}}
	for _, d := range damaged {
		if files.Same(filepath.Dir(d.Folder), dir) {
			c.damaged[filepath.Base(d.Folder)] = true
		}
	}
	c.removeOld()
	if dir != "" {
		RemoveInputs(dir, &c.run)
	}
	return c
}

// Folder returns the name of the folder, in the collector's temporary one, for the parts after done levels.
func Folder(done int) string { return strconv.Itoa(done) }

// Create creates file k of a rank's part after done levels, in the collector's temporary folder temp, which must exist.
func Create(temp string, done, rank, k int) (*os.File, error) {
	root, err := os.OpenRoot(temp)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.Mkdir(Folder(done), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return root.OpenFile(filepath.Join(Folder(done), FileName(rank, k)), os.O_WRONLY|os.O_CREATE, 0o666)
}

// Add adds a part. If it is the last one, Add completes the checkpoint, or returns why there is none; then nothing is left of it.
func (c *Collector) Add(s *StoredPart) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Rank < 0 || s.Rank >= c.ranks {
		return fmt.Errorf("a part of rank %d, and there are %d", s.Rank, c.ranks)
	}
	if c.at[s.Done] == nil {
		c.at[s.Done] = make([]*StoredPart, c.ranks)
	}
	parts := c.at[s.Done]
	if parts[s.Rank] = s; slices.Contains(parts, nil) {
		return nil
	}
	delete(c.at, s.Done)
	m := Manifest{Format: format, Run: c.run, Done: s.Done, At: s.At}
	for _, p := range parts {
		if p.Error != "" {
			return errors.Join(errors.New(p.Error), os.RemoveAll(c.folder(s.Done)))
		}
		m.Parts = append(m.Parts, *p)
		m.Parts[p.Rank].At = nil
	}
	if s.Show && c.show != nil {
		c.show(m.State(func(name string) (npy.Storage, error) { return os.Open(filepath.Join(c.folder(m.Done), name)) }))
	}
	if !s.Keep {
		return os.RemoveAll(c.folder(s.Done))
	}
	if err := c.complete(&m); err != nil {
		return errors.Join(err, os.RemoveAll(c.folder(s.Done)))
	}
	c.removeOld()
	return nil
}

// folder returns the folder with the parts after done levels.
func (c *Collector) folder(done int) string { return filepath.Join(c.temp, Folder(done)) }

// complete writes the manifest, and gives the checkpoint its name. Some parts may have come from
// other hosts: it requires that all files are there, and syncs them.
func (c *Collector) complete(m *Manifest) error {
	dir := c.folder(m.Done)
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) { // no rank had cells
		return err
	}
	for _, name := range m.Files() {
		if err := syncFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	sum := sha256.Sum256(text)
	err = writeSynced(filepath.Join(dir, manifestName), text)
	if err == nil {
		err = writeSynced(filepath.Join(dir, checksumName), fmt.Appendf(nil, "%s  %s\n", hex.EncodeToString(sum[:]), manifestName))
	}
	if err != nil {
		return err
	}
	files.SyncDir(dir)
	all, err := list(c.dir)
	if err != nil {
		return err
	}
	next := 1
	if len(all) > 0 {
		next = numberOf(all[0]) + 1
	}
	if err := os.Rename(dir, filepath.Join(c.dir, nameOf(next, m.At.unit(), m.Done))); err != nil {
		return err
	}
	files.SyncDir(c.dir)
	return nil
}

// Files returns the names of the checkpoint's files, without its manifest.
func (m *Manifest) Files() (names []string) {
	for k := range m.Parts {
		for _, e := range m.Parts[k].entries() {
			names = append(names, e.File)
			if e.Runs != "" {
				names = append(names, e.Runs)
			}
		}
	}
	return names
}

// entries returns the blocks of a part.
func (s *StoredPart) entries() []Entry { return slices.Concat(s.Values, s.Results, s.Given) }

// nameOf returns the name of the checkpoint with this number, after done units: see Place.unit.
func nameOf(number int, unit string, done int) string {
	return fmt.Sprintf("%06d-%s-%d", number, unit, done)
}

// numberOf returns the number in the name of a checkpoint; 0 if it is none.
func numberOf(name string) int {
	for _, at := range []*Place{nil, {}} {
		var number, done int
		n, err := fmt.Sscanf(name, "%d-"+at.unit()+"-%d", &number, &done)
		if n == 2 && err == nil && name == nameOf(number, at.unit(), done) {
			return number
		}
	}
	return 0
}

// list returns the names of the checkpoints of a folder, the newest first.
func list(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if numberOf(e.Name()) > 0 {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return numberOf(b) - numberOf(a) })
	return names, nil
}

// removeOld removes all checkpoints but the newest ones. What it cannot remove stays, and the newest checkpoint counts all the same.
func (c *Collector) removeOld() {
	if c.dir == "" {
		return
	}
	all, err := list(c.dir)
	if err != nil {
		return
	}
	counted := 0
	for _, name := range all {
		if counted >= kept {
			_ = os.RemoveAll(filepath.Join(c.dir, name)) // the next checkpoint tries again
		}
		if !c.damaged[name] {
			counted++
		}
	}
}

// writeSynced creates a file with this text, and syncs it.
func writeSynced(path string, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFile syncs a file.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
