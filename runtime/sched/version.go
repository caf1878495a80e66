package sched

import (
	"fmt"
	"loopc/runtime/kernel"
	"os"
	"slices"
	"strings"
)

// KernelVariable is the environment variable that names a kernel, for programs
// that do not.
const KernelVariable = "LOOPC_KERNEL"

// Kernels returns the names of the kernels that can run here, the fastest first.
func (prog *Program) Kernels() []string {
	var names []string
	if prog.Nests != nil {
		for _, name := range append(slices.Clone(kernelNames), kernel.Portable) {
			if slices.ContainsFunc(prog.Nests, func(part *Program) bool { return slices.Contains(part.Kernels(), name) }) {
				names = append(names, name)
			}
		}
		return names
	}
	for _, v := range prog.Versions {
		if v.Usable() {
			names = append(names, v.Name)
		}
	}
	return append(names, kernel.Portable)
}

// Choose returns prog with one kernel: the one of the given name, or if the name is
// empty the one that the environment names, or else the fastest. A nest may have no
// kernel of that name; then it gets the next slower one, if the processor has what the
// named one needs. If only the portable kernel is left, a given name is refused; one
// from the environment is not, since it is for all programs.
func (prog *Program) Choose(name string) (*Program, error) {
	if prog.chosen {
		return prog, nil
	}
	if name == "" {
		return prog.choose(os.Getenv(KernelVariable))
	}
	chosen, err := prog.choose(name)
	if err == nil && name != kernel.Portable && chosen.Kernel.Name == kernel.Portable {
		err = fmt.Errorf("there is no %s kernel, only the %s one%s", name, kernel.Portable, prog.scalar())
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
	case kernel.Portable:
		from = len(kernelNames)
	default:
		for from < len(kernelNames) && kernelNames[from] != name {
			from++
		}
		if from == len(kernelNames) {
			return nil, fmt.Errorf("no such kernel: %q; there are %s and %s", name, strings.Join(kernelNames, ", "), kernel.Portable)
		}
	}
	out := *prog
	if prog.Nests != nil {
		out.chosen, out.Nests, out.Kernel.Name = true, nil, kernel.Portable
		for _, part := range prog.Nests {
			chosen, err := part.choose(name)
			if err != nil {
				return nil, err
			}
			out.Nests = append(out.Nests, chosen)
			if slices.Index(kernelNames, chosen.Kernel.Name) >= 0 { // of several the fastest
				if best := slices.Index(kernelNames, out.Kernel.Name); best < 0 || slices.Index(kernelNames, chosen.Kernel.Name) < best {
					out.Kernel.Name = chosen.Kernel.Name
				}
			}
		}
		return &out, nil
	}
	out.chosen = true
	for _, wanted := range kernelNames[from:] {
		for _, v := range prog.Versions {
			if v.Name != wanted {
				continue
			}
			if v.Usable() {
				out.Kernel = v
				return &out, nil
			}
			if v.Name == name {
				return nil, fmt.Errorf("this processor cannot run the %s kernel; it can run %s", name, strings.Join(prog.Kernels(), ", "))
			}
		}
	}
	return &out, nil
}

// kernelNames are the names of all versions, the fastest first.
var kernelNames = []string{"avx512", "avx2"}
