package sched

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"loopc/runtime/halo"
	"loopc/transform/plan"
)

// A Variant is a kernel for processors with certain instructions. It gives the
// same bits as the portable one.
type Variant struct {
	Name   string
	Usable func() bool // here
	Kernel func(params []int, fields halo.Fields) halo.Kernel
	// Rows of a box, or levels of a tile, as Across says, are computed Rows
	// together, and the rest of them Lanes together: what a tile costs depends on
	// it. Rows 0: their number does not matter. See plan.Kernel.
	Rows, Lanes, Across int
	// Levels describes how the kernel computes levels together, nil if it does not.
	Levels *halo.Lanes
}

// Along which coordinate of a tile lanes are neighbors: Variant.Across.
const (
	AcrossRows   = plan.AcrossRows   // the last but one
	AcrossLevels = plan.AcrossLevels // the first
	AlongRow     = plan.AlongRow     // the last
)

// Portable is the name of the kernel that runs everywhere, in Go.
const Portable = "portable"

// KernelVariable is the environment variable that names a kernel, for programs
// that do not.
const KernelVariable = "LOOPC_KERNEL"

// Kernels returns the names of the kernels that can run here, the fastest first.
func (prog *Program) Kernels() []string {
	var names []string
	if prog.Nests != nil {
		for _, name := range append(slices.Clone(kernelNames), Portable) {
			if slices.ContainsFunc(prog.Nests, func(part *Program) bool { return slices.Contains(part.Kernels(), name) }) {
				names = append(names, name)
			}
		}
		return names
	}
	for _, v := range prog.Variants {
		if v.Usable() {
			names = append(names, v.Name)
		}
	}
	return append(names, Portable)
}

// Choose returns prog with one kernel: that of the given name, or if the name is
// empty that of the environment, or else the fastest. A nest need not have a
// kernel of every name: if the processor could run it, the next slower one is
// chosen. Only the portable one is not what a given name asks for; the environment's
// is for programs of all kinds.
func (prog *Program) Choose(name string) (*Program, error) {
	if prog.chosen {
		return prog, nil
	}
	if name == "" {
		return prog.choose(os.Getenv(KernelVariable))
	}
	chosen, err := prog.choose(name)
	if err == nil && name != Portable && chosen.KernelName == Portable {
		err = fmt.Errorf("there is no %s kernel, only the %s one%s", name, Portable, prog.scalar())
	}
	if err != nil {
		return nil, err
	}
	return chosen, nil
}

// scalar is the reason why a program has no kernels with vectors, as the rest of a
// sentence.
func (prog *Program) scalar() string {
	if len(prog.Nests) > 0 {
		return prog.Nests[0].scalar()
	}
	if prog.Scalar == "" {
		return ""
	}
	return ": " + prog.Scalar
}

// choose is Choose for a name that may be that of the environment.
func (prog *Program) choose(name string) (*Program, error) {
	from := 0
	switch name {
	case "":
	case Portable:
		from = len(kernelNames)
	default:
		for from < len(kernelNames) && kernelNames[from] != name {
			from++
		}
		if from == len(kernelNames) {
			return nil, fmt.Errorf("no such kernel: %q; there are %s and %s", name, strings.Join(kernelNames, ", "), Portable)
		}
	}
	out := *prog
	if prog.Nests != nil {
		out.chosen, out.Nests, out.KernelName = true, nil, Portable
		for _, part := range prog.Nests {
			chosen, err := part.choose(name)
			if err != nil {
				return nil, err
			}
			out.Nests = append(out.Nests, chosen)
			if slices.Index(kernelNames, chosen.KernelName) >= 0 { // of several the fastest
				if best := slices.Index(kernelNames, out.KernelName); best < 0 || slices.Index(kernelNames, chosen.KernelName) < best {
					out.KernelName = chosen.KernelName
				}
			}
		}
		return &out, nil
	}
	out.chosen, out.KernelName, out.kernelRows, out.kernelLanes, out.kernelAcross = true, Portable, prog.Rows, prog.Rows, AcrossRows
	for _, wanted := range kernelNames[from:] {
		for _, v := range prog.Variants {
			if v.Name != wanted {
				continue
			}
			if v.Usable() {
				out.Kernel, out.KernelName, out.kernelRows, out.kernelLanes, out.kernelAcross = v.Kernel, v.Name, v.Rows, v.Lanes, v.Across
				out.levels = v.Levels
				return &out, nil
			}
			if v.Name == name {
				return nil, fmt.Errorf("this processor cannot run the %s kernel; it can run %s", name, strings.Join(prog.Kernels(), ", "))
			}
		}
	}
	return &out, nil
}

// kernelNames are the names of all variants, the fastest first.
var kernelNames = []string{"avx512", "avx2"}
