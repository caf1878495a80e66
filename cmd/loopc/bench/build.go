package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// commonFlags are the compiler flags of every C program. In the dialect gnu11, gcc fuses products with
// sums; in standard C it does not, and would be slower than it can be.
var commonFlags = []string{"-std=gnu11", "-D_POSIX_C_SOURCE=200809L", "-O3", "-march=native"}

// strictFlag forbids fused multiply-add. loopc does not fuse either, so results have the
// bits of the sequential loops.
const strictFlag = "-ffp-contract=off"

// A tool is a compiler with its flags, for C sources.
type tool struct {
	name     string
	compiler string   // path
	flags    []string // besides commonFlags
	launcher string   // path of mpirun or the like; "": no MPI
	// variants are the ways to run its programs, the plain loops first.
	variants []string
}

// tools are the compilers that were found.
type tools struct {
	found   []tool
	missing []string // compilers that were not found, with the reasons
}

// look finds a program; tests replace it.
type look func(name string) (string, error)

// findTools looks for compilers. Unless only is empty, it skips compilers whose name starts
// with none of its entries.
func findTools(ctx context.Context, find look, only []string) *tools {
	f := &toolFinder{find: find, only: only, tools: &tools{}}
	if path := f.compiler(ctx, "gcc"); path != "" {
		f.addCompiler(ctx, "gcc", path)
	}
	if path := f.compiler(ctx, "clang"); path != "" {
		f.addCompiler(ctx, "clang", path)
		f.addPolly(ctx, path)
	}
	f.addMPI("openmpi")
	f.addMPI("mpich")
	return f.tools
}

// A toolFinder collects tools, and the reasons why others are missing.
type toolFinder struct {
	find  look
	only  []string // beginnings of the names that are wanted; empty: all names
	tools *tools
}

// wanted reports whether a tool of this name is looked for.
func (f *toolFinder) wanted(name string) bool {
	return len(f.only) == 0 || slices.ContainsFunc(f.only, func(o string) bool { return strings.HasPrefix(name, o) })
}

// lacks notes why a tool is missing.
func (f *toolFinder) lacks(name, why string) {
	if f.wanted(name) {
		f.tools.missing = append(f.tools.missing, name+": "+why)
	}
}

// add adds a tool.
func (f *toolFinder) add(x tool) {
	if f.wanted(x.name) {
		f.tools.found = append(f.tools.found, x)
	}
}

// compiler returns the path of a C compiler that works, or "".
func (f *toolFinder) compiler(ctx context.Context, name string) string {
	path, err := f.find(name)
	switch {
	case err != nil:
		f.lacks(name, "not in PATH")
		if name == "clang" {
			f.lacks("polly", "clang is not in PATH")
		}
		return ""
	case !compiles(ctx, path):
		f.lacks(name, "it does not compile an empty program with "+strings.Join(commonFlags, " "))
		return ""
	}
	return path
}

// addCompiler adds a C compiler, with OpenMP if it has that.
func (f *toolFinder) addCompiler(ctx context.Context, name, path string) {
	x := tool{name: name, compiler: path, variants: []string{"plain", "tiled"}}
	if compiles(ctx, path, "-fopenmp") {
		x.flags = []string{"-fopenmp"}
	} else {
		f.lacks(name+" tiled on several CPUs", "it has no OpenMP")
	}
	f.add(x)
}

// addPolly adds clang with Polly.
func (f *toolFinder) addPolly(ctx context.Context, clang string) {
	flags := []string{"-mllvm", "-polly"}
	if !compiles(ctx, clang, flags...) {
		f.lacks("polly", "clang has none")
		return
	}
	f.add(tool{name: "polly", compiler: clang, flags: flags, variants: []string{"plain"}})
}

// addMPI adds the compiler and the launcher of an MPI library.
func (f *toolFinder) addMPI(name string) {
	compiler, err := f.find("mpicc." + name)
	launcher, err2 := f.find("mpiexec." + name)
	if errors.Join(err, err2) != nil {
		f.lacks(name, "mpicc."+name+" or mpiexec."+name+" is not in PATH")
		return
	}
	f.add(tool{name: name, compiler: compiler, launcher: launcher, variants: []string{"blocking", "overlap"}})
}

