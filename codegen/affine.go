package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// A term is a coefficient and its factor; an empty name is the constant term.
type term struct {
	c    int
	name string
}

// sum returns the text of a linear combination of terms. Terms of the same name become one, where the first of them
// stands; the constant is last. Factors 1 and terms 0 are left out.
func sum(terms ...term) string {
	var b strings.Builder
	var done []string
	constant := 0
	for i, t := range terms {
		if t.name == "" {
			constant += t.c
			continue
		}
		if slices.Contains(done, t.name) {
			continue
		}
		done = append(done, t.name)
		c := 0
		for _, u := range terms[i:] {
			if u.name == t.name {
				c += u.c
			}
		}
		if c == 0 {
			continue
		}
		sign := " + "
		if c < 0 {
			sign, c = " - ", -c
		}
		if b.Len() == 0 {
			sign = strings.TrimSpace(sign)
			if sign == "+" {
				sign = ""
			}
		}
		b.WriteString(sign)
		if c != 1 {
			fmt.Fprintf(&b, "%d*", c)
		}
		b.WriteString(t.name)
	}
	switch {
	case b.Len() == 0:
		return fmt.Sprint(constant)
	case constant > 0:
		fmt.Fprintf(&b, " + %d", constant)
	case constant < 0:
		fmt.Fprintf(&b, " - %d", -constant)
	}
	return b.String()
}

// affine returns the text of an affine form of iterators and parameters with the given names.
func affine(a ir.Affine, iters, params []string) string {
	var terms []term
	for k, c := range a.Iters {
		if c != 0 {
			terms = append(terms, term{c, iters[k]})
		}
	}
	for k, c := range a.Params {
		terms = append(terms, term{c, params[k]})
	}
	return sum(append(terms, term{a.Const, ""})...)
}

// extremeOf returns the text of a call of fn, min or max, on affine forms.
func extremeOf(fn string, forms []ir.Affine, iters, params []string) string {
	var list []string
	for _, a := range forms {
		list = append(list, affine(a, iters, params))
	}
	if len(list) == 1 {
		return list[0]
	}
	return fn + "(" + strings.Join(list, ", ") + ")"
}

// position returns the text of the position of a cell in a view with dims dimensions, in which the cells of a
// row lie along dimension row. index prints the subscript of a dimension. The variables or fields
// with the view's origin and strides have names that begin with the view's name.
func position(view string, dims, row int, index func(m int) string) string {
	at := []string{view + "Origin"}
	for m := range dims {
		at = append(at, times(index(m), viewStride(view, m, row)))
	}
	return plus(at...)
}

// viewStride is the stride along dimension m of a view whose stride along dimension row is 1.
func viewStride(view string, m, row int) string {
	if m == row {
		return "1"
	}
	return strideName(view, m)
}

// factor puts s in parentheses unless it is a single word or number.
func factor(s string) string {
	if strings.ContainsAny(s, " *-") {
		return "(" + s + ")"
	}
	return s
}

// times returns the text of a product of two sums; "" stands for 1.
func times(a, b string) string {
	switch {
	case a == "0" || b == "0":
		return "0"
	case a == "1" || a == "":
		return b
	case b == "1" || b == "":
		return a
	}
	return factor(a) + "*" + factor(b)
}

// plus returns the text of a sum of sums.
func plus(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "0" && p != "" {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return "0"
	}
	return strings.ReplaceAll(strings.Join(out, " + "), "+ -", "- ")
}
