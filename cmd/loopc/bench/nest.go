package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Sizes are the names of the sizes of a nest, in ascending order. Tiny is for tests of
// bits, and has full and partial time slabs; small should fit the first two levels of the
// cache, cache the third, and large takes up to a gigabyte.
var Sizes = []string{"tiny", "small", "cache", "large"}

// A param is a parameter of a nest and its value.
type param struct {
	name  string
	value int
}

// params are the parameters of a run, in the order of the .loop file.
type params []param

// String writes "X=64,Y=64".
func (p params) String() string {
	var s []string
	for _, x := range p {
		s = append(s, x.name+"="+strconv.Itoa(x.value))
	}
	return strings.Join(s, ",")
}

// of returns the value of the named parameter.
func (p params) of(name string) float64 {
	for _, x := range p {
		if x.name == name {
			return float64(x.value)
		}
	}
	panic("BUG: the nest has no parameter " + name)
}

// parseParams reads what params.String writes.
func parseParams(text string) params {
	var p params
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		value, err := strconv.Atoi(number)
		if err != nil {
			panic("BUG: parameters " + text)
		}
		p = append(p, param{name, value})
	}
	return p
}

// A nest is a .loop file, and the C program that runs the same loops, both named
// after it.
type nest struct {
	name  string
	title string
	elem  int               // bytes of a cell of the arrays that carry dependences
	sizes map[string]string // parameters by size
	// outs are the output arrays, in the order of the file. The checksum covers them.
	outs []string
	// loops are the parameters whose product is the number of iterations.
	loops []string
	// cut is the parameter that is divided by the number of CPUs for the rows of Shares.
	cut string
	// moved returns the bytes that any program must read from and write to memory if input
	// and output arrays do not fit the caches.
	moved func(p params) (read, written float64)
	// ops are the additions, multiplications, comparisons and selections of an iteration,
	// divisions apart. ops includes divisions by constants, which are two products each,
	// one of them fused with a sum; byConstant is their number.
	ops, divisions, byConstant float64
	mpi                        bool // there is a program for MPI too
}

// share returns the parameters of one of several parts of the space. A part has all time
// steps, because temporal vectorization takes several of them at once.
func (n *nest) share(p params, parts int) params {
	dims := 0 // as long as the parameter
	for _, name := range n.loops {
		if name == n.cut {
			dims++
		}
	}
	p = slices.Clone(p)
	for k := range p {
		if x := &p[k]; x.name == n.cut {
			x.value = int(math.Round(float64(x.value) / math.Pow(float64(parts), 1/float64(dims))))
		}
	}
	return p
}

// points is the number of iterations.
func (n *nest) points(p params) float64 {
	count := 1.0
	for _, name := range n.loops {
		count *= p.of(name)
	}
	return count
}

// grid is the number of cells of the array of a time-stepped nest that has halo cells on
// both sides of each dimension.
func grid(p params, halo, dims int) float64 {
	cells := 1.0
	for range dims {
		cells *= p.of("N") + float64(halo)
	}
	return cells
}

