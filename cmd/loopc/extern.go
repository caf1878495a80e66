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
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// externFlag is a flag of the commands that run a nest: the program has no package of the
// user's, so functions written in Go are named by file.
type externFlag struct {
	Extern []string `placeholder:"FILE.go" help:"Go files with the functions that the nest declares with extern func, without an import path."`
}

// addExterns adds to a program what calls of functions written in Go need: the named files,
// as files of its package, and the user's own module, unless users is nil.
// Other modules are required in the versions that the user's module requires.
func (k *buildKey) addExterns(l *lowered, files []string, users *usersModule) error {
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
	for _, f := range l.program.Externs {
		switch {
		case f.Path != "":
		case len(files) == 0:
			return usagef("%s is a Go function of the nest's package: name the file that has it, --extern file.go", f.Name)
		case !named[f.Symbol]:
			return usagef("--extern %s: there is no func %s", strings.Join(files, ","), f.Symbol)
		}
	}
	if users == nil {
		return nil
	}
	return k.addModule(users)
}

// A usersModule is the module of a .loop file, with its requirements.
type usersModule struct {
	*goModule
	file *modfile.File
}

// usersModuleOf returns the module of l's folder if l declares functions of that module, or of
// modules that it requires; otherwise nil.
func usersModuleOf(l *lowered) (*usersModule, error) {
	var paths []string
	for _, f := range l.program.Externs {
		if f.Path != "" {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	m, err := moduleOf(filepath.Dir(l.source.path))
	if err != nil || m == nil {
		return nil, err
	}
	name := filepath.Join(m.folder, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	u := &usersModule{m, file}
	for _, p := range paths {
		if slices.ContainsFunc(u.modules(), func(module string) bool { return p == module || strings.HasPrefix(p, module+"/") }) {
			return u, nil
		}
	}
	return nil, nil
}

// modules returns the path of u, and those of the modules that it requires.
func (u *usersModule) modules() []string {
	paths := []string{u.path}
	for _, r := range u.file.Require {
		paths = append(paths, r.Mod.Path)
	}
	return paths
}

// apart returns a module path: name, or a longer one if u, or a module that u requires, has the path
// name or one below it. u may be nil.
func (u *usersModule) apart(name string) string {
	if u == nil {
		return name
	}
	for slices.ContainsFunc(u.modules(), func(module string) bool { return strings.HasPrefix(module+"/", name+"/") }) {
		name += "_of_loopc"
	}
	return name
}

// addModule makes the program require the user's module, by its path on disk, and every module
// that this one requires. The module's files become part of the cache key, since the program
// depends on them.
func (k *buildKey) addModule(m *usersModule) error {
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
	for _, r := range m.file.Require {
		own.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
	}
	for _, r := range m.file.Replace {
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