// compiles reports whether a compiler makes a program with the flags.
func compiles(ctx context.Context, compiler string, flags ...string) bool {
	folder, err := os.MkdirTemp("", "loopc-bench-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(folder)
	args := append(append([]string(nil), commonFlags...), flags...)
	cmd := exec.CommandContext(ctx, compiler, append(args, "-x", "c", "-", "-o", filepath.Join(folder, "program"))...)
	cmd.Stdin = strings.NewReader("int main(void) { return 0; }\n")
	return cmd.Run() == nil
}

// A program is a peer as one compiler built it.
type program struct {
	tool   *tool
	strict bool
	path   string
}

// name is the name of the program with a variant, for tables.
func (p *program) name(variant string) string {
	name := p.tool.name + " " + variant
	if p.strict {
		name += ", strict"
	}
	return name
}

// compile builds a source, with or without the strict flag, in the folder.
func (x *tool) compile(ctx context.Context, source, folder string, strict bool, flags ...string) (*program, error) {
	p := &program{tool: x, strict: strict}
	suffix := ".default"
	args := append(append(append([]string(nil), commonFlags...), x.flags...), flags...)
	if strict {
		args = append(args, strictFlag)
		suffix = ".strict"
	}
	p.path = filepath.Join(folder, strings.TrimSuffix(filepath.Base(source), ".c")+"."+x.name+suffix)
	out, err := exec.CommandContext(ctx, x.compiler, append(args, source, "-o", p.path, "-lm")...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", x.name, source, err, out)
	}
	return p, nil
}

// programs builds a nest with every tool, by default and strictly.
func (t *tools) programs(ctx context.Context, n *nest, folder, include string) ([]*program, error) {
	var all []*program
	for k := range t.found {
		x := &t.found[k]
		source := n.c
		if x.launcher != "" {
			if source = n.mpi(); source == "" {
				continue
			}
		}
		for _, strict := range []bool{false, true} {
			p, err := x.compile(ctx, source, folder, strict, include)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// contenders are the programs' variants that can run on the processors. MPI programs need
// at least two.
func contenders(programs []*program, n *nest, p params, cpus []int) []*contender {
	var all []*contender
	for _, x := range programs {
		for _, variant := range x.tool.variants {
			if variant == "tiled" && !n.tiled {
				continue
			}
			var launcher []string
			if x.tool.launcher != "" {
				if len(cpus) < 2 {
					continue
				}
				launcher = []string{x.tool.launcher, "-n", fmt.Sprint(len(cpus))}
			}
			all = append(all, &contender{
				name: x.name(variant), strict: x.strict, plain: variant == "plain",
				run: func(ctx context.Context, check bool) (sample, error) {
					s, err := runPeer(ctx, launcher, x.path, variant, p, cpus, check)
					if s.Points == 0 && err == nil {
						s.Points = n.points(p)
					}
					return s, err
				},
			})
		}
	}
	return all
}

// A machine is what machine.c measures.
type machine struct {
	Load     float64 `json:"load"`     // 1e9 bytes per second
	Store    float64 `json:"store"`    // ordinary stores
	Stream   float64 `json:"stream"`   // streaming stores
	GHz      float64 `json:"ghz"`      // of the clock
	Divide32 float64 `json:"divide32"` // nanoseconds per division
	Divide64 float64 `json:"divide64"`
	HostLoad
}

// measureMachine measures the processors while each of them works on its part of an array
// of the given size. Memory rates are totals over the processors.
func measureMachine(ctx context.Context, path string, bytes float64, cpus []int) (*machine, error) {
	type outcome struct {
		machine
		err error
	}
	outcomes := make(chan outcome, len(cpus))
	for _, cpu := range cpus {
		go func() {
			var o outcome
			o.err = execute(ctx, []int{cpu}, nil, nil, &o.machine, path, fmt.Sprintf("bytes=%.0f", max(4096, bytes/float64(len(cpus)))))
			outcomes <- o
		}()
	}
	all := &machine{}
	var failed error
	for range cpus {
		o := <-outcomes
		if o.err != nil {
			failed = o.err
		}
		all.Load += o.Load
		all.Store += o.Store
		all.Stream += o.Stream
		all.GHz = max(all.GHz, o.GHz)
		all.Divide32 = max(all.Divide32, o.Divide32)
		all.Divide64 = max(all.Divide64, o.Divide64)
		all.Median = max(all.Median, o.Median)
		all.Decile9 = max(all.Decile9, o.Decile9)
	}
	return all, failed
}
