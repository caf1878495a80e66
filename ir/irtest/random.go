package irtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/runtime/boundary"
)

// RandomNest returns the text of a random .loop file: depth 1 to 4, arrays with a dimension
// for every loop and arrays updated in place, loops that run backward, distances with
// negative components, sums over a loop, boxes, triangles, trapezoids and bands, one to three written arrays
// of mixed types, one to four statements, lets and selects, init, in, inout, out and out
// slices, boundaries, tables, functions written in Go, reductions, schedules. With the default
// parameters it has at most a few thousand iterations. Half of the nests are plain: every
// operation has vector instructions.
//
// Most nests are valid, with uniform dependences; a few in a hundred are not, because only the
// analysis itself could tell. Values depend on every operand and stay finite: floats are scaled
// down at every iteration, integers wrap.
func RandomNest(rng *rand.Rand) string {
	w := &nestWriter{rng: rng, externs: map[string]bool{}}
	w.plain = w.chance(2)
	w.params(one(rng, depths(w.plain)...))
	w.sums = len(w.nest) > 1 && w.rng.IntN(8) < 2
	w.loops()
	w.arrays()
	w.body()
	if !w.plain && w.chance(4) {
		w.reductions(1 + rng.IntN(2))
	}
	return w.text()
}

// depths are the numbers of loops to choose from.
func depths(plain bool) []int {
	if plain {
		return []int{2, 2, 3, 3, 3, 4}
	}
	return []int{1, 2, 2, 2, 2, 3, 3, 3, 4, 4}
}

// A randomArray is an array of the nest being written.
type randomArray struct {
	name  string
	elem  ir.Type
	loops []int // the loop of each dimension; -1 - k: number k of the repeats around the nest
	role  string
	// least and most are the smallest and the largest constant of the subscripts so far,
	// per dimension.
	least, most []int
	// ends are the two kinds of boundary of each dimension, nil without any. Subscripts
	// that reach beyond a boundary do not widen the bounds.
	ends []boundary.Ends
	// flat: no subscript may have a constant, so that every cell of the array is written.
	flat bool
}

// A randomLoop is a loop of the nest being written. lo and hi bound it for all values of
// the outer loops.
type randomLoop struct {
	name   string
	bounds string
	lo     int
	hi     string // a parameter, or a sum that starts with one
	box    bool   // the bounds do not use outer loops
	// backward: from the upper bound down to the lower bound, in steps of -1.
	backward bool
}

// A nestWriter writes one random nest.
type nestWriter struct {
	rng        *rand.Rand
	paramNames []string
	defaults   []int
	nest       []randomLoop
	written    []*randomArray
	given      []*randomArray // in arrays
	tables     []*randomTable // in arrays whose cells are looked up
	statements []string
	lets       []string
	decls      []string
	reduces    []string        // declared before the for, like the schedule
	externs    map[string]bool // Go functions that are called
	// plain: all values have one type, and every operation has vector instructions.
	plain bool
	// sums: a box of loops adds up over a loop that is not the first one.
	sums bool
	// tag is a suffix for the names of arrays and reductions, different for each nest of a
	// file.
	tag string
	// numbers are the names of further integers: the counters of repeats.
	numbers []string
	rich    *rich // constructs of RandomRich, or nil
	// guards are, while a guarded read is written, its conditions so far; else nil.
	guards *[]string
}

// one returns a random choice.
func one[T any](rng *rand.Rand, choices ...T) T { return choices[rng.IntN(len(choices))] }

// chance is true in one of n cases.
func (w *nestWriter) chance(n int) bool { return w.rng.IntN(n) == 0 }

// params chooses parameters and defaults.
func (w *nestWriter) params(depth int) {
	w.nest = make([]randomLoop, depth)
	names := []string{"N", "M", "T"}[:1+w.rng.IntN(min(depth, 3))]
	for range names {
		size := [...]int{0, 20 + w.rng.IntN(180), 6 + w.rng.IntN(35), 4 + w.rng.IntN(11), 3 + w.rng.IntN(5)}[depth]
		w.defaults = append(w.defaults, size)
	}
	w.paramNames = names
}

