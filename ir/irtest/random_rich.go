package irtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
)

// RandomRich returns the text of a random .loop file like those of RandomProgram, which also reads parameters
// that are floats, masks, if and else, vars, repeats that run backward, numbers of repeats in subscripts and in
// bounds, subscripts such as 2*i-j of given arrays, and nests with statements before and after an inner loop.
func RandomRich(rng *rand.Rand) string {
	for {
		p := &programWriter{rng: rng, externs: map[string]bool{}, plain: rng.IntN(2) == 0, tight: rng.IntN(12) == 0, rich: true}
		p.paramFloats = []string{"omega", "eps"}[:1+rng.IntN(2)]
		p.decls = append(p.decls, "param "+strings.Join(p.paramFloats, ", ")+" float64 = "+[]string{"0.625", "0.625, 1e-3"}[len(p.paramFloats)-1])
		if text := p.file(); strings.Count(text, "omega")+strings.Count(text, "eps") > len(p.paramFloats) { // some nest reads a parameter
			return text
		}
	}
}

// A rich has what a nest of RandomRich has and other random nests have not.
type rich struct {
	floats []string // names of float parameters
	// results are the reductions of earlier nests.
	results []string
	// outer is how many loops are around the statements before and after the inner loops; 0: there are none.
	outer         int
	before, after []string
}

// begin chooses bounds with numbers, a mask, an array with subscripts of any form, and what stands before and
// after the inner loops.
func (r *rich) begin(w *nestWriter) {
	sizes := strings.Join(w.paramNames, "+")
	if w.chance(2) {
		mask := &randomArray{name: "m" + w.tag, elem: ir.Uint8, role: "in", loops: []int{w.rng.IntN(len(w.nest))}}
		w.decls = append(w.decls, "array "+mask.name+"[-5.."+sizes+"+5] uint8 in")
		w.given = append(w.given, mask.sized())
	}
	if len(w.numbers) > 0 && w.chance(2) {
		l, number := &w.nest[w.rng.IntN(len(w.nest))], one(w.rng, w.numbers...)
		first, last, _ := strings.Cut(l.bounds, "..")
		l.box = false
		if w.chance(2) {
			l.bounds = "max(" + first + ", " + number + ").." + last
		} else {
			l.bounds = first + "..min(" + last + ", " + number + one(w.rng, "", "+2") + "+" + w.paramNames[0] + "-2)"
		}
		if strings.Count(l.bounds, "max(") > 1 || strings.Count(l.bounds, "min(") > 1 {
			l.bounds = first + ".." + last
		}
	}
	if w.chance(3) {
		name := "g" + w.tag
		t := one(w.rng, w.written...).elem
		w.decls = append(w.decls, "array "+name+"[-2*("+sizes+")-20..3*("+sizes+")+30] "+t.String()+" in")
		i, j := one(w.rng, w.nest...).name, one(w.rng, w.nest...).name
		w.lets = append(w.lets, "h"+w.tag)
		w.statements = append(w.statements, "let h"+w.tag+" "+t.String()+" = "+name+"["+one(w.rng, "2*"+i+"-1", i+"+"+j, w.paramNames[0]+"-"+i, i+"-2*"+j+"+1")+"]")
	}
	if len(w.nest) > 1 && w.chance(2) {
		r.around(w)
	}
}

// around writes statements before and after the innermost loop: a var that this loop adds to, or of which it finds the
// extreme, or a cell of an array with a dimension for each outer loop. Several inner loops would give distances that vary.
func (r *rich) around(w *nestWriter) {
	r.outer = len(w.nest) - 1
	q := &randomArray{name: "q" + w.tag, elem: one(w.rng, w.written...).elem, role: one(w.rng, "out", "inout", "internal")}
	for l := range r.outer {
		q.loops = append(q.loops, l)
	}
	w.declare(q.sized())
	scale := map[bool]string{true: "0.125*", false: ""}[q.elem.Float()]
	cell := w.cell(q, func(int) int { return 0 })
	first := one(w.rng, "0", "1", w.nest[0].name)
	if q.elem.Float() && w.chance(2) {
		first += " + " + one(w.rng, r.floats...)
	}
	read := w.read(one(w.rng, slices.Concat(w.given, w.written)...), q.elem)
	collect := func(target string) string {
		if w.chance(3) {
			return target + " = " + one(w.rng, "max", "min") + "(" + target + ", " + read + ")"
		}
		return target + " += " + scale + read
	}
	if w.chance(2) {
		name := "sum" + w.tag
		r.before = append(r.before, "var "+name+" "+q.elem.String()+" = "+first)
		w.statements = append(w.statements, collect(name))
		r.after = append(r.after, cell+" = "+name)
	} else {
		r.before = append(r.before, cell+" = "+first)
		w.statements = append(w.statements, collect(cell))
	}
	if w.chance(2) {
		r.after = append(r.after, cell+one(w.rng, " *= ", " -= ")+one(w.rng, "3", w.nest[0].name))
	}
}

