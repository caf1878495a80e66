package sched_test

import (
	"slices"
	"strings"
	"testing"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/simd"
)

// TestChoose chooses among kernels, one of which this processor can run.
func TestChoose(t *testing.T) {
	named := func(name string, usable func() bool) kernel.Version {
		return kernel.Version{Name: name, Usable: usable, New: func([]int, kernel.Fields) kernel.Kernel {
			return kernel.Kernel{Loops: namedLoops{name: name}}
		}}
	}
	yes, no := func() bool { return true }, func() bool { return false }
	both := &sched.Program{Kernel: named("portable", nil), Versions: []kernel.Version{named("avx512", no), named("avx2", yes)}}
	none := &sched.Program{Kernel: named("portable", nil), Scalar: "integers are divided"}
	several := &sched.Program{Nests: []*sched.Program{none, none}}
	mixed := &sched.Program{Kernel: named("avx2", nil), Nests: []*sched.Program{none, both}}
	if got := both.Kernels(); !slices.Equal(got, []string{"avx2", "portable"}) {
		t.Errorf("kernels %v", got)
	}
	for _, c := range []struct {
		prog                  *sched.Program
		ask, variable         string
		want, complains, what string
	}{
		{both, "", "", "avx2", "", "the fastest that can run"},
		{both, "portable", "", "portable", "", "by name"},
		{both, "avx2", "portable", "avx2", "", "a name counts for more than the environment"},
		{both, "", "portable", "portable", "", "the environment"},
		{both, "avx512", "", "", "cannot run the avx512 kernel", "not here"},
		{both, "fast", "", "", "no such kernel", "unknown"},
		{both, "", "fast", "", "no such kernel", "unknown, in the environment"},
		{none, "avx2", "", "", "there is no avx2 kernel, only the portable one: integers are divided", "the nest has no such kernel"},
		{none, "portable", "", "portable", "", "by name, the only one"},
		{several, "avx512", "", "", "only the portable one: integers are divided", "no nest has such a kernel"},
		{mixed, "avx2", "", "avx2", "", "one of the nests has it"},
		{none, "", "avx512", "portable", "", "the nest has none at all"},
	} {
		t.Setenv(sched.KernelVariable, c.variable)
		chosen, err := c.prog.Choose(c.ask)
		switch {
		case c.complains != "":
			if err == nil || !strings.Contains(err.Error(), c.complains) {
				t.Errorf("%s: error %v, want %q", c.what, err, c.complains)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := chosen.Kernel.Kernel(nil, kernel.Fields{}).Loops.(namedLoops).name; got != c.want || chosen.Kernel.Name != c.want {
			t.Errorf("%s: kernel %s, called %s, want %s", c.what, got, chosen.Kernel.Name, c.want)
		}
		// A choice is final.
		t.Setenv(sched.KernelVariable, "")
		if again, err := chosen.Choose("avx2"); err != nil || again != chosen {
			t.Errorf("%s: chosen twice: %v", c.what, err)
		}
	}
}

type namedLoops struct {
	kernel.Loops
	name string
}

// TestChooseNarrower chooses shorter vectors where no scheme is faster with longer ones, unless a kernel is named.
func TestChooseNarrower(t *testing.T) {
	yes := func() bool { return true }
	version := func(name string, cycles, front float64) kernel.Version {
		v := kernel.Version{Name: name, Usable: yes, Traits: kernel.Traits{Cycles: cycles}}
		if front > 0 {
			v.Front = &kernel.Front{Cycles: front}
		}
		return v
	}
	program := func(wide, narrow kernel.Version) *sched.Program {
		return &sched.Program{Kernel: kernel.Version{Name: kernel.Portable}, Versions: []kernel.Version{wide, narrow}}
	}
	for _, c := range []struct {
		wide, narrow kernel.Version
		want         string
	}{
		{version("avx512", 16, 0), version("avx2", 16, 0), "avx2"},
		{version("avx512", 8, 0), version("avx2", 16, 0), "avx512"},
		{version("avx512", 16, 2), version("avx2", 16, 4), "avx512"},
		{version("avx512", 16, 2), version("avx2", 16, 2), "avx2"},
		{version("avx512", 16, 2), version("avx2", 16, 0), "avx512"},
		{version("avx512", 0, 0), version("avx2", 0, 0), "avx512"},
	} {
		t.Setenv(sched.KernelVariable, "")
		if simd.WideDivider() {
			c.want = "avx512"
		}
		chosen, err := program(c.wide, c.narrow).Choose("")
		if err != nil || chosen.Kernel.Name != c.want {
			t.Errorf("of %+v and %+v: %s, %v, want %s", c.wide.Traits, c.narrow.Traits, chosen.Kernel.Name, err, c.want)
		}
		if named, err := program(c.wide, c.narrow).Choose("avx512"); err != nil || named.Kernel.Name != "avx512" {
			t.Errorf("by name: %s, %v", named.Kernel.Name, err)
		}
	}
}
