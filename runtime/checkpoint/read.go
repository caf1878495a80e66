package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loopc/runtime/array"
	"loopc/runtime/npy"
)

// Find returns the newest checkpoint in the folder dir that is not damaged, and its own folder; nil if there are no checkpoints. It reads
// every file of the checkpoint. damaged are the newer checkpoints. If all are damaged, Find fails.
func Find(dir string) (m *Manifest, at string, damaged []*Damage, err error) {
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
		damaged = append(damaged, &Damage{Folder: at, Err: err})
	}
	var errs []error
	for _, d := range damaged {
		errs = append(errs, d)
	}
	return nil, "", nil, errors.Join(errs...)
}

// A Damage is why a checkpoint is not used.
type Damage struct {
	Folder string
	Err    error
}

// Error implements error.
func (d *Damage) Error() string { return fmt.Sprintf("checkpoint %s is damaged: %v", d.Folder, d.Err) }

// Unwrap returns the reason.
func (d *Damage) Unwrap() error { return d.Err }

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
		for _, e := range m.Parts[k].entries() {
			if err := e.check(); err != nil {
				return nil, fmt.Errorf("%s: %w", manifestName, err)
			}
			for _, f := range [][2]string{{e.File, e.CRC32C}, {e.Runs, e.RunsCRC32C}} {
				if f[0] == "" && e.File != "" {
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

// mostCells bounds the cells of a block, so that positions do not overflow.
const mostCells = 1 << 50

// check requires that the entry describes a block. All cells of a block without dimensions count.
func (e *Entry) check() error {
	ok, cells := array.SizeOf(e.Elem) > 0 && len(e.First) == len(e.Last) && (len(e.First) > 0 || e.Runs == ""), 1
	for k := range e.First {
		if ok = ok && e.First[k] > -mostCells && e.Last[k] < mostCells && e.First[k] <= e.Last[k] && e.Last[k]-e.First[k] < mostCells/cells; !ok {
			break
		}
		cells *= e.Last[k] - e.First[k] + 1
	}
	if !ok {
		return fmt.Errorf("a block of %s: cells %v to %v of type %q", e.Name, e.First, e.Last, e.Elem)
	}
	return nil
}

// readBytes is how many bytes of a file are read, and added to its checksum, at a time.
const readBytes = 4 << 20

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
	h := crc32.New(sums)
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, readBytes)); err != nil {
		return err
	}
	if sumText(h.Sum32()) != want {
		return fmt.Errorf("%s: the checksum is not that of %s", name, manifestName)
	}
	return nil
}

// State returns the state of a checkpoint. Its blocks are read when they are loaded; open opens their files.
func (m *Manifest) State(open func(name string) (npy.Storage, error)) *State {
	s := &State{Done: m.Done, At: m.At}
	blocks := func(entries []Entry) (all []Block) {
		for _, e := range entries {
			all = append(all, Block{
				Name: e.Name, View: array.View{Elem: e.Elem, Size: array.SizeOf(e.Elem), Lo: e.First, Hi: e.Last},
				load: func(lo, hi []int) (array.View, error) { return e.load(open, lo, hi) },
			})
		}
		return all
	}
	for _, p := range m.Parts {
		s.Parts = append(s.Parts, Part{Done: p.Done, At: m.At, Rank: p.Rank, Values: blocks(p.Values), Results: blocks(p.Results), Given: blocks(p.Given), Reductions: p.Reductions})
	}
	return s
}

// load reads the part of the block within lo..hi. Whatever the manifest says, it allocates no more
// than this part and the block's files take.
func (e *Entry) load(open func(name string) (npy.Storage, error), lo, hi []int) (v array.View, err error) {
	if len(lo) != len(e.First) {
		return v, fmt.Errorf("it has %d dimensions, not %d", len(e.First), len(lo))
	}
	from, to := slices.Clone(lo), slices.Clone(hi)
	for k := range lo {
		if from[k], to[k] = max(lo[k], e.First[k]), min(hi[k], e.Last[k]); from[k] > to[k] {
			from[k], to[k] = 0, -1
		}
	}
	if e.Runs == "" {
		return e.loadBox(open, from, to)
	}
	cells, err := readAll(open, e.File, e.Elem)
	if err != nil {
		return v, err
	}
	runs, err := readAll(open, e.Runs, "int64")
	if err != nil {
		return v, err
	}
	if v, err = array.Make(e.Elem, from, to); err != nil {
		return v, err
	}
	v.TrackWritten()
	begin, all := 0, 1
	for k := range e.First {
		all *= e.Last[k] - e.First[k] + 1
	}
	for _, r := range places(&runs) {
		if r.n < 0 || r.at < 0 || r.at > all-r.n || r.n > cells.Cells()-begin {
			return v, fmt.Errorf("%s: %d cells at %d of %d", e.Runs, r.n, r.at, all)
		}
		e.put(&v, r, cells.Data[begin*v.Size:])
		begin += r.n
	}
	return v, nil
}

