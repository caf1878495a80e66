package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"loopc/codegen"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform"
	"loopc/transform/plan"
)

// TestAcceptedBuilds emits random small files that loopc check accepts, and type-checks the emitted
// code. It runs some of the programs under random plans and compares them with the interpreter.
func TestAcceptedBuilds(t *testing.T) {
	t.Parallel()
	seed, count := smallFiles.begin(t, "small-run", "nest-plans", "nest-tcp"), *smallFiles.count
	check := newTypeChecker(t)
	classes := map[string]int{}
	var all tally
	var run []builtNest
	accepted, failed, tiled := 0, 0, 0
	for k := range count {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		name, file := fmt.Sprintf("small%d", k), irtest.RandomSmall
		switch k % 20 {
		case 9:
			file = irtest.RandomBatch
		case 19:
			file = irtest.RandomRich
		}
		src := file(rng)
		e, ok, err := buildsSmall(check, name, src)
		if err != nil {
			if failed++; failed <= 10 {
				t.Errorf("file %d is accepted, and does not build: %v\n%s", k, err, src)
			}
			continue
		}
		if !ok {
			continue
		}
		accepted++
		for _, c := range smallClasses(&e) {
			classes[c]++
		}
		if accepted%*smallRun == 0 {
			b, _ := buildProgram(t, name, src, rng, *nestPlans)
			b.job.TCP = *nestTCP
			run = append(run, b)
		}
		if len(run) == 50 {
			all.add(run, runNests(t, run))
			run = nil
		}
		if n := e.program.Nests[0]; e.program.Single() && k%3 == 0 {
			l, p, diags := transform.LowerTiled(n, randomTiling(t, rng, n))
			if len(diags) > 0 {
				continue
			}
			tiled++
			if err := builds(check, &acceptedFile{program: e.program, lowered: []*ir.Lowered{l}, nests: []*plan.Nest{p}}, name); err != nil {
				t.Errorf("file %d does not build with a tiling: %v\n%s", k, err, src)
			}
		}
	}
	if len(run) > 0 {
		all.add(run, runNests(t, run))
	}
	t.Logf("%d of %d files accepted, %d of these do not build; %d built with a tiling, too; classes: %v", accepted+failed, count, failed, tiled, classes)
	t.Log(&all)
	if all.ran < accepted / *smallRun * *nestPlans / 2 {
		t.Errorf("only %d plans were run", all.ran)
	}
	for _, c := range smallClassNames {
		if smallFiles.fresh() {
			break // shares vary
		}
		if least := accepted / 50; accepted >= 90 && classes[c] < least {
			t.Errorf("only %d of %d accepted files have %s, want %d", classes[c], accepted, c, least)
		}
	}
}

// buildsSmall emits a file and type-checks the emitted code. ok is false if the file is refused.
func buildsSmall(check *typeChecker, name, src string) (e acceptedFile, ok bool, err error) {
	if e, ok = acceptFile(name, src); !ok {
		return e, false, nil
	}
	return e, true, builds(check, &e, name)
}

// builds emits an accepted file and type-checks the emitted code.
func builds(check *typeChecker, e *acceptedFile, name string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	check.local = !check.local
	code, err := codegen.Generate(e.program, e.lowered, e.nests, e.whole, codegen.Options{Package: name, Local: check.local})
	if err != nil {
		return err
	}
	for k := 0; check.local && k < len(code) && err == nil; k++ {
		err = check.copied.lacks(code[k])
	}
	return errors.Join(err, check.files(name, code))
}

// A typeChecker checks emitted packages in this process.
type typeChecker struct {
	fset     *token.FileSet
	packages types.Importer
	copied   *shaker // the part of the runtime that programs with --runtime local have
	local    bool    // the last package was checked for --runtime local, as every second one is
}

// newTypeChecker finds the export data of what emitted packages import.
func newTypeChecker(t *testing.T) *typeChecker {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "loopc/runtime/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	export := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		export[path] = file
	}
	copied, err := shake()
	if err != nil {
		t.Fatal(err)
	}
	c := &typeChecker{fset: token.NewFileSet(), copied: copied}
	c.packages = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	return c
}

// files checks the Go files of a package.
func (c *typeChecker) files(name string, code []codegen.File) error {
	var files []*ast.File
	for _, f := range code {
		if !strings.HasSuffix(f.Suffix, ".go") {
			continue
		}
		parsed, err := parser.ParseFile(c.fset, name+f.Suffix, f.Text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, parsed)
	}
	config := types.Config{Importer: c.packages, Sizes: types.SizesFor("gc", "amd64")}
	_, err := config.Check(name, c.fset, files, nil)
	return err
}

// smallClassNames are what random small files must have, each in one accepted file in 50.
var smallClassNames = []string{
	"depth 1", "depth 2", "depth 3", "depth 4",
	"a written row at a constant", "a given row at a constant", "an array touched at one cell", "a slice of one cell among several nests",
	"a dead statement", "a dead nest", "a let that only dropped lets use", "a let of indices alone",
	"a backward inner loop", "a backward outer loop", "a loop that runs once", "several missing indices", "three types",
	"a small loop that writes its cells", "nested small loops that do", "a backward small loop that does", "a small loop that writes several arrays", "a small loop that does under a condition",
	"a small loop that does in a repeat", "a small loop that does in a batch", "an array that is copied to another one",
}

