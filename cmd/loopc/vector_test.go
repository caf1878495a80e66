package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/ir"
	"loopc/ir/eval"
	"loopc/ir/irtest"
	"loopc/runtime/simd"
	"loopc/transform"
	"loopc/transform/plan"
)

// TestVectorNests compares vector kernels with the interpreter, bit for bit, on
// random nests that have them: every operator, type and scheme, rows that are
// longer than several vectors and shorter than one, and inputs with NaN,
// infinities, signed zeros and denormals.
func TestVectorNests(t *testing.T) {
	seed, count := vectorCases.begin(t), *vectorCases.count
	schemes, kernels, ran := map[string]int{}, map[string]int{}, 0
	for done, batch := 0, uint64(0); done < count; batch++ {
		rng := rand.New(rand.NewPCG(seed, batch))
		var nests []builtNest
		for n := min(40, count-done); len(nests) < n; {
			src := vectorNest(rng)
			if len(nests) < len(vectorNests) {
				src = vectorNests[len(nests)]
			}
			b, ok := buildNestOn(t, fmt.Sprintf("vector%03d", len(nests)), src, rng, 0, transform.Lower, specialInputs)
			if len(nests) < len(vectorNests) && (!ok || len(b.code) == 1) {
				t.Fatalf("there is no vector kernel for\n%s", src)
			}
			if !ok || len(b.code) == 1 {
				continue
			}
			schemes[schemeOf(string(b.code[1].Text))]++
			for range 6 {
				o := plan.Options{Ranks: 1 + rng.IntN(3)/2, CPUs: 1}
				if rng.IntN(3) == 0 {
					o.CPUs = 2
				}
				b.job.Plans = append(b.job.Plans, []plan.Options{o})
			}
			nests = append(nests, b)
		}
		done += len(nests)
		for _, r := range runNests(t, nests) {
			ran += r.Ran
			for name, plans := range r.Kernels {
				kernels[name] += plans
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("schemes %v, kernels %v", schemes, kernels)
	if schemes["wavefront"] < count/4 || schemes["contiguous"] < count/8 {
		t.Errorf("the schemes were %v; the test proves little", schemes)
	}
	if simd.AVX2() && kernels["avx2"] < ran/4 || simd.AVX512() && kernels["avx512"] < ran/4 {
		t.Errorf("the kernels of %d runs were %v; the test proves little", ran, kernels)
	}
}

// specialInputs are random inputs, in two of three nests with a few special values
// among them, or many.
func specialInputs(rng *rand.Rand, n *ir.Nest, params []int) map[string]*eval.Array {
	in := irtest.RandomInputs(rng, n, params)
	share := []int{0, 300, 6}[rng.IntN(3)]
	if slices.Contains(n.Source, "// close calls") {
		for _, name := range slices.Sorted(maps.Keys(in)) {
			closeCalls(rng, in[name])
		}
		share = 300
	}
	if slices.Contains(n.Source, "// special") {
		share = 6
	}
	if share == 0 {
		return in
	}
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-45, -1e-45, math.MaxFloat32, -math.MaxFloat64, 1, -1}
	anyBits := slices.Contains(n.Source, "// any bits")
	for _, name := range slices.Sorted(maps.Keys(in)) {
		a := in[name]
		for x := range a.F32 {
			if rng.IntN(share) == 0 {
				a.F32[x] = float32(special[rng.IntN(len(special))])
			} else if anyBits {
				a.F32[x] = math.Float32frombits(rng.Uint32() &^ []uint32{0, 0x7c000000}[rng.IntN(2)]) // or about the least normal number
			}
		}
		for x := range a.F64 {
			if rng.IntN(share) == 0 {
				a.F64[x] = special[rng.IntN(len(special))]
			} else if anyBits {
				a.F64[x] = math.Float64frombits(rng.Uint64() &^ []uint64{0, 0x7f80000000000000}[rng.IntN(2)])
			}
		}
		for x := range a.I32 {
			if rng.IntN(share) == 0 {
				a.I32[x] = []int32{0, -1, 1, math.MinInt32, math.MaxInt32}[rng.IntN(5)]
			}
		}
	}
	return in
}

// closeCalls fills an array with numbers whose significands are near all ones, near a
// power of two or anything, mostly about 1, some of them anywhere.
func closeCalls(rng *rand.Rand, a *eval.Array) {
	number := func(digits, exponents int) uint64 {
		mask := uint64(1)<<digits - 1
		significand := []uint64{mask - rng.Uint64N(4), rng.Uint64N(4), rng.Uint64(), rng.Uint64()}[rng.IntN(4)] & mask
		exponent := uint64(1)<<(exponents-1) - 20 + rng.Uint64N(40)
		if rng.IntN(60) == 0 {
			exponent = rng.Uint64N(1 << exponents)
		}
		return (rng.Uint64N(2)<<exponents|exponent)<<digits | significand
	}
	for x := range a.F32 {
		a.F32[x] = math.Float32frombits(uint32(number(23, 8)))
	}
	for x := range a.F64 {
		a.F64[x] = math.Float64frombits(number(52, 11))
	}
}

// vectorNests are nests that random ones are seldom like: conversions of floats
// that are NaN or too large, a minimum and a maximum that are not spread, divisions by
// constants of whatever there is, and by numbers that are divisors twice, rows that are read at many neighbors, and statements that
// read what those above them have computed further back in the row.
//
// The first has few planes, whose rows at one place are computed together, among them given
// ones.
var vectorNests = []string{
	`// special
param T, N, M, K = 6, 5, 19, 41
array h[0..N+1, 0..M+1, 0..K+1] float64 in
array u[0..T, 0..N+1, 0..M+1, 0..K+1] float64 out
init u[t, i, j, k] = h[i,j,k]
for t = 1..T, i = 1..N, j = 1..M, k = 1..K { u[t,i,j,k] = u[t-1,i-1,j,k] - u[t-1,i+1,j,k]*h[i,j-1,k] + (u[t-1,i,j-1,k] - u[t-1,i,j+1,k]) + u[t-1,i,j,k-1]*u[t-1,i,j,k+1] }`,
	`// special
param T, N, M = 7, 37, 101
array g[0..N, 0..M+3] float32 in
array u[0..T, 0..N, 0..M+1] float32 out
init u[t, i, j] = g[i,j]
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = u[t-1,i,j-1] + (u[t-1,i,j] - u[t-1,i,j+1])*g[i,j+2] + g[i,j+3]*g[i-1,j] - g[i,j] }`,
	`// special
param T, N, M = 2, 37, 101
array g[0..N, 0..M] float32 in
array u[0..T, 0..N, 0..M] int32 out
init u[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = int32(1.5e10 * g[i,j]) + 0*u[t-1,i,j-1] }`,
	`// special
param T, N, M = 2, 37, 101
array g[0..N, 0..M] float64 in
array u[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = select(u[t,i,j-1] == u[t,i-1,j] && u[t-1,i,j] > 9, u[t-1,i,j], max(min(g[i,j], g[i-1,j]), min(g[i,j], g[i,j-1]), g[i-1,j-1])) }`,
	`param T, N, M = 11, 37, 101
array ex[0..N, 0..M] float64 inout
array ey[0..N, 0..M] float64 inout
array hz[0..N, 0..M] float64 inout
for t = 1..T, i = 1..N, j = 1..M {
	ey[i,j] = ey[i,j] - 0.5*(hz[i,j] - hz[i-1,j])
	ex[i,j] = ex[i,j] - 0.5*(hz[i,j] - hz[i,j-1])
	hz[i-1,j-1] = hz[i-1,j-1] - 0.7*(ex[i-1,j] - ex[i-1,j-1] + ey[i,j-1] - ey[i-1,j-1])
}`,
	`// special
// any bits
param T, N, M = 2, 37, 101
array g[0..N, 0..M] float64 in
array u[0..T, 0..N, 0..M] float64 out
array v[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = 0
init v[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M {
	u[t,i,j] = select(u[t-1,i,j] == 7, 1, g[i,j]/9)
	v[t,i,j] = select(v[t-1,i,j] == 7, 1, g[i-1,j]/-6)
}`,
	`// special
// any bits
param T, N, M = 11, 37, 101
array g[0..N, 0..M] float64 in
array u[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = select(u[t,i,j-1] == u[t,i-1,j] && u[t-1,i,j] > 9, u[t-1,i,j], select(u[t-1,i,j] < 3, g[i,j]/9, select(u[t-1,i,j] < 1000, g[i-1,j]/10, g[i,j-1]/-16))) }`,
	`// special
// any bits
param T, N, M = 2, 37, 101
array g[0..N, 0..M] float32 in
array u[0..T, 0..N, 0..M] float32 out
array v[0..T, 0..N, 0..M] float32 out
init u[t, i, j] = 0
init v[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M {
	u[t,i,j] = select(u[t-1,i,j] == 7, 1, g[i,j]/9)
	v[t,i,j] = select(v[t-1,i,j] == 7, 1, g[i-1,j]/-6)
}`,
	`// special
// any bits
param T, N, M = 11, 37, 101
array g[0..N, 0..M] float32 in
array u[0..T, 0..N, 0..M] float32 out
init u[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M { u[t,i,j] = select(u[t,i,j-1] == u[t,i-1,j] && u[t-1,i,j] > 9, u[t-1,i,j], select(u[t-1,i,j] < 3, g[i,j]/9, select(u[t-1,i,j] < 1000, g[i-1,j]/10, g[i,j-1]/-16))) }`,
	`// close calls
param T, N, M = 2, 67, 203
array g[0..N, 0..M] float32 in
array h[0..N, 0..M] float32 in
array b[0..N, 0..M] float32 in
array u[0..T, 0..N, 0..M] float32 out
array v[0..T, 0..N, 0..M] float32 out
init u[t, i, j] = 0
init v[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M {
	u[t,i,j] = select(u[t-1,i,j] == 7, 1, g[i,j]/b[i,j-1])
	v[t,i,j] = select(v[t-1,i,j] == 7, 1, h[i-1,j]/b[i,j-1])
}`,
	`// close calls
param T, N, M = 2, 67, 203
array g[0..N, 0..M] float64 in
array h[0..N, 0..M] float64 in
array b[0..N, 0..M] float64 in
array u[0..T, 0..N, 0..M] float64 out
array v[0..T, 0..N, 0..M] float64 out
init u[t, i, j] = 0
init v[t, i, j] = 0
for t = 1..T, i = 1..N, j = 1..M {
	u[t,i,j] = select(u[t-1,i,j] == 7, 1, g[i,j]/b[i,j-1])
	v[t,i,j] = select(v[t-1,i,j] == 7, 1, h[i-1,j]/b[i,j-1])
}`,
	`param T, N, M = 11, 9, 75
array u[0..N, -3..M] float32 inout
array w[0..N, 0..M] float32 inout
for t = 1..T, i = 1..N, j = 0..M-1 {
	u[i,j] = 0.5*u[i,j] + 0.25*u[i-1,j]
	w[i,j] = 0.5*w[i,j] + 0.25*u[i,j-3] - 0.125*u[i,j-2] + 0.25*w[i-1,j+1] + 0.125*u[i,j+1]
}`,
}

// schemeOf tells what kernels an emitted file calls.
func schemeOf(code string) string {
	if strings.Contains(code, "tile.rest(") {
		return "wavefront"
	}
	return "contiguous"
}

// A vectorWriter makes up a nest.
type vectorWriter struct {
	rng  *rand.Rand
	elem ir.Type
	// reads are cells of results that an iteration may read; given are those of
	// given arrays, and constants.
	reads, given []string
}

// vectorNest returns the source of a random nest of what vectorizes.
func vectorNest(rng *rand.Rand) string {
	w := &vectorWriter{rng: rng, elem: []ir.Type{ir.Float32, ir.Float64, ir.Int32}[rng.IntN(3)]}
	sizes := []int{3, 1 + rng.IntN(75), 1 + rng.IntN(200)}
	if rng.IntN(3) == 0 {
		sizes = []int{3, 35 + rng.IntN(40), 100 + rng.IntN(100)}
	}
	e := w.elem
	var b strings.Builder
	fmt.Fprintf(&b, "param T, N, M = %d, %d, %d\n", sizes[0], sizes[1], sizes[2])
	fmt.Fprintf(&b, "const w = 0.3\n")
	fmt.Fprintf(&b, "array g[-3..N+3, -3..M+3] %s in\narray h[-3..N+3] %s in\narray c[-3..M+3] %s in\n", e, e, e)
	// Narrower arrays, which only rows without carried dependences may read.
	narrow := rng.IntN(4) == 0
	if narrow {
		b.WriteString("array s[-3..M+3] uint8 in\narray r[-3..N+3] uint8 in\narray p[-3..M+3] float32 in\narray q[-3..N+3, -3..M+3] int32 in\n")
	}
	second := rng.IntN(2) == 0
	for _, name := range []string{"u", "v"}[:1+btoi(second)] {
		fmt.Fprintf(&b, "array %s[0..T, -3..N+3, -3..M+3] %s%s\ninit %s[t, i, j] = g[i, j]\n", name, e, []string{" out", ""}[btoi(name == "u")*rng.IntN(2)], name)
	}
	if strings.Contains(b.String(), "M+3] "+e.String()+"\ninit u") {
		b.WriteString("out u[T, *, *]\n")
	}
	if rng.IntN(2) == 0 {
		fmt.Fprintf(&b, "reduce most = max(%s)\nreduce least = min(%s)\n", reducedCells[rng.IntN(len(reducedCells))], reducedCells[rng.IntN(len(reducedCells))])
	}
	w.given = []string{"g[i, j]", "h[i]", "c[j]", "2", "3", "N", "j", "i"}
	if rng.IntN(2) == 0 {
		w.given = append(w.given, "g[i-1, j+2]", "c[j-1]", "t", "h[i+1]", "i-j")
	}
	switch {
	case narrow && e == ir.Float64:
		w.given = append(w.given, "s[j]", "r[i]", "p[j-1]", "q[i,j]", "s[j+1]", "p[j]")
	case narrow:
		w.given = append(w.given, "select(s[j] == r[i], 4, c[j])", "s[j]", "r[i]", "select(s[j] < s[j+1], h[i], 3)")
	}
	// Rows carry a dependence, or do not.
	back := [][3]int{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}, {1, 0, -1}, {1, -1, 0}, {1, 1, 1}, {1, -1, -1}, {1, 0, 2}}
	if rng.IntN(4) > 0 {
		back = append(back, [3]int{0, 1, 0}, [3]int{0, 1, 0}, [3]int{0, 1, 1}, [3]int{0, 2, 0}, [3]int{0, 1, 2})
		if rng.IntN(8) == 0 {
			back = append(back, [3]int{0, 1, -1})
		}
	}
	carried := !narrow && rng.IntN(3) > 0
	for _, name := range []string{"u", "v"}[:1+btoi(second)] {
		for range 1 + rng.IntN(3) {
			d := back[rng.IntN(len(back))]
			w.reads = append(w.reads, cellOf(name, d))
		}
		if carried {
			w.reads = append(w.reads, cellOf(name, [3]int{0, 0, 1 + rng.IntN(4)/3}))
		}
	}
	b.WriteString("for t = 1..T, i = 1..N, j = 1..M {\n")
	if rng.IntN(2) == 0 {
		fmt.Fprintf(&b, "\tlet x = %s\n", w.tree(2))
		w.given = append(w.given, "x", "x")
	}
	fmt.Fprintf(&b, "\tu[t,i,j] = %s\n", w.root())
	if second {
		w.given = append(w.given, "u[t,i,j]")
		fmt.Fprintf(&b, "\tv[t,i,j] = %s\n", w.root())
	}
	b.WriteString("}\n")
	return b.String()
}

// reducedCells are what random nests reduce: of what they compute, and of what that replaces.
// Where lanes are outside of the space, there are zeros, or what other iterations computed.
var reducedCells = []string{"u[t,i,j]", "-1 - abs(u[t,i,j])", "1 + abs(u[t,i,j])", "u[t,i,j] - u[t-1,i,j]", "g[i,j] - u[t,i,j]"}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// cellOf is the cell of an array at a distance before the iteration.
func cellOf(name string, d [3]int) string {
	at := func(loop string, d int) string {
		switch {
		case d > 0:
			return fmt.Sprintf("%s-%d", loop, d)
		case d < 0:
			return fmt.Sprintf("%s+%d", loop, -d)
		}
		return loop
	}
	return fmt.Sprintf("%s[%s,%s,%s]", name, at("t", d[0]), at("i", d[1]), at("j", d[2]))
}

// root is an expression with all reads, such that values stay in a range if the
// inputs do: a NaN that spreads hides everything behind it.
func (w *vectorWriter) root() string {
	var terms []string
	for _, r := range w.reads {
		if w.elem == ir.Int32 {
			terms = append(terms, r)
		} else {
			terms = append(terms, fmt.Sprintf("%.2f*%s", (0.2+0.7*w.rng.Float64())/float64(len(w.reads)), r))
		}
	}
	w.rng.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	linear := strings.Join(terms, " + ")
	switch w.rng.IntN(4) {
	case 0:
		return linear
	case 1:
		return fmt.Sprintf("%s + %s", linear, w.tree(2))
	case 2:
		return fmt.Sprintf("max(-100, min(100, %s, %s))", w.tree(2), linear)
	}
	return fmt.Sprintf("select(%s < %s, %s, %s)", w.leaf(), w.tree(2), linear, w.tree(3))
}

func (w *vectorWriter) leaf() string {
	if w.rng.IntN(2) == 0 {
		return w.reads[w.rng.IntN(len(w.reads))]
	}
	return w.given[w.rng.IntN(len(w.given))]
}

// tree is a random expression of at most the given height.
func (w *vectorWriter) tree(height int) string {
	if height == 0 {
		return w.leaf()
	}
	x, y := w.tree(height-1), w.tree(w.rng.IntN(height))
	float := w.elem != ir.Int32
	switch k := w.rng.IntN(14); {
	case k == 12 && w.elem == ir.Float32:
		return fmt.Sprintf("float32(int32(%s * 1e7))", parens(x))
	case k == 12 && w.elem == ir.Int32:
		return fmt.Sprintf("int32(float32(%s) * 1.5)", x)
	case k == 0:
		return fmt.Sprintf("(%s + %s)", x, y)
	case k == 1:
		return fmt.Sprintf("(%s - %s)", x, y)
	case k == 2:
		return fmt.Sprintf("%s * %s", parens(x), parens(y))
	case k == 3 && float:
		return fmt.Sprintf("%s / %s", parens(x), parens(y))
	case k == 4:
		return fmt.Sprintf("min(%s, %s)", x, y)
	case k == 5:
		return fmt.Sprintf("max(%s, %s, 0)", x, y)
	case k == 6:
		return fmt.Sprintf("abs(%s)", x)
	case k == 7 && float:
		return fmt.Sprintf("sqrt(%s)", x)
	case k == 8:
		return fmt.Sprintf("-%s", parens(x))
	case k == 9 && float:
		return fmt.Sprintf("floor(%s)", x)
	case k == 10:
		return fmt.Sprintf("select(%s %s %s, %s, %s)", x, w.comparison(), y, w.leaf(), w.leaf())
	case k == 11:
		return fmt.Sprintf("select(%s %s %s && !(%s %s 1) || %s > %s, %s, %s)", w.leaf(), w.comparison(), y, w.leaf(), w.comparison(), w.leaf(), w.reads[0], x, w.leaf())
	}
	return fmt.Sprintf("max(%s, %s)", x, y)
}

func parens(s string) string { return "(" + s + ")" }

func (w *vectorWriter) comparison() string {
	return []string{"<", "<=", ">", ">=", "==", "!="}[w.rng.IntN(6)]
}
