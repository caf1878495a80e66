package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/npy"
)

// Read returns the newest checkpoint in the folder dir that is not damaged, and the run that wrote
// it; nil if the folder has none. damaged has an error for each newer one, which names it. If all
// are damaged, Read fails.
func Read(dir string) (run *Run, s *State, damaged []error, err error) {
	names, err := list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for _, name := range names {
		run, s, err := read(filepath.Join(dir, name))
		if err == nil {
			return run, s, damaged, nil
		}
		damaged = append(damaged, fmt.Errorf("checkpoint %s is damaged: %w", filepath.Join(dir, name), err))
	}
	return nil, nil, nil, errors.Join(damaged...)
}

// read reads the checkpoint in a folder.
func read(dir string) (*Run, *State, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return nil, nil, err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	if m.Format != format {
		return nil, nil, fmt.Errorf("%s: format %d, this program reads %d", manifestName, m.Format, format)
	}
	s := &State{Done: m.Done, Reductions: m.Reductions}
	for _, e := range m.Values {
		v, err := readView(dir, e)
		if err != nil {
			return nil, nil, err
		}
		s.Values = append(s.Values, Value{e.Name, v})
	}
	for _, e := range m.Results {
		v, err := readView(dir, e)
		if err != nil {
			return nil, nil, err
		}
		bits, err := readView(dir, entry{Elem: "uint8", File: e.Final, SHA256: e.FinalOf, Origin: []int{0}})
		if err != nil {
			return nil, nil, err
		}
		v.TrackWritten()
		if len(bits.Data) != 8*len(v.Written) {
			return nil, nil, fmt.Errorf("%s: %d bytes for %d cells", e.Final, len(bits.Data), v.Cells())
		}
		for k := range v.Written {
			v.Written[k] = binary.LittleEndian.Uint64(bits.Data[8*k:])
		}
		s.Results = append(s.Results, Result{e.Name, v})
	}
	return &m.Run, s, nil
}

// readView reads a view, and requires its checksum.
func readView(dir string, e entry) (v array.View, err error) {
	if e.File == "" {
		return array.Make(e.Elem, []int{0}, []int{-1})
	}
	if e.File != filepath.Base(e.File) {
		return v, fmt.Errorf("%s: %q is not a file of it", manifestName, e.File)
	}
	path := filepath.Join(dir, e.File)
	got, err := sum(path)
	if err != nil {
		return v, err
	}
	if got != e.SHA256 {
		return v, fmt.Errorf("%s: the checksum is not that of %s", e.File, manifestName)
	}
	f, err := npy.Open(path)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if len(f.Shape) != len(e.Origin) {
		return v, fmt.Errorf("%s: %d axes, and %d in %s", e.File, len(f.Shape), len(e.Origin), manifestName)
	}
	hi := slices.Clone(e.Origin)
	for k, n := range f.Shape {
		hi[k] += n - 1
	}
	if err := f.Want(e.Elem, f.Shape); err != nil {
		return v, err
	}
	if v, err = array.Make(e.Elem, e.Origin, hi); err == nil {
		err = f.ReadBox(&v, e.Origin)
	}
	return v, err
}

// Differs returns an error that says in what the run at hand differs from that which wrote a
// checkpoint; nil if in nothing.
func (r *Run) Differs(at *Run) error {
	var errs []error
	if r.Program != at.Program {
		errs = append(errs, fmt.Errorf("the checkpoint is of %s, and this is %s", r.Program, at.Program))
	} else if r.Digest != at.Digest {
		errs = append(errs, fmt.Errorf("the checkpoint is of another version of %s", at.Program))
	}
	if r.Arch != at.Arch {
		errs = append(errs, fmt.Errorf("the checkpoint is of %s, where functions of the nest may have other results than on %s", r.Arch, at.Arch))
	}
	for _, name := range slices.Sorted(maps.Keys(at.Parameters)) {
		if was, is := r.Parameters[name], at.Parameters[name]; was != is {
			errs = append(errs, fmt.Errorf("parameter %s is %d, and %d in the checkpoint", name, is, was))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(at.Inputs)) {
		if was, is := r.Inputs[name], at.Inputs[name]; was.SHA256 != is.SHA256 {
			errs = append(errs, fmt.Errorf("the given array %s has another content: from %s, and from %s in the checkpoint", name, is.From, was.From))
		}
	}
	return errors.Join(errs...)
}
