package irtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
)

// RandomNest returns the text of a random .loop file: depth 1 to 4, arrays with
// a dimension for every loop and arrays updated in place, loops that run
// backward, distances with negative components, boxes, triangles, trapezoids and bands, one to three
// written arrays of mixed types, one to four statements, lets and selects,
// init, in, inout, out and out slices, reductions. With the default parameters it has at
// most a few thousand iterations.
//
// It is meant to be valid and its dependences uniform; a few nests in a hundred
// are not, because that would need the analysis. Values depend on every operand
// and stay finite: floats are scaled down at every iteration, integers wrap.
func RandomNest(rng *rand.Rand) string {
	w := &nestWriter{rng: rng, externs: map[string]bool{}}
	w.params()
	w.loops()
	w.arrays()
	w.body()
	w.reductions()
	return w.text()
}

// A randomArray is an array of the nest being written.
type randomArray struct {
	name  string
	elem  ir.Type
	loops []int // the loop of each dimension
	role  string
	// least and most are the smallest and the largest constant in a subscript so
	// far, per dimension.
	least, most []int
	// flat says that no subscript may have a constant, so that every cell of the
	// array is written.
	flat bool
}

// A randomLoop is a loop of the nest being written, with constants and
// parameters between which it runs whatever the outer loops do.
type randomLoop struct {
	name   string
	bounds string
	lo     int
	hi     string // a parameter, or a sum that starts with one
	box    bool   // the bounds do not use outer loops
	// backward: from the upper bound to the lower one, in steps of -1.
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
	statements []string
	lets       []string
	decls      []string
	externs    map[string]bool // of package math, that are called
}

// one returns one of the choices.
func one[T any](rng *rand.Rand, choices ...T) T { return choices[rng.IntN(len(choices))] }

// chance is true in one of n cases.
func (w *nestWriter) chance(n int) bool { return w.rng.IntN(n) == 0 }

// params chooses depth, parameters and defaults.
func (w *nestWriter) params() {
	depth := one(w.rng, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4)
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
			l.hi += one(w.rng, "-1", "+1")
		}
		l.bounds = strconv.Itoa(l.lo) + ".." + l.hi
		l.backward = w.chance(5)
		if k == 0 || !w.chance(3) {
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
		case 2: // the part of a triangle that lies in the box
			l.bounds = strconv.Itoa(l.lo) + "..min(" + l.hi + ", " + outer.name + "+" + width + ")"
		case 3: // band
			l.bounds = "max(" + strconv.Itoa(l.lo) + ", " + outer.name + "-" + width + ")..min(" + l.hi + ", " + outer.name + "+" + width + ")"
		case 4: // trapezoid
			l.bounds = "max(" + strconv.Itoa(l.lo) + ", " + width + "-" + outer.name + ").." + l.hi
		case 5: // triangle to the other side; never beyond the box
			l.bounds = strconv.Itoa(l.lo) + "..min(" + l.hi + ", " + outer.hi + "-" + outer.name + "+" + width + ")"
		}
	}
}

