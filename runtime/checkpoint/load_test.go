package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"loopc/runtime/npy"
)

// TestLoadParts loads random parts of blocks, and compares them with the blocks that were written,
// cell by cell.
func TestLoadParts(t *testing.T) {
	dir := t.TempDir()
	keep(t, dir, 8)
	m, at, _, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, want := m.State(func(name string) (npy.Storage, error) { return os.Open(filepath.Join(at, name)) }), sample(t, 8)
	rng, compared := rand.New(rand.NewPCG(3, 4)), 0
	for range 300 {
		k := rng.IntN(ranks)
		b, w := &got.Parts[k].Values[0], &want[k].Values[0].View
		if rng.IntN(2) == 0 {
			b, w = &got.Parts[k].Results[0], &want[k].Results[0].View
		}
		lo, hi := make([]int, 2), make([]int, 2)
		for x := range lo {
			lo[x] = w.Lo[x] - 2 + rng.IntN(w.Hi[x]-w.Lo[x]+3)
			hi[x] = lo[x] + rng.IntN(6)
		}
		v, err := b.Load(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		cell := make([]int, 2)
		for cell[0] = max(lo[0], w.Lo[0]); cell[0] <= min(hi[0], w.Hi[0]); cell[0]++ {
			for cell[1] = max(lo[1], w.Lo[1]); cell[1] <= min(hi[1], w.Hi[1]); cell[1]++ {
				x, y := v.Offset(cell), w.Offset(cell)
				marked := w.Written == nil || w.Written[y/64]>>(y%64)&1 == 1
				if got := v.Written == nil || v.Written[x/64]>>(x%64)&1 == 1; got != marked {
					t.Fatalf("cell %v is marked: %t, want %t", cell, got, marked)
				}
				if marked {
					compared++
					if v.Cell(x) != w.Cell(y) {
						t.Fatalf("cell %v is %v, want %v", cell, v.Cell(x), w.Cell(y))
					}
				}
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d cells were compared", compared)
	}
}

// TestForgedManifest: blocks that a manifest makes too large are refused, or take no more memory
// than the cells that are loaded from them.
func TestForgedManifest(t *testing.T) {
	for name, forge := range map[string]func(e *Entry){
		"huge":       func(e *Entry) { e.Last = []int{1 << 20, 1 << 24} },
		"overflows":  func(e *Entry) { e.Last = []int{1 << 40, 1 << 40} },
		"negative":   func(e *Entry) { e.Last = []int{-9, -9} },
		"dimensions": func(e *Entry) { e.Last = []int{3} },
		"cubic":      func(e *Entry) { e.First, e.Last = []int{0, 0, 0}, []int{3, 3, 3} },
		"runs of 0":  func(e *Entry) { e.First, e.Last, e.Runs = nil, nil, e.File },
		"type":       func(e *Entry) { e.Elem = "float" },
		"nameless":   func(e *Entry) { e.File = "" },
	} {
		dir := t.TempDir()
		keep(t, dir, 4)
		m, at, _, err := Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		forge(&m.Parts[1].Results[0]) // some of its cells are marked
		forge(&m.Parts[0].Values[0])  // all of its cells are marked
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		for file, text := range map[string][]byte{manifestName: text, checksumName: fmt.Appendf(nil, "%s  %s\n", hex.EncodeToString(sum[:]), manifestName)} {
			if err := os.WriteFile(filepath.Join(at, file), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m, at, _, err = Find(dir)
		if sound := name == "huge" || name == "cubic"; (err == nil) != sound {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		s := m.State(func(name string) (npy.Storage, error) { return os.Open(filepath.Join(at, name)) })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, b := range []*Block{&s.Parts[1].Results[0], &s.Parts[0].Values[0]} {
			v, err := b.Load([]int{0, 0}, []int{30, 30})
			if err == nil && (name == "cubic" || v.Written == nil) {
				t.Errorf("%s: %s is read", name, b.Name)
			}
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
			t.Errorf("%s: to read takes %d bytes", name, took)
		}
	}
}

// TestSums compares a checksum with the published one of CRC-32C, since other programs check files
// with this checksum.
func TestSums(t *testing.T) {
	if got := sumText(crc32.Checksum([]byte("123456789"), sums)); got != "e3069283" {
		t.Errorf("the checksum is %s", got)
	}
}
