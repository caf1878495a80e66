package main

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"loopc/codegen"
)

// A compileCommand writes the Go source of a nest.
type compileCommand struct {
	File    string `arg:"" help:"The .loop file."`
	Output  string `short:"o" placeholder:"PATH" help:"The Go file, or the folder, to write. By default, inside a Go module, FILE_loop.go beside the source (go generate in another folder needs -o .); outside, a folder that is named after the nest and holds a whole program."`
	Package string `name:"pkg" placeholder:"NAME" help:"The name of the package. By default $$GOPACKAGE, if the Go file is for the working folder, then that of the other files in the folder, then that of the source."`
	Main    *bool  `negatable:"" help:"Add a main function; by default only outside a module."`
	Runtime string `enum:"auto,local,full,import" default:"auto" help:"Copy the runtime to internal/loopc in the module (local: for runs in one process; full: for ranks as processes, too), or import it. auto: import in a module that requires loopc, local in another module, full for a program (${enum})."`
	tilingFlag
	Werror  bool `help:"Treat warnings as errors, except warnings of slow kernels."`
	Verbose bool `short:"v" help:"Print what was decided, to stderr."`
}

// Help implements kong.HelpProvider.
func (c *compileCommand) Help() string {
	return `Writes FILE_loop.go. If the nest has vector kernels, also writes FILE_amd64.go, with one or more of FILE_amd64.s,
FILE_levels_amd64.s and FILE_front_amd64.s. Also writes the runtime to internal/loopc, unless the code imports the runtime.
Outside a Go module, also writes go.mod.

Files are named after the source. A name that Go would skip, or build for one platform only, is changed: x_windows.loop
gives x_windows_loop.go and x_windows_loop_amd64.go, _x.loop gives loop_x_loop.go.

In a package of your own (with "//go:generate loopc compile FILE"), Run computes on slices of this process. For many runs
with the same parameters, r, err := Prepare(params, options) plans once, and r.Run(ctx, &arrays) runs the nest. It
allocates nothing if the slices are those of the run before; their content may differ. Goroutines may share r: its runs
exclude one another. RunRanks (of --runtime full) computes on several ranks, which are processes of your program: srun or
mpiexec starts them, or you do, with LOOPC_RANK, LOOPC_SIZE, LOOPC_ROOT (host:port of rank 0) and LOOPC_SECRET_FILE.
Without a launcher and these variables, RunRanks runs in this process. Each rank supplies and receives its own part of the
arrays; the package comment has an example. If the package is not named after the nest, the names of the functions contain
the nest's name, as in RunHeatRanks. A slice that is written must share no memory with another one.

By default, the copy of the runtime is small (--runtime local), and there is no RunRanks. With --runtime full, or in a
module that requires loopc, there is. One copy serves the whole module: it is full while code in the module needs that.

If the nest has inout arrays, code of yours can read and change them while it runs, after every 10 values of the
outermost loop, say: options.Watch.Couple = Couple(10, f). Every rank calls f with its own blocks of the arrays.`
}

// Run compiles, and writes the files if the nest has no mistake.
func (c *compileCommand) Run(a *app) error {
	s, err := c.read(c.File)
	if err != nil {
		return err
	}
	t, err := c.target(s)
	if err != nil {
		return err
	}
	l, err := a.lower(s, c.Werror)
	if err != nil {
		return err
	}
	files, err := a.generateWarned(l, codegen.Options{Package: t.pkg, Main: t.main, Local: t.local, Beside: isDocumented(t.folder), Runtime: t.runtime})
	if err != nil {
		return err
	}
	if c.Verbose {
		a.explain(l)
	}
	if err := t.write(a, files); err != nil {
		return err
	}
	return t.noteLeft(a.stderr)
}

// A target describes where emitted code goes, and of what kind it is.
type target struct {
	folder  string // the folder of the Go file
	file    string // the name of the Go file
	chosen  bool   // whether the user chose that name with -o
	source  string // the base name of the .loop file
	from    string // the folder of the .loop file
	pkg     string // the package of the Go file
	main    bool   // whether the Go file gets a main function
	runtime string // the import path in front of "/runtime/..."
	vendor  bool   // whether the runtime is copied to vendorFolder
	local   bool   // whether the code and the copy are for runs in one process
	// runtimeFolder is the module's folder, in which vendorFolder lies.
	runtimeFolder string
	goMod         string // the content of a go.mod to make, or ""
	module        string // the path of the module whose packages share the copy; "" for a whole program and an imported runtime
}

