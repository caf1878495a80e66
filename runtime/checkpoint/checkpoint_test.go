package checkpoint

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/npy"
)

var run = Run{
	Program: "sweep", Digest: "abc", Parameters: map[string]int{"T": 20, "N": 7},
	Inputs: map[string]Input{"s": {From: "s.npy", SHA256: "1"}}, Arch: "here",
}

// ranks is the number of ranks of the samples.
const ranks = 3

// view returns cells of random content, all of them or some marked.
func view(t *testing.T, rng *rand.Rand, elem string, lo, hi []int, some bool) array.View {
	t.Helper()
	v, err := array.Make(elem, lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	if some {
		v.TrackWritten()
	}
	for k := range v.Cells() {
		if some && rng.IntN(3) > 0 {
			continue
		}
		for b := range v.Size {
			v.Data[k*v.Size+b] = byte(rng.Uint32())
		}
		v.MarkWritten(k, 1, 1)
	}
	return v
}

// sample returns the parts of a state after some levels. Values have all, some or none of their
// cells, and one result has some final cells.
func sample(t *testing.T, done int) (parts []*Part) {
	rng := rand.New(rand.NewPCG(uint64(done), 7))
	for rank := range ranks {
		p := &Part{Done: done, Keep: true, Rank: rank, Reductions: []Reduction{{"most", "max", "float64", []byte{1, 2, byte(rank)}}}}
		p.Values = []Block{
			{Name: "u", View: view(t, rng, "float64", []int{done - 1, rank}, []int{done, rank + 4}, rank > 0)},
			{Name: "D", View: view(t, rng, "int32", []int{done}, []int{done - 1}, false)},
		}
		p.Results = []Block{{Name: "D", View: view(t, rng, "int32", []int{-1, 0}, []int{11, 12}, true)}}
		parts = append(parts, p)
	}
	return parts
}

// keep writes the parts of a sample in the folder dir, as the ranks of one run that has found
// damaged checkpoints.
func keep(t *testing.T, dir string, done int, damaged ...*Damage) {
	t.Helper()
	temp := t.TempDir()
	c := NewCollector(dir, temp, run, ranks, nil, damaged)
	for _, p := range sample(t, done) {
		s := WritePart(p, func(k int) (File, error) { return Create(temp, done, p.Rank, k) })
		if err := c.Add(s); err != nil || s.Error != "" {
			t.Fatal(err, s.Error)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", left, err)
	}
}

// equal compares the marked cells of two blocks.
func equal(t *testing.T, got, want Block) {
	t.Helper()
	v, err := got.Load(want.View.Lo, want.View.Hi)
	if err != nil {
		t.Fatal(err)
	}
	w := want.View
	if got.Name != want.Name || v.Elem != w.Elem || !slices.Equal(v.Lo, w.Lo) || !slices.Equal(v.Hi, w.Hi) || (w.Written == nil) != (v.Written == nil) {
		t.Fatalf("%s %s %v..%v, want %s %s %v..%v", got.Name, v.Elem, v.Lo, v.Hi, want.Name, w.Elem, w.Lo, w.Hi)
	}
	if !slices.Equal(v.Written, w.Written) || !slices.Equal(v.Data, w.Data) {
		t.Errorf("%s has other cells", got.Name)
	}
}

// TestRoundTrip writes checkpoints and reads the newest one back. The two newest are kept.
func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ck")
	if m, _, damaged, err := Find(dir); m != nil || damaged != nil || err != nil {
		t.Fatalf("of no folder: %v, %v, %v", m, damaged, err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, done := range []int{3, 5, 8, 8} {
		keep(t, dir, done)
	}
	m, at, damaged, err := Find(dir)
	if err != nil || damaged != nil {
		t.Fatal(damaged, err)
	}
	if !reflect.DeepEqual(m.Run, run) {
		t.Errorf("the run is %+v, want %+v", m.Run, run)
	}
	got := m.State(func(name string) (npy.Storage, error) { return os.Open(filepath.Join(at, name)) })
	want := sample(t, 8)
	if got.Done != 8 || len(got.Parts) != len(want) {
		t.Fatalf("%d parts after %d levels", len(got.Parts), got.Done)
	}
	for k, p := range got.Parts {
		if !reflect.DeepEqual(p.Reductions, want[k].Reductions) || len(p.Values) != 1 || len(p.Results) != 1 {
			t.Fatalf("part %d is %+v", k, p)
		}
		equal(t, p.Values[0], want[k].Values[0]) // the other value has no cells
		equal(t, p.Results[0], want[k].Results[0])
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{nameOf(3, "level", 8), nameOf(4, "level", 8)}; !reflect.DeepEqual(names, want) {
		t.Errorf("there are %v, want %v", names, want)
	}
	// A run that begins anew has the newest checkpoint.
	keep(t, dir, 2)
	if m, _, _, err = Find(dir); err != nil || m.Done != 2 {
		t.Errorf("the newest is %+v, %v; want that of the last run", m, err)
	}
}

// TestDamaged alters each file of the newest checkpoint in turn. The damaged checkpoint must not be
// used, and the one before it must.
func TestDamaged(t *testing.T) {
	for _, name := range []string{manifestName, checksumName, FileName(0, 0), FileName(1, 0), FileName(1, 1), FileName(2, 2), FileName(2, 3)} {
		for _, how := range []string{"altered", "cut", "removed"} {
			dir := t.TempDir()
			for _, done := range []int{4, 6} {
				keep(t, dir, done)
			}
			damage := func(number, done int) {
				path := filepath.Join(dir, nameOf(number, "level", done), name)
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				switch how {
				case "altered":
					text[len(text)-3] ^= 0x7f
				case "cut":
					text = text[:len(text)/2]
				}
				if err = os.WriteFile(path, text, 0o666); how == "removed" {
					err = os.Remove(path)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			damage(2, 6)
			m, _, damaged, err := Find(dir)
			if err != nil || m == nil || m.Done != 4 || len(damaged) != 1 || !strings.Contains(damaged[0].Error(), nameOf(2, "level", 6)) {
				t.Fatalf("%s %s: %+v, %v, %v", name, how, m, damaged, err)
			}
			damage(1, 4)
			if m, _, _, err := Find(dir); err == nil {
				t.Errorf("%s %s in all: read %+v", name, how, m)
			}
		}
	}
}

// A fullFile takes a few bytes.
type fullFile struct{ left int }

var errFull = errors.New("no space left")

func (f *fullFile) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func (*fullFile) Sync() error  { return nil }
func (*fullFile) Close() error { return nil }

var _ io.Writer = (*fullFile)(nil)

// TestFailedPart requires that a part that cannot be written makes no checkpoint, leaves nothing,
// and does no harm to the next one.
func TestFailedPart(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	c := NewCollector(dir, temp, run, ranks, nil, nil)
	for _, done := range []int{3, 5} {
		for _, p := range sample(t, done) {
			fails := done == 3 && p.Rank == 1
			s := WritePart(p, func(k int) (File, error) {
				if fails && k == 1 {
					return &fullFile{left: 100}, nil
				}
				return Create(temp, done, p.Rank, k)
			})
			if fails != (s.Error != "") || fails && s.Values != nil {
				t.Fatalf("rank %d: %+v", p.Rank, s)
			}
			err := c.Add(s)
			if wants := done == 3 && p.Rank == ranks-1; wants != (err != nil) || wants && !strings.Contains(err.Error(), errFull.Error()) {
				t.Errorf("after %d levels, rank %d: %v", done, p.Rank, err)
			}
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%v, %v are left", left, err)
		}
	}
	if m, _, damaged, err := Find(dir); err != nil || damaged != nil || m.Done != 5 {
		t.Errorf("%+v, %v, %v", m, damaged, err)
	}
}

// A syncs is a file that counts how often it is synced.
type syncs struct {
	*os.File
	n *int
}

// Sync implements File.
func (f syncs) Sync() error {
	*f.n++
	return f.File.Sync()
}

// TestSynced requires that files of a checkpoint are synced, and that those from which only a snapshot is made are not.
func TestSynced(t *testing.T) {
	temp := t.TempDir()
	for _, kept := range []bool{true, false} {
		files, synced := 0, 0
		for _, p := range sample(t, 3) {
			p.Keep, p.Show = kept, true
			s := WritePart(p, func(k int) (File, error) {
				files++
				f, err := Create(temp, 3, p.Rank, k)
				return syncs{f, &synced}, err
			})
			if s.Error != "" {
				t.Fatal(s.Error)
			}
		}
		if files < ranks || kept && synced != files || !kept && synced > 0 {
			t.Errorf("kept %t: %d of %d files are synced", kept, synced, files)
		}
	}
}

// TestLostFile requires that a checkpoint lacks no file, even if a rank says that it has written it.
func TestLostFile(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	c := NewCollector(dir, temp, run, ranks, nil, nil)
	for _, p := range sample(t, 3) {
		s := WritePart(p, func(k int) (File, error) { return Create(temp, 3, p.Rank, k) })
		if p.Rank == 1 {
			if err := os.Remove(filepath.Join(temp, Folder(3), FileName(1, 0))); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Add(s); (err != nil) != (p.Rank == ranks-1) {
			t.Errorf("rank %d: %v", p.Rank, err)
		}
	}
	if m, _, _, err := Find(dir); m != nil || err != nil {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestDiffers requires that each difference is named.
func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		change func(r *Run)
		want   string
	}{
		{func(*Run) {}, ""},
		{func(r *Run) { r.Program, r.Parameters = "other", map[string]int{"N": 3} }, "is of sweep, and this is other"},
		{func(r *Run) { r.Digest = "x" }, "another version of sweep"},
		{func(r *Run) { r.Parameters = map[string]int{"T": 21} }, "parameter T is 21, and 20 in the checkpoint"},
		{func(r *Run) { r.Floats = map[string]float64{"tol": 1e-8} }, "tol is 1e-08, and 0 in the checkpoint: with other numbers begin a new run, with the results (--out)"},
		{func(r *Run) { r.Inputs = map[string]Input{"s": {From: "b.npy", SHA256: "2"}} }, "array s has another content: from b.npy, and from s.npy"},
		{func(r *Run) { r.Inputs = nil }, "array s is given in the checkpoint, from s.npy, and not here"},
		{func(r *Run) {
			r.Inputs = map[string]Input{"s": run.Inputs["s"], "c": {From: "c.npy"}}
		}, "array c is given here, from c.npy, and not in the checkpoint"},
		{func(r *Run) { r.Arch = "there" }, "is of here"},
	} {
		at := run
		c.change(&at)
		err := run.Differs(&at)
		if at.Program != run.Program && strings.Contains(err.Error(), "\n") {
			t.Errorf("parameters and arrays of another program count as differences: %v", err)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestDamagedDoNotCount: a run that continues after damaged checkpoints keeps two others, because
// damaged ones do not count. A collector begins by removing the oldest checkpoints if there are
// more than two.
func TestDamagedDoNotCount(t *testing.T) {
	dir := t.TempDir()
	for _, done := range []int{2, 4, 6} {
		keep(t, dir, done)
	}
	if err := os.Truncate(filepath.Join(dir, nameOf(3, "level", 6), manifestName), 9); err != nil {
		t.Fatal(err)
	}
	m, _, damaged, err := Find(dir)
	if err != nil || m == nil || m.Done != 4 || len(damaged) != 1 {
		t.Fatal(m, damaged, err)
	}
	keep(t, dir, 6, damaged...)
	if names, err := list(dir); err != nil || !slices.Equal(names, []string{nameOf(4, "level", 6), nameOf(3, "level", 6), nameOf(2, "level", 4)}) {
		t.Errorf("there are %q, %v", names, err)
	}
	keep(t, dir, 8, damaged...)
	want := []string{nameOf(5, "level", 8), nameOf(4, "level", 6)}
	if names, err := list(dir); err != nil || !slices.Equal(names, want) {
		t.Errorf("there are %q, %v", names, err)
	}
	if err := os.Mkdir(filepath.Join(dir, nameOf(1, "level", 1)), 0o777); err != nil {
		t.Fatal(err)
	}
	NewCollector(dir, t.TempDir(), run, ranks, nil, nil)
	if names, err := list(dir); err != nil || !slices.Equal(names, want) {
		t.Errorf("there are %q, %v", names, err)
	}
}
