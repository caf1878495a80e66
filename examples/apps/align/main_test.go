package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// plain is the same by definition: every gap of every length is tried, where the
// nest carries along the best gap so far.
func plain(a, b []byte, p AlignParams) ending {
	h := make([][]int, len(a)+1)
	h[0] = make([]int, len(b)+1)
	var end ending
	for i := 1; i <= len(a); i++ {
		h[i] = make([]int, len(b)+1)
		for j := 1; j <= len(b); j++ {
			best := h[i-1][j-1] + p.Miss
			if a[i-1] == b[j-1] {
				best = h[i-1][j-1] + p.Match
			}
			for k := 1; k <= i; k++ {
				best = max(best, h[i-k][j]-p.Open-(k-1)*p.Extend)
			}
			for k := 1; k <= j; k++ {
				best = max(best, h[i][j-k]-p.Open-(k-1)*p.Extend)
			}
			h[i][j] = max(0, best)
			if h[i][j] > end.score {
				end = ending{h[i][j], i, j}
			}
		}
	}
	return end
}

// TestAlign compares with the definition, on random sequences, related ones, and
// such that one can align by hand.
func TestAlign(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	check := func(a, b []byte, p AlignParams, ranks int) ending {
		t.Helper()
		got, err := align(t.Context(), a, b, p, ranks)
		if err != nil {
			t.Fatal(err)
		}
		if want := plain(a, b, p); got != want && (got.score != 0 || want.score != 0) {
			t.Errorf("%.40s and %.40s: %+v, want %+v", a, b, got, want)
		}
		return got
	}
	p := DefaultAlignParams()
	for range 40 {
		p.Open = 1 + rng.IntN(12)
		p.Extend = 1 + rng.IntN(p.Open)
		check(letters(rng, rng.IntN(60)), letters(rng, rng.IntN(60)), p, 1+rng.IntN(3))
	}
	p = DefaultAlignParams()
	a, b := related(rng, 400)
	if e := check(a, b, p, 2); e.score < 400 {
		t.Errorf("related sequences have a score of %d only: this proves nothing", e.score)
	}
	for _, c := range []struct {
		a, b string
		want ending
	}{
		{"ACGT", "ACGT", ending{20, 4, 4}},
		{"TTACGTTT", "GGACGTGG", ending{20, 6, 6}},
		{"AAAACCCCGGGGTTTT", "AAAACCCCTGGGGTTTT", ending{16*5 - 14, 16, 17}},
		{"AAAACCCCGGGGTTTT", "AAAACCCCTATGGGGTTTT", ending{16*5 - 26, 16, 19}},
		{"AAAA", "CCCC", ending{}},
	} {
		if got := check([]byte(c.a), []byte(c.b), p, 1); got.score != c.want.score || got.score > 0 && got != c.want {
			t.Errorf("%s and %s: %+v, want %+v", c.a, c.b, got, c.want)
		}
	}
}

// TestFASTA makes files and reads them, and such as are not as they should be.
func TestFASTA(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a.fasta"), filepath.Join(dir, "b.fasta")
	if err := makeFiles(1, 300, first, second); err != nil {
		t.Fatal(err)
	}
	a, b := related(rand.New(rand.NewPCG(1, 1)), 300)
	for name, want := range map[string][]byte{first: a, second: b} {
		if s, err := readFASTA(name); err != nil || string(s.letters) != string(want) {
			t.Errorf("%s: %q, error %v", name, s.letters, err)
		}
	}
	for text, want := range map[string]string{
		">x y z\nac\n\ngt\n>second\nCCC": "x ACGT", ">\nA": "nameless A", ";old\n>z\r\nAC\r\n": "z AC", "ACGT\n": "", "": "",
	} {
		if err := os.WriteFile(first, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := readFASTA(first)
		if got := s.name + " " + string(s.letters); err == nil && got != want || (err != nil) != (want == "") {
			t.Errorf("%q is read as %q, error %v", text, got, err)
		}
	}
}
