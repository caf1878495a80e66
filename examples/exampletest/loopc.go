// Package exampletest runs loopc on the examples, as their users do, for the tests beside them.
// It exchanges arrays with loopc by .npy files, which it reads and writes with its own code, so
// that the tests are independent of loopc.
package exampletest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Loopc is a newly built loopc with its own cache and its own folder for files.
type Loopc struct {
	t       testing.TB
	root    string // of the project
	dir     string // where programs run
	bin     string // where the built programs are
	environ []string
}

// New builds loopc for t.
func New(t testing.TB) *Loopc {
	t.Helper()
	l := &Loopc{t: t, dir: t.TempDir(), bin: t.TempDir()}
	l.root = filepath.Dir(l.goEnv("GOMOD"))
	home := t.TempDir()
	// Built programs go into a cache of the test, but Go may use its usual build cache.
	l.environ = append(os.Environ(), "GOCACHE="+l.goEnv("GOCACHE"), "XDG_CACHE_HOME="+home, "HOME="+home, "LocalAppData="+home)
	l.build("loopc", "cmd/loopc")
	return l
}

// goEnv returns a variable of the go command.
func (l *Loopc) goEnv(name string) string {
	l.t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		l.t.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// build builds a command of the project. Go keeps programs of go run in its cache, from where cp takes them: the tests
// of all examples link loopc once.
func (l *Loopc) build(name, folder string) {
	l.t.Helper()
	c := exec.Command("go", "run", "-ldflags=-s", "-exec", "cp", "./"+folder, l.program(name))
	if _, err := exec.LookPath("cp"); err != nil {
		c = exec.Command("go", "build", "-ldflags=-s", "-o", l.program(name), "./"+folder)
	}
	c.Dir = l.root
	if out, err := c.CombinedOutput(); err != nil {
		l.t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
}

// program is the path of a program that was built.
func (l *Loopc) program(name string) string { return filepath.Join(l.bin, name+".exe") }

// Run runs the nest examples/<nest> with the given flags; the test fails if the run fails.
// Names of files in the flags refer to the files of Write and Read.
func (l *Loopc) Run(nest string, flags ...string) {
	l.t.Helper()
	args := append([]string{"run", filepath.Join(l.root, "examples", filepath.FromSlash(nest))}, flags...)
	l.exec("loopc", args...)
}

// File returns the content of a file that a run has written.
func (l *Loopc) File(name string) []byte {
	l.t.Helper()
	b, err := os.ReadFile(filepath.Join(l.dir, name))
	if err != nil {
		l.t.Fatal(err)
	}
	return b
}

// exec runs a built program and returns its output.
func (l *Loopc) exec(program string, args ...string) string {
	l.t.Helper()
	c := exec.Command(l.program(program), args...)
	c.Dir, c.Env = l.dir, l.environ
	out, err := c.CombinedOutput()
	if err != nil {
		l.t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Plans are ways to run a nest, which must not change its result.
func Plans() [][]string {
	return [][]string{
		{"-n", "4", "--cpus", "1"},
		{"-n", "3", "--cpus", "2", "--transport", "inproc", "--comm", "blocking"},
	}
}
