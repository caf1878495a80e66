package main

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"loopc/runtime/simd"
	"loopc/testdata/lacking"
)

// TestAsWritten: a short run on one CPU is predicted to run the loops as they are written, unless vectors
// are faster or something asks for tiles.
func TestAsWritten(t *testing.T) {
	if !simd.AVX2() {
		if runtime.GOARCH != "amd64" {
			t.Skip("the vectors with which loops are compared are those of AVX2")
		}
		lacking.Skip(t, "this processor has no AVX2")
	}
	t.Setenv(kernelVariable, "")
	type choice struct {
		nest, params, cpus, kernel string
		want                       bool
	}
	choices := []choice{
		{"gs27", "T=10,N=36", "1", "", true},
		{"redblack", "T=20,N=240", "1", "", true},
		{"ssor", "T=10,N=240", "1", "", true},
		{"summed_area", "M=330,N=330", "1", "", true},
		{"gs27", "T=3,N=300", "1", "", simd.AVX512()}, // in Go, lanes across rows would be faster
		{"gs27", "T=10,N=36", "1", "portable", false},
		{"summed_area", "M=330,N=330", "2", "", simd.AVX512()}, // lanes across rows of bytes
		{"life", "T=20,N=600", "1", "", true},
		{"lcs", "M=1000,N=1000", "1", "", false},
		{"box27", "T=20,N=44", "1", "", true},
		{"../repro/component_alone", "N=30000000", "1", "", true}, // long, in Go, and can be ended
	}
	if simd.AVX512() { // runs of several ms: levels that are computed together take less time than lanes across rows
		choices = append(choices, choice{"../peers/pipeline_faces", "X=64,Y=128,Z=2048", "1", "", false}, choice{"../peers/seidel5", "T=100,N=500", "1", "", false},
			choice{"banded_back", "N=5000,M=5000", "1", "", true},                                                        // small arrays stay in the cache
			choice{"half_sweeps", "T=2,N=5000", "1", "", true}, choice{"chamfer_back", "M=10000,N=10000", "1", "", true}, // one pass from memory to memory
			choice{"summed_area", "M=1080,N=1920", "1", "", true}, choice{"iir_rows", "M=7000,N=8000", "1", "", true}, choice{"thomas_back", "M=4500,N=4500", "1", "", true},
			choice{"dtw", "M=6000,N=6000", "1", "", false}, choice{"../peers/sw_table", "M=2500,N=2500", "1", "", false}, // only stores move
			choice{"gs5_rhs", "T=4,N=7000", "1", "", false}, choice{"gs7_kappa", "T=3,N=260", "1", "", false}) // several passes, in the caches
	}
	for _, c := range choices {
		a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, pass: "test"}
		s, err := readSource("../../testdata/suites/" + c.nest + ".loop")
		if err != nil {
			t.Fatal(err)
		}
		l, err := a.lower(s, false)
		if err != nil {
			t.Fatal(err)
		}
		flags := planCommand{File: s.path, Kernel: c.kernel}
		flags.Params, flags.CPUs = []string{c.params}, c.cpus
		kernels, seconds, err := flags.predict(a, l)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(kernels, ""), "as they are written"); got != c.want {
			t.Errorf("%s with %s on %s CPUs, kernel %q: %q, %g s", c.nest, c.params, c.cpus, c.kernel, kernels, seconds)
		}
	}
}
