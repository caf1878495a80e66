package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"

	"loopc/codegen"
	"loopc/ir/irtest"
	"loopc/runtime"
)

// invoke runs loopc in this process and returns its exit status and its output on stderr.
func invoke(args ...string) (status int, stderr string) {
	var out bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &out, pass: "test"}
	status = a.main(args)
	return status, out.String()
}

// inMemory returns a folder in memory if the system has one: the time that a busy disk takes for
// 200 files must not decide a test of loopc.
func inMemory(t *testing.T) string {
	folder, err := os.MkdirTemp("/dev/shm", "loopc-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// TestCompileTime checks that at least one of ten compiles of each example takes less than 100 ms, the
// copy of the runtime included.
func TestCompileTime(t *testing.T) {
	const limit = 100 * time.Millisecond
	for _, file := range examples(t) {
		name := strings.TrimSuffix(filepath.Base(file), extension)
		t.Run(name, func(t *testing.T) {
			fastest := time.Hour
			for k := 0; k < 10 && fastest > limit; k++ {
				folder := filepath.Join(inMemory(t), name)
				fastest = min(fastest, irtest.Took(func() {
					if status, stderr := invoke("compile", "-o", folder, file); status != exitDone {
						t.Fatalf("exit status %d\n%s", status, stderr)
					}
				}))
			}
			if fastest > limit {
				t.Errorf("the fastest of ten compiles took %v", fastest)
			}
		})
	}
}

// TestCompileFailure checks that a folder that cannot be written is reported,
// with nothing left in it.
func TestCompileFailure(t *testing.T) {
	folder := t.TempDir()
	// A folder where the file belongs cannot be replaced, not even by root.
	if err := os.MkdirAll(filepath.Join(folder, "wave_loop.go"), 0o777); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "wave.loop")
	const text = "param N = 8\narray a[0..N] float64 inout\nfor i = 1..N {\n\ta[i] = 0.5*a[i-1]\n}\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	status, stderr := invoke("compile", "-o", folder, source)
	if status != exitFailed || !strings.Contains(stderr, "wave_loop.go") {
		t.Errorf("exit status %d, want %d\n%s", status, exitFailed, stderr)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
}

// TestRuntimeCopy checks that a copy of the runtime is closed: it imports itself
// and the standard library, and has no test.
func TestRuntimeCopy(t *testing.T) {
	const prefix = "example.com/m/internal/loopc"
	files, err := runtimeCopy(prefix)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for name := range files {
		folders[name[:max(0, strings.LastIndexByte(name, '/'))]] = true
	}
	for _, must := range []string{"runtime/sched", "runtime/transport/tcp", "runtime/cli", "transform/plan"} {
		if !folders[must] {
			t.Errorf("%s is missing", must)
		}
	}
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "transporttest") {
			t.Errorf("%s is only for tests", name)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			below, ours := strings.CutPrefix(imported, prefix+"/")
			first, _, _ := strings.Cut(imported, "/")
			if ours && !folders[below] || !ours && (strings.Contains(first, ".") || first == "loopc" || imported == "embed") {
				t.Errorf("%s imports %s", name, imported)
			}
		}
	}
}

// TestLicenseCopy: the license that loopc puts beside copies of its runtime is loopc's own.
func TestLicenseCopy(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, runtime.License) {
		t.Error("runtime/LICENSE differs from LICENSE")
	}
}

// TestGoVersion checks that what loopc makes asks for the same Go as loopc.
func TestGoVersion(t *testing.T) {
	name := filepath.Join("..", "..", "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if file.Go.Version != goVersion {
		t.Errorf("go.mod says go %s, goVersion is %s", file.Go.Version, goVersion)
	}
}

