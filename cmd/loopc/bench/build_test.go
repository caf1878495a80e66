package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"loopc/testdata/lacking"
)

// notThere finds no program.
func notThere(name string) (string, error) { return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound) }

// TestSupplies makes the matrix of a solver by its C program, once for equal parameters.
func TestSupplies(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		lacking.Skip(t, "gcc is missing")
	}
	n := listedNest(t, polybench, "forms/cholesky")
	x := tool{name: "gcc", compiler: gcc}
	p, err := x.compile(t.Context(), n.c, t.TempDir(), true, "-I"+peers)
	if err != nil {
		t.Fatal(err)
	}
	s := &supplier{nest: n, program: p.path, folder: t.TempDir()}
	for range 2 {
		args, err := s.args(t.Context(), params{{"N", 5}})
		if err != nil || len(args) != 2 || args[0] != "--in" {
			t.Fatal(args, err)
		}
		name, file, _ := strings.Cut(args[1], "=")
		cells, err := os.ReadFile(file)
		if name != "A" || err != nil || len(cells) != 128+8*5*5 || !strings.Contains(string(cells[:128]), "'shape': (5, 5), }") {
			t.Errorf("%s is %q, %v", args[1], cells, err)
		}
		for k := range 5 {
			if v := math.Float64frombits(binary.LittleEndian.Uint64(cells[128+8*(6*k):])); v < 5 || v >= 6 {
				t.Errorf("the diagonal has %g", v)
			}
		}
		s.program = "no such program"
	}
	if _, err := s.args(t.Context(), params{{"N", 6}}); err == nil {
		t.Error("a program that does not run is no error")
	}
}

// TestMissingTools checks that every compiler that is not there is listed, and that
// without any there is no benchmark.
func TestMissingTools(t *testing.T) {
	found := findTools(t.Context(), notThere, nil)
	if got, want := strings.Join(found.missing, "; "), "gcc: not in PATH; clang: not in PATH; polly: clang is not in PATH; "+
		"openmpi: mpicc.openmpi or mpiexec.openmpi is not in PATH; mpich: mpicc.mpich or mpiexec.mpich is not in PATH"; got != want {
		t.Errorf("missing: %s\nwant: %s", got, want)
	}
	b := &bench{Config: Config{Log: io.Discard, Sources: []string{peers}}, folder: t.TempDir()}
	if err := b.setUp(t.Context(), notThere); err == nil || !strings.Contains(err.Error(), "nothing to compare with: gcc: not in PATH") {
		t.Errorf("without a compiler, the error is %v", err)
	}
	if found := findTools(t.Context(), notThere, []string{"cl"}); len(found.missing) != 1 {
		t.Errorf("of clang alone, missing: %q", found.missing)
	}
}

// TestBrokenCompiler checks that a compiler that compiles nothing is missing.
func TestBrokenCompiler(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "gcc")
	if err := os.WriteFile(broken, []byte("no program\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	found := findTools(t.Context(), func(name string) (string, error) {
		if name == "gcc" {
			return broken, nil
		}
		return notThere(name)
	}, []string{"gcc"})
	if len(found.found) != 0 || len(found.missing) != 1 || !strings.Contains(found.missing[0], "does not compile") {
		t.Errorf("found %v, missing %q", found.found, found.missing)
	}
}

// TestContenders checks which programs run on how many processors.
func TestContenders(t *testing.T) {
	c := &tool{name: "gcc", variants: []string{"plain", "tiled"}}
	mpi := &tool{name: "mpich", launcher: "mpiexec", variants: []string{"blocking", "overlap"}}
	programs := []*program{{tool: c}, {tool: c, strict: true}, {tool: mpi, strict: true}}
	for cpus, want := range map[int]string{
		1: "gcc plain;gcc tiled;gcc plain, strict;gcc tiled, strict",
		2: "gcc plain;gcc tiled;gcc plain, strict;gcc tiled, strict;mpich blocking, strict;mpich overlap, strict",
	} {
		var names []string
		for _, x := range contenders(programs, &nest{tiled: true}, nil, make([]int, cpus)) {
			names = append(names, x.name)
			if x.plain != strings.Contains(x.name, "plain") || x.strict != strings.Contains(x.name, "strict") {
				t.Errorf("%s: plain %t, strict %t", x.name, x.plain, x.strict)
			}
		}
		if got := strings.Join(names, ";"); got != want {
			t.Errorf("on %d CPUs: %s, want %s", cpus, got, want)
		}
	}
}

