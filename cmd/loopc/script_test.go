package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"loopc/ir/irtest"
	"loopc/runtime/simd"
	"loopc/runtime/transport/transporttest"
)

// TestMain makes loopc a command of the scripts. Tests that build and run programs are parallel, since
// each keeps one CPU busy for most of its time. Those that measure time or memory, or set variables, are
// not: all of them are run before.
func TestMain(m *testing.M) {
	testscript.Main(hungUp{m}, map[string]func(){"loopc": main})
}

// hungUp runs tests that send hangups to their commands. Under nohup, commands would inherit that hangups are ignored: see HeedHangups.
type hungUp struct{ *testing.M }

// Run implements testscript.TestingM. The tests, which compile thousands of small programs, are spared most of the garbage
// collector's work; the commands of scripts are not.
func (h hungUp) Run() int {
	runtime.MemProfileRate = 0
	debug.SetGCPercent(400)
	transporttest.HeedHangups()
	code := h.M.Run()
	if err := os.RemoveAll(sharedRuntime); err != nil { // "" names none
		panic(err)
	}
	return code
}

// TestScript runs testdata/script. Besides the commands of testscript there are
//
//	status N command ...  runs a command whose exit status must be N
//	age file ...          makes the files look old
//	aged file ...         requires that nothing has changed the files since age
//	freeport NAME         sets the variable to the number of a free port of 127.0.0.1
//
// and the conditions [avx2], [avx512] (the processor has these instructions) and [full] (the flag -full is
// set). What follows "[!full] stop" are further cases, which only .ci/run runs.
//
// Scripts have no network. They share the cache of loopc run, unless they set XDG_CACHE_HOME, and the cache
// of go build, where equal packages in different folders count as one.
func TestScript(t *testing.T) { runScripts(t, "script") }

// TestRepro runs the scripts of testdata/repro, as TestScript does: nests that once failed, each
// by itself. TestLanguage runs nests that need no script.
func TestRepro(t *testing.T) { runScripts(t, "repro") }

// runScripts runs the scripts in a folder of testdata.
func runScripts(t *testing.T, folder string) {
	t.Helper()
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs")
	}
	goCache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	builtRuntime(t)
	cache := t.TempDir()
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", folder),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       irtest.Updating(),
		Setup: func(e *testscript.Env) error {
			for name, value := range map[string]string{
				"CGO_ENABLED":    "0", // as in loopc run: with the same module name, programs then share what Go has compiled
				"GOCACHE":        strings.TrimSpace(string(goCache)),
				"GOFLAGS":        strings.Join(buildFlags, " "),
				"GOGC":           os.Getenv("GOGC"),
				"GOPROXY":        "off",
				"GOTOOLCHAIN":    "local",
				"HOME":           filepath.Join(e.WorkDir, "home"),
				"XDG_CACHE_HOME": cache,
				"EXAMPLES":       examples,
				"PEERS":          filepath.Join(examples, "..", "testdata", "peers"),
				"POLYBENCH":      filepath.Join(examples, "..", "testdata", "polybench"),
				"SUITES":         filepath.Join(examples, "..", "testdata", "suites"),
			} {
				e.Setenv(name, value)
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "avx2":
				return simd.AVX2(), nil
			case "avx512":
				return simd.AVX512(), nil
			case "full":
				return irtest.Full(), nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": expectStatus, "age": makeOld, "aged": requireOld, "freeport": freePort,
		},
	})
}

// expectStatus is the command "status".
func expectStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command ...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var exit *exec.ExitError
	got := 0
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// freePort is the command "freeport".
func freePort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: freeport NAME")
	}
	addr, err := transporttest.FreeAddress()
	ts.Check(err)
	_, port, err := net.SplitHostPort(addr)
	ts.Check(err)
	ts.Setenv(args[0], port)
}

// longAgo is when the files given to "age" were last changed.
var longAgo = time.Date(2001, time.February, 3, 4, 5, 6, 0, time.UTC)

// makeOld is the command "age".
func makeOld(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: age file ...")
	}
	for _, name := range args {
		ts.Check(os.Chtimes(ts.MkAbs(name), longAgo, longAgo))
	}
}

// requireOld is the command "aged".
func requireOld(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: [!] aged file ...")
	}
	for _, name := range args {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if same := info.ModTime().Equal(longAgo); same == neg {
			ts.Fatalf("%s was changed %v, and the script made it %v", name, info.ModTime(), longAgo)
		}
	}
}