// target decides where the code of s goes. If the folder of -o, or without -o the source's
// folder, is inside a module, the code becomes a file of that module. Outside, it becomes a
// module of its own.
func (c *compileCommand) target(s *source) (*target, error) {
	t, err := c.place(s)
	if err != nil {
		return nil, err
	}
	m, err := moduleOf(t.folder)
	switch {
	case err != nil:
		return nil, err
	case m == nil && c.Output == "":
		err = c.folderFor(s, t)
	case m == nil && t.chosen:
		return nil, usagef("%s is not in a Go module: name a folder with -o, to get a whole program", t.folder)
	case m == nil || m.made:
		err = c.alone(s, t, m)
	default:
		err = c.member(s, t, m)
	}
	if err != nil {
		return nil, err
	}
	return t, c.check(t)
}

// place reads -o: the folder and the file that it names, or those of the source.
func (c *compileCommand) place(s *source) (*target, error) {
	t := &target{folder: c.Output, file: emittedName(s.name, codegen.Suffixes[0]), source: s.name + extension, from: filepath.Dir(s.path)}
	switch {
	case c.Output == "":
		t.folder = t.from
		if os.Getenv("GOFILE") != "" && !sameFile(t.folder, ".") { // go generate runs this: which of two packages is meant?
			return nil, usagef("%s is not in the folder of $GOFILE, %s: write -o . for a package there, or -o %s for one beside the source", s.path, os.Getenv("GOFILE"), t.folder)
		}
	case strings.HasSuffix(c.Output, ".go"):
		t.folder, t.file = filepath.Split(c.Output)
		t.chosen = true
		if t.folder == "" {
			t.folder = "."
		}
	}
	if info, err := os.Stat(t.folder); err == nil && !info.IsDir() {
		return nil, usagef("-o %s: %s is a file: name a folder, or a file that ends in .go", c.Output, t.folder)
	}
	return t, nil
}

// folderFor is for sources outside a module, without -o. It makes the target a module of its
// own, in a folder that is named after the source.
func (c *compileCommand) folderFor(s *source, t *target) error {
	t.folder = filepath.Join(t.folder, s.name)
	m, err := moduleOf(t.folder)
	if err != nil {
		return err
	}
	if m != nil && !m.made {
		return fmt.Errorf("%s holds a module that loopc did not make: choose another folder with -o", t.folder)
	}
	return c.alone(s, t, m)
}

// check refuses a target that Go would not build, or that would replace files that loopc
// did not write.
func (c *compileCommand) check(t *target) error {
	if fault := goFault(t.file, false); fault != "" { // the Go file is for all processors
		return usagef("-o %s: Go %s, by its name; choose another", c.Output, fault)
	}
	if t.main && t.pkg != "main" {
		return usagef("a main function needs package main, not %s: see --pkg and --no-main", t.pkg)
	}
	if !token.IsIdentifier(t.pkg) || t.pkg == "_" {
		return usagef("%q is not the name of a Go package", t.pkg)
	}
	for _, suffix := range codegen.Suffixes {
		if err := t.mayReplace(suffix); err != nil {
			return err
		}
	}
	return nil
}

// alone completes t as a module of its own; m is the module that an earlier compile made
// there, or nil.
func (c *compileCommand) alone(s *source, t *target, m *goModule) error {
	if c.Runtime == "import" {
		return usagef("--runtime import needs a Go module that requires loopc, and %s is in none", t.folder)
	}
	t.main = c.Main == nil || *c.Main
	t.pkg = c.Package
	if t.pkg == "" && t.main {
		t.pkg = "main"
	} else if t.pkg == "" {
		t.pkg = packageName(s.name)
	}
	name := moduleName(s.name)
	if m != nil {
		name = m.path
	} else {
		t.goMod = fmt.Sprintf("%s\nmodule %s\n\ngo %s\n", madeBy, name, goVersion)
	}
	t.runtime, t.runtimeFolder = path.Join(name, vendorFolder), t.folder
	return c.copies(t)
}

// copies decides which copy of the runtime goes with t.
func (c *compileCommand) copies(t *target) error {
	if t.main && c.Runtime == "local" {
		return usagef("a main function needs the command line: --runtime full")
	}
	t.vendor, t.local = true, !t.main && c.Runtime != "full"
	return nil
}