// loops chooses the bounds of the loops.
func (w *nestWriter) loops() {
	for k := range w.nest {
		l := &w.nest[k]
		*l = randomLoop{name: []string{"i", "j", "k", "l"}[k], lo: one(w.rng, 0, 1, 1, 1, 2, -1), box: true}
		l.hi = w.paramNames[k%len(w.paramNames)]
		if w.chance(5) {
			switch further := one(w.rng, "-1", "+1", ""); {
			case further == "" && k > 0 && k == len(w.nest)-1: // a few iterations, as of the channels of a pixel
				l.hi = strconv.Itoa(3 * k)
			default:
				l.hi += further
			}
		}
		l.bounds = strconv.Itoa(l.lo) + ".." + l.hi
		l.backward = w.chance(5)
		if k == len(w.nest)-1 {
			l.backward = w.chance(3) // more often: kernels compute such rows by other code
		}
		if k == 0 || w.sums || !w.chance(3) {
			continue
		}
		outer := w.nest[w.rng.IntN(k)]
		width := strconv.Itoa(1 + w.rng.IntN(3))
		l.box = false
		switch w.rng.IntN(6) {
		case 0: // triangle
			l.lo = outer.lo
			l.bounds = outer.name + ".." + l.hi
		case 1: // triangle
			l.lo, l.hi = min(1, outer.lo), outer.hi
			l.bounds = strconv.Itoa(l.lo) + ".." + outer.name
		case 2: // a triangle, cut off at the box
			l.bounds = strconv.Itoa(l.lo) + "..min(" + l.hi + ", " + outer.name + "+" + width + ")"
		case 3: // band
			l.bounds = "max(" + strconv.Itoa(l.lo) + ", " + outer.name + "-" + width + ")..min(" + l.hi + ", " + outer.name + "+" + width + ")"
		case 4: // trapezoid
			l.bounds = "max(" + strconv.Itoa(l.lo) + ", " + width + "-" + outer.name + ").." + l.hi
		case 5: // triangle to the other side, never beyond the box
			l.bounds = strconv.Itoa(l.lo) + "..min(" + l.hi + ", " + outer.hi + "-" + outer.name + "+" + width + ")"
		}
	}
}

// types chooses the types of arrays.
func (w *nestWriter) types() []ir.Type {
	if w.plain {
		return []ir.Type{one(w.rng, ir.Float64, ir.Float64, ir.Float32, ir.Float32, ir.Int32)}
	}
	elems := []ir.Type{anyType(w.rng, ir.Float64)}
	if w.chance(3) {
		elems = append(elems, anyType(w.rng))
	}
	return elems
}

// anyType returns one of favored, or one of the types of cells. Each of the four types with which
// vector kernels compute is as likely as all other types together; half of the latter are bytes.
func anyType(rng *rand.Rand, favored ...ir.Type) ir.Type {
	wide := []ir.Type{ir.Float64, ir.Float32, ir.Int32, ir.Int64}
	t := one(rng, slices.Concat(favored, wide, []ir.Type{ir.Uint8})...)
	if t == ir.Uint8 && rng.IntN(2) == 0 {
		t = one(rng, slices.DeleteFunc(slices.Clone(ir.Types()), func(t ir.Type) bool { return t == ir.Uint8 || slices.Contains(wide, t) })...)
	}
	return t
}

// arrays chooses the arrays that are written and those that are only read.
func (w *nestWriter) arrays() {
	elems := w.types()
	count := 1
	if !w.sums {
		count += w.rng.IntN(3)
	}
	for k := range count {
		w.written = append(w.written, w.array(string(rune('u'+k)), one(w.rng, elems...)))
	}
	if !slices.ContainsFunc(w.written, func(a *randomArray) bool { return a.role != "internal" }) {
		w.written[0].role = "out"
	}
	for k := range w.rng.IntN(3) {
		a := &randomArray{name: string(rune('f' + k)), elem: one(w.rng, elems...), role: "in"}
		for l := range w.nest {
			if w.chance(2) {
				a.loops = append(a.loops, l)
			}
		}
		if len(a.loops) == 0 {
			a.loops = []int{0}
		}
		if !w.plain {
			w.boundary(a)
		}
		w.given = append(w.given, a.sized())
	}
}

// array returns a new array that the nest writes.
func (w *nestWriter) array(name string, elem ir.Type) *randomArray {
	depth := len(w.nest)
	a := &randomArray{name: name, elem: elem}
	for l := range depth {
		a.loops = append(a.loops, l)
	}
	if w.sums {
		lacks := 1 + w.rng.IntN(depth-1)
		a.loops = slices.Delete(a.loops, lacks, lacks+1)
	} else if depth > 1 && w.chance(2) {
		lacks := one(w.rng, 0, 0, 0, w.rng.IntN(depth), depth-1)
		a.loops = slices.Delete(a.loops, lacks, lacks+1)
	}
	if !w.plain && w.chance(6) {
		w.rng.Shuffle(len(a.loops), func(x, y int) { a.loops[x], a.loops[y] = a.loops[y], a.loops[x] })
	}
	a.role = one(w.rng, "inout", "out", "out", "slice", "slice", "internal")
	if a.role != "out" && !slices.Contains(a.loops, depth-1) { // rows collect in cells of the caller
		a.role = "inout"
	}
	a.flat = w.sums || len(a.loops) == depth && w.boxes() && w.chance(6)
	w.boundary(a)
	return a.sized()
}

