package main

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"
)

// externFlag is a flag of the commands that run a nest: the program has no package of the
// user's, so functions written in Go are named by file.
type externFlag struct {
	Extern []string `placeholder:"FILE.go" help:"Go files with the functions that the nest declares with extern func, without an import path."`
}

// addExterns adds to a program what calls of functions written in Go need: the named files,
// as files of its package, and the user's own module if functions belong to its packages.
// Other modules are required in the versions that the user's module requires.
func (k *buildKey) addExterns(l *lowered, files []string) error {
	named := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				named[f.Name.Name] = true
			}
		}
		// The package clause is replaced by the program's. The offset counts from the start
		// of the file.
		at := parsed.Name.Pos() - parsed.FileStart
		renamed := string(text[:at]) + "main" + string(text[int(at)+len(parsed.Name.Name):])
		name := "extern_" + filepath.Base(file)
		switch {
		case k.files[name] != nil:
			return usagef("--extern %s: two of these files have one name: rename one", strings.Join(files, ","))
		case !goBuilds(name, runtime.GOOS, runtime.GOARCH):
			return usagef("--extern %s: Go skips a file of this name here: rename it", file)
		}
		k.files[name] = []byte(renamed)
	}
	outside := false
	for _, f := range l.externs() {
		switch {
		case f.Path != "":
			outside = outside || strings.Contains(f.Path, "/") || strings.Contains(f.Path, ".")
		case len(files) == 0:
			return usagef("%s is a Go function of the nest's package: name the file that has it, --extern file.go", f.Name)
		case !named[f.Symbol]:
			return usagef("--extern %s: there is no func %s", strings.Join(files, ","), f.Symbol)
		}
	}
	if !outside {
		return nil
	}
	return k.addModule(filepath.Dir(l.source.path))
}

// addModule makes the program require the module that has the folder, by its path on disk, and
// every module that this one requires. It does nothing if no module has the folder. The module's
// files become part of the cache key, since the program depends on them.
func (k *buildKey) addModule(folder string) error {
	m, err := moduleOf(folder)
	if err != nil || m == nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(m.folder, "go.mod"))
	if err != nil {
		return err
	}
	users, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return err
	}
	own, err := modfile.Parse("go.mod", k.files["go.mod"], nil)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	add := func(err error) {
		if err != nil {
			panic("BUG: " + err.Error())
		}
	}
	add(own.AddRequire(m.path, "v0.0.0"))
	add(own.AddReplace(m.path, "", m.folder, ""))
	for _, r := range users.Require {
		own.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
	}
	for _, r := range users.Replace {
		to := r.New.Path
		if r.New.Version == "" && !filepath.IsAbs(to) {
			to = filepath.Join(m.folder, to)
		}
		add(own.AddReplace(r.Old.Path, r.Old.Version, to, r.New.Version))
	}
	if k.files["go.mod"], err = own.Format(); err != nil {
		return err
	}
	if sums, err := os.ReadFile(filepath.Join(m.folder, "go.sum")); err == nil {
		k.files["go.sum"] = sums
	}
	digest := sha256.New()
	err = filepath.WalkDir(m.folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(digest, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	k.goEnv += fmt.Sprintf("%x", digest.Sum(nil))
	return err
}