// member completes t as a file of module m.
func (c *compileCommand) member(s *source, t *target, m *goModule) error {
	t.main = c.Main != nil && *c.Main
	there, err := packageIn(t.folder, t.file) // an error counts only if nothing else names the package
	switch {
	case c.Package != "":
		t.pkg = c.Package
	case os.Getenv("GOPACKAGE") != "" && sameFile(t.folder, "."):
		t.pkg = os.Getenv("GOPACKAGE")
		if strings.HasSuffix(os.Getenv("GOFILE"), "_test.go") && !strings.HasSuffix(t.file, "_test.go") {
			t.pkg = strings.TrimSuffix(t.pkg, "_test") // the package of external tests, which only _test.go files may have
		}
	case err != nil:
		return err
	case there != "":
		t.pkg = there
	case t.main:
		t.pkg = "main"
	default:
		t.pkg = packageName(s.name)
	}
	if c.Runtime == "import" && !m.hasLoopc {
		return usagef("--runtime import needs a module that requires loopc, and %s does not: leave it out, or write require loopc v0.0.0 and replace loopc => FOLDER into its go.mod", m.path)
	}
	t.runtime = "loopc"
	if c.Runtime == "import" || c.Runtime == "auto" && m.hasLoopc {
		return nil
	}
	if err := m.builds(); err != nil {
		return err
	}
	// One copy for the whole module: its packages share the types.
	own, err := m.importPath(m.folder)
	if err != nil {
		return err
	}
	t.runtime, t.runtimeFolder, t.module = path.Join(own, vendorFolder), m.folder, m.path
	return c.copies(t)
}

// path returns where the file with the given suffix goes. The main file has the name that
// the user chose; the other names are derived from it, or from the source's name.
func (t *target) path(suffix string) string {
	name := t.file
	if suffix != codegen.Suffixes[0] {
		name = emittedName(t.stem(), suffix)
	}
	return filepath.Join(t.folder, name)
}

// stem is the common beginning of the names of the emitted files.
func (t *target) stem() string {
	if !t.chosen {
		return strings.TrimSuffix(t.source, extension)
	}
	return strings.TrimSuffix(strings.TrimSuffix(t.file, ".go"), "_loop")
}

// mayReplace returns an error if the file with the given suffix exists and loopc did not
// write it, or wrote it for another source: x_levels_amd64.s may belong to x.loop or to
// x_levels.loop. A file named by -o may belong to any source.
func (t *target) mayReplace(suffix string) error {
	name := t.path(suffix)
	if err := mayReplace(name); err != nil {
		return err
	}
	if other := t.otherSource(name); other != "" && !t.chosen {
		return fmt.Errorf("%s was written for %s: rename one of the two sources, or choose another place with -o", name, other)
	}
	return nil
}

// otherSource returns the source for which the file name was written, if that is not t.source and still exists; else "".
func (t *target) otherSource(name string) string {
	other := sourceOf(name)
	if other == "" || other == t.source {
		return ""
	}
	for _, folder := range []string{t.folder, t.from} {
		if _, err := os.Stat(filepath.Join(folder, other)); err == nil {
			return other
		}
	}
	return ""
}

// write writes the emitted code and the files that it needs. The main file comes last, so
// that it can be built as soon as it exists. Files of an earlier compilation that this one
// does not write are removed.
func (t *target) write(a *app, emitted []codegen.File) error {
	if err := os.MkdirAll(t.folder, 0o777); err != nil {
		return err
	}
	if t.goMod != "" {
		if err := onlyIfNew(filepath.Join(t.folder, "go.mod"), t.goMod); err != nil {
			return err
		}
	}
	if t.vendor {
		if err := a.writeRuntime(t); err != nil {
			return err
		}
	}
	for _, f := range emitted {
		if err := t.mayReplace(f.Suffix); err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(emitted) {
		if err := writeFile(t.path(f.Suffix), f.Text); err != nil {
			return err
		}
	}
	return t.removeStale(a.stderr, emitted)
}

// copied returns the files of the copy of the runtime. The copy is full if t, or other code of the module, needs more than the
// small copy has.
func (t *target) copied() (map[string][]byte, error) {
	if !t.local {
		return runtimeCopy(t.runtime)
	}
	small, err := localCopy(t.runtime)
	if err != nil {
		return nil, err
	}
	more, err := t.needsMore(small)
	if err != nil || !more {
		return small, err
	}
	return runtimeCopy(t.runtime)
}

// onlyIfNew writes the file at path, which must not exist.
func onlyIfNew(path, text string) error {
	switch _, err := os.Stat(path); {
	case err == nil:
		return fmt.Errorf("%s exists, and loopc did not write it", path)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return writeFile(path, []byte(text))
}
