package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"loopc/ir/irtest"
	"loopc/testdata/nestrun"
)

// runNests runs the jobs of nests, and reports every difference with the nest that
// shows it. Without -full, plans run on several CPUs at the same time less often: the nests stage of
// .ci/run has all of them do so.
func runNests(t *testing.T, nests []builtNest) []nestrun.Report {
	t.Helper()
	for k := range nests {
		nests[k].job.Narrow = !irtest.Full()
	}
	return judged(t, nests, reportsOf(t, nests))
}

// judged returns reports, after it has told their differences.
func judged(t *testing.T, nests []builtNest, reports []nestrun.Report) []nestrun.Report {
	t.Helper()
	for i, r := range reports {
		if len(r.Wrong) > 0 {
			t.Errorf("%s\n%s: %d plans run, %d wrong; first: %s", nests[i].src, r.Nest, r.Ran, len(r.Wrong), r.Wrong[0]) // what is long first: logs are cut
		}
	}
	return reports
}

// reportsOf links the nests into one binary, without writing into the tree, and runs
// their jobs. Nests of one name differ at most in the defaults of their parameters,
// which jobs do not use: the first nest is compiled for all of them.
func reportsOf(t *testing.T, nests []builtNest) []nestrun.Report {
	t.Helper()
	return reportsIn(t, nests, nestModule(t), "")
}

// nestVendor is the path below which the module of nestModule has packages of loopc.
const nestVendor = cachedModule + "/" + vendorFolder

// nestModule returns the folder of a module that imports the runtime and package nestrun. Its module
// path and flags are those of loopc run, so that Go compiles the runtime once for both. The runtime
// is shared, unless further folders of packages are named: then the module has a copy of its own.
func nestModule(t *testing.T, folders ...string) string {
	t.Helper()
	module := filepath.Join(t.TempDir(), "module")
	from := "./" + vendorFolder
	if len(folders) > 0 {
		putRuntime(t, filepath.Join(module, vendorFolder), folders)
	} else {
		builtRuntime(t)
		from = sharedRuntime
	}
	putModule(t, module, from)
	return module
}

// putModule makes a module that imports the runtime from a folder.
func putModule(t *testing.T, module, from string) {
	t.Helper()
	var copied runtimeModule
	putIn(t, module, "go.work", copied.workspace(from))
	putIn(t, module, "go.mod", fmt.Appendf(nil, "module %s\n\ngo %s\n", cachedModule, goVersion))
}

// putRuntime writes the runtime, package nestrun and the packages in further folders as a module.
func putRuntime(t *testing.T, to string, folders []string) {
	t.Helper()
	copied, err := runtimeModuleFor(nestVendor)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range append(folders, "runtime/transport/transporttest", "testdata/nestrun") {
		sources, err := filepath.Glob(filepath.Join("..", "..", folder, "*"))
		if err != nil || len(sources) == 0 {
			t.Fatalf("%s is empty: %v", folder, err)
		}
		for _, name := range sources {
			if info, err := os.Stat(name); err != nil || info.IsDir() || strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			copied.files[folder+"/"+filepath.Base(name)] = vendored(t, name, text)
		}
	}
	if err := writeAll(to, copied.files); err != nil {
		t.Fatal(err)
	}
}

// vendored returns a file with the import paths that a module of nestModule uses.
func vendored(t *testing.T, name string, text []byte) []byte {
	t.Helper()
	text, err := importFrom(name, text, nestVendor)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// nestBuild is the command that builds a package of a module of nestModule.
func nestBuild(module string, args ...string) *exec.Cmd {
	build := exec.Command("go", slices.Concat([]string{"build"}, buildFlags, args)...)
	build.Dir, build.Env = module, new(buildKey).environ(module)
	return build
}

// sharedRuntime is the folder of the runtime that the modules of the tests share, which runtimeBuild makes.
var (
	sharedRuntime string
	runtimeBuild  sync.Once
)

// builtRuntime makes the shared runtime, and compiles what most programs link, before several tests
// do so at the same time.
func builtRuntime(t *testing.T) {
	t.Helper()
	runtimeBuild.Do(func() {
		folder, err := os.MkdirTemp("", "runtime")
		if err != nil {
			t.Fatal(err)
		}
		sharedRuntime = folder
		putRuntime(t, folder, nil)
		module := t.TempDir()
		putModule(t, module, folder)
		build := nestBuild(module, nestVendor+"/testdata/nestrun", nestVendor+"/runtime/cli")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
}

// putIn writes a file of a module.
func putIn(t *testing.T, module, path string, data []byte) {
	t.Helper()
	at := filepath.Join(module, path)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// reportsIn links the nests in a module. Its main function executes more code at its end.
func reportsIn(t *testing.T, nests []builtNest, module, atEnd string) []nestrun.Report {
	t.Helper()
	put := func(path string, data []byte) { putIn(t, module, path, vendored(t, path, data)) }
	var imports, entries strings.Builder
	var jobs []nestrun.Job
	compiled := map[string]bool{}
	for _, b := range nests {
		jobs = append(jobs, b.job)
		if compiled[b.job.Nest] {
			continue
		}
		compiled[b.job.Nest] = true
		for _, file := range b.code {
			put("nests/"+b.job.Nest+"/nest"+file.Suffix, file.Text)
		}
		fmt.Fprintf(&imports, "%q\n", cachedModule+"/nests/"+b.job.Nest)
		fmt.Fprintf(&entries, "%q: %s.Program,\n", b.job.Nest, b.job.Nest)
	}
	put("nests/main/main.go", fmt.Appendf(nil, `package main

import (
	"loopc/runtime/sched"
	"loopc/testdata/nestrun"
	%s
)

func main() {
	nestrun.Main(map[string]*sched.Program{%s})
	%s
}
`, imports.String(), entries.String(), atEnd))
	binary := filepath.Join(module, "nests.exe")
	if out, err := nestBuild(module, "-o", binary, "./nests/main").CombinedOutput(); err != nil {
		text := string(out)
		for _, b := range nests {
			if strings.Contains(text, b.job.Nest+"/nest_") {
				t.Fatalf("%s\n%s\n%s", text, b.src, b.code[0].Text)
			}
		}
		t.Fatal(text)
	}
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(jobs); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(binary)
	run.Stdin, run.Stderr = &in, os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Errorf("the nests: %v", err)
	}
	var reports []nestrun.Report
	dec := json.NewDecoder(bytes.NewReader(out))
	for dec.More() {
		var r nestrun.Report
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	if len(reports) < len(nests) && err != nil {
		b := nests[len(reports)]
		t.Fatalf("the binary ended in %s:\n%s\n%s", b.job.Nest, b.src, b.code[0].Text)
	}
	return reports
}
