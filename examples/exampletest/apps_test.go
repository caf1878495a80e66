package exampletest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// runApps does with examples/apps, a module of its own, what its users do: go
// generate, with the loopc just built, go build, which needs no network, and the
// commands of its README; and it runs the tests beside the programs.
func runApps(t *testing.T, l *Loopc) {
	from := filepath.Join(l.root, "examples", "apps")
	nests, err := filepath.Glob(filepath.Join(from, "*", "*.loop"))
	if err != nil || len(nests) < 6 {
		t.Fatalf("only %d nests: %v", len(nests), err)
	}
	var programs []string
	for _, nest := range nests {
		programs = append(programs, "./"+filepath.Base(filepath.Dir(nest)))
	}
	programs = slices.Compact(programs)

	// A copy, without what go generate may have made there.
	module := t.TempDir()
	files, err := filepath.Glob(filepath.Join(from, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, filepath.Join(from, "go.mod")) {
		base, err := filepath.Rel(from, file)
		if err != nil {
			t.Fatal(err)
		}
		made := strings.HasSuffix(base, "_loop.go") || strings.Contains(base, "_amd64.") || strings.HasPrefix(base, "internal")
		if made {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(module, base)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "windows" { // where loopc is loopc.exe
		if err := os.Rename(l.program("loopc"), filepath.Join(l.bin, "loopc")); err != nil {
			t.Fatal(err)
		}
	}
	command := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = module
		// Without paths in what is built, go finds it in its cache in the next run of
		// this test, in another folder.
		c.Env = append(l.environ, "PATH="+l.bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOFLAGS=-trimpath -gcflags=all=-dwarf=false", "GOPROXY=off", "CGO_ENABLED=0")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	command("go", "generate", "./...")
	// Not ./..., which would compile what of the runtime none of them needs.
	command("go", append([]string{"test"}, programs...)...)
	command("go", append([]string{"build", "-ldflags=-s -w", "-o", l.bin}, programs...)...)

	readme, err := os.ReadFile(filepath.Join(from, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(readme), "For example:\n")
	if !found {
		t.Fatal("README.md has no examples")
	}
	var printed strings.Builder
	for line := range strings.Lines(l.fenced(after, "sh")) {
		line, _, _ = strings.Cut(line, " # ")
		line = strings.ReplaceAll(line, "$(go env GOROOT)", l.goEnv("GOROOT"))
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "go" || words[1] != "run" {
			t.Fatalf("not a command that the test can run: %s", line)
		}
		program := filepath.Base(words[2])
		if runtime.GOOS == "windows" {
			program += ".exe"
		}
		printed.WriteString(command(filepath.Join(l.bin, program), words[3:]...))
	}
	if line := broken(l.fenced(after, "text"), printed.String()); line != "" {
		t.Errorf("README.md promises, in its place,\n%sbut its commands print\n%s", line, &printed)
	}
	for _, file := range []string{"dithered.png", "frame-000.png", "frame-003.png"} {
		if _, err := os.Stat(filepath.Join(module, file)); err != nil {
			t.Error(err)
		}
	}
}
