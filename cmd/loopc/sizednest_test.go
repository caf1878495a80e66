package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"loopc/ir"
)

// A sizedWriter makes up a nest with values of several sizes, or of one byte.
type sizedWriter struct {
	rng     *rand.Rand
	types   []ir.Type // those of the nest, the widest last
	carried bool      // iterations read results of the same statement in the same row
	down    bool      // along the row
	single  bool      // no reductions, and few high trees
	leaves  map[ir.Type][]string
}

// sizedNest returns the source of a random nest in which no iteration depends on another of its row.
func sizedNest(rng *rand.Rand) string {
	types := []ir.Type{ir.Uint8, ir.Int32, ir.Float32, ir.Float64}
	switch rng.IntN(6) {
	case 0:
		types = types[:1]
	case 1:
		types = types[:3]
	case 2:
		types = []ir.Type{ir.Uint8, ir.Float32}
	}
	return (&sizedWriter{rng: rng, types: types}).nest()
}

// narrowNest returns the source of a random nest of more levels than a vector has lanes, in which each
// iteration depends on the iteration before it in its row. Some results are narrower than lanes.
func narrowNest(rng *rand.Rand) string {
	all := []ir.Type{ir.Uint8, ir.Int8, ir.Uint16, ir.Int16}
	types := []ir.Type{all[rng.IntN(4)]}
	if other := all[rng.IntN(4)]; other != types[0] {
		types = append(types, other)
	}
	types = append(types, [][]ir.Type{nil, {ir.Int32}, {ir.Float32}, {ir.Int32, ir.Float32}}[rng.IntN(4)]...)
	return sizedAs((&sizedWriter{rng: rng, types: types, carried: true}).nest(), 14+rng.IntN(40), 1+rng.IntN(6), 1+rng.IntN(200))
}

// nest returns the source of a random nest.
func (w *sizedWriter) nest() string {
	rng := w.rng
	w.leaves = map[ir.Type][]string{}
	n, m := 1+rng.IntN(20), 1+rng.IntN(300)
	if rng.IntN(3) == 0 {
		n, m = 20+rng.IntN(20), 1+rng.IntN(70)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "param T, N, M = 3, %d, %d\n", n, m)
	for k, t := range w.types {
		fmt.Fprintf(&b, "array g%d[-3..N+3, -3..M+3] %s in\narray c%d[-3..M+3] %s in\narray h%d[-3..N+3] %s in\n", k, t, k, t, k, t)
		w.leaves[t] = append(w.leaves[t], fmt.Sprintf("g%d[i,j]", k), fmt.Sprintf("g%d[i%+d,j%+d]", k, rng.IntN(3)-1, rng.IntN(7)-3), fmt.Sprintf("c%d[j]", k),
			fmt.Sprintf("c%d[j+1]", k), fmt.Sprintf("h%d[i]", k))
		if rng.IntN(3) == 0 {
			w.leaves[t] = append(w.leaves[t], fmt.Sprintf("g%d[i,M-j]", k), fmt.Sprintf("c%d[M+1-j]", k))
		}
		if rng.IntN(3) == 0 {
			fmt.Fprintf(&b, "array d%d[0..M+1, 0..3*(N+M)] %s in\n", k, t)
			w.leaves[t] = append(w.leaves[t], fmt.Sprintf("d%d[1,3*j+%d]", k, rng.IntN(3)), fmt.Sprintf("d%d[j,i]", k), fmt.Sprintf("d%d[M-j,i+2*j]", k))
		}
		if rng.IntN(3) == 0 {
			c := 1 + rng.IntN(4)
			fmt.Fprintf(&b, "array p%d[-3..N+3, -3..M+3, 0..%d] %s in\n", k, c, t)
			w.leaves[t] = append(w.leaves[t], fmt.Sprintf("p%d[i,j,%d]", k, rng.IntN(c+1)), fmt.Sprintf("p%d[i-1,j%+d,%d]", k, rng.IntN(7)-3, rng.IntN(c+1)),
				fmt.Sprintf("p%d[i,M-j,%d]", k, rng.IntN(c+1)), fmt.Sprintf("p%d[i,j,0]", k))
		}
		if t != ir.Uint8 && rng.IntN(2) == 0 {
			w.leaves[t] = append(w.leaves[t], converted(t, "j"), converted(t, "i - 2*j"), converted(t, "N"))
		}
	}
	w.down = rng.IntN(3) == 0
	results := w.results(&b)
	loop := "j = 1..M"
	if w.down {
		loop = "j = M..1 step -1"
	}
	fmt.Fprintf(&b, "for t = 1..T, i = 1..N, %s {\n", loop)
	for k := range rng.IntN(3) {
		t := w.one()
		fmt.Fprintf(&b, "\tlet x%d %s = %s\n", k, t, w.tree(t, 2))
		w.leaves[t] = append(w.leaves[t], fmt.Sprintf("x%d", k), fmt.Sprintf("x%d", k))
	}
	for k, t := range results {
		fmt.Fprintf(&b, "\tu%d[t,i,j] = %s\n", k, w.root(k, t))
		w.leaves[t] = append(w.leaves[t], fmt.Sprintf("u%d[t,i,j]", k), earlier(k, w.down, 1+rng.IntN(3)), earlier(k, w.down, 1))
	}
	b.WriteString("}\n")
	return b.String()
}