// nests are the rows of the table.
var nests = []nest{
	{
		name: "pipeline_faces", title: "pipeline kernel, float32, last plane only", elem: 4, outs: []string{"a"}, loops: []string{"X", "Y", "Z"}, cut: "Z",
		sizes: map[string]string{"tiny": "X=32,Y=7,Z=70", "small": "X=64,Y=32,Z=512", "cache": "X=64,Y=128,Z=2048", "large": "X=32,Y=512,Z=16384"},
		moved: func(p params) (float64, float64) { plane := 4 * p.of("Y") * p.of("Z"); return plane, plane },
		ops:   5, // 3 products, 2 sums
	},
	{
		name: "pipeline_whole", title: "pipeline kernel, float32, whole array out", elem: 4, outs: []string{"A"}, loops: []string{"X", "Y", "Z"}, cut: "Z",
		sizes: map[string]string{"tiny": "X=5,Y=7,Z=33", "small": "X=32,Y=32,Z=256", "cache": "X=64,Y=128,Z=1024", "large": "X=128,Y=128,Z=16384"},
		moved: func(p params) (float64, float64) { return 0, 4 * p.of("X") * p.of("Y") * p.of("Z") },
		ops:   5, mpi: true,
	},
	{
		name: "seidel5", title: "Gauss-Seidel 5-point in place, float64", elem: 8, outs: []string{"u"}, loops: []string{"T", "N", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "T=16,N=19", "small": "T=100,N=150", "cache": "T=100,N=500", "large": "T=100,N=2000"},
		moved: func(p params) (float64, float64) { u := 8 * grid(p, 2, 2); return u, u },
		ops:   4, // 3 sums, 1 product
		mpi:   true,
	},
	{
		name: "seidel9", title: "Gauss-Seidel 9-point in place, float64, sum / 9", elem: 8, outs: []string{"u"}, loops: []string{"T", "N", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "T=5,N=19", "small": "T=50,N=150", "cache": "T=50,N=500", "large": "T=50,N=2000"},
		moved: func(p params) (float64, float64) { u := 8 * grid(p, 2, 2); return u, u },
		ops:   10, byConstant: 1, // 8 sums
	},
	{
		name: "sw_affine", title: "Smith-Waterman, int32, affine gaps, last row only", elem: 4, outs: []string{"H"}, loops: []string{"M", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "M=21,N=17", "small": "M=1000,N=1000", "cache": "M=5000,N=5000", "large": "M=20000,N=20000"},
		moved: func(p params) (float64, float64) { return p.of("M") + p.of("N"), 4 * p.of("N") },
		ops:   12, // comparison, selection, 5 sums, 5 maxima
	},
	{
		name: "sw_linear", title: "Smith-Waterman, int32, linear gaps, last row only", elem: 4, outs: []string{"H"}, loops: []string{"M", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "M=21,N=17", "small": "M=1000,N=1000", "cache": "M=5000,N=5000", "large": "M=20000,N=20000"},
		moved: func(p params) (float64, float64) { return p.of("M") + p.of("N"), 4 * p.of("N") },
		ops:   8, // comparison, selection, 3 sums, 3 maxima
	},
	{
		name: "sw_table", title: "Smith-Waterman, int32, linear gaps, whole table out", elem: 4, outs: []string{"H"}, loops: []string{"M", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "M=21,N=17", "small": "M=500,N=500", "cache": "M=2500,N=2500", "large": "M=16000,N=16000"},
		moved: func(p params) (float64, float64) { return p.of("M") + p.of("N"), 4 * p.of("M") * p.of("N") },
		ops:   8,
	},
	{
		name: "diffusion2d", title: "2-D diffusion in time, float32", elem: 4, outs: []string{"u"}, loops: []string{"T", "N", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "T=5,N=19", "small": "T=64,N=200", "cache": "T=64,N=700", "large": "T=64,N=4000"},
		moved: func(p params) (float64, float64) { u := 4 * grid(p, 2, 2); return u, u },
		ops:   7, // 5 sums, 2 products
	},
	{
		name: "jacobi3d", title: "3-D 7-point Jacobi in time, float64", elem: 8, outs: []string{"u"}, loops: []string{"T", "N", "N", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "T=5,N=9", "small": "T=40,N=30", "cache": "T=40,N=64", "large": "T=40,N=256"},
		moved: func(p params) (float64, float64) { u := 8 * grid(p, 2, 3); return u, u },
		ops:   8, // 6 sums, 2 products
	},
	{
		name: "heat3d", title: "3-D heat in time as in PolyBench, float64", elem: 8, outs: []string{"u"}, loops: []string{"T", "N", "N", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "T=5,N=9", "small": "T=200,N=30", "cache": "T=200,N=60", "large": "T=1000,N=118"},
		moved: func(p params) (float64, float64) { u := 8 * grid(p, 2, 3); return u, u },
		ops:   15, // 9 sums, 6 products
	},
	{
		name: "fdtd2d", title: "2-D FDTD as in PolyBench, float64, three arrays in place", elem: 8, outs: []string{"ex", "ey", "hz"}, loops: []string{"T", "N", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "T=5,N=19", "small": "T=100,N=100", "cache": "T=500,N=250", "large": "T=500,N=1000"},
		moved: func(p params) (float64, float64) { f := 24 * grid(p, 1, 2); return f, f },
		ops:   11, // 8 sums, 3 products
	},
	{
		name: "adi", title: "ADI, float32", elem: 4, outs: []string{"X", "B"}, loops: []string{"T", "N", "N"}, cut: "N",
		sizes: map[string]string{"tiny": "T=5,N=19", "small": "T=64,N=150", "cache": "T=64,N=500", "large": "T=64,N=2000"},
		moved: func(p params) (float64, float64) { u := 4 * grid(p, 1, 2); return 3 * u, 2 * u },
		ops:   7, divisions: 4, // 4 sums, 3 products
	},
}

// Nests returns the names of the nests.
func Nests() []string {
	var names []string
	for k := range nests {
		names = append(names, nests[k].name)
	}
	return names
}

// chosen returns the nests with the given names, or all nests if there are no names. A
// prefix, such as seidel, stands for several names.
func chosen(names []string) ([]*nest, error) {
	var list []*nest
	for k := range nests {
		n := &nests[k]
		if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(n.name, name) }) {
			list = append(list, n)
		}
	}
	for _, name := range names {
		if name == "" || !slices.ContainsFunc(list, func(n *nest) bool { return strings.HasPrefix(n.name, name) }) {
			return nil, &UsageError{fmt.Sprintf("no nest is called %q; there are %s", name, strings.Join(Nests(), ", "))}
		}
	}
	return list, nil
}