// TestUsage checks that what makes no sense is refused before anything is built.
func TestUsage(t *testing.T) {
	good := Config{Sizes: []string{"tiny"}, CPUs: []int{1}, Pairs: 1, Sources: []string{peers}, Log: io.Discard}
	if list, err := good.check(); err != nil || len(list) != 12 {
		t.Fatalf("%d nests and %v", len(list), err)
	}
	for want, change := range map[string]func(*Config){
		`no nest is called "seidal"`:   func(c *Config) { c.Nests = []string{"adi", "seidal"} },
		`no size is called "huge"`:     func(c *Config) { c.Sizes = []string{"small", "huge"} },
		"0 CPUs are too few":           func(c *Config) { c.CPUs = []int{1, 0} },
		"0 pairs are too few":          func(c *Config) { c.Pairs = 0 },
		"run this in a clone of loopc": func(c *Config) { c.Sources = []string{t.TempDir()} },
	} {
		c := good
		change(&c)
		_, err := Run(context.Background(), c)
		if _, usage := err.(*UsageError); !usage || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want a UsageError with %q", err, want)
		}
	}
	good.Nests = []string{"seidel", "fields"}
	if list, err := good.check(); err != nil || len(list) != 4 {
		t.Errorf("seidel, and the class fields, are %d nests, %v", len(list), err)
	}
	good.Own, good.Params = "my.loop", "N=5,M=7"
	list, err := good.check()
	if err != nil || len(list) != 1 || list[0].c != "my.c" || list[0].least().String() != good.Params {
		t.Errorf("my.loop is %+v, %v", list, err)
	}
}

// TestChecksum checks the tail of a result, that order counts, and that two changes
// of a sign do not cancel.
func TestChecksum(t *testing.T) {
	sum := func(text string) uint64 {
		s, err := checksum(0, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// The checksum that peer.h computes of these bytes.
	if got := sum("123456789"); got != 0x5f697b0b632d90c0 {
		t.Errorf("the checksum is %#x", got)
	}
	seen := map[uint64]string{}
	for _, text := range []string{"12345678", "12345679", "1234567812345678", "1234567\xb81234567\xb8", "1234567\xb812345678", "abcdefgh12345678", "12345678abcdefgh"} {
		if other, ok := seen[sum(text)]; ok {
			t.Errorf("%q and %q have the same checksum", text, other)
		}
		seen[sum(text)] = text
	}
	if _, err := checksumFile(0, "build_test.go"); err == nil {
		t.Error("a Go file has a checksum as .npy file")
	}
}

// TestRoof checks what limits a nest.
func TestRoof(t *testing.T) {
	m := &machine{Load: 10, Store: 8, Stream: 16, GHz: 2, Divide32: 0.2, Divide64: 0.6}
	for _, c := range []struct {
		name, limit string
		cpus        int
		ns          float64
	}{
		{"pipeline_whole", "memory", 1, 4.0 / 16},
		{"seidel9", "arithmetic", 1, 10 * 8.0 / 32 / 2 / 2}, // its division is by a constant
		{"seidel9", "arithmetic", 2, 10 * 8.0 / 32 / 2 / 2 / 2},
		{"adi", "divider", 1, 0.8},
		{"sw_linear", "arithmetic", 1, 8 * 4.0 / 32 / 2 / 2},
	} {
		n := listedNest(t, peers, c.name)
		r := roofOf(n.facts, n.sizes["large"], m, 32, c.cpus)
		if math.Abs(r.ns-c.ns) > 0.05*c.ns || r.limit != c.limit {
			t.Errorf("%s on %d CPUs: %v, want %g by %s", c.name, c.cpus, r, c.ns, c.limit)
		}
	}
}

func TestProcessor(t *testing.T) {
	p := readProcessor("processor\t: 0\nmodel name\t: Some CPU\ncpu family\t: 6\nmodel\t\t: 143\nstepping\t: 8\nflags\t\t: sse2 avx2 avx512f\n\nprocessor\t: 1\nmodel name\t: Other\n")
	if want := (processor{"Some CPU, family 6 model 143 stepping 8", 64}); p != want {
		t.Errorf("%v, want %v", p, want)
	}
	if p := readProcessor(""); !strings.HasPrefix(p.model, "unknown") || p.vectorBytes != 16 {
		t.Errorf("without information: %v", p)
	}
}