// results declares one to three arrays of results, which start from given ones, and at times
// reductions of the widest.
func (w *sizedWriter) results(b *strings.Builder) (types []ir.Type) {
	widest := ir.Bool
	for k := range 1 + w.rng.IntN(3) {
		t := w.one()
		if len(w.types) == 1 || k == 0 && w.rng.IntN(2) == 0 {
			t = w.types[len(w.types)-1]
		}
		types = append(types, t)
		fmt.Fprintf(b, "array u%d[0..T, -3..N+3, -3..M+3] %s out\ninit u%d[t, i, j] = g%d[i, j]\n", k, t, k, w.index(t))
		for range 3 {
			w.leaves[t] = append(w.leaves[t], w.before(k))
		}
		for range 3 * btoi(w.carried) {
			w.leaves[t] = append(w.leaves[t], earlier(k, w.down, 1+w.rng.IntN(2)))
		}
		if t.Size() > widest.Size() {
			widest = t
		}
	}
	for k, t := range types {
		if t == widest && !w.single && w.rng.IntN(2) == 0 && (t.Size() >= 4 || !w.carried) {
			fmt.Fprintf(b, "reduce most%d = max(u%d[t,i,j])\nreduce least%d = min(u%d[t,i,j])\n", k, k, k, k)
		}
	}
	return types
}

// earlier is a cell of result k that an earlier iteration of the row computes.
func earlier(k int, down bool, steps int) string {
	if down {
		return fmt.Sprintf("u%d[t,i,j+%d]", k, steps)
	}
	return fmt.Sprintf("u%d[t,i,j-%d]", k, steps)
}

// before is a cell of result k at the level before.
func (w *sizedWriter) before(k int) string {
	return fmt.Sprintf("u%d[t-1,i%s,j%s]", k, []string{"", "-1", "+1"}[w.rng.IntN(3)], []string{"", "-1", "+1", "-2"}[w.rng.IntN(4)])
}

func (w *sizedWriter) index(t ir.Type) int {
	for k, x := range w.types {
		if x == t {
			return k
		}
	}
	return 0
}

func (w *sizedWriter) one() ir.Type { return w.types[w.rng.IntN(len(w.types))] }

// root is an expression of type t that reads result k, such that few values spread everywhere. Some
// need more registers than there are.
func (w *sizedWriter) root(k int, t ir.Type) string {
	height := 3
	if w.rng.IntN(10) == 0 && (!w.single || w.rng.IntN(8) == 0) {
		height = 8
	}
	if t.Float() {
		return fmt.Sprintf("0.5*%s + %s", w.before(k), w.tree(t, height))
	}
	return fmt.Sprintf("%s + %s", w.before(k), w.tree(t, height))
}

func (w *sizedWriter) leaf(t ir.Type) string {
	all := w.leaves[t]
	return all[w.rng.IntN(len(all))]
}

// tree is a random expression of type t of at most the given height.
func (w *sizedWriter) tree(t ir.Type, height int) string {
	if height == 0 {
		return w.leaf(t)
	}
	x := func() string { return w.tree(t, w.rng.IntN(height)) }
	number := func() string { // an operand: in one of three cases a number
		if w.rng.IntN(3) > 0 {
			return x()
		}
		return fmt.Sprint(w.rng.IntN(100))
	}
	switch k := w.rng.IntN(18); {
	case k < 4 && len(w.types) > 1: // of another type
		other := w.one()
		for other == t {
			other = w.one()
		}
		return converted(t, w.tree(other, height-1))
	case k < 5:
		return fmt.Sprintf("(%s + %s)", x(), number())
	case k < 6:
		return fmt.Sprintf("(%s - %s)", number(), x())
	case k < 7:
		return fmt.Sprintf("%s * %s", parens(number()), parens(x()))
	case k < 8 && !t.Float():
		return fmt.Sprintf("%s / %s", parens(x()), w.divisor(t))
	case k < 8:
		return fmt.Sprintf("%s / %s", parens(x()), []string{"3", "10", parens(x())}[w.rng.IntN(3)])
	case k < 9:
		return fmt.Sprintf("min(%s, %s)", number(), x())
	case k < 10:
		return fmt.Sprintf("max(%s, %s)", x(), number())
	case k < 11:
		return fmt.Sprintf("abs(%s)", x())
	case k < 13 && !t.Float():
		bits := w.rng.IntN(8 * t.Size())
		return fmt.Sprintf([]string{"(%s >> %d)", "(%s << %d)", "(%s & %d)"}[w.rng.IntN(3)], parens(x()), bits)
	case k < 14 && !t.Float():
		return fmt.Sprintf("%s %% %s", parens(x()), w.divisor(t))
	case k < 12 && t.Float():
		return fmt.Sprintf("%s(%s)", []string{"sqrt", "floor", "ceil", "round", "trunc"}[w.rng.IntN(5)], x())
	case k < 12:
		return fmt.Sprintf("-%s", parens(x()))
	}
	return fmt.Sprintf("select(%s, %s, %s)", w.condition(height-1), x(), number())
}

// divisor is a constant other than 0 of a type of integers.
func (w *sizedWriter) divisor(t ir.Type) string {
	by := []int{1, 2, 3, 7, 10, 16, 100, 127}[w.rng.IntN(8)]
	if most := int(min(t.Cell().Hi, 1<<30)); w.rng.IntN(3) == 0 {
		by = 1 + w.rng.IntN(most)>>w.rng.IntN(16)
	}
	if t.Cell().Lo < 0 && w.rng.IntN(4) == 0 {
		return fmt.Sprintf("(-%d)", by)
	}
	return fmt.Sprint(by)
}

// condition is a random condition on values of any types.
func (w *sizedWriter) condition(height int) string {
	t := w.one()
	c := fmt.Sprintf("%s %s %s", w.tree(t, height), (&vectorWriter{rng: w.rng}).comparison(), w.leaf(t))
	switch w.rng.IntN(4) {
	case 0:
		return fmt.Sprintf("%s && %s", c, w.condition(0))
	case 1:
		return fmt.Sprintf("!(%s) || %s", c, w.condition(0))
	}
	return c
}
