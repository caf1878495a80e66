package main

import (
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// mayImport says which packages a room may import, besides the standard library.
// A name that ends in "/..." stands for the rooms at and below it; a name with a
// dot in its first element is a module from outside. A room that is not listed
// does not exist.
var mayImport = map[string][]string{
	"ir/diag":         {},
	"ir/lattice":      {},
	"ir":              {"ir/diag", "ir/lattice", "runtime/boundary", "runtime/element"},
	"ir/eval":         {"ir", "ir/diag", "ir/lattice", "runtime/arith", "runtime/element", "runtime/wideint"},
	"ir/irtest":       {"ir/...", "runtime/boundary", "pgregory.net/rapid"},
	"frontend":        {"ir/...", "frontend/depend", "runtime/arith", "runtime/boundary", "github.com/alecthomas/participle/v2/..."},
	"frontend/depend": {"ir/...", "runtime/boundary", "runtime/wideint"},
	"transform":       {"ir/...", "transform/plan", "transform/plan/cost"},
	"transform/paper": {"transform/plan"},
	"transform/plan":  {"runtime/boundary", "runtime/wideint", "transform/plan/queue"},

	"transform/plan/queue":    {},
	"transform/plan/walk":     {"transform/plan"},
	"transform/plan/cost":     {"runtime/simd", "runtime/trace", "transform/plan", "transform/plan/queue", "transform/plan/walk"},
	"transform/plan/search":   {"transform/plan", "transform/plan/cost"},
	"transform/plan/plantest": {"transform/plan"},

	"codegen":             {"ir/...", "transform/plan", "transform/plan/cost", "runtime/boundary", "runtime/kernel", "codegen/asm", "codegen/vector"},
	"codegen/asm":         {},
	"codegen/asm/asmtest": {},
	"codegen/interleave":  {"codegen/asm"},
	"codegen/vector":      {"ir/...", "transform/plan", "runtime/boundary", "runtime/kernel", "codegen/asm"},

	"runtime":                         {},
	"runtime/arith":                   {"runtime/element"},
	"runtime/boundary":                {},
	"runtime/element":                 {},
	"runtime/wideint":                 {},
	"runtime/array":                   {"runtime/element", "runtime/simd", "runtime/wideint"},
	"runtime/simd":                    {"runtime/wideint"},
	"runtime/trace":                   {},
	"runtime/launch":                  {"runtime/launch/pmi", "runtime/transport/auth"},
	"runtime/launch/pmi":              {},
	"runtime/launch/pmi/pmitest":      {},
	"runtime/files":                   {},
	"runtime/npy":                     {"runtime/array", "runtime/element"},
	"runtime/transport":               {},
	"runtime/transport/auth":          {"runtime/transport"},
	"runtime/transport/inproc":        {"runtime/transport"},
	"runtime/transport/mpi":           {"runtime/transport", "runtime/transport/rma"},
	"runtime/transport/ofi":           {"runtime/transport", "runtime/transport/rma"},
	"runtime/transport/rma":           {"runtime/transport"},
	"runtime/transport/shm":           {"runtime/transport", "runtime/transport/auth", "runtime/transport/tcp"},
	"runtime/transport/tcp":           {"runtime/transport", "runtime/transport/auth"},
	"runtime/transport/transporttest": {"runtime/transport"},
	"runtime/kernel":                  {"runtime/array", "runtime/arith", "runtime/boundary", "runtime/element", "runtime/simd", "transform/plan", "transform/plan/cost"},
	"runtime/halo":                    {"runtime/array", "runtime/arith", "runtime/element", "runtime/kernel", "runtime/simd", "transform/plan", "transform/plan/walk"},
	"runtime/redist":                  {"runtime/array", "runtime/transport"},
	"runtime/checkpoint":              {"runtime/array", "runtime/files", "runtime/npy"},
	"runtime/sched":                   {"runtime/checkpoint", "runtime/halo", "runtime/kernel", "runtime/redist", "runtime/array", "runtime/arith", "runtime/element", "runtime/trace", "runtime/transport", "transform/plan", "transform/plan/cost", "transform/plan/search"},
	"runtime/local":                   {"runtime/...", "transform/plan", "transform/plan/cost"},
	"runtime/ranks":                   {"runtime/...", "transform/plan", "transform/plan/cost"},
	"runtime/cli":                     {"runtime/...", "transform/plan", "transform/plan/cost", "transform/plan/search"},

	"cmd/loopc/bench":     {"ir"},
	"cmd/loopc/calibrate": {"transform/plan", "transform/plan/cost", "transform/plan/search", "gonum.org/v1/gonum/mat"},
	"cmd/loopc/explain":   {"ir", "ir/diag", "runtime/trace", "transform/paper", "transform/plan", "transform/plan/cost", "transform/plan/search", "transform/plan/walk"},
	"cmd/loopc/figure":    {"transform/paper", "transform/plan", "transform/plan/cost", "gonum.org/v1/plot", "gonum.org/v1/plot/..."},

	"cmd/loopc": {
		"cmd/loopc/bench", "cmd/loopc/calibrate", "cmd/loopc/explain", "cmd/loopc/figure", "runtime/trace",
		"ir/...", "frontend", "transform", "transform/plan", "transform/plan/cost", "transform/plan/search", "codegen", "runtime", "runtime/boundary", "runtime/files", "runtime/simd",
		"github.com/alecthomas/kong", "github.com/vbauerster/mpb/v8/...", "github.com/rogpeppe/go-internal/diff",
		"golang.org/x/mod/modfile", "golang.org/x/mod/module", "golang.org/x/mod/semver",
	},
}

// testsOnly are the rooms that only tests import.
var testsOnly = []string{"ir/irtest", "codegen/asm/asmtest", "transform/plan/plantest", "runtime/transport/transporttest", "runtime/launch/pmi/pmitest"}

// notOurs are the folders whose Go files are no rooms: programs that loopc
// emitted, and examples of what users write.
var notOurs = []string{"testdata", "examples"}

// TestRooms holds the code, the picture in ARCHITECTURE.md and the comments of packages
// against mayImport: every room is there, drawn and documented.
func TestRooms(t *testing.T) {
	t.Run("imports", checkImports)
	t.Run("picture", comparePicture)
	t.Run("comments", checkPackageComments)
}

// checkImports reads the imports of every Go file that is not a test, and requires
// that mayImport allows them.
func checkImports(t *testing.T) {
	seen := map[string]bool{}
	walkGo(t, notOurs, func(name, file string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		room := path.Dir(name)
		seen[room] = true
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if complaint := judge(room, imported); complaint != "" {
				t.Errorf("%s: %s", name, complaint)
			}
		}
	})
	for room := range mayImport {
		if !seen[room] {
			t.Errorf("mayImport has a room %s, which is not there", room)
		}
	}
	if len(seen) < 15 {
		t.Errorf("only %d rooms were found: %v", len(seen), seen)
	}
}

