package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"loopc/ir"
)

// A vectorWriter makes up a nest.
type vectorWriter struct {
	rng  *rand.Rand
	elem ir.Type
	// reads are cells of results that an iteration may read; given are those of
	// given arrays, and constants; many are cells of more rows than there are registers for.
	reads, given, many []string
	down               [3]bool // loops that run backward
}

// vectorNest returns the source of a random nest of what vectorizes.
func vectorNest(rng *rand.Rand) string {
	w := &vectorWriter{rng: rng, elem: []ir.Type{ir.Float32, ir.Float64, ir.Int32}[rng.IntN(3)]}
	w.down = [3]bool{false, rng.IntN(4) == 0, rng.IntN(3) == 0}
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
	if rng.IntN(5) == 0 {
		for k := range 12 + rng.IntN(12) {
			fmt.Fprintf(&b, "array m%d[-3..N+3, -3..M+3] %s in\n", k, e)
			w.many = append(w.many, fmt.Sprintf("m%d[i%+d, j%+d]", k, rng.IntN(3)-1, rng.IntN(3)-1))
		}
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
		w.given = append(w.given, "c[M-j]", "g[N-i, M+1-j]", "g[i-1, j+2]", "c[j-1]", "t", "h[i+1]", "i-j")
	}
	if rng.IntN(2) == 0 { // integers of 64 bits
		of := func(x string) string { return converted(e, x) }
		w.given = append(w.given, of("min(i, j)"), of("(i - j)/3"), of("max(j, 2*i, 7)/-4"), of("abs(i - j)*(j - i)/100"),
			"select((i + j)/2*2 == i + j, 1, 2)", "select(j == M || i == 1, 2, c[j])", "select(abs(i - j) < 3, h[i], 1)")
	}
	switch {
	case narrow && e == ir.Float64:
		w.given = append(w.given, "select(s[j] != 0 && r[i] < s[j+1], c[j], 2)", "select(q[i,j] > 3, 1, 2)", "select(int32(s[j]) - 3*int32(r[i]) > q[i,j], c[j], 3)",
			"float64(int32(s[j]) - int32(r[i]))", "select(abs(int64(q[i,j])) > 100, 1, 3)", "s[j]", "r[i]", "p[j-1]", "q[i,j]", "s[j+1]", "p[j]")
	case narrow:
		w.given = append(w.given, converted(e, "s[j] + r[i]"), converted(e, "s[j]*r[i] - s[j+1]"), "select(s[j]*3 > 200, 1, c[j])", converted(e, "max(s[j], r[i])/3"), "select(s[j] == r[i], 4, c[j])", "s[j]", "r[i]", "select(s[j] < s[j+1], h[i], 3)")
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
			w.reads = append(w.reads, w.cellOf(name, d))
		}
		if carried {
			w.reads = append(w.reads, w.cellOf(name, [3]int{0, 0, 1 + rng.IntN(4)/3}))
		}
	}
	loops := []string{"t = 1..T", "i = 1..N", "j = 1..M"}
	for k, down := range w.down {
		if down {
			loops[k] = []string{"", "i = N..1 step -1", "j = M..1 step -1"}[k]
		}
	}
	fmt.Fprintf(&b, "for %s {\n", strings.Join(loops, ", "))
	if rng.IntN(2) == 0 {
		fmt.Fprintf(&b, "\tlet x = %s\n", w.tree(2))
		w.given = append(w.given, "x", "x")
	}
	if fn := []string{"min", "max"}[rng.IntN(2)]; rng.IntN(3) == 0 {
		fmt.Fprintf(&b, "\tlet b0 = %s(%s, %s)\n", fn, w.tree(1), w.leaf())
		for k := range 2 + rng.IntN(3) {
			fmt.Fprintf(&b, "\tlet b%d = %s(b%d, %s)\n", k+1, fn, k, []string{w.tree(1), w.leaf(), "0"}[rng.IntN(3)])
			w.given = append(w.given[:len(w.given):len(w.given)], fmt.Sprintf("b%d", k+1))
		}
	}
	fmt.Fprintf(&b, "\tu[t,i,j] = %s\n", strings.Join(append(w.many, w.root()), []string{" + ", " - "}[rng.IntN(2)]))
	if second {
		w.given = append(w.given, "u[t,i,j]")
		fmt.Fprintf(&b, "\tv[t,i,j] = %s\n", w.root())
	}
	b.WriteString("}\n")
	return b.String()
}

// reducedCells are the values that random nests reduce: computed from the results, and from the
// values that these replace. Lanes outside of the space have zeros, or results of other iterations.
var reducedCells = []string{"u[t,i,j]", "-1 - abs(u[t,i,j])", "1 + abs(u[t,i,j])", "u[t,i,j] - u[t-1,i,j]", "g[i,j] - u[t,i,j]"}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// converted is an expression in the type of results.
func converted(e ir.Type, x string) string { return fmt.Sprintf("%s(%s)", e, x) }

// cellOf is the cell of an array at a distance before the iteration, in steps of the loops.
func (w *vectorWriter) cellOf(name string, d [3]int) string {
	at := func(loop string, d int) string {
		if w.down[strings.Index("tij", loop)] {
			d = -d
		}
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
	case k == 3 && !float:
		return fmt.Sprintf("%s / %d", parens(x), []int{2, 3, -7, 16, 1000, -2147483647, 1, -1}[w.rng.IntN(8)])
	case k == 3 && float:
		return fmt.Sprintf("%s / %s", parens(x), parens(y))
	case k == 4:
		return fmt.Sprintf("min(%s, %s%s)", x, y, []string{"", ", 0", ", 0.5*N"}[w.rng.IntN(2+btoi(float))])
	case k == 5:
		return fmt.Sprintf("max(%s, %s, 0)", x, y)
	case k == 6:
		return fmt.Sprintf("abs(%s)", x)
	case k == 7 && float:
		return fmt.Sprintf("sqrt(%s)", x)
	case k == 8:
		return fmt.Sprintf("-%s", parens(x))
	case k == 9 && float:
		return fmt.Sprintf([]string{"floor(%s)", "ceil(%s)", "round(%s)", "trunc(%s)", "pow(%s, 2)"}[w.rng.IntN(5)], x)
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
