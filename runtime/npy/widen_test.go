package npy

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/element"
)

// TestFit reads files of every type as arrays of every type: cells have the values of the file if the
// type of the array has all of them, or if both are integers and it has each cell's; otherwise the file is refused.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	exact, narrowed, wide := 0, 0, 0
	for k := range 2 * len(element.All()) {
		from, small := element.All()[k/2], k%2 == 0
		path := filepath.Join(t.TempDir(), "a.npy")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Create(Headed, f, from.Name, []int{3, 4})
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]byte, 12*from.Size)
		for k := range 12 {
			x := from.Wrapped(rng.Int64())
			if small {
				x = rng.Int64N(100)
			}
			if from.Float {
				from.Set(cells, k, element.Value{F: rng.NormFloat64()})
			} else {
				from.Set(cells, k, element.Value{I: x})
			}
		}
		if err := w.WriteAt(cells, 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		for _, to := range element.All() {
			file, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			err = file.Fit(to.Name, []int{3, 4})
			if !from.Widens(to) && (from.Float || to.Float) {
				if err == nil {
					t.Errorf("%s was read as %s", from.Name, to.Name)
				}
				_ = file.Close()
				continue
			}
			exact++
			v, _ := array.Make(to.Name, []int{5, 1}, []int{7, 3})
			if err == nil {
				err = file.ReadBox(&v, []int{5, 0})
			}
			if !from.Widens(to) {
				narrowed++
				fits := true
				for k := range 9 {
					fits = fits && to.Has(from.Value(cells, k/3*4+1+k%3).I)
				}
				if !fits {
					if wide++; err == nil || !strings.Contains(err.Error(), "is out of range of "+to.Name) {
						t.Errorf("%s as %s: %v, though values do not fit", from.Name, to.Name, err)
					}
					_ = file.Close()
					continue
				}
			}
			if err != nil || file.Converts() != (from != to) {
				t.Errorf("%s as %s: %v", from.Name, to.Name, err)
			}
			for k := range 9 {
				got, want := to.Value(v.Data, k), from.Value(cells, k/3*4+1+k%3)
				if to.Float && !from.Float {
					want.F = float64(want.I)
				} else if !to.Float {
					got.F, want.F = 0, 0
				}
				if got.F != want.F || !to.Float && got.I != want.I {
					t.Errorf("%s as %s: cell %d is %v, not %v", from.Name, to.Name, k, got, want)
				}
			}
			_ = file.Close()
		}
	}
	if exact < 40 || narrowed < 30 || wide < 10 {
		t.Errorf("only %d pairs of types, %d of them with fewer values, of which %d lack some", exact, narrowed, wide)
	}
}

// TestOneCell reads files of one cell, of any number of dimensions, and of bools and bytes.
func TestOneCell(t *testing.T) {
	for _, dict := range []string{
		"{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n",
		"{'descr': '|b1', 'fortran_order': False, 'shape': (1, 1), }\n",
		"{'descr': '|S1', 'fortran_order': True, 'shape': (), }\n",
	} {
		size := 8
		if strings.Contains(dict, "'|") {
			size = 1
		}
		f, err := Open(write(t, 1, dict, make([]byte, size)))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Fit("float64", []int{1, 1}); err != nil {
			t.Errorf("%s: %v", dict, err)
			continue
		}
		v, _ := array.Make("float64", []int{4, 4}, []int{4, 4})
		if err := f.ReadBox(&v, []int{4, 4}); err != nil {
			t.Errorf("%s: %v", dict, err)
		}
		_ = f.Close()
	}
}