// arrays chooses the arrays that are written and those that are only read.
func (w *nestWriter) arrays() {
	depth := len(w.nest)
	elems := []ir.Type{one(w.rng, ir.Float64, ir.Float64, ir.Float32, ir.Int32, ir.Int64, ir.Uint8)}
	if w.chance(3) {
		elems = append(elems, one(w.rng, ir.Float64, ir.Float32, ir.Int32, ir.Int64, ir.Uint8))
	}
	all := make([]int, depth)
	for k := range all {
		all[k] = k
	}
	for k := range 1 + w.rng.IntN(3) {
		a := &randomArray{name: string(rune('u' + k)), elem: one(w.rng, elems...), loops: all}
		if depth > 1 && w.chance(2) {
			lacks := one(w.rng, 0, 0, 0, w.rng.IntN(depth))
			a.loops = slices.Delete(slices.Clone(all), lacks, lacks+1)
		}
		if w.chance(6) {
			a.loops = slices.Clone(a.loops)
			w.rng.Shuffle(len(a.loops), func(x, y int) { a.loops[x], a.loops[y] = a.loops[y], a.loops[x] })
		}
		a.role = one(w.rng, "inout", "out", "out", "slice", "slice", "internal")
		a.flat = len(a.loops) == depth && w.boxes() && w.chance(6)
		w.written = append(w.written, a.sized())
	}
	if !slices.ContainsFunc(w.written, func(a *randomArray) bool { return a.role != "internal" }) {
		w.written[0].role = "out"
	}
	for k := range w.rng.IntN(3) {
		a := &randomArray{name: string(rune('f' + k)), elem: one(w.rng, elems...), role: "in"}
		for _, l := range all {
			if w.chance(2) {
				a.loops = append(a.loops, l)
			}
		}
		if len(a.loops) == 0 {
			a.loops = all[:1]
		}
		w.given = append(w.given, a.sized())
	}
}

// sized returns a after it made room for its dimensions.
func (a *randomArray) sized() *randomArray {
	a.least, a.most = make([]int, len(a.loops)), make([]int, len(a.loops))
	return a
}

// boxes reports whether no loop bound uses an outer loop.
func (w *nestWriter) boxes() bool {
	return !slices.ContainsFunc(w.nest, func(l randomLoop) bool { return !l.box })
}

// cell returns an access of a whose constants are chosen by offset.
func (w *nestWriter) cell(a *randomArray, offset func(dim int) int) string {
	var subs []string
	for d, l := range a.loops {
		c := offset(d)
		a.least[d], a.most[d] = min(a.least[d], c), max(a.most[d], c)
		subs = append(subs, plus(w.nest[l].name, c))
	}
	return a.name + "[" + strings.Join(subs, ",") + "]"
}

// plus returns the text of x + c.
func plus(x string, c int) string {
	switch {
	case c > 0:
		return x + "+" + strconv.Itoa(c)
	case c < 0:
		return x + strconv.Itoa(c)
	}
	return x
}

// read returns a read of a, converted to t.
//
// Where a lacks a loop, the last writer of a cell that the loops outside it
// moved away from is at the loop's far end: not uniform. So no constants there.
func (w *nestWriter) read(a *randomArray, t ir.Type) string {
	lacks := -1
	for l := range w.nest {
		if !slices.Contains(a.loops, l) {
			lacks = l
		}
	}
	text := w.cell(a, func(d int) int {
		switch {
		case a.flat, a.role != "in" && a.loops[d] < lacks:
			return 0
		case a.loops[d] == 0 && lacks != 0:
			back := one(w.rng, 0, -1, -1, -1, -2)
			if w.nest[0].backward {
				back = -back
			}
			return back
		}
		return one(w.rng, 0, 0, 0, -1, -1, -1, 1, 1, -2, 2)
	})
	if a.elem != t {
		text = t.String() + "(" + text + ")"
	}
	if t == ir.Float64 && w.chance(25) {
		// A function of Go's library, no larger than its arguments.
		name := one(w.rng, "Atan", "Tanh", "Hypot", "Erf")
		w.externs[name] = true
		if text = "go" + name + "(" + text; name == "Hypot" {
			text += ", 0.25"
		}
		text += ")"
	}
	return text
}

// operand returns something to compute with in type t: mostly a read.
func (w *nestWriter) operand(t ir.Type) string {
	switch {
	case len(w.given) > 0 && w.chance(5):
		return w.read(one(w.rng, w.given...), t)
	case w.chance(12):
		return one(w.rng, w.nest...).name
	case w.chance(20):
		return one(w.rng, w.paramNames...)
	}
	return w.read(one(w.rng, w.written...), t)
}