func TestIdentifier(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"heat", "heat"}, {"Heat", "heat"}, {"2d-heat", "nest2dheat"}, {"a.b_c", "ab_c"},
		{"type", "type_"}, {"__", "nest"}, {"-", "nest"}, {"größe", "größe"},
	} {
		if got := identifier(c.name); got != c.want || !token.IsIdentifier(got) {
			t.Errorf("identifier(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

// TestReadSource checks that names that could not be written into comments and
// commands are refused before anything is read.
func TestReadSource(t *testing.T) {
	for _, path := range []string{"x", "x.go", ".loop", "a\nb.loop", "a b.loop", "-x.loop", "a\"b.loop", "..loop"} {
		if _, err := readSource(path); err == nil || !strings.Contains(fmt.Sprint(err), "the name") {
			t.Errorf("readSource(%q) gives %v", path, err)
		}
	}
}

// TestReportBug checks that a panic becomes exit status 3 and a report.
func TestReportBug(t *testing.T) {
	var out bytes.Buffer
	a := &app{stderr: &out, pass: "codegen"}
	a.reportBug("BUG: a face without a neighbor", []byte("goroutine 1"))
	got := out.String()
	if !strings.HasPrefix(got, "loopc: BUG: pass codegen: a face without a neighbor\n") {
		t.Errorf("the report starts otherwise:\n%s", got)
	}
	for _, part := range []string{"not in your program", "loopc version", "goroutine 1"} {
		if !strings.Contains(got, part) {
			t.Errorf("the report does not mention %q:\n%s", part, got)
		}
	}
	// A writer that panics stands for a pass that does.
	b := &app{stdin: strings.NewReader(""), stdout: panicWriter{}, stderr: io.Discard}
	if status := b.main([]string{"version"}); status != exitBug {
		t.Errorf("a panic gives exit status %d, want %d", status, exitBug)
	}
}

type panicWriter struct{}

func (panicWriter) Write([]byte) (int, error) { panic("BUG: planted") }

// TestLocalCopy checks localCopy, the part of the runtime that runs within one process need: it must have
// all that the code of any nest uses, and be small.
func TestLocalCopy(t *testing.T) {
	const most, mostFiles = 36500, 100
	const prefix = "example.com/m/internal/loopc"
	files, err := localCopy(prefix)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, text := range files {
		lines += bytes.Count(text, []byte("\n"))
	}
	if lines > most || len(files) > mostFiles {
		t.Errorf("%d files with %d lines, want at most %d and %d", len(files), lines, mostFiles, most)
	}
	s, err := shake()
	if err != nil {
		t.Fatal(err)
	}
	nests := map[string][]byte{}
	for _, folder := range []string{"language", "suites", "peers"}[:irtest.OfAll(3, 1)] {
		names, err := filepath.Glob("../../testdata/" + folder + "/*.loop")
		if err != nil || len(names) < 8 {
			t.Fatalf("%s: %d nests: %v", folder, len(names), err)
		}
		for _, name := range names {
			if nests[name], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range languageHelp {
		nests["help language "+s.Title] = []byte(s.Example)
	}
	for name, src := range nests {
		a := &app{stderr: io.Discard}
		l, err := a.lower(&source{path: "nest.loop", name: "nest", text: src}, false)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, f := range a.generate(l, codegen.Options{Package: "called", Local: true}) {
			if err := s.lacks(f); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// lacks is the error of an emitted file that uses what the copy of the runtime lacks.
func (s *shaker) lacks(f codegen.File) error {
	if !strings.HasSuffix(f.Suffix, ".go") {
		return nil
	}
	files := token.NewFileSet()
	syntax, err := parser.ParseFile(files, f.Suffix, f.Text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.names = types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Error: func(error) {}, Importer: s}
	_, _ = check.Check("called", files, []*ast.File{syntax}, &s.names) // without the standard library
	s.follow(syntax)
	for _, p := range s.queue {
		p.needed = false
		err = fmt.Errorf("it uses %s.%s of line %v, which the copy of the runtime lacks", p.receiver, p.method, s.files.Position(p.node.Pos()))
	}
	s.queue = nil
	return err
}

func TestOpeningSentence(t *testing.T) {
	for comment, want := range map[string]string{
		"// a is b.\n":                                    "// a is b.\n",
		"// a is b. More of it\n// follows.\n":            "// a is b.\n",
		"// a is 0.5, see\n// c: d.\n":                    "// a is 0.5, see\n// c: d.\n",
		"// a is b\n// or c. It\n// is.\n//go:noinline\n": "// a is b\n// or c.\n//go:noinline\n",
		"// a\n": "// a\n",
	} {
		if got := string(openingSentence([]byte(comment))); got != want {
			t.Errorf("%q of %q, want %q", got, comment, want)
		}
	}
}

// TestFilled requires that a comment keeps its words and directives, in as few lines as they need.
func TestFilled(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for comment, want := range map[string]string{
		"// a is 0.5, see\n\t// c: d.\n":       "// a is 0.5, see c: d.\n",
		"// a is b\n// or c.\n//go:noinline\n": "// a is b or c.\n//go:noinline\n",
		"// a has\n//   - b.\n":                "// a has\n//   - b.\n",
		"// " + long + "\n":                    "// " + strings.TrimSpace(long[:27*5]) + "\n// " + strings.TrimSpace(long[27*5:]) + "\n",
	} {
		if got := string(filled([]byte(comment))); got != want {
			t.Errorf("%q of %q, want %q", got, comment, want)
		}
	}
}
