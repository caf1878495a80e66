package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"loopc/codegen"
)

// document returns the text of a document of the project.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmeNamesFiles requires that the tour, and the help of compile, name every file
// that a compilation may write.
func TestReadmeNamesFiles(t *testing.T) {
	text := document(t, "examples/README.md")
	help := (&compileCommand{}).Help()
	for _, suffix := range codegen.Suffixes {
		if !strings.Contains(text, "`seidel"+suffix+"`") {
			t.Errorf("examples/README.md does not name seidel%s", suffix)
		}
		if !strings.Contains(help, "FILE"+suffix) {
			t.Errorf("loopc help compile does not name FILE%s:\n%s", suffix, help)
		}
	}
	for _, other := range []string{"go.mod", vendorFolder} {
		if !strings.Contains(text, "`"+other+"`") || !strings.Contains(help, other) {
			t.Errorf("examples/README.md or loopc help compile does not name %s", other)
		}
	}
	if !strings.Contains(text, "`--kernel portable|avx2|avx512`") {
		t.Error("examples/README.md does not say how to choose a kernel")
	}
}

// documentSizes is how many bytes a document may have: what does not fit belongs
// into the documents, package comments and notes that it names.
var documentSizes = map[string]int{
	"README.md":                7000,
	"ARCHITECTURE.md":          10000,
	"testdata/peers/README.md": 12000,
}

// TestReadmeSizes requires that documents stay as short as they are meant to be.
func TestReadmeSizes(t *testing.T) {
	for name, most := range documentSizes {
		if n := len(document(t, name)); n > most || n < most/4 {
			t.Errorf("%s has %d bytes; it may have %d, and %d are too few for what it is for", name, n, most, most/4)
		}
	}
}

// TestReadmeFlags requires that every flag and command of loopc that a document
// names is there.
func TestReadmeFlags(t *testing.T) {
	parser := newParser()
	known := map[string]bool{"--help": true, "--long": true, "--mpi": true} // the last two of .ci/run and srun
	for _, group := range parser.Model.Children {
		known[group.Name] = true
		for _, flag := range group.Flags {
			known["--"+flag.Name] = true
		}
	}
	for _, name := range []string{"README.md", "examples/README.md"} {
		text := document(t, name)
		flags := regexp.MustCompile(`(?:^|[\s`+"`"+`(])(--[a-z][a-z0-9-]*)`).FindAllStringSubmatch(text, -1)
		commands := regexp.MustCompile("(?:`|cmd/)loopc ([a-z]+)").FindAllStringSubmatch(text, -1)
		if len(flags) < 2 || len(commands) < 4 {
			t.Errorf("%s: only %d flags and %d commands were found", name, len(flags), len(commands))
		}
		for _, m := range append(flags, commands...) {
			if !known[m[1]] {
				t.Errorf("%s names %s, which loopc does not have", name, m[1])
			}
		}
	}
}

// TestReadmeFilesExist requires that the files which a document for maintainers names are
// there, so that who moves one mends the document.
func TestReadmeFilesExist(t *testing.T) {
	for _, name := range []string{"CONTRIBUTING.md", "ARCHITECTURE.md", "DIVERGENCE.md", "testdata/peers/README.md"} {
		found := 0
		for _, m := range regexp.MustCompile("`([a-z0-9_]+/[a-z0-9_/.-]+\\.(?:go|md|json))`").FindAllStringSubmatch(document(t, name), -1) {
			found++
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
		if name == "CONTRIBUTING.md" && found < 40 {
			t.Errorf("%s names only %d files", name, found)
		}
	}
}

// TestReadmeHasTheBibliography requires that DIVERGENCE.md has every paper that a comment
// cites by a key such as [irigoin88].
func TestReadmeHasTheBibliography(t *testing.T) {
	list := document(t, "DIVERGENCE.md")
	cited := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`(?m)^\s*//.*\[([a-z]{4,}[0-9]{2})\]`).FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[1], "float") || strings.HasPrefix(m[1], "uint") {
				continue
			}
			cited++
			if !strings.Contains(list, "**["+m[1]+"]**") {
				t.Errorf("%s cites [%s], which DIVERGENCE.md does not have", name, m[1])
			}
		}
		return nil
	})
	if err != nil || cited < 5 {
		t.Errorf("only %d citations were found: %v", cited, err)
	}
}