// shaped returns x, an expression of type t, perhaps with a function around it
// that makes it no larger, give or take a constant.
func (w *nestWriter) shaped(x string, t ir.Type) string {
	switch {
	case w.chance(8):
		return one(w.rng, "min", "max") + "(" + x + ", " + w.operand(t) + ")"
	case w.chance(10):
		y := w.operand(t)
		return "select(" + x + one(w.rng, " < ", " >= ", " != ") + y + ", " + x + ", " + w.operand(t) + ")"
	case w.chance(14):
		l := one(w.rng, w.nest...).name
		return "select(" + l + " > 3 && !(" + l + " == 5) || " + w.operand(t) + " <= 1, " + x + ", " + w.operand(t) + ")"
	case w.chance(12):
		return "abs(" + x + ")"
	case t.Float() && w.chance(14):
		return one(w.rng, "sqrt(abs("+x+") + 0.5)", "sin("+x+")", "cos("+x+")", "exp(-abs("+x+"))", "log(abs("+x+") + 1.5)", "floor(3*"+x+")/4")
	case w.chance(14):
		return "-" + x
	}
	return x
}

// sum returns an expression of type t that uses at least count operands.
func (w *nestWriter) sum(t ir.Type, count int, more ...string) string {
	var terms []string
	for range count {
		terms = append(terms, w.shaped(w.operand(t), t))
	}
	terms = append(terms, more...)
	for k, x := range terms {
		if t.Float() {
			// The weights add up to less than one.
			weight := strconv.FormatFloat(float64(600+w.rng.IntN(390))/1000/float64(len(terms)), 'f', 4, 64)
			terms[k] = weight + "*" + x
			if w.chance(6) {
				terms[k] = x + "/" + strconv.Itoa(len(terms)+w.rng.IntN(3))
			}
			continue
		}
		terms[k] = one(w.rng, "3*", "5*", "", "", "7*") + x
		if w.chance(6) {
			terms[k] = x + "/" + strconv.Itoa(2+w.rng.IntN(3))
		}
	}
	return w.bracketed(terms)
}

// bracketed joins terms with + and -, in one of the orders of evaluation.
func (w *nestWriter) bracketed(terms []string) string {
	if len(terms) == 1 {
		return terms[0]
	}
	cut := len(terms) - 1
	if len(terms) > 2 && w.chance(3) {
		cut = 1 + w.rng.IntN(len(terms)-1)
	}
	right := w.bracketed(terms[cut:])
	if len(terms)-cut > 1 || strings.HasPrefix(right, "-") {
		right = "(" + right + ")"
	}
	return w.bracketed(terms[:cut]) + one(w.rng, " + ", " + ", " - ") + right
}

// body chooses the statements. Every written array is written at least once.
func (w *nestWriter) body() {
	targets := slices.Clone(w.written)
	for w.chance(4) {
		targets = append(targets, one(w.rng, w.written...))
	}
	w.rng.Shuffle(len(targets), func(x, y int) { targets[x], targets[y] = targets[y], targets[x] })
	wrote := map[*randomArray]bool{}
	for k, a := range targets {
		var more []string
		if w.chance(5) {
			name := "s" + strconv.Itoa(k)
			w.statements = append(w.statements, "let "+name+" "+a.elem.String()+" = "+w.sum(a.elem, 1+w.rng.IntN(2)))
			more = append(more, name)
			w.lets = append(w.lets, name)
		}
		cell := w.cell(a, func(int) int {
			if wrote[a] && !a.flat && w.chance(8) {
				return 1
			}
			return 0
		})
		// Every array is carried on from its own past.
		own := w.read(a, a.elem)
		w.statements = append(w.statements, cell+" = "+w.sum(a.elem, 1+w.rng.IntN(3), append(more, own)...))
		wrote[a] = true
	}
}

