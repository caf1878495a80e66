package irtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
)

// RandomSmall returns the text of a random .loop file of one to three small nests. Unlike
// the nests of RandomNest, they are odd: subscripts of any dimension may be constant, so
// that a nest touches one row or one cell of an array; written subscripts lack any number
// of loops; statements, lets and nests may be dead code; loops run backward or once; slices
// have any rank, even 0; types are mixed freely. About two in five files are refused,
// because dependences are not uniform or cells are not initialized.
func RandomSmall(rng *rand.Rand) string {
	w := &smallWriter{rng: rng}
	w.idle = w.chance(20)
	if w.chance(4) {
		w.odd = rng.Perm(len(oddNames))
	}
	w.params()
	for w.chance(3) {
		w.consts = append(w.consts, w.named("c"+strconv.Itoa(len(w.consts))))
		w.decls = append(w.decls, "const "+w.consts[len(w.consts)-1]+" = "+one(rng, "2", "0.5", "7", "1.0/3"))
	}
	for k := range 1 + w.index(4) {
		w.arrays = append(w.arrays, w.array(k))
	}
	for k := range one(rng, 1, 1, 1, 2, 2, 3) {
		repeat := w.chance(8)
		if repeat {
			fmt.Fprintf(&w.nests, "repeat %s = %s {\n", w.named("r"+strconv.Itoa(k)+"t"), one(rng, "1..2", "1.."+w.names[0], "2..1", "0..0"))
		}
		w.nest(k, repeat)
		if repeat {
			w.nests.WriteString("}\n")
		}
	}
	if w.chance(7) {
		w.copied(3)
	}
	return w.text()
}

// A smallArray is an array of a smallWriter.
type smallArray struct {
	name   string
	elem   ir.Type
	rank   int
	role   string // in, inout, out, "" or slice
	bounds []string
	// where has, for each dimension, the loop of the current nest's subscripts, or -1 for
	// constants.
	where []int
	fixed []string // the subscripts of constant dimensions
}

// A smallLet is a let of the nest being written.
type smallLet struct {
	name string
	elem ir.Type
}

// oddNames are names that have another meaning in Go or in emitted code.
var oddNames = strings.Fields("range type map go chan len cap string error nil iota append kernel block lo hi at from first width frame lanes rows rest most begins whole nest " +
	"lambda None null not by step to rand zeros array sum np self print " +
	"arith halo sched plan ranks context params fields program main Run Params Arrays Options Box Bind N_ é 語 _a A")

// A smallWriter writes one random file of small nests.
type smallWriter struct {
	rng      *rand.Rand
	names    []string // of parameters
	defaults []int
	arrays   []*smallArray
	decls    []string
	consts   []string
	idle     bool  // no result is returned
	odd      []int // indices into oddNames of the names to use; nil: plain names
	nests    strings.Builder

	loops  []string
	back   []bool
	lets   []smallLet
	inInit []string // index names, inside an init expression
}

func (w *smallWriter) chance(n int) bool { return w.rng.IntN(n) == 0 }

// named returns the plain name or an odd name.
func (w *smallWriter) named(plain string) string {
	if len(w.odd) == 0 {
		return plain
	}
	name := oddNames[w.odd[0]]
	w.odd = w.odd[1:]
	return name
}

// index is a random index below n; small ones are more likely.
func (w *smallWriter) index(n int) int { return min(w.rng.IntN(n), w.rng.IntN(n)) }

func (w *smallWriter) params() {
	for _, name := range []string{"N", "M", "T"}[:one(w.rng, 1, 1, 2, 2, 3)] {
		w.names = append(w.names, w.named(name))
		w.defaults = append(w.defaults, one(w.rng, 1, 2, 3, 4, 5, 6, 7, 9, 12))
	}
}

func (w *smallWriter) elem() ir.Type {
	return anyType(w.rng, ir.Float64)
}