// judge says what is wrong with an import in a room, or "".
func judge(room, imported string) string {
	rules, ok := mayImport[room]
	if !ok {
		return "mayImport has no room " + room
	}
	ours, isOurs := strings.CutPrefix(imported, "loopc/")
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case isOurs:
		imported = ours
		for _, room := range testsOnly {
			if imported == room {
				return "only tests import " + imported
			}
		}
	case !strings.Contains(first, "."):
		return "" // the standard library
	}
	for _, rule := range rules {
		if parent, ok := strings.CutSuffix(rule, "/..."); ok && strings.HasPrefix(imported, parent+"/") || parent == imported {
			return ""
		}
	}
	return room + " may not import " + imported + ": see mayImport"
}

// TestRoomsJudge checks that the judge of TestRooms does refuse.
func TestRoomsJudge(t *testing.T) {
	for _, c := range []struct {
		room, imported string
		allowed        bool
	}{
		{"frontend", "loopc/ir", true},
		{"frontend", "loopc/ir/diag", true},
		{"frontend", "loopc/transform", false},
		{"frontend", "loopc/irrelevant", false},
		{"frontend", "loopc/ir/irtest", false},
		{"codegen", "loopc/frontend", false},
		{"frontend", "github.com/alecthomas/participle/v2/lexer", true},
		{"codegen", "golang.org/x/tools/imports", false},
		{"runtime/sched", "math/bits", true},
		{"runtime/sched", "loopc/runtime/transport", true},
		{"runtime/sched", "loopc/runtime/transport/tcp", false},
		{"runtime/sched", "golang.org/x/sys/unix", false},
		{"transform/plan", "loopc/ir", false},
		{"cmd/loopc", "loopc/runtime/sched", false},
		{"nowhere", "fmt", false},
	} {
		if got := judge(c.room, c.imported) == ""; got != c.allowed {
			t.Errorf("judge(%q, %q) allows it: %t, want %t", c.room, c.imported, got, c.allowed)
		}
	}
}
