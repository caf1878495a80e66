package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/version"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	modname "golang.org/x/mod/module"
)

// goVersion is the version of Go that the runtime needs, as in loopc's own go.mod.
const goVersion = "1.26.0"

// leastGo is the lowest version of Go that a module may name in its go.mod for the runtime's code to compile there.
const leastGo = "1.23"

// madeBy is the first line of a go.mod that loopc made for a program.
const madeBy = "// Made by loopc compile.\n"

// A goModule is the Go module that a folder lies in.
type goModule struct {
	folder   string // absolute, of its go.mod
	path     string
	goLine   string // version of Go of its go.mod; "": none
	hasLoopc bool   // it is loopc's module or requires loopc
	made     bool   // loopc made it for a single program
}

// moduleOf returns the module that the folder lies in, or nil. The folder need
// not exist.
func moduleOf(folder string) (*goModule, error) {
	folder, err := realPath(folder)
	if err != nil {
		return nil, err
	}
	for {
		name := filepath.Join(folder, "go.mod")
		text, err := os.ReadFile(name)
		if err == nil {
			return readModule(name, text)
		}
		// If the path is a file, the error comes when something is written.
		if parent := filepath.Dir(folder); parent != folder {
			folder = parent
			continue
		}
		return nil, nil
	}
}

// readModule returns the module whose go.mod is text.
func readModule(name string, text []byte) (*goModule, error) {
	file, err := modfile.ParseLax(name, text, nil)
	if err != nil {
		return nil, err
	}
	if file.Module == nil {
		return nil, fmt.Errorf("%s: no module directive", name)
	}
	m := &goModule{folder: filepath.Dir(name), path: file.Module.Mod.Path, made: strings.HasPrefix(string(text), madeBy)}
	if file.Go != nil {
		m.goLine = file.Go.Version
	}
	m.hasLoopc = m.path == "loopc" ||
		slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == "loopc" })
	return m, nil
}

// builds returns an error if code of the runtime does not compile in m for the language version of its go.mod.
func (m *goModule) builds() error {
	if v := cmp.Or(m.goLine, "1.16"); version.Compare("go"+v, "go"+leastGo) < 0 { // 1.16 is what Go assumes
		return fmt.Errorf("%s: go %s: emitted code needs go %s or later here; write it with: go mod edit -go=%[3]s", filepath.Join(m.folder, "go.mod"), v, leastGo)
	}
	return nil
}

// importPath returns the import path of a folder of m.
func (m *goModule) importPath(folder string) (string, error) {
	folder, err := realPath(folder)
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(m.folder, folder)
	if err != nil {
		return "", err
	}
	joined := path.Join(m.path, filepath.ToSlash(below))
	if err := modname.CheckImportPath(joined); err != nil {
		return "", fmt.Errorf("the copy of the runtime cannot lie in %s: %w", folder, err)
	}
	return joined, nil
}

// realPath returns the absolute path of folder without symbolic links, as far as
// the folder exists.
func realPath(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	parent, err := realPath(filepath.Dir(folder))
	return filepath.Join(parent, filepath.Base(folder)), err
}

// packageIn returns the name of the package in the folder, or "" if it has no Go files. Tests,
// files for other platforms, and the file whose name is except do not count.
func packageIn(folder, except string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	found, foundIn := "", ""
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || name == except || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(folder, name); err != nil || !ok {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.PackageClauseOnly)
		if err != nil {
			continue // the Go compiler has the better message
		}
		if found != "" && found != file.Name.Name {
			return "", fmt.Errorf("%s is of package %s and %s of package %s: choose one with --pkg", foundIn, found, name, file.Name.Name)
		}
		found, foundIn = file.Name.Name, name
	}
	return found, nil
}

// isDocumented reports whether a hand-written file in the folder has a package comment. Emitted files then need none of their own:
// go doc would print all of them one after the other, and other tools would take the first one.
func isDocumented(folder string) bool {
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	return slices.ContainsFunc(names, func(name string) bool {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		return err == nil && file.Doc != nil && !strings.HasSuffix(name, "_test.go") && !ast.IsGenerated(file)
	})
}