// smallClasses returns which of smallClassNames an accepted file has.
func smallClasses(e *acceptedFile) []string {
	found := map[string]bool{}
	types := map[ir.Type]bool{}
	for k, n := range e.program.Nests {
		found[fmt.Sprintf("depth %d", n.Depth())] = true
		loopClasses(n, found)
		cellClasses(n, found)
		deadClasses(n, e.lowered[k], found)
		smallLoopClasses(e.program, n, found)
		if _, r := n.Copied(); r != nil {
			found["an array that is copied to another one"] = true
		}
		for _, a := range n.Arrays {
			types[a.Elem] = true
		}
	}
	found["three types"] = len(types) >= 3
	for _, a := range e.program.Arrays {
		if a.Out != nil && len(e.program.Nests) > 1 {
			whole := false
			for _, at := range a.Out {
				whole = whole || at == nil
			}
			found["a slice of one cell among several nests"] = found["a slice of one cell among several nests"] || !whole
		}
	}
	var out []string
	for c, ok := range found {
		if ok {
			out = append(out, c)
		}
	}
	return out
}

// loopClasses notes how the loops of a nest run.
func loopClasses(n *ir.Nest, found map[string]bool) {
	for k, l := range n.Loops {
		if l.Backward && k == 0 {
			found["a backward outer loop"] = true
		}
		if l.Backward && k > 0 {
			found["a backward inner loop"] = true
		}
		if len(l.Lo) == 1 && len(l.Hi) == 1 && fmt.Sprint(l.Lo) == fmt.Sprint(l.Hi) {
			found["a loop that runs once"] = true
		}
	}
}

// smallLoopClasses notes which small loops that write cells of their own the frontend has written out: it has made several
// assignments of one, with the same place in the text and different constants in the subscripts.
func smallLoopClasses(p *ir.Program, n *ir.Nest, found map[string]bool) {
	cells, order := map[diag.Pos][]*ir.Assign{}, []diag.Pos{}
	for _, s := range n.Body {
		if s, ok := s.(*ir.Assign); ok {
			if cells[s.Span.Pos] = append(cells[s.Span.Pos], s); len(cells[s.Span.Pos]) == 2 {
				order = append(order, s.Span.Pos)
			}
		}
	}
	arrays := map[int]bool{}
	for _, at := range order {
		list := cells[at]
		first, last, differ := list[0], list[len(list)-1], 0
		for d := range first.Subs {
			by := last.Subs[d].Const - first.Subs[d].Const
			if by != 0 {
				differ++
			}
			found["a backward small loop that does"] = found["a backward small loop that does"] || by < 0
		}
		if differ == 0 {
			continue
		}
		arrays[first.Array] = true
		found["a small loop that writes its cells"] = true
		_, chosen := first.Expr.(*ir.Select)
		found["nested small loops that do"] = found["nested small loops that do"] || differ > 1
		found["a small loop that does under a condition"] = found["a small loop that does under a condition"] || chosen
		found["a small loop that writes several arrays"] = len(arrays) > 1
		for _, r := range p.Repeats() {
			found["a small loop that does in a batch"] = found["a small loop that does in a batch"] || r.Item != nil
			found["a small loop that does in a repeat"] = found["a small loop that does in a repeat"] || r.Item == nil
		}
	}
}

// cellClasses notes where a nest touches arrays.
func cellClasses(n *ir.Nest, found map[string]bool) {
	one := map[int]bool{} // by array: whether all subscripts so far are constants
	touch := func(a int, subs []ir.Affine, written bool) {
		fixed := 0
		for m, s := range subs {
			if s.HasIters() {
				continue
			}
			fixed++
			if m+1 < len(subs) && written {
				found["a written row at a constant"] = true
			}
			if m+1 < len(subs) && n.Arrays[a].Role == ir.In {
				found["a given row at a constant"] = true
			}
		}
		if known, ok := one[a]; fixed == len(subs) && (known || !ok) {
			one[a] = true
		} else {
			one[a] = false
		}
		if written && fixed < len(subs) && n.Depth()-(len(subs)-fixed) >= 2 {
			found["several missing indices"] = true
		}
	}
	for _, r := range n.Reads {
		touch(r.Array, r.Subs, false)
	}
	for _, s := range n.Body {
		if s, ok := s.(*ir.Assign); ok {
			touch(s.Array, s.Subs, true)
		}
	}
	for _, ok := range one {
		found["an array touched at one cell"] = found["an array touched at one cell"] || ok
	}
}

// deadClasses notes whether a nest has dead statements, is dead itself, and has lets that only
// unused lets use, or lets of indices alone.
func deadClasses(n *ir.Nest, l *ir.Lowered, found map[string]bool) {
	dead, live := 0, len(n.Reduces())
	for v := range l.Values {
		if l.Dead[v] {
			dead++
		} else {
			live++
		}
	}
	if dead > 0 {
		found["a dead statement"] = true
		found["a dead nest"] = found["a dead nest"] || live == 0
	}
	usedBy := map[int][]int{}
	for k, s := range n.Body {
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			if r, ok := e.(*ir.LocalRef); ok {
				usedBy[r.Stmt] = append(usedBy[r.Stmt], k)
			}
		})
	}
	for k, s := range n.Body {
		let, ok := s.(*ir.Let)
		if !ok {
			continue
		}
		indices := true
		ir.Walk(let.Expr, func(e ir.Expr) {
			switch e.(type) {
			case *ir.Read, *ir.LocalRef, *ir.Call:
				indices = false
			}
		})
		if indices {
			found["a let of indices alone"] = true
		}
		if users := usedBy[k]; len(users) > 0 {
			dropped := true
			for _, u := range users {
				_, let := n.Body[u].(*ir.Let)
				dropped = dropped && let && len(usedBy[u]) == 0
			}
			if dropped {
				found["a let that only dropped lets use"] = true
			}
		}
	}
}
