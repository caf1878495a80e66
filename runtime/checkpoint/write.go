package checkpoint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/files"
	"loopc/runtime/npy"
)

// format is the version of the manifest.
const format = 1

// kept is how many checkpoints are kept.
const kept = 2

// A manifest describes the files of a checkpoint.
type manifest struct {
	Format int `json:"format"`
	Run
	Done       int         `json:"levels_done"`
	Values     []entry     `json:"values"`
	Results    []entry     `json:"results,omitempty"`
	Reductions []Reduction `json:"reductions,omitempty"`
}

// An entry is a view in a file.
type entry struct {
	Name    string `json:"name"`
	Elem    string `json:"type"`
	File    string `json:"file,omitempty"` // "": no cells
	SHA256  string `json:"sha256,omitempty"`
	Origin  []int  `json:"origin,omitempty"` // indices of the first cell
	Final   string `json:"final,omitempty"`  // file of the bits of final cells
	FinalOf string `json:"final_sha256,omitempty"`
}

// manifestName is the name of the manifest's file.
const manifestName = "manifest.json"

// Write adds a checkpoint of s to the folder dir, and removes all but the newest ones.
func Write(dir string, run Run, s *State) (err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(dir, ".checkpoint-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	m := manifest{Format: format, Run: run, Done: s.Done, Reductions: s.Reductions}
	for _, v := range s.Values {
		e, err := writeView(temp, v.Name, &v.View)
		if err != nil {
			return err
		}
		m.Values = append(m.Values, e)
	}
	for _, r := range s.Results {
		e, err := writeView(temp, r.Name+"-result", &r.View)
		if err != nil {
			return err
		}
		bits, err := bitsOf(&r.View)
		if err != nil {
			return err
		}
		final, err := writeView(temp, r.Name+"-final", &bits)
		if err != nil {
			return err
		}
		e.Name, e.Final, e.FinalOf = r.Name, final.File, final.SHA256
		m.Results = append(m.Results, e)
	}
	text, err := json.MarshalIndent(&m, "", "  ")
	if err != nil {
		return err
	}
	if err := writeSynced(filepath.Join(temp, manifestName), func(f *os.File) error { _, err := f.Write(append(text, '\n')); return err }); err != nil {
		return err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	files.SyncDir(temp)
	at := filepath.Join(dir, nameOf(s.Done))
	if err := os.RemoveAll(at); err != nil { // of an earlier run
		return err
	}
	if err := os.Rename(temp, at); err != nil {
		return err
	}
	files.SyncDir(dir)
	return removeOld(dir, s.Done)
}

// nameOf is the name of the checkpoint after the given number of levels.
func nameOf(done int) string { return fmt.Sprintf("level-%012d", done) }

// removeOld removes all checkpoints but the newest ones up to the given one. Later ones are of
// an earlier run.
func removeOld(dir string, done int) error {
	all, err := list(dir)
	if err != nil {
		return err
	}
	var errs []error
	n := 0
	for _, name := range all {
		if name <= nameOf(done) {
			if n++; n <= kept {
				continue
			}
		}
		errs = append(errs, os.RemoveAll(filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

// list returns the names of the checkpoints of a folder, the newest first.
func list(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		var done int
		if n, err := fmt.Sscanf(e.Name(), "level-%d", &done); n == 1 && err == nil && e.Name() == nameOf(done) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	slices.Reverse(names)
	return names, nil
}

// writeView writes a view, and returns its entry. Cells that the view does not mark are zero.
func writeView(dir, name string, v *array.View) (entry, error) {
	e := entry{Name: name, Elem: v.Elem}
	if v.Cells() == 0 {
		return e, nil
	}
	e.File, e.Origin = name+".npy", v.Lo
	var shape []int
	for k := range v.Lo {
		shape = append(shape, v.Hi[k]-v.Lo[k]+1)
	}
	path := filepath.Join(dir, e.File)
	err := writeSynced(path, func(f *os.File) error {
		w, err := npy.Create(f, v.Elem, shape)
		if err == nil {
			err = w.WriteWritten(v, v.Lo)
		}
		return err
	})
	if err == nil {
		e.SHA256, err = sum(path)
	}
	return e, err
}

// bitsOf returns the marks of a view as bytes, bit k of byte b for cell 8·b + k.
func bitsOf(v *array.View) (array.View, error) {
	bits, err := array.Make("uint8", []int{0}, []int{8*len(v.Written) - 1})
	for k, word := range v.Written {
		binary.LittleEndian.PutUint64(bits.Data[8*k:], word)
	}
	return bits, err
}

// writeSynced creates a file, writes it and syncs it.
func writeSynced(path string, write func(f *os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// sum returns the checksum of a file.
func sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(f, math.MaxInt64))
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
