package sched

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"loopc/runtime/kernel"
)

// KernelVariable is the environment variable that names a kernel, if the program names none.
const KernelVariable = "LOOPC_KERNEL"

// kernelNames are the names of all kernels, the fastest first.
var kernelNames = []string{"avx512", "avx2", kernel.Portable}

// Kernels returns the names of the kernels that can run here, the fastest first.
func (prog *Program) Kernels() []string {
	return slices.DeleteFunc(slices.Clone(kernelNames), func(name string) bool {
		return name != kernel.Portable && !slices.ContainsFunc(prog.Parts(), func(part *Program) bool {
			return slices.ContainsFunc(part.Versions, func(v kernel.Version) bool { return v.Name == name && v.Usable() })
		})
	})
}

// Choose returns prog with one kernel: the named one; if name is empty, the one that the environment names; or else the fastest. A nest
// without a kernel of that name gets the next slower one, if the processor could run the named one. If only the portable kernel is left,
// Choose refuses a given name, but not one from the environment, which is meant for all programs.
func (prog *Program) Choose(name string) (*Program, error) {
	if prog.chosen {
		return prog, nil
	}
	if name == "" {
		return prog.choose(os.Getenv(KernelVariable))
	}
	chosen, err := prog.choose(name)
	if err == nil && name != kernel.Portable && chosen.Kernel.Name == kernel.Portable {
		err = fmt.Errorf("there is no %s kernel, only the %s one", name, kernel.Portable)
		if why := prog.Parts()[0].Scalar; why != "" {
			err = fmt.Errorf("%w: %s", err, why)
		}
	}
	if err != nil {
		return nil, err
	}
	return chosen, nil
}

// choose does what Choose does, for a name from any source. A program of several nests reports the name of its fastest kernel.
func (prog *Program) choose(name string) (*Program, error) {
	from := max(0, slices.Index(kernelNames, name))
	if name != "" && kernelNames[from] != name {
		last := len(kernelNames) - 1
		return nil, fmt.Errorf("no such kernel: %q; there are %s and %s", name, strings.Join(kernelNames[:last], ", "), kernelNames[last])
	}
	out := *prog
	out.chosen, out.free, out.inGo = true, name == "", prog.Kernel
	if !prog.Several() {
		err := out.take(name, kernelNames[from:])
		return &out, err
	}
	out.Nests = nil
	fastest := len(kernelNames) - 1
	for _, part := range prog.Nests {
		chosen, err := part.choose(name)
		if err != nil {
			return nil, err
		}
		out.Nests = append(out.Nests, chosen)
		if at := slices.Index(kernelNames, chosen.Kernel.Name); at >= 0 {
			fastest = min(fastest, at)
		}
	}
	out.Kernel.Name = kernelNames[fastest]
	return &out, nil
}

// take takes the first of the named kernels that can run here. If there is none, the portable kernel stays.
func (prog *Program) take(name string, names []string) error {
	for _, wanted := range names {
		k := slices.IndexFunc(prog.Versions, func(v kernel.Version) bool { return v.Name == wanted })
		switch {
		case k < 0:
		case prog.Versions[k].Usable():
			prog.Kernel = prog.Versions[k]
			if prog.free {
				prog.Kernel = prog.narrower(k)
				for n := range prog.Versions {
					if v := &prog.Versions[n]; isNarrower(v, &prog.Kernel) {
						prog.Kernel = prog.Kernel.WithNarrow(v.Front)
					}
				}
			}
			return nil
		case wanted == name:
			return fmt.Errorf("this processor cannot run the %s kernel; it can run %s", name, strings.Join(prog.Kernels(), ", "))
		}
	}
	return nil
}

// Wrap returns prog with wrap applied to every kernel that a run may choose.
func (prog *Program) Wrap(wrap func(kernel.Version) kernel.Version) *Program {
	out := *prog
	out.Nests, out.Versions = nil, nil
	for _, part := range prog.Nests {
		out.Nests = append(out.Nests, part.Wrap(wrap))
	}
	for _, v := range prog.Versions {
		out.Versions = append(out.Versions, wrap(v))
	}
	out.Kernel, out.inGo = wrap(prog.Kernel), wrap(prog.inGo)
	return &out
}

// narrower returns the version with shorter vectors than version k that can run here and is no slower (kernel.Version.AsFastAs), since
// long vectors lower the clock of some processors; else version k.
func (prog *Program) narrower(k int) kernel.Version {
	wide := &prog.Versions[k]
	for n := range prog.Versions {
		v := &prog.Versions[n]
		if isNarrower(v, wide) && v.AsFastAs(wide) {
			return *v
		}
	}
	return *wide
}

// isNarrower reports whether v is a version with shorter vectors than wide that can run here.
func isNarrower(v, wide *kernel.Version) bool {
	return slices.Index(kernelNames, v.Name) > slices.Index(kernelNames, wide.Name) && v.Name != kernel.Portable && v.Usable()
}