// loadBox reads the part first..last of a block that has all its cells.
func (e *Entry) loadBox(open func(name string) (npy.Storage, error), first, last []int) (v array.View, err error) {
	f, err := openFile(open, e.File)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	shape := make([]int, len(e.First))
	for k := range shape {
		shape[k] = e.Last[k] - e.First[k] + 1
	}
	if err := f.Want(e.Elem, shape); err != nil {
		return v, err
	}
	if v, err = array.Make(e.Elem, first, last); err == nil && v.Cells() > 0 {
		err = f.ReadBox(&v, e.First)
	}
	return v, err
}

// put copies those cells of a run of the block that v holds into v, and marks them.
func (e *Entry) put(v *array.View, r place, data []byte) {
	last := len(e.First) - 1
	cell := make([]int, last+1)
	for r.n > 0 {
		at := r.at
		for k := last; k >= 0; k-- {
			extent := e.Last[k] - e.First[k] + 1
			cell[k] = e.First[k] + at%extent
			at /= extent
		}
		n := min(r.n, e.Last[last]-cell[last]+1) // to the end of the row
		inside := true
		for k := range last {
			inside = inside && v.Lo[k] <= cell[k] && cell[k] <= v.Hi[k]
		}
		from, to := max(cell[last], v.Lo[last]), min(cell[last]+n-1, v.Hi[last])
		if inside && from <= to {
			skip := from - cell[last]
			cell[last] = from
			array.Copy(v.Data, v.Offset(cell), 1, data, skip, 1, to-from+1, v.Size)
			v.MarkWritten(v.Offset(cell), to-from+1, 1)
		}
		r.at, r.n, data = r.at+n, r.n-n, data[n*v.Size:]
	}
}

// openFile opens a file of the checkpoint.
func openFile(open func(name string) (npy.Storage, error), name string) (*npy.File, error) {
	s, err := open(name)
	if err != nil {
		return nil, err
	}
	return npy.OpenFile(s, name)
}

// readAll reads a file.
func readAll(open func(name string) (npy.Storage, error), name, elem string) (v array.View, err error) {
	f, err := openFile(open, name)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Want(elem, f.Shape); err != nil {
		return v, err
	}
	lo, hi := make([]int, len(f.Shape)), make([]int, len(f.Shape))
	for k, n := range f.Shape {
		hi[k] = n - 1
	}
	if v, err = array.Make(elem, lo, hi); err == nil {
		err = f.ReadBox(&v, lo)
	}
	return v, err
}

// Differs returns an error with all differences between r, the run that wrote a checkpoint, and now, the
// run that is to continue from it; nil if there are none.
func (r *Run) Differs(now *Run) error {
	var errs []error
	if r.Program != now.Program {
		return fmt.Errorf("the checkpoint is of %s, and this is %s", r.Program, now.Program) // its parameters and arrays are others
	}
	if r.Digest != now.Digest {
		errs = append(errs, fmt.Errorf("the checkpoint is of another version of %s: its file, or the compiler, has changed since (other values of parameters are given by -p, not in the file)", now.Program))
	}
	if r.Arch != now.Arch {
		errs = append(errs, fmt.Errorf("the checkpoint is of %s, where functions of the nest may have other results than on %s", r.Arch, now.Arch))
	}
	errs = append(errs, r.otherParameters(now)...)
	for _, name := range slices.Sorted(maps.Keys(now.Floats)) {
		if was, is := r.Floats[name], now.Floats[name]; math.Float64bits(was) != math.Float64bits(is) {
			errs = append(errs, fmt.Errorf("parameter %s is %v, and %v in the checkpoint: with other numbers begin a new run, with the results (--out) of the one before as --in", name, is, was))
		}
	}
	return errors.Join(append(errs, r.otherInputs(now)...)...)
}

// otherParameters returns an error for each integer parameter that differs between r and now, and one that says why.
// Parameters with which now is longer may differ: see Run.Extends.
func (r *Run) otherParameters(now *Run) (errs []error) {
	less := false
	for _, name := range slices.Sorted(maps.Keys(now.Parameters)) {
		was, is := r.Parameters[name], now.Parameters[name]
		longer := slices.Contains(now.Extends, name)
		if was == is || longer && was < is {
			continue
		}
		less = less || longer
		errs = append(errs, fmt.Errorf("parameter %s is %d, and %d in the checkpoint", name, is, was))
	}
	switch {
	case len(errs) == 0 || r.Digest != now.Digest:
	case less:
		errs = append(errs, errors.New("a run that continues can become longer, but not shorter"))
	case len(now.Extends) > 0:
		errs = append(errs, fmt.Errorf("a run continues with the parameters that it began with, or with a greater %s: the others decide which cells of the checkpoint are final", strings.Join(now.Extends, " or ")))
	default:
		errs = append(errs, errors.New("a run continues with the parameters that it began with: they decide which cells of the checkpoint are final; only one that does nothing but end the outermost loop, and arrays without a boundary, may become greater"))
	}
	return errs
}

// otherInputs returns an error for each given array that differs between r and now.
func (r *Run) otherInputs(now *Run) (errs []error) {
	all := map[string]bool{}
	for _, run := range []*Run{r, now} {
		for name := range run.Inputs {
			all[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := r.Inputs[name]
		is, has := now.Inputs[name]
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