// array declares array k. Most arrays have bounds that include all subscripts.
func (w *smallWriter) array(k int) *smallArray {
	a := &smallArray{name: w.named(string(rune('a' + k))), elem: w.elem(), rank: one(w.rng, 1, 1, 2, 2, 2, 3, 3, 4)}
	a.role = one(w.rng, "in", "inout", "inout", "out", "out", "", "slice", "slice")
	if w.idle {
		a.role = one(w.rng, "in", "", "")
	}
	for range a.rank {
		switch {
		case w.chance(20):
			a.bounds = append(a.bounds, "0.."+one(w.rng, w.names...))
		case w.chance(6):
			a.bounds = append(a.bounds, "-5..9")
		default:
			a.bounds = append(a.bounds, "-5.."+strings.Join(w.names, "+")+"+5")
		}
	}
	role := ""
	if a.role != "slice" && a.role != "" {
		role = " " + a.role
	}
	w.decls = append(w.decls, fmt.Sprintf("array %s[%s] %s%s", a.name, strings.Join(a.bounds, ", "), a.elem, role))
	if w.chance(25) {
		var edges []string
		for range a.rank {
			ends := randomEnds(w.rng, false, false)
			edges = append(edges, one(w.rng, "*", ends[0].String(), ends[0].String(), ends[0].String()+".."+ends[1].String(), "*.."+ends[1].String()))
		}
		w.decls = append(w.decls, "boundary "+a.name+"["+strings.Join(edges, ", ")+"]")
	}
	if a.role == "in" || a.role == "inout" {
		return a
	}
	if !w.chance(20) {
		w.inInit = []string{"x", "y", "z", "q"}[:a.rank]
		w.decls = append(w.decls, fmt.Sprintf("init %s[%s] = %s", a.name, strings.Join(w.inInit, ", "), w.expr(a.elem, 1)))
		w.inInit = nil
	}
	if a.role == "slice" {
		var picks []string
		for range a.rank {
			picks = append(picks, one(w.rng, "*", "1", "0", "2", one(w.rng, w.names...), "-1"))
		}
		if !slices.ContainsFunc(picks, func(p string) bool { return p != "*" }) {
			picks[0] = "1"
		}
		w.decls = append(w.decls, fmt.Sprintf("out %s[%s]", a.name, strings.Join(picks, ", ")))
	}
	return a
}

// nest writes nest k, in a repeat or not.
func (w *smallWriter) nest(k int, repeated bool) {
	depth := one(w.rng, 1, 1, 2, 2, 2, 3, 3, 4)
	w.loops, w.back, w.lets = nil, nil, nil
	var heads []string
	for l := range depth {
		name := w.named([]string{"i", "j", "k", "l"}[l])
		lo, hi := one(w.rng, "0", "1", "1", "2"), one(w.rng, one(w.rng, w.names...), one(w.rng, w.names...), one(w.rng, w.names...)+one(w.rng, "+1", "-1"), "3", "5")
		switch {
		case w.chance(6): // a loop that runs once
			lo = one(w.rng, "1", "2", w.names[0])
			hi = lo
		case l > 0 && w.chance(8):
			lo = one(w.rng, w.loops...)
		case l > 0 && w.chance(10):
			hi = one(w.rng, w.loops...)
		case l > 0 && w.chance(15): // a band
			lo = "max(" + lo + ", " + one(w.rng, w.loops...) + "-" + one(w.rng, "1", w.names[0]) + ")"
			hi = "min(" + hi + ", " + one(w.rng, w.loops...) + "+1)"
		}
		w.loops = append(w.loops, name)
		w.back = append(w.back, w.chance(5))
		if w.back[l] {
			heads = append(heads, fmt.Sprintf("%s = %s..%s step -1", name, hi, lo))
		} else {
			heads = append(heads, fmt.Sprintf("%s = %s..%s", name, lo, hi))
		}
	}
	for _, a := range w.arrays {
		w.place(a)
	}
	var body []string
	for range one(w.rng, 1, 1, 1, 2, 2, 3) {
		for w.chance(3) {
			body = append(body, w.let(len(w.lets)))
		}
		body = append(body, w.assignment())
	}
	if w.chance(4) || repeated && w.chance(2) {
		loop, nest := w.cells(k, heads)
		if nest {
			w.nests.WriteString(loop + "\n")
			return
		}
		body = slices.Insert(body, w.rng.IntN(len(body)+1), loop)
	}
	if w.chance(4) {
		body = append(body, w.let(len(w.lets)))
	}
	if w.chance(5) {
		t := w.elem()
		fmt.Fprintf(&w.nests, "reduce %s = %s(%s(%s))\n", w.named("r"+strconv.Itoa(k)), one(w.rng, "max", "min", "sum"), t, w.expr(t, 1))
	}
	fmt.Fprintf(&w.nests, "for %s {\n", strings.Join(heads, ", "))
	for _, s := range body {
		w.nests.WriteString("\t" + s + "\n")
	}
	w.nests.WriteString("}\n")
}