// sized allocates the slices of a for its dimensions and returns a.
func (a *randomArray) sized() *randomArray {
	a.least, a.most = make([]int, len(a.loops)), make([]int, len(a.loops))
	return a
}

// boxes reports whether no loop bound uses an outer loop.
func (w *nestWriter) boxes() bool {
	return !slices.ContainsFunc(w.nest, func(l randomLoop) bool { return !l.box })
}

// bounds returns the declared bounds of dimension d of a.
func (w *nestWriter) bounds(a *randomArray, d int) string {
	l := w.nest[a.loops[d]]
	return strconv.Itoa(l.lo+a.least[d]) + ".." + w.last(a, d)
}

// last returns the upper bound of dimension d of a.
func (w *nestWriter) last(a *randomArray, d int) string {
	l := w.nest[a.loops[d]]
	name, c := l.hi, a.most[d]
	if cut := strings.IndexAny(l.hi, "+-"); cut > 0 {
		shift, err := strconv.Atoi(strings.TrimPrefix(l.hi[cut:], "+"))
		if err != nil {
			panic("BUG: bound " + l.hi)
		}
		name, c = l.hi[:cut], c+shift
	}
	return plus(name, c)
}

// declare writes the declaration of a, with its init and out.
func (w *nestWriter) declare(a *randomArray) {
	var bounds []string
	for d := range a.loops {
		bounds = append(bounds, w.bounds(a, d))
	}
	w.declareAs(a, bounds, func(dim int) string {
		if dim == 0 {
			return w.last(a, 0)
		}
		return strconv.Itoa(min(w.nest[a.loops[dim]].lo+a.least[dim]+1, 2)) // sizes are 3 at least
	})
}

// declareAs writes the declaration of a with the given bounds. place returns the index at
// which an out slice may fix a dimension.
func (w *nestWriter) declareAs(a *randomArray, bounds []string, place func(dim int) string) {
	names := []string{"x", "y", "z", "q"}[:len(bounds)]
	role := ""
	if a.role == "in" || a.role == "inout" || a.role == "out" {
		role = " " + a.role
	}
	w.decls = append(w.decls, "array "+a.name+"["+strings.Join(bounds, ", ")+"] "+a.elem.String()+role)
	if a.ends != nil {
		var dims []string
		for _, e := range a.ends {
			dims = append(dims, e[0].String()+".."+e[1].String())
		}
		w.decls = append(w.decls, "boundary "+a.name+"["+strings.Join(dims, ", ")+"]")
	}
	if a.role == "in" || a.role == "inout" {
		return
	}
	subs := strings.Join(names, ", ")
	if w.chance(5) {
		first := a.name + "0"
		w.decls = append(w.decls,
			"array "+first+"["+strings.Join(bounds, ", ")+"] "+a.elem.String()+" in",
			"init "+a.name+"["+subs+"] = "+w.guardedInit(first, names, bounds))
	} else {
		w.decls = append(w.decls, "init "+a.name+"["+subs+"] = "+w.initial(a.elem, names))
	}
	if a.role != "slice" {
		return
	}
	picks := slices.Repeat([]string{"*"}, len(bounds))
	if len(picks) > 1 {
		d := 0
		if w.chance(4) {
			d = w.rng.IntN(len(picks))
		}
		picks[d] = place(d)
	}
	w.decls = append(w.decls, "out "+a.name+"["+strings.Join(picks, ", ")+"]")
}

// initial returns an expression of type t that differs from cell to cell.
func (w *nestWriter) initial(t ir.Type, names []string) string {
	var terms []string
	for _, x := range names {
		terms = append(terms, strconv.Itoa(7+w.rng.IntN(90))+"*"+x)
	}
	if w.chance(3) {
		terms = append(terms, strconv.Itoa(3+w.rng.IntN(9))+"*"+one(w.rng, w.paramNames...))
	}
	most := w.rng.IntN(100)
	hash := strings.Join(terms, " + ") + " + " + strconv.Itoa(most)
	first, last := names[0], names[len(names)-1]
	sections := fmt.Sprintf("select(%[2]s == %[3]d || min(%[1]s, %[2]s) < %[4]d, %[1]s, select(%[2]s > %[1]s+%[4]d, 7, %[2]s - %[3]d))", first, last, most/4, most%7)
	if t.Integer() {
		if most%4 == 0 {
			return sections
		}
		return hash + " + " + first + "*" + last
	}
	if len(w.nest) > 0 && w.chance(10) {
		return "0.5*" + w.lookup(t, func(ir.Type) string { return hash })
	}
	expr := one(w.rng, "sin("+hash+")", "0.01*("+hash+" - 97*floor(("+hash+")/97))")
	if most%4 == 0 {
		return sections
	}
	return expr
}
