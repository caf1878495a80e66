package irtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
)

// A cellLoop writes a small loop that writes cells of its own, as e[m,i,j]. It is written out, if it stands beside other
// statements.
type cellLoop struct {
	rng       *rand.Rand
	tag       string // ends the names
	elem      ir.Type
	item      string // the number of a batch's item, which the arrays then have as a dimension
	loops     []string
	back      []bool // the loops that run backward
	bounds    string // that include all values of the loops
	value     func() string
	condition func() string
	// heads are the headers of the loops; nil: the small loop is in their body.
	heads []string
}

// text returns the declarations of arrays, and the loop. With heads it is a nest with the small loop among them, whose
// iterations read cells of one of them.
func (c *cellLoop) text() (decls []string, loop string) {
	lo := one(c.rng, 0, 1, -1)
	hi := lo + one(c.rng, 1, 2, 2)
	header := func(name string, lo, hi int) string {
		if c.rng.IntN(3) == 0 {
			return fmt.Sprintf("%s = %d..%d step -1", name, hi, lo)
		}
		return fmt.Sprintf("%s = %d..%d", name, lo, hi)
	}
	m, n := "cm"+c.tag, "cn"+c.tag
	numbers, head, open, shut := []string{m}, header(m, lo, hi), "", ""
	if c.rng.IntN(3) == 0 { // nested
		numbers = append(numbers, n)
		if c.rng.IntN(2) == 0 {
			head += ", " + header(n, 0, 1)
		} else {
			open, shut = "\tfor "+header(n, 0, 1)+" {\n", "\t}\n"
		}
	}
	var body strings.Builder
	if c.rng.IntN(3) == 0 {
		fmt.Fprintf(&body, "\t\tlet cz%s %s = %s\n", c.tag, c.elem, c.value())
	}
	var cells []string
	for k := range one(c.rng, 1, 2, 2) {
		name := fmt.Sprintf("ce%d%s", k, c.tag)
		role := one(c.rng, "inout", "out", "out", "")
		subs := slices.Clone(c.loops)
		if len(subs) > 0 && c.rng.IntN(4) == 0 {
			subs = subs[1:] // updated in place by the outermost loop
		}
		at := one(c.rng, 0, len(subs)) // of m and n
		cell := func(number string, loops []string) string {
			list := append([]string{number}, numbers[1:]...)
			list = slices.Concat(loops[:at], list, loops[at:])
			if c.item != "" {
				list = append([]string{c.item}, list...)
			}
			return name + "[" + strings.Join(list, ",") + "]"
		}
		var bounds, names []string
		if c.item != "" {
			bounds = append(bounds, "0..B")
		}
		numbersBounds := []string{fmt.Sprintf("%d..%d", lo-1, hi+1), "0..1"}[:len(numbers)]
		each := slices.Repeat([]string{c.bounds}, len(subs))
		bounds = append(bounds, slices.Concat(each[:at], numbersBounds, each[at:])...)
		decls = append(decls, strings.TrimSuffix(fmt.Sprintf("array %s[%s] %s %s", name, strings.Join(bounds, ", "), c.elem, role), " "))
		if role != "inout" {
			for d := range bounds {
				names = append(names, fmt.Sprintf("x%d", d))
			}
			decls = append(decls, fmt.Sprintf("init %s[%s] = %s", name, strings.Join(names, ", "), one(c.rng, "1", "2 - x0")))
		}
		before := slices.Clone(subs)
		if len(subs) == len(c.loops) && len(subs) > 0 { // the iteration before
			before[0] = plus(subs[0], map[bool]int{true: 1, false: -1}[c.back[0]])
		}
		terms := append(cells, cell(m, before), c.value())
		if c.rng.IntN(2) == 0 {
			terms = append(terms, cell(plus(m, one(c.rng, -1, 1)), one(c.rng, before, subs)))
		}
		if c.heads != nil {
			terms = append(terms, cell(strconv.Itoa(hi), before))
		}
		if strings.Contains(body.String(), "let cz") {
			terms = append(terms, "cz"+c.tag)
		}
		for k, x := range terms {
			terms[k] = map[bool]string{true: "0.25*", false: one(c.rng, "3*", "")}[c.elem.Float()] + x
		}
		here := cell(m, subs)
		statement := here + one(c.rng, " = ", " = ", " += ") + strings.Join(terms, one(c.rng, " + ", " - "))
		if c.rng.IntN(3) == 0 {
			statement = "if " + one(c.rng, m+" != 1", c.condition(), m+" > 0 && "+c.condition()) + " {\n\t\t" + statement + "\n\t\t}" +
				one(c.rng, "", " else {\n\t\t"+here+" = "+c.value()+"\n\t\t}")
		}
		fmt.Fprintf(&body, "\t\t%s\n", statement)
		cells = []string{here}
	}
	if c.heads != nil {
		at := c.rng.IntN(len(c.heads) + 1)
		head = strings.Join(slices.Concat(c.heads[:at], []string{head}, c.heads[at:]), ", ")
	}
	return decls, "for " + head + " {\n" + open + body.String() + shut + "\t}"
}
