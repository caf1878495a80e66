package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// shortestDoc is the least number of lines of a package comment. The comment says what the package
// is for, what holds in it, and where that comes from.
const shortestDoc = 3

// checkPackageComments requires that every package, except those of testdata and of examples/apps,
// has one package comment, of at least shortestDoc lines, which begins as Go's tools expect.
func checkPackageComments(t *testing.T) {
	root := filepath.Join("..", "..")
	packages := map[string]string{} // the name of each, by folder
	comments := map[string][]string{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "apps" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		folder := filepath.Dir(name)
		packages[folder] = file.Name.Name
		if file.Doc != nil {
			comments[folder] = append(comments[folder], file.Doc.Text())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 40 {
		t.Errorf("only %d packages were found", len(packages))
	}
	for folder, name := range packages {
		switch said := comments[folder]; {
		case len(said) == 0:
			t.Errorf("%s has no package comment", folder)
		case len(said) > 1:
			t.Errorf("%s has %d package comments", folder, len(said))
		case strings.Count(said[0], "\n") < shortestDoc:
			t.Errorf("%s: the package comment is shorter than %d lines:\n%s", folder, shortestDoc, said[0])
		case name != "main" && !strings.HasPrefix(said[0], "Package "+name+" "):
			t.Errorf("%s: the package comment does not begin with Package %s", folder, name)
		}
	}
}
