package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFullIsRun requires that .ci/run runs every test with -full that runs only a part of its
// cases without it.
func TestFullIsRun(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("..", "..", ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	run := map[string]bool{} // package and test
	scripts := map[string]bool{}
	for line := range strings.Lines(string(script)) {
		found := regexp.MustCompile(`^\s*go test ((?:\./\S+ )+).*'\^\(?([\w|]+)\)?\$(?:/\^\(?([\w|]+)\)?\$)?'`).FindStringSubmatch(line)
		if found == nil || !strings.Contains(line, " -full ") {
			continue
		}
		for name := range strings.SplitSeq(found[2], "|") {
			for folder := range strings.FieldsSeq(found[1]) {
				run[strings.TrimPrefix(folder, "./")+" "+name] = true
			}
		}
		for script := range strings.SplitSeq(found[3], "|") {
			scripts[script] = true
		}
	}
	asking := 0
	for _, folder := range testedFolders(t) {
		for _, name := range usersOfFull(t, filepath.Join("..", "..", folder)) {
			asking++
			if !run[filepath.ToSlash(folder)+" "+name] {
				t.Errorf("%s of %s runs a part of its cases without -full, and .ci/run does not run it with -full", name, folder)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if name := strings.TrimSuffix(filepath.Base(file), ".txtar"); bytes.Contains(text, []byte("full] ")) && !scripts[name] {
			t.Errorf("%s does more with -full, and .ci/run does not run it with -full", file)
		}
	}
	if asking < 15 {
		t.Fatalf("only %d tests ask for -full", asking)
	}
}

// testedFolders returns the folders with tests that import package irtest.
func testedFolders(t *testing.T) (folders []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		folder, _ := filepath.Rel(root, filepath.Dir(name))
		if bytes.Contains(text, []byte(`"loopc/ir/irtest"`)) && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// usersOfFull returns the tests of a folder that ask for -full, themselves or by functions
// that they call.
func usersOfFull(t *testing.T, folder string) (tests []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]map[string]bool{} // of each function
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			words[f.Name.Name] = map[string]bool{}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					words[f.Name.Name][id.Name] = true
				}
				return true
			})
		}
	}
	asks := map[string]bool{"OfAll": true, "Full": true, "Part": true}
	for grown := true; grown; {
		grown = false
		for name, used := range words {
			for word := range used {
				if !asks[name] && asks[word] {
					asks[name], grown = true, true
				}
			}
		}
	}
	for name := range asks {
		if strings.HasPrefix(name, "Test") {
			tests = append(tests, name)
		}
	}
	return tests
}