// reductions chooses numbers to make of all iterations: of what was written, of
// older cells, of lets, of anything.
func (w *nestWriter) reductions() {
	if !w.chance(5) {
		return
	}
	for k := range 1 + w.rng.IntN(2) {
		a := one(w.rng, w.written...)
		t := one(w.rng, a.elem, a.elem, ir.Float64, ir.Float32, ir.Int32, ir.Int64, ir.Uint8)
		expr := w.shaped(w.read(a, t), t)
		switch {
		case w.chance(3):
			expr = t.String() + "(" + w.sum(t, 1+w.rng.IntN(2)) + ")"
		case w.chance(6) && len(w.lets) > 0:
			expr = one(w.rng, w.lets...)
		}
		w.decls = append(w.decls, fmt.Sprintf("reduce r%d = %s(%s)", k, one(w.rng, "max", "min", "sum"), expr))
	}
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
	var bounds, names []string
	for d := range a.loops {
		bounds = append(bounds, w.bounds(a, d))
		names = append(names, []string{"x", "y", "z", "q"}[d])
	}
	role := ""
	if a.role == "in" || a.role == "inout" || a.role == "out" {
		role = " " + a.role
	}
	w.decls = append(w.decls, "array "+a.name+"["+strings.Join(bounds, ", ")+"] "+a.elem.String()+role)
	if a.role == "in" || a.role == "inout" {
		return
	}
	subs := strings.Join(names, ", ")
	if w.chance(5) {
		first := a.name + "0"
		w.decls = append(w.decls,
			"array "+first+"["+strings.Join(bounds, ", ")+"] "+a.elem.String()+" in",
			"init "+a.name+"["+subs+"] = "+first+"["+subs+"]")
	} else {
		w.decls = append(w.decls, "init "+a.name+"["+subs+"] = "+w.initial(a.elem, names))
	}
	if a.role != "slice" {
		return
	}
	picks := make([]string, len(a.loops))
	for d := range picks {
		picks[d] = "*"
	}
	if len(picks) > 1 {
		picks[0] = w.last(a, 0)
		if w.chance(4) {
			picks[0] = "*"
			d := w.rng.IntN(len(picks))
			picks[d] = strconv.Itoa(w.nest[a.loops[d]].lo + a.least[d] + 1)
		}
	}
	w.decls = append(w.decls, "out "+a.name+"["+strings.Join(picks, ", ")+"]")
}

// initial returns an expression of type t that differs from cell to cell.
func (w *nestWriter) initial(t ir.Type, names []string) string {
	var terms []string
	for _, x := range names {
		terms = append(terms, strconv.Itoa(7+w.rng.IntN(90))+"*"+x)
	}
	hash := strings.Join(terms, " + ") + " + " + strconv.Itoa(w.rng.IntN(100))
	if t.Integer() {
		return hash + " + " + names[0] + "*" + names[len(names)-1]
	}
	return one(w.rng, "sin("+hash+")", "0.01*("+hash+" - 97*floor(("+hash+")/97))")
}

// text puts the file together. Arrays are declared after the body was chosen,
// because their bounds follow from its subscripts.
func (w *nestWriter) text() string {
	var b strings.Builder
	var defaults []string
	for _, d := range w.defaults {
		defaults = append(defaults, strconv.Itoa(d))
	}
	fmt.Fprintf(&b, "param %s = %s\n", strings.Join(w.paramNames, ", "), strings.Join(defaults, ", "))
	for _, a := range slices.Concat(w.given, w.written) {
		w.declare(a)
	}
	for _, d := range w.decls {
		b.WriteString(d + "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(w.externs)) {
		params := "x"
		if name == "Hypot" {
			params = "x, y"
		}
		fmt.Fprintf(&b, "extern func go%s(%s float64) float64 = \"math\".%s\n", name, params, name)
	}
	var loops []string
	for _, l := range w.nest {
		text := l.name + " = " + l.bounds
		if first, last, _ := strings.Cut(l.bounds, ".."); l.backward {
			text = l.name + " = " + last + ".." + first + " step -1"
		}
		loops = append(loops, text)
	}
	fmt.Fprintf(&b, "for %s {\n", strings.Join(loops, ", "))
	for _, s := range w.statements {
		fmt.Fprintf(&b, "\t%s\n", s)
	}
	b.WriteString("}\n")
	return b.String()
}
