package irtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/runtime/boundary"
)

// cell returns an access of a whose constants are chosen by offset.
func (w *nestWriter) cell(a *randomArray, offset func(dim int) int) string {
	var subs []string
	for d, l := range a.loops {
		c := offset(d)
		if w.guards != nil && l >= 0 {
			subs = append(subs, plus(w.nest[l].name, w.guard(&w.nest[l], c)))
			continue
		}
		// Reads beyond a boundary do not widen the bounds of the array.
		if a.ends == nil || a.ends[d][0] == boundary.None {
			a.least[d] = min(a.least[d], c)
		}
		if a.ends == nil || a.ends[d][1] == boundary.None {
			a.most[d] = max(a.most[d], c)
		}
		name := ""
		if l < 0 { // the dimension is for the number of a repeat
			name = w.numbers[-1-l]
		} else {
			name = w.nest[l].name
		}
		subs = append(subs, name+w.shift(c))
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
// If a has no dimension for some loop, all iterations of that loop write the same cell, and a read of
// the cell sees what the last of them has written. With a constant in the subscript of an outer loop, this
// iteration would lie at a distance that varies. So these subscripts have no constants.
func (w *nestWriter) read(a *randomArray, t ir.Type) string {
	lacks := -1 // the innermost loop for which a has no dimension
	for l := range w.nest {
		if !slices.Contains(a.loops, l) {
			lacks = l
		}
	}
	text := w.cell(a, func(d int) int {
		switch {
		case a.loops[d] < 0:
			return one(w.rng, 0, 0, -1, 1)
		case a.flat, a.role != "in" && a.loops[d] < lacks:
			return 0
		case a.loops[d] == 0: // the outermost loop: earlier levels
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
	if w.plain {
		return text
	}
	// A Go library function whose result exceeds its argument by a constant at most, so that values
	// stay bounded.
	switch {
	case t == ir.Float64 && w.chance(12):
		return w.call(one(w.rng, "Atan", "Tanh", "Hypot", "Erf"), text)
	case t == ir.Int32 && w.chance(12):
		return w.call("ToUpper", "97 + "+text+" - "+text+"/26*26") // mostly letters
	}
	return text
}

// call returns a call of a Go function.
func (w *nestWriter) call(name, arg string) string {
	w.externs[name] = true
	if name == "Hypot" {
		arg += ", 0.25"
	}
	return "go" + name + "(" + arg + ")"
}

// externText declares a Go library function that call uses.
func externText(name string) string {
	switch name {
	case "Hypot":
		return `extern func goHypot(x, y float64) float64 = "math".Hypot`
	case "ToUpper":
		return `extern func goToUpper(r int32) int32 = "unicode".ToUpper`
	}
	return "extern func go" + name + `(x float64) float64 = "math".` + name
}

// operand returns a leaf expression of type t, mostly a read.
func (w *nestWriter) operand(t ir.Type) string {
	if w.rich != nil {
		if x := w.rich.operand(w, t); x != "" {
			return x
		}
	}
	lookups := 16 // one operand in so many
	if w.plain {
		lookups = 60
	}
	switch {
	case len(w.given) > 0 && w.chance(5):
		return w.read(one(w.rng, w.given...), t)
	case w.chance(12):
		return one(w.rng, w.nest...).name
	case w.guards == nil && w.chance(lookups):
		return w.lookedUp(t)
	case len(w.numbers) > 0 && w.chance(6):
		return one(w.rng, w.numbers...)
	case w.chance(20):
		return one(w.rng, w.paramNames...)
	}
	return w.read(one(w.rng, w.written...), t)
}

// shaped returns x, an expression of type t, or a function of x and other operands whose result is
// no larger than the largest of them, apart from a constant.
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
	case w.chance(8):
		return w.guarded(x, t)
	case w.chance(12):
		return "abs(" + x + ")"
	case w.plain && t.Float() && w.chance(20):
		return "sqrt(abs(" + x + ") + 0.5)*cos(0.3*" + w.nest[0].name + ")"
	case t.Float() && !w.plain && w.chance(14):
		return one(w.rng, "sqrt(abs("+x+") + 0.5)*cos(0.3*"+w.nest[0].name+")", "sin("+x+")", "cos("+x+")", "exp(-abs("+x+"))", "log(abs("+x+") + 1.5)", "floor(3*"+x+")/4", "ceil(3*"+x+")/4", "round(3*"+x+")/4", "tan("+x+")", "trunc(3*"+x+")/4", "pow("+x+", "+one(w.rng, "2", "3")+")", "pow(abs("+x+") + 0.5, "+one(w.rng, "-1", "0.5")+")", "pow(abs("+x+"), 1.7)", "tanh("+x+")")
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
		if w.chance(8) {
			terms[k] = "(" + x + ")" + one(w.rng, "%7", "%1000", "&127", ">>2", ">>1", "<<3", " | 5", " ^ "+w.operand(t))
			terms[k] = "(" + terms[k] + ")"
		}
		if !w.plain && w.chance(6) {
			terms[k] = x + "/" + strconv.Itoa(2+w.rng.IntN(3))
		}
	}
	return w.bracketed(terms)
}

// score returns the max or the min of some terms, as in sequence alignment: most terms are
// a cell plus the same number, or one of two numbers.
func (w *nestWriter) score(t ir.Type, count int, more ...string) string {
	gap := one(w.rng, " - 11", " + 11")
	var terms []string
	for range count {
		x := w.operand(t)
		switch {
		case w.chance(4):
			x += one(w.rng, " + ", " - ") + "select(" + w.operand(t) + one(w.rng, " < ", " == ") + w.operand(t) + ", 5, -4)"
		case !w.chance(6):
			x += gap
		}
		terms = append(terms, x)
	}
	for _, x := range more {
		terms = append(terms, x+gap)
	}
	if len(terms) == 1 {
		return terms[0]
	}
	w.rng.Shuffle(len(terms), func(x, y int) { terms[x], terms[y] = terms[y], terms[x] })
	return one(w.rng, "min", "max") + "(" + strings.Join(terms, ", ") + ")"
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
		if w.collect(a) {
			wrote[a] = true
			continue
		}
		var more []string
		if w.chance(5) {
			name := "s" + strconv.Itoa(k)
			w.statements = append(w.statements, "let "+name+" "+a.elem.String()+" = "+w.sum(a.elem, 1+w.rng.IntN(2)))
			more = append(more, name)
			w.lets = append(w.lets, name)
		}
		cell := w.cell(a, func(int) int {
			if wrote[a] && !a.flat && a.ends == nil && w.chance(8) {
				return 1
			}
			return 0
		})
		// Every array depends on its own earlier values.
		own := w.read(a, a.elem)
		value := w.sum
		if a.elem == ir.Int32 && w.chance(3) {
			value = w.score
		}
		sign := " = "
		if w.chance(12) { // the cell is scaled first, so that sums of floats stay small
			w.statements = append(w.statements, cell+one(w.rng, " *= "+map[bool]string{true: "0.125", false: "3"}[a.elem.Float()], " /= 3"))
			sign = one(w.rng, " += ", " -= ")
		}
		if w.rich != nil {
			more = append(more, w.rich.variable(w, a.elem, k)...)
		}
		text := value(a.elem, 1+w.rng.IntN(3), append(more, own)...)
		if sign == " = " && w.chance(8) {
			text = w.colored(cell, text)
		}
		text = cell + sign + text
		if w.rich != nil {
			text = w.rich.chosen(w, text, cell, a)
		}
		w.statements = append(w.statements, text)
		wrote[a] = true
	}
	if w.rich != nil && w.chance(3) {
		t := one(w.rng, w.written...).elem
		c := &cellLoop{rng: w.rng, tag: w.tag, elem: t, bounds: "-5.." + strings.Join(w.paramNames, "+") + "+5",
			value: func() string { return w.operand(t) }, condition: func() string { return w.rich.condition(w) }}
		for _, l := range w.nest {
			c.loops, c.back = append(c.loops, l.name), append(c.back, l.backward)
		}
		decls, loop := c.text()
		w.decls = append(w.decls, decls...)
		w.statements = append(w.statements, loop)
	}
}

// collect writes a statement that collects values in a cell, such as c = c + x, if all iterations of a row write the same cell
// of a, in two of three such cases. It reports whether it has written one.
func (w *nestWriter) collect(a *randomArray) bool {
	if w.rich != nil || slices.Contains(a.loops, len(w.nest)-1) || w.chance(3) {
		return false
	}
	operand := func() string { // seldom the cell itself
		if len(w.given) > 0 && !w.chance(6) {
			return w.read(one(w.rng, w.given...), a.elem)
		}
		return w.operand(a.elem)
	}
	cell, x, y := w.cell(a, func(int) int { return 0 }), operand(), operand()
	extreme := one(w.rng, "min", "max")
	texts := []string{cell + " + " + x, cell + " - " + x + " + " + y, extreme + "(" + x + ", " + cell + ")", extreme + "(" + cell + ", " + x + ", " + y + ")"}
	if a.elem.Float() {
		texts = []string{cell + " + 0.003*" + x, cell + " - 0.002*(" + x + " + " + y + ")", "0.004*" + x + " + " + cell + "*0.75 - 0.001*" + y,
			extreme + "(" + cell + ", " + x + ")", extreme + "(" + y + ", " + cell + ", 0.5*" + x + ")"}
	}
	w.statements = append(w.statements, cell+" = "+one(w.rng, texts...))
	return true
}

// reductions chooses reductions, of written cells, older cells, lets or other expressions.
func (w *nestWriter) reductions(count int) {
	for k := range count {
		a := one(w.rng, w.written...)
		t := one(w.rng, a.elem, a.elem, ir.Float64, ir.Float32, ir.Int32, ir.Int64, ir.Uint8)
		expr := w.shaped(w.read(a, t), t)
		switch {
		case w.chance(3):
			expr = t.String() + "(" + w.sum(t, 1+w.rng.IntN(2)) + ")"
		case w.chance(6) && len(w.lets) > 0:
			expr = one(w.rng, w.lets...)
		}
		op := one(w.rng, "max", "min", "sum")
		names, at := fmt.Sprintf("r%d%s", k, w.tag), ""
		if op != "sum" && w.chance(3) {
			more, loops := w.places(k)
			names, at = names+more, " at "+loops
		}
		w.reduces = append(w.reduces, fmt.Sprintf("reduce %s = %s(%s)%s", names, op, expr, at))
	}
}

// places chooses loops of the at clause of reduction k, which tells at which iteration the max or min is. It returns a further
// name for each loop, and the list of the loops, such as (i, j).
func (w *nestWriter) places(k int) (names, loops string) {
	var at []string
	for i, l := range w.nest {
		if i == len(w.nest)-1 && len(at) == 0 || w.chance(2) {
			at = append(at, l.name)
			names += fmt.Sprintf(", r%d%s%s", k, w.tag, l.name)
		}
	}
	return names, "(" + strings.Join(at, ", ") + ")"
}

// schedule returns a schedule block. Its tile sizes are large enough for most nests.
func (w *nestWriter) schedule() string {
	names := make([]string, len(w.nest))
	tile, grid := make([]string, len(w.nest)), make([]string, len(w.nest))
	along := w.rng.IntN(len(w.nest))
	for k, l := range w.nest {
		names[k], tile[k], grid[k] = l.name, one(w.rng, "-", "0", strconv.Itoa(8+w.rng.IntN(9))), one(w.rng, "1", "2")
	}
	grid[along] = "1"
	all := []string{
		"tile " + strings.Join(tile, "x"), "map " + names[along], "grid " + strings.Join(grid, "x"), "cpus " + one(w.rng, "1", "2"),
		"group " + one(w.rng, "hyperplane", "vertical"), "assign " + one(w.rng, ir.ScheduleWords("assign")...),
		"comm " + one(w.rng, "overlap", "blocking"), "shape " + one(w.rng, "model", "communication", "scheduling"), "sub 2",
	}
	half := slices.DeleteFunc(all, func(string) bool { return w.chance(2) })
	if len(half) == 0 {
		half = []string{"comm blocking"}
	}
	return "schedule { " + strings.Join(half, one(w.rng, "; ", "\n")) + " }"
}
