package checkpoint

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"loopc/runtime/array"
)

// sample returns a state with cells that depend on the number of levels that are done.
func sample(t *testing.T, done int) *State {
	t.Helper()
	u, err := array.Make("float64", []int{done, -1}, []int{done, 3})
	if err != nil {
		t.Fatal(err)
	}
	d, err := array.Make("int32", []int{0, 0}, []int{20, 6})
	if err != nil {
		t.Fatal(err)
	}
	none, err := array.Make("float32", []int{0}, []int{-1})
	if err != nil {
		t.Fatal(err)
	}
	for k := range u.Cells() {
		binary.LittleEndian.PutUint64(u.Data[8*k:], uint64(1000*done+k))
	}
	d.TrackWritten()
	for k := range 7 * done {
		binary.LittleEndian.PutUint32(d.Data[4*k:], uint32(k))
	}
	d.MarkWritten(0, 7*done, 1)
	return &State{
		Done: done, Values: []Value{{"u", u}, {"w", none}}, Results: []Result{{"D", d}},
		Reductions: []Reduction{{Name: "most", Op: "max", Type: "float64", State: []byte{byte(done), 2, 3}}},
	}
}

var run = Run{Program: "sweep", Digest: "abc", Parameters: map[string]int{"T": 20}, Inputs: map[string]Input{"s": {From: "s.npy", SHA256: "1"}}, Arch: "here"}

// TestRoundTrip writes checkpoints and reads the newest one, of which two are kept.
func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ck")
	if _, s, damaged, err := Read(dir); s != nil || damaged != nil || err != nil {
		t.Fatalf("of no folder: %v, %v, %v", s, damaged, err)
	}
	for _, done := range []int{3, 5, 8} {
		if err := Write(dir, run, sample(t, done)); err != nil {
			t.Fatal(err)
		}
	}
	was, s, damaged, err := Read(dir)
	if err != nil || damaged != nil {
		t.Fatal(damaged, err)
	}
	if !reflect.DeepEqual(*was, run) {
		t.Errorf("the run is %+v, want %+v", *was, run)
	}
	if want := sample(t, 8); !reflect.DeepEqual(s, want) {
		t.Errorf("the state is %+v, want %+v", s, want)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{nameOf(5), nameOf(8)}; !reflect.DeepEqual(names, want) {
		t.Errorf("there are %v, want %v", names, want)
	}
	// A run that begins anew removes later checkpoints.
	if err := Write(dir, run, sample(t, 2)); err != nil {
		t.Fatal(err)
	}
	if _, s, _, err = Read(dir); err != nil || s.Done != 2 {
		t.Errorf("the newest is %+v, %v; want that of the last run", s, err)
	}
}

// TestDamaged alters each file of the newest checkpoint: it must not be used, and the one before
// it must.
func TestDamaged(t *testing.T) {
	for _, name := range []string{manifestName, "u.npy", "D-result.npy", "D-final.npy"} {
		for _, how := range []string{"altered", "cut", "removed"} {
			dir := t.TempDir()
			for _, done := range []int{4, 6} {
				if err := Write(dir, run, sample(t, done)); err != nil {
					t.Fatal(err)
				}
			}
			damage := func(done int) {
				path := filepath.Join(dir, nameOf(done), name)
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
			damage(6)
			_, s, damaged, err := Read(dir)
			if err != nil || s == nil || s.Done != 4 || len(damaged) != 1 || !strings.Contains(damaged[0].Error(), nameOf(6)) {
				t.Fatalf("%s %s: %+v, %v, %v", name, how, s, damaged, err)
			}
			damage(4)
			if _, s, _, err := Read(dir); err == nil {
				t.Errorf("%s %s in all: read %+v", name, how, s)
			}
		}
	}
}

// TestDiffers requires that each difference is named.
func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		change func(r *Run)
		want   string
	}{
		{func(*Run) {}, ""},
		{func(r *Run) { r.Program = "other" }, "is of sweep, and this is other"},
		{func(r *Run) { r.Digest = "x" }, "another version of sweep"},
		{func(r *Run) { r.Parameters = map[string]int{"T": 21} }, "parameter T is 21, and 20 in the checkpoint"},
		{func(r *Run) { r.Inputs = map[string]Input{"s": {From: "b.npy", SHA256: "2"}} }, "array s has another content: from b.npy, and from s.npy"},
		{func(r *Run) { r.Arch = "there" }, "is of here"},
	} {
		at := run
		c.change(&at)
		err := run.Differs(&at)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
