package boundary

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// pictures show what is read in place of the dots beyond the ends of a dimension of four
// cells, a to d.
var pictures = map[Kind]string{
	Copied:     "aaaa abcd dddd",
	Reflecting: "?dcb abcd cba?",
	Symmetric:  "dcba abcd dcba",
	Periodic:   "abcd abcd abcd",
}

// TestPictures compares Below, Above and Cell with the pictures, at several lower bounds.
func TestPictures(t *testing.T) {
	for _, k := range All() {
		picture := pictures[k]
		if len(picture) != 14 {
			t.Errorf("%v has no picture", k)
			continue
		}
		for lo := -3; lo <= 3; lo++ {
			hi := lo + 3
			for m := 1; m <= 4; m++ {
				for _, c := range []struct {
					want byte
					cell []int
				}{
					{picture[4-m], []int{k.Below(lo-m, lo, hi), Ends{k, None}.Cell(lo-m, lo, hi)}},
					{picture[9+m], []int{k.Above(hi+m, lo, hi), Ends{None, k}.Cell(hi+m, lo, hi)}},
				} {
					for _, cell := range c.cell {
						got := byte('?')
						if cell >= lo && cell <= hi {
							got = "abcd"[cell-lo]
						}
						if got != c.want {
							t.Errorf("%v: %d cells beyond %d..%d is cell %c, want %c", k, m, lo, hi, got, c.want)
						}
					}
				}
			}
			for x := lo; x <= hi; x++ {
				if k.Below(x, lo, hi) != x || k.Above(x, lo, hi) != x {
					t.Errorf("%v moves cell %d of %d..%d", k, x, lo, hi)
				}
			}
		}
	}
	if len(pictures) != len(All()) {
		t.Errorf("there are %d pictures for %d kinds", len(pictures), len(All()))
	}
}

// TestAffine holds Inward against the affine form that Affine takes from three values.
func TestAffine(t *testing.T) {
	for _, k := range append(All(), None) {
		for m := range 9 {
			constant, slope := k.Affine(m)
			for extent := range 9 {
				if got, want := constant+slope*extent, k.Inward(m, extent); got != want {
					t.Errorf("%v: %d beyond, extent %d: %d, want %d", k, m, extent, got, want)
				}
				if k.Inward(m, extent)-k.Inward(0, extent) != m*(k.Inward(1, extent)-k.Inward(0, extent)) {
					t.Errorf("%v: Inward is not affine in m at %d", k, m)
				}
			}
		}
	}
}

// TestWords looks the words up.
func TestWords(t *testing.T) {
	for n, k := range All() {
		if got, ok := Named(Words()[n]); !ok || got != k || k.Gives() == "" {
			t.Errorf("%q names %v, want %v", Words()[n], got, k)
		}
	}
	for _, word := range []string{"*", "", "Copied", "fixed"} {
		if k, ok := Named(word); ok || k != None {
			t.Errorf("%q names %v", word, k)
		}
	}
	if !Periodic.Wraps() || Copied.Wraps() || Reflecting.Wraps() || Symmetric.Wraps() || None.Wraps() {
		t.Error("periodic alone wraps")
	}
}

// TestImage compares Image with the cells of every index of the interval.
func TestImage(t *testing.T) {
	kinds := append(All(), None)
	for _, below := range kinds {
		for _, above := range kinds {
			e := Ends{below, above}
			for lo := -1; lo <= 1; lo++ {
				for hi := lo; hi < lo+5; hi++ {
					for from := lo - 6; from <= hi+6; from++ {
						var cells []int
						for to := from; to <= hi+6; to++ {
							cells = append(cells, e.Cell(to, lo, hi))
							least, most := e.Image(from, to, lo, hi)
							if least != slices.Min(cells) || most != slices.Max(cells) {
								t.Fatalf("%v: the image of %d..%d in %d..%d is %d..%d, want that of %v", e, from, to, lo, hi, least, most, cells)
							}
						}
					}
				}
			}
		}
	}
}

// TestInlined asks the compiler whether emitted code can inline Below and Above.
func TestInlined(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"Kind.Below", "Kind.Above"} {
		if !strings.Contains(string(out), "can inline "+name+"\n") {
			t.Errorf("%s is not inlined", name)
		}
	}
}
