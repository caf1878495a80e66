package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources is the folder of the peers.
var sources = filepath.Join("..", "..", "..", "testdata", "peers")

// TestSources checks that every nest has a .loop file with its parameters and
// results, and a C program, and that there is no other.
func TestSources(t *testing.T) {
	parameters := regexp.MustCompile(`(?m)^param ([A-Z, ]+)`)
	results := regexp.MustCompile(`(?m)^(?:array ([A-Za-z]+)\[.*(?:out|inout)|out ([A-Za-z]+)\[.*)$`)
	for k := range nests {
		n := &nests[k]
		text, err := os.ReadFile(filepath.Join(sources, n.name+".loop"))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range Sizes {
			var names []string
			for _, p := range parseParams(n.sizes[size]) {
				names = append(names, p.name)
			}
			if found := parameters.FindStringSubmatch(string(text)); found == nil || strings.TrimSpace(found[1]) != strings.Join(names, ", ") {
				t.Errorf("%s, %s has the parameters %v, the file %q", n.name, size, names, found)
			}
		}
		var outs []string
		for _, found := range results.FindAllStringSubmatch(string(text), -1) {
			outs = append(outs, found[1]+found[2])
		}
		if !slices.Equal(outs, n.outs) {
			t.Errorf("%s gives back %v, the file %v", n.name, n.outs, outs)
		}
	}
	files, err := filepath.Glob(filepath.Join(sources, "*.[cl]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		base := filepath.Base(name)
		stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(base, ".c"), ".loop"), "_mpi")
		if base != "machine.c" && !slices.Contains(Nests(), stem) {
			t.Errorf("%s belongs to no nest", base)
		}
	}
}

// TestSourcesCompile compiles the C programs with warnings as errors.
func TestSourcesCompile(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sources, "*.c"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < len(nests) {
		t.Fatalf("there are %d C programs for %d nests", len(files), len(nests))
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			compiler := "gcc"
			if strings.HasSuffix(name, "_mpi.c") {
				compiler = "mpicc.openmpi"
			}
			if _, err := exec.LookPath(compiler); err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatalf("%s is missing", compiler)
				}
				t.Skipf("%s is missing", compiler)
			}
			out, err := exec.Command(compiler, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-O1", "-fopenmp", "-c", name, "-o", os.DevNull).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// notThere finds no program.
func notThere(name string) (string, error) { return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound) }

// TestMissingTools checks that every compiler that is not there is listed, and that
// without any there is no benchmark.
func TestMissingTools(t *testing.T) {
	found := findTools(t.Context(), notThere, nil)
	if got, want := strings.Join(found.missing, "; "), "gcc: not in PATH; clang: not in PATH; polly: clang is not in PATH; "+
		"openmpi: mpicc.openmpi or mpiexec.openmpi is not in PATH; mpich: mpicc.mpich or mpiexec.mpich is not in PATH"; got != want {
		t.Errorf("missing: %s\nwant: %s", got, want)
	}
	b := &bench{Config: Config{Log: io.Discard, Sources: sources}, folder: t.TempDir()}
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
		for _, x := range contenders(programs, nil, make([]int, cpus)) {
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
	good := Config{Sizes: []string{"tiny"}, CPUs: []int{1}, Pairs: 1, Sources: sources, Log: io.Discard}
	if list, err := good.check(); err != nil || len(list) != len(nests) {
		t.Fatalf("%d nests and %v", len(list), err)
	}
	for want, change := range map[string]func(*Config){
		`no nest is called "seidal"`:   func(c *Config) { c.Nests = []string{"adi", "seidal"} },
		`no size is called "huge"`:     func(c *Config) { c.Sizes = []string{"small", "huge"} },
		"0 CPUs are too few":           func(c *Config) { c.CPUs = []int{1, 0} },
		"0 pairs are too few":          func(c *Config) { c.Pairs = 0 },
		"run this in a clone of loopc": func(c *Config) { c.Sources = t.TempDir() },
	} {
		c := good
		change(&c)
		_, err := Run(context.Background(), c)
		if _, usage := err.(*UsageError); !usage || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want a UsageError with %q", err, want)
		}
	}
	list, err := chosen([]string{"seidel", "adi"})
	if err != nil || len(list) != 3 {
		t.Errorf("seidel and adi are %d nests, %v", len(list), err)
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
	// That of peer.h for these bytes.
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
		list, err := chosen([]string{c.name})
		if err != nil {
			t.Fatal(err)
		}
		n := list[0]
		r := roofOf(n, parseParams(n.sizes["large"]), m, 32, c.cpus)
		if math.Abs(r.ns-c.ns) > 1e-9 || r.limit != c.limit {
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