// imperfect writes the nest with the statements before and after its inner loops.
func (r *rich) imperfect(b *strings.Builder, loops, statements []string) {
	fmt.Fprintf(b, "for %s {\n", strings.Join(loops[:r.outer], ", "))
	for _, s := range r.before {
		fmt.Fprintf(b, "\t%s\n", s)
	}
	fmt.Fprintf(b, "\tfor %s {\n", strings.Join(loops[r.outer:], ", "))
	for _, s := range statements {
		fmt.Fprintf(b, "\t\t%s\n", s)
	}
	b.WriteString("\t}\n")
	for _, s := range r.after {
		fmt.Fprintf(b, "\t%s\n", s)
	}
	b.WriteString("}\n")
}

// operand returns in some cases the result of an earlier nest, if t is a float between -1 and 1, or a parameter that
// is a float, else "".
func (r *rich) operand(w *nestWriter, t ir.Type) string {
	if len(r.results) > 0 && w.chance(6) {
		result := t.String() + "(" + one(w.rng, r.results...) + ")"
		if t.Float() {
			result = "max(-1, min(1, " + result + "))"
		}
		return result
	}
	if t.Float() && w.chance(8) {
		return one(w.rng, r.floats...)
	}
	return ""
}

// variable adds a var of type t to the statements, and returns its name; in two of three cases it does nothing, and returns nil.
func (r *rich) variable(w *nestWriter, t ir.Type, k int) []string {
	if !w.chance(3) {
		return nil
	}
	name := "y" + strconv.Itoa(k)
	w.statements = append(w.statements, "var "+name+" "+t.String()+" = "+w.sum(t, 1))
	switch {
	case w.chance(4):
		w.statements = append(w.statements, r.smallLoop(w, name, t, k))
	case w.chance(3):
		w.statements = append(w.statements, name+" += "+w.sum(t, 1), name+one(w.rng, " *= ", " -= ")+map[bool]string{true: "0.25", false: "3"}[t.Float()])
	case w.chance(2):
		w.statements = append(w.statements, "if "+r.condition(w)+" {\n\t\t"+name+" = "+w.operand(t)+"\n\t}")
	}
	return []string{name}
}

// chosen returns the assignment, or an if that makes it where a condition holds, at times with an else that makes another one.
func (r *rich) chosen(w *nestWriter, assignment, cell string, a *randomArray) string {
	if !w.chance(3) {
		return assignment
	}
	text := "if " + r.condition(w) + " {\n\t\t" + assignment + "\n\t}"
	if read, condition := w.guardedRead(a.elem); condition != "" && w.chance(2) {
		text = "if " + condition + " {\n\t\t" + cell + " = " + one(w.rng, "", "-") + read + "\n\t}"
	}
	switch {
	case w.chance(3):
		text += " else if " + r.condition(w) + " {\n\t\t" + cell + " = " + w.sum(a.elem, 1) + "\n\t}"
	case w.chance(2):
		text += " else {\n\t\t" + cell + one(w.rng, " = ", " = -") + w.read(a, a.elem) + "\n\t}"
	}
	return text
}

// condition returns a comparison: of a mask, of loops, numbers and parameters, or of cells.
func (r *rich) condition(w *nestWriter) string {
	for _, a := range w.given {
		if strings.HasPrefix(a.name, "m"+w.tag) && w.chance(2) {
			return w.cell(a, func(int) int { return one(w.rng, 0, 0, -1, 1) }) + one(w.rng, " != 0", " == 0", " > 3")
		}
	}
	l := one(w.rng, w.nest...)
	switch {
	case w.chance(3):
		return l.name + one(w.rng, " > ", " <= ", " == ", " != ") + one(w.rng, append([]string{"2", w.paramNames[0] + "-2"}, w.numbers...)...)
	case w.chance(3):
		return l.name + " >= 3 && " + l.name + " < " + w.paramNames[0]
	}
	a := one(w.rng, w.written...)
	return w.read(a, a.elem) + one(w.rng, " > ", " <= ") + w.operand(a.elem)
}

// strides reports whether loops leave iterations out: in one of four nests in which they may, because every cell has a value
// without being written, and all reductions are sums.
func (w *nestWriter) strides() bool {
	return !slices.ContainsFunc(w.written, func(a *randomArray) bool { return a.flat }) &&
		!slices.ContainsFunc(w.reduces, func(r string) bool { return !strings.Contains(r, "= sum(") }) && w.chance(4)
}
