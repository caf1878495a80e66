package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostLines is how long a Go file may be.
const mostLines = 400

// exportedYet are the exported variables that are allowed, besides errors and embedded
// folders, each with the reason.
var exportedYet = map[string]string{
	"cmd/loopc/bench.Sizes":                 "a constant list, which Go has no other form for",
	"codegen.Suffixes":                      "a constant list, which Go has no other form for",
	"ir/diag.Codes":                         "a constant list, which Go has no other form for",
	"runtime/transport/transporttest.Cases": "a constant list, which Go has no other form for",
	"runtime.License":                       "an embedded file",
}

// TestFileLengths: no Go file has more than mostLines lines, except generated ones and those below
// testdata. A longer file is divided by subject.
func TestFileLengths(t *testing.T) {
	walkGo(t, []string{"testdata"}, func(name, file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(text, []byte("\n")) > mostLines && !ast.IsGenerated(syntax) {
			t.Errorf("%s has more than %d lines: divide it by what it is about", name, mostLines)
		}
	})
}

// TestExportedVariables: no package exports a variable, which other packages could change, except
// those of exportedYet, which must exist.
func TestExportedVariables(t *testing.T) {
	found := map[string]bool{}
	walkGo(t, notOurs, func(name, file string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, variable := range exportedVariables(syntax) {
			qualified := path.Dir(name) + "." + variable
			found[qualified] = true
			if exportedYet[qualified] == "" {
				t.Errorf("%s exports the variable %s: anybody could change it", name, variable)
			}
		}
	})
	for qualified := range exportedYet {
		if !found[qualified] {
			t.Errorf("exportedYet has %s, which is not there", qualified)
		}
	}
}

// TestExportedVariablesFound checks which variables TestExportedVariables finds.
func TestExportedVariablesFound(t *testing.T) {
	syntax, err := parser.ParseFile(token.NewFileSet(), "a.go", `package a

var Limit, hidden = 1, 2

var (
	ErrGone         = errors.New("gone")
	Erroneous       = 3
	Sources         embed.FS
	Typed, inside   int
)

const Most = 4

func f() { var Local int; _ = Local }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Limit", "Erroneous", "Typed"}
	if got := exportedVariables(syntax); !slices.Equal(got, want) {
		t.Errorf("exported variables %v, want %v", got, want)
	}
}

// TestSkipsFailInCI: no test itself asks whether it runs in CI. A test that lacks a tool or a
// processor must call package lacking, which skips the test or, in CI, fails it.
func TestSkipsFailInCI(t *testing.T) {
	const asks = "Getenv(\"CI" + "\")"
	walkGo(t, []string{"testdata"}, func(name, file string) {
		if text, err := os.ReadFile(file); err != nil {
			t.Error(err)
		} else if strings.Contains(string(text), asks) {
			t.Errorf("%s asks whether this is CI: see testdata/lacking", name)
		}
	})
}

// exportedVariables returns the exported variables of a file that are neither errors,
// which begin with Err and another capital, nor embedded folders.
func exportedVariables(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, spec := range d.Specs {
			s := spec.(*ast.ValueSpec)
			if isFolder(s.Type) {
				continue
			}
			for _, name := range s.Names {
				if rest, isErr := strings.CutPrefix(name.Name, "Err"); name.IsExported() && !(isErr && ast.IsExported(rest)) {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// isFolder reports whether a type is embed.FS.
func isFolder(t ast.Expr) bool {
	s, ok := t.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "embed" && s.Sel.Name == "FS"
}

// walkGo calls f with every Go file that lies in no folder with one of the given names:
// its name from the root of the project, with slashes, and its path from here.
func walkGo(t *testing.T, not []string, f func(name, file string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || slices.Contains(not, entry.Name())):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		name, err := filepath.Rel(root, file)
		if err == nil {
			f(filepath.ToSlash(name), file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
