package depend

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"loopc/ir"
)

// text returns the text of a cell of an array as the program writes it: "u[t-1,i]". The
// iterators of subs are the loops.
func (a *analyzer) text(array int, subs []ir.Affine) string {
	return cellText(a.nest, array, subs, loopNames(a.nest))
}

// loopNames returns the names of the loops, outermost first.
func loopNames(n *ir.Nest) []string {
	var names []string
	for _, l := range n.Loops {
		names = append(names, l.Name)
	}
	return names
}

// cellText returns the text of a cell of an array, with the given names of the iterators.
func cellText(n *ir.Nest, array int, subs []ir.Affine, names []string) string {
	var parts []string
	for _, s := range subs {
		parts = append(parts, AffineText(n, s, names))
	}
	return n.Arrays[array].Name + "[" + strings.Join(parts, ",") + "]"
}

// AffineText returns the text of f: iterators first, then parameters, then the constant. If all iterators are
// subtracted, parameters come first: N-i+1.
func AffineText(n *ir.Nest, f ir.Affine, names []string) string {
	var b strings.Builder
	term := func(c int, name string) {
		if c == 0 {
			return
		}
		if c > 0 && b.Len() > 0 {
			b.WriteByte('+')
		}
		switch {
		case c == -1:
			b.WriteByte('-')
		case c != 1:
			b.WriteString(strconv.Itoa(c) + "*")
		}
		b.WriteString(name)
	}
	mirrored := slices.ContainsFunc(f.Iters, func(c int) bool { return c < 0 }) && !slices.ContainsFunc(f.Iters, func(c int) bool { return c > 0 })
	if !mirrored {
		for k, c := range f.Iters {
			term(c, names[k])
		}
	}
	for k, c := range f.Params {
		term(c, n.Params[k].Name)
	}
	if mirrored { // as in N-i
		for k, c := range f.Iters {
			term(c, names[k])
		}
	}
	switch {
	case b.Len() == 0:
		return strconv.Itoa(f.Const)
	case f.Const > 0:
		b.WriteString("+" + strconv.Itoa(f.Const))
	case f.Const < 0:
		b.WriteString(strconv.Itoa(f.Const))
	}
	return b.String()
}

// iterationText returns the text of an iteration as "t = 1, i = 2".
func iterationText(n *ir.Nest, j ir.Vec) string {
	var parts []string
	for k, x := range j {
		parts = append(parts, n.Loops[k].Name+" = "+strconv.Itoa(x))
	}
	return strings.Join(parts, ", ")
}

// neutral is a number that does not count in a reduction of cells of a type: of floats, one beyond all that usually occurs.
func neutral(op ir.ReduceOp, t ir.Type) string {
	switch {
	case op == ir.ReduceSum:
		return "0"
	case t.Float():
		return map[bool]string{true: "-1e30", false: "1e30"}[op == ir.ReduceMax]
	case op == ir.ReduceMax:
		return strconv.FormatInt(t.Cell().Lo, 10)
	}
	return strconv.FormatInt(t.Cell().Hi, 10)
}

// neutralFirst is a first content of an array for an example: a large number, if a statement takes the minimum of cells of the array, so
// that it does not count, and leaves room for what is added to it; else 0.
func (a *analyzer) neutralFirst(array int) string {
	elem, least := a.nest.Arrays[array].Elem, false
	own := func(e ir.Expr) (found bool) {
		ir.Walk(e, func(x ir.Expr) {
			r, ok := x.(*ir.Read)
			found = found || ok && r.Array == array
		})
		return found
	}
	for _, stmt := range a.nest.Assigns(array) {
		ir.WalkLets(a.nest.Body, ir.Value(a.nest.Body[stmt]), func(e ir.Expr) {
			call, ok := e.(*ir.Call)
			least = least || ok && call.Fn == ir.Min && slices.ContainsFunc(call.Args, own)
		})
	}
	switch {
	case !least:
		return "0"
	case elem.Float():
		return neutral(ir.ReduceMin, elem)
	}
	return strconv.FormatInt(elem.Cell().Hi/2, 10)
}

// numbersOf are the words of the lines that declare numbers: an index of an init may not have the name of one.
func numbersOf(source []string) (words []string) {
	for _, line := range source {
		if l := strings.FieldsFunc(line, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }); len(l) > 0 && (l[0] == "const" || l[0] == "param") {
			words = append(words, l[1:]...)
		}
	}
	return words
}
