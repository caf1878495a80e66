package exampletest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/ir/irtest"
)

// A recorder is a test that notes how it fails, instead of failing.
type recorder struct {
	testing.TB
	said strings.Builder
}

// stopped is what a recorder panics with when a test would end.
type stopped struct{}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	fmt.Fprintf(&r.said, format+"\n", args...)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(stopped{})
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// failure returns what a test would say that calls do: its messages if it fails, else "".
func failure(t *testing.T, do func(l *Loopc)) string {
	t.Helper()
	r := &recorder{TB: t}
	func() {
		defer func() {
			if what := recover(); what != nil && what != (stopped{}) {
				panic(what)
			}
		}()
		do(&Loopc{t: r, dir: t.TempDir(), bin: t.TempDir()})
	}()
	return r.said.String()
}

// expect requires that a test that calls do fails with a text that contains want or, if want is
// "", passes.
func expect(t *testing.T, want string, do func(l *Loopc)) {
	t.Helper()
	got := failure(t, do)
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("says %q, want %q", got, want)
	}
}

// TestSameBits checks that SameBits reports any difference in bits, except between two NaNs.
func TestSameBits(t *testing.T) {
	nan, other := math.NaN(), math.Float64frombits(math.Float64bits(math.NaN())^1<<63)
	zero := 0.0
	compare := func(got, want []float64) func(*Loopc) {
		return func(l *Loopc) { SameBits(l, "u", []int{2, 2}, got, want) }
	}
	expect(t, "", compare([]float64{1, nan, zero, 3}, []float64{1, other, zero, 3}))
	expect(t, "cell [1 0] is -0, want 0", compare([]float64{1, 2, math.Copysign(0, -1), 3}, []float64{1, 2, zero, 3}))
	expect(t, "1 of 4 cells differ", compare([]float64{1, 2, 3, math.Nextafter(4, 5)}, []float64{1, 2, 3, 4}))
	expect(t, "cell [0 1] is NaN, want 2", compare([]float64{1, nan, 3, 4}, []float64{1, 2, 3, 4}))
	expect(t, "3 cells, want 4", compare([]float64{1, 2, 3}, []float64{1, 2, 3, 4}))
}

// TestFiles writes arrays and reads them again. Read must refuse another shape, another type and
// damaged files.
func TestFiles(t *testing.T) {
	cells := []int32{1, -2, 3, -4, 5, math.MinInt32}
	written := func(l *Loopc) { Write(l, "a.npy", []int{2, 3}, cells) }
	expect(t, "", func(l *Loopc) {
		written(l)
		if got := Read[int32](l, "a.npy", 2, 3); fmt.Sprint(got) != fmt.Sprint(cells) {
			l.t.Errorf("reads %v", got)
		}
		b, err := os.ReadFile(filepath.Join(l.dir, "a.npy"))
		var want bytes.Buffer
		if err == nil {
			err = binary.Write(&want, binary.LittleEndian, cells)
		}
		if err != nil || len(b) != 128+24 || !bytes.Equal(b[128:], want.Bytes()) {
			l.t.Errorf("writes %q, error %v", b, err)
		}
	})
	expect(t, "has the header", func(l *Loopc) { written(l); Read[int32](l, "a.npy", 3, 2) })
	expect(t, "has the header", func(l *Loopc) { written(l); Read[float32](l, "a.npy", 2, 3) })
	expect(t, "has 20 bytes of cells, want 24", func(l *Loopc) {
		written(l)
		if err := os.Truncate(filepath.Join(l.dir, "a.npy"), 128+20); err != nil {
			t.Fatal(err)
		}
		Read[int32](l, "a.npy", 2, 3)
	})
	expect(t, "not a .npy file", func(l *Loopc) {
		if err := os.WriteFile(filepath.Join(l.dir, "b.npy"), []byte("no array at all"), 0o666); err != nil {
			t.Fatal(err)
		}
		Read[int32](l, "b.npy", 2, 3)
	})
}

// TestPromised: the lines that a README shows must be printed in this order. Other lines may stand
// between them, and measured times may differ.
func TestPromised(t *testing.T) {
	const printed = "a.npy: uint8 (3,)\n50%  0.10 GPts/s  2 s left\nx: 12 points in 0.5 s, 0.1 GPts/s on 4 ranks x 2 CPUs (tcp, overlap, 7 steps)\nD[1] = 87\n"
	for promise, want := range map[string]string{
		printed:                          "",
		"a.npy: uint8 (3,)\nD[1] = 87\n": "",
		"D[1] = 88\n":                    "D[1] = 88",
		"D[1] = 8\n":                     "D[1] = 8",
		"D[1] = 87\na.npy: uint8 (3,)\n": "a.npy: uint8 (3,)",
		"a.npy: uint8 .3,.\n":            "uint8 .3,.",
		"D[1] = 87\nD[1] = 87\n":         "D[1] = 87",
		"x: 12 points in 9.1ms s, 7 GPts/s on 4 ranks x 1 CPU (tcp, overlap, 1 step)\n":   "",
		"x: 13 points in 0.5 s, 0.1 GPts/s on 4 ranks x 2 CPUs (tcp, overlap, 7 steps)\n": "x: 13 points",
		"x: 12 points in 0.5 s, 0.1 GPts/s on 3 ranks x 2 CPUs (tcp, overlap, 7 steps)\n": "on 3 ranks",
	} {
		if got := broken(promise, printed); strings.TrimSpace(got) != "" != (want != "") || !strings.Contains(got, want) {
			t.Errorf("of %q is not printed: %q, want %q", promise, got, want)
		}
	}
}

// TestTour runs every command of the README and, with -full, of the tour in examples/README.md.
func TestTour(t *testing.T) {
	leastCommands := map[string]int{"README.md": 4}
	if irtest.Full() {
		leastCommands["examples/README.md"] = 25
	}
	runDocuments(t, New(t), leastCommands)
}

// TestBlocks takes the fenced parts of a document apart.
func TestBlocks(t *testing.T) {
	got := blocks("Text\n```\npicture\n```\n\n```sh\nls\nls -l\n```\nand\n```loop a b.loop\nfor\n```\n```text\n```\n")
	want := []block{{"", "", "picture\n"}, {"sh", "", "ls\nls -l\n"}, {"loop", "a b.loop", "for\n"}, {"text", "", ""}}
	if !slices.Equal(got, want) {
		t.Errorf("the blocks are %q, want %q", got, want)
	}
}

// TestExamples requires that every example is as loopc fmt would have it, and makes
// and runs the applications.
func TestExamples(t *testing.T) {
	l := New(t)
	t.Run("layout", func(t *testing.T) { checkLayout(t, l) })
	t.Run("apps", func(t *testing.T) { runApps(t, l) })
}

// checkLayout runs loopc fmt on every nest.
func checkLayout(t *testing.T, l *Loopc) {
	nests, err := filepath.Glob("../*/*.loop")
	if err != nil || len(nests) < 7 {
		t.Fatalf("only %d examples: %v", len(nests), err)
	}
	apps, err := filepath.Glob("../apps/*/*.loop")
	if err != nil {
		t.Fatal(err)
	}
	nests = append(nests, apps...)
	for k, nest := range nests {
		if nests[k], err = filepath.Abs(nest); err != nil {
			t.Fatal(err)
		}
	}
	l.exec("loopc", append([]string{"fmt", "-d"}, nests...)...)
}