// cells returns the text of a small loop that writes cells of arrays of its own. If nest is false, the text is a statement for
// the body of nest k; if nest is true, it replaces nest k: all of its loops, with the small loop as one of them.
func (w *smallWriter) cells(k int, heads []string) (loop string, nest bool) {
	t := w.elem()
	c := &cellLoop{rng: w.rng, tag: strconv.Itoa(k), elem: t, loops: w.loops, back: w.back, bounds: "-5.." + strings.Join(w.names, "+") + "+5",
		value: func() string { return w.expr(t, 1) }, condition: w.condition}
	if w.chance(4) {
		c.heads, w.lets = heads, nil
	}
	decls, loop := c.text()
	w.decls = append(w.decls, decls...)
	return loop, c.heads != nil
}

// place chooses the loops of an array's subscripts in this nest.
func (w *smallWriter) place(a *smallArray) {
	a.where, a.fixed = nil, nil
	free := w.rng.Perm(len(w.loops))
	if !w.chance(6) {
		slices.Sort(free)
		if skip := len(free) - a.rank; skip > 0 && !w.chance(5) { // leave out outer loops
			free = free[skip:]
		}
	}
	constants := one(w.rng, 0, 0, 4, 2) // one in so many dimensions is constant; 0: none
	for range a.rank {
		a.fixed = append(a.fixed, one(w.rng, "0", "1", "2", "-1", one(w.rng, w.names...)))
		if len(free) == 0 || constants > 0 && w.chance(constants) {
			a.where = append(a.where, -1)
			continue
		}
		a.where, free = append(a.where, free[0]), free[1:]
	}
}

// let declares a value, sometimes of loop variables only.
func (w *smallWriter) let(k int) string {
	l := smallLet{w.named("v" + strconv.Itoa(k)), w.elem()}
	typed, value := " "+l.elem.String(), ""
	switch {
	case w.chance(5): // of integers only
		l.elem, typed = ir.Int64, one(w.rng, "", " int64")
		value = one(w.rng, w.loops...) + one(w.rng, "/2*2", "*3 - 1", " - 2", " + "+one(w.rng, w.names...), "")
	case len(w.lets) > 0 && w.chance(3): // of another let only
		other := one(w.rng, w.lets...)
		value = w.as(other.name, other.elem, l.elem) + one(w.rng, " + 1", " * 2", "")
	default:
		value = w.expr(l.elem, 2)
	}
	w.lets = append(w.lets, l)
	return "let " + l.name + typed + " = " + value
}

// assignment writes one of the arrays that may be written.
func (w *smallWriter) assignment() string {
	var targets []*smallArray
	for _, a := range w.arrays {
		if a.role != "in" {
			targets = append(targets, a)
		}
	}
	if len(targets) == 0 {
		a := &smallArray{name: "o" + strconv.Itoa(len(w.arrays)), elem: w.elem(), rank: 1 + w.rng.IntN(2), role: one(w.rng, "out", "out", "")}
		var bounds, names []string
		for d := range a.rank {
			bounds, names = append(bounds, "-5.."+strings.Join(w.names, "+")+"+5"), append(names, []string{"x", "y"}[d])
		}
		w.decls = append(w.decls,
			fmt.Sprintf("array %s[%s] %s %s", a.name, strings.Join(bounds, ", "), a.elem, a.role),
			fmt.Sprintf("init %s[%s] = %d", a.name, strings.Join(names, ", "), w.rng.IntN(9)))
		w.place(a)
		w.arrays, targets = append(w.arrays, a), append(targets, a)
	}
	a := one(w.rng, targets...)
	sign := " = "
	if w.chance(8) {
		sign = one(w.rng, " += ", " -= ", " *= ")
	}
	return w.cell(a, false) + sign + w.expr(a.elem, 2)
}

// cell returns the cell of a that the current iteration writes. If shifted, its subscripts may have constants added, up to
// 2 in absolute value.
func (w *smallWriter) cell(a *smallArray, shifted bool) string {
	var subs []string
	for d, l := range a.where {
		if l < 0 {
			subs = append(subs, a.fixed[d])
			continue
		}
		c := 0
		if shifted && !w.chance(3) {
			c = one(w.rng, -1, -1, -1, -2, 1, 2)
			if first := slices.IndexFunc(a.where, func(l int) bool { return l >= 0 }); d == first && c > 0 != w.back[l] {
				c = -c // mostly cells that an earlier iteration wrote
			}
		}
		subs = append(subs, plus(w.loops[l], c))
	}
	return a.name + "[" + strings.Join(subs, ",") + "]"
}
