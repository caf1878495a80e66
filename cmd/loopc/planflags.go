package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"loopc/codegen"
	"loopc/runtime/simd"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// planFlags are the flags that determine a plan, for commands that plan without running.
// They have the same meaning as in emitted programs, see runtime/cli.
type planFlags struct {
	Ranks     positive `short:"n" name:"ranks" placeholder:"N" help:"Ranks; 1 by default."`
	CPUs      string   `name:"cpus" placeholder:"N" help:"CPUs of each rank: a number, or a mesh such as 2x1x2, one entry per loop; by default all of this machine, or fewer if more are predicted to be of no use."`
	Params    []string `short:"p" name:"param" sep:"none" placeholder:"X=64,Y=64" help:"Values of parameters."`
	Tile      string   `placeholder:"AxBxC|none" help:"Tile sides, in iterations, one per loop; 0 or - leaves one open. With none, the loops run as they are written, if they can, whatever is predicted."`
	First     string   `placeholder:"AxBxC" help:"Sides of the first tile, when CPUs take tiles cyclically, one per loop. 0 or - means the same as the other tiles."`
	Grid      string   `placeholder:"AxBxC" help:"Ranks, one entry per loop."`
	Map       string   `placeholder:"LOOP" help:"The loop along which the tiles of a worker follow one another."`
	Group     string   `placeholder:"hyperplane|vertical" help:"How the tiles of a step are given to the CPUs of a rank."`
	Sub       positive `placeholder:"N" help:"Sub-tiles of a tile, with vertical grouping."`
	Epoch     positive `placeholder:"LEVELS" help:"Cut the run into epochs of this many values of the outermost loop. By default, only a very long run is cut, if that is predicted to be faster."`
	Assign    string   `placeholder:"NAME" help:"How columns of tiles are given to the ranks: ${assignments}."`
	Comm      string   `placeholder:"overlap|blocking|buffered" help:"Whether messages travel while tiles are computed."`
	Shape     string   `placeholder:"NAME" help:"The criterion by which the grid is chosen: model, communication or scheduling."`
	Machine   string   `placeholder:"FILE" help:"What computation and messages cost, as loopc calibrate measured it; by default $$LOOPC_MACHINE, else machine.json in loopc's folder of the user's configuration, else built-in figures."`
	Transport string   `placeholder:"${links}" help:"How ranks exchange faces. If there are several ranks, they are all on this host, and shm is the default."`
}

// positive is a number of at least 1, or 0 if the flag is not given.
type positive int

// UnmarshalText implements encoding.TextUnmarshaler, for kong.
func (n *positive) UnmarshalText(text []byte) error {
	v, err := strconv.Atoi(string(text))
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a number", text)
	case v < 1:
		return fmt.Errorf("%d: there must be one at least", v)
	}
	*n = positive(v)
	return nil
}

// options returns the flags as options of the planner. Errors are usageErrors.
func (f *planFlags) options() (o plan.Options, err error) {
	o.Ranks, o.Map, o.Sub, o.Epoch = int(f.Ranks), f.Map, int(f.Sub), int(f.Epoch)
	for _, flag := range [][2]string{
		{"tile", f.Tile}, {"first", f.First}, {"grid", f.Grid}, {"cpus", f.CPUs},
		{"group", f.Group}, {"assign", f.Assign}, {"comm", f.Comm}, {"shape", f.Shape},
	} {
		if flag[1] == "" {
			continue
		}
		if bad := o.Set(flag[0], flag[1]); bad != nil {
			err = errors.Join(err, usagef("--%s %s: %v", flag[0], flag[1], bad))
		}
	}
	return o, err
}

// link returns the name of the link between the given number of ranks.
func (f *planFlags) link(ranks int) (string, error) {
	for _, t := range transports {
		if t.name == f.Transport && t.link != "" {
			return t.link, nil
		}
	}
	switch {
	case f.Transport != "":
		names := transportNames(true)
		last := len(names) - 1
		return "", usagef("no such transport: %q; %s or %s", f.Transport, strings.Join(names[:last], ", "), names[last])
	case ranks <= 1:
		return cost.LinkInproc, nil
	case runtime.GOOS == "linux":
		return cost.LinkSHM, nil // the default of runtime/cli
	}
	return cost.LinkTCP, nil
}

// figures returns m if its figures were measured, else m with the figures that a run with params on
// this machine would assume for the kernel of nest k. kernel is the kernel's name; "" means the kernel
// of the environment or the fittest.
func (l *lowered) figures(k int, params []int, m *cost.Machine, kernel string) *cost.Machine {
	if m.Measured != "" {
		return m
	}
	forced := forcedKernel(kernel)
	v, inGo := codegen.UsableKernel(l.program.Nests[k], l.lower[k], l.nests[k], usable(forced))
	if forced == "" {
		v = v.Fittest(inGo, l.nests[k], params)
	}
	return v.Figures(m, l.nests[k])
}

// usableHere reports whether this processor has the instructions of a kernel.
func usableHere(isa string) bool {
	return isa == "avx2" && simd.AVX2() || isa == "avx512" && simd.AVX512()
}

// forcedKernel returns the kernel that a run must use: the named one or that of the environment. "" means any.
func forcedKernel(name string) string { return cmp.Or(name, os.Getenv(kernelVariable)) }

// usable returns a function that reports whether a run may use the kernel of an instruction set. forced is the kernel that the run
// must use, or "". If AVX-512 is forced, AVX2 is usable, too, for nests without an AVX-512 kernel.
func usable(forced string) func(isa string) bool {
	return func(isa string) bool {
		return (forced == "" || forced == isa || forced == "avx512" && isa == "avx2") && usableHere(isa)
	}
}

// kernelVariable is sched.KernelVariable.
const kernelVariable = "LOOPC_KERNEL"

// machine returns the figures to predict with: from the file that the user names by flag or
// environment, else from the file that loopc calibrate writes, if it exists. A broken file
// is an error if the user named it, else a warning.
func (a *app) machine(file string) (*cost.Machine, error) {
	m, warning, err := cost.FindMachine(file)
	if warning != "" {
		fmt.Fprintf(a.stderr, "loopc: warning: %s\n", warning)
	}
	return m, err
}
