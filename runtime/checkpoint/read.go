package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/npy"
)

// Find returns the newest checkpoint in the folder dir that is not damaged, and its own folder;
// nil if there is none. It reads every file of the checkpoint. damaged has an error for each newer
// one, which names it. If all are damaged, Find fails.
func Find(dir string) (m *Manifest, at string, damaged []error, err error) {
	names, err := list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil, nil
	}
	if err != nil {
		return nil, "", nil, err
	}
	for _, name := range names {
		at := filepath.Join(dir, name)
		m, err := check(at)
		if err == nil {
			return m, at, damaged, nil
		}
		damaged = append(damaged, fmt.Errorf("checkpoint %s is damaged: %w", at, err))
	}
	return nil, "", nil, errors.Join(damaged...)
}

// check reads the manifest of the checkpoint in a folder, and compares the checksums of all files.
func check(dir string) (*Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(dir, checksumName))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(text); string(sums) != fmt.Sprintf("%s  %s\n", hex.EncodeToString(sum[:]), manifestName) {
		return nil, fmt.Errorf("%s: the checksum is not that of %s", manifestName, checksumName)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("%s: format %d, this program reads %d", manifestName, m.Format, format)
	}
	for k := range m.Parts {
		for _, e := range slices.Concat(m.Parts[k].Values, m.Parts[k].Results) {
			for _, f := range [][2]string{{e.File, e.SHA256}, {e.Runs, e.RunsSHA256}} {
				if f[0] == "" {
					continue
				}
				if err := checkSum(dir, f[0], f[1]); err != nil {
					return nil, err
				}
			}
		}
	}
	return &m, nil
}

// checkSum requires the checksum of a file.
func checkSum(dir, name, want string) error {
	if name != filepath.Base(name) {
		return fmt.Errorf("%s: %q is not a file of it", manifestName, name)
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("%s: the checksum is not that of %s", name, manifestName)
	}
	return nil
}

// State returns the state of a checkpoint. Its blocks are read when they are loaded; open opens
// their files.
func (m *Manifest) State(open func(name string) (npy.Storage, error)) *State {
	s := &State{Done: m.Done}
	blocks := func(entries []Entry) (all []Block) {
		for _, e := range entries {
			all = append(all, Block{
				Name: e.Name, View: array.View{Elem: e.Elem, Size: array.SizeOf(e.Elem), Lo: e.First, Hi: e.Last},
				load: func() (array.View, error) { return e.load(open) },
			})
		}
		return all
	}
	for _, p := range m.Parts {
		s.Parts = append(s.Parts, Part{Done: p.Done, Rank: p.Rank, Values: blocks(p.Values), Results: blocks(p.Results), Reductions: p.Reductions})
	}
	return s
}

// load reads the block.
func (e *Entry) load(open func(name string) (npy.Storage, error)) (array.View, error) {
	if e.Runs == "" {
		return readView(open, e.File, e.Elem, e.First, e.Last)
	}
	cells, err := readView(open, e.File, e.Elem, nil, nil)
	if err != nil {
		return cells, err
	}
	runs, err := readView(open, e.Runs, "int64", nil, nil)
	if err != nil {
		return runs, err
	}
	v, err := array.Make(e.Elem, e.First, e.Last)
	if err != nil {
		return v, err
	}
	v.TrackWritten()
	from, all := 0, v.Cells()
	for _, r := range places(&runs) {
		if r.n < 0 || r.at < 0 || r.at > all-r.n || r.n > cells.Cells()-from {
			return v, fmt.Errorf("%s: %d cells at %d of %d", e.Runs, r.n, r.at, all)
		}
		copy(v.Data[r.at*v.Size:(r.at+r.n)*v.Size], cells.Data[from*v.Size:])
		v.MarkWritten(r.at, r.n, 1)
		from += r.n
	}
	return v, nil
}

// readView reads a file as the cells lo..hi; from 0 on, if lo is nil.
func readView(open func(name string) (npy.Storage, error), name, elem string, lo, hi []int) (v array.View, err error) {
	s, err := open(name)
	if err != nil {
		return v, err
	}
	f, err := npy.OpenFile(s, name)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if lo == nil {
		lo, hi = make([]int, len(f.Shape)), make([]int, len(f.Shape))
		for k, n := range f.Shape {
			hi[k] = n - 1
		}
	}
	shape := make([]int, len(lo))
	for k := range lo {
		shape[k] = hi[k] - lo[k] + 1
	}
	if err := f.Want(elem, shape); err != nil {
		return v, err
	}
	if v, err = array.Make(elem, lo, hi); err == nil {
		err = f.ReadBox(&v, lo)
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
	for _, name := range slices.Sorted(maps.Keys(at.Floats)) {
		if was, is := r.Floats[name], at.Floats[name]; math.Float64bits(was) != math.Float64bits(is) {
			errs = append(errs, fmt.Errorf("parameter %s is %v, and %v in the checkpoint", name, is, was))
		}
	}
	return errors.Join(append(errs, r.otherInputs(at)...)...)
}

// otherInputs returns errors for the given arrays that differ.
func (r *Run) otherInputs(at *Run) (errs []error) {
	all := map[string]bool{}
	for _, of := range []*Run{r, at} {
		for name := range of.Inputs {
			all[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := r.Inputs[name]
		is, has := at.Inputs[name]
		switch {
		case !has:
			errs = append(errs, fmt.Errorf("array %s is given in the checkpoint, from %s, and not here", name, was.From))
		case !had:
			errs = append(errs, fmt.Errorf("array %s is given here, from %s, and not in the checkpoint", name, is.From))
		case was.SHA256 != is.SHA256:
			errs = append(errs, fmt.Errorf("the given array %s has another content: from %s, and from %s in the checkpoint", name, is.From, was.From))
		}
	}
	return errs
}
