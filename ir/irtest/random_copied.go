package irtest

import "fmt"

// copied writes a repeat whose first nest copies an array to another one, and whose second nest computes the first array anew
// from the copy: all of its cells, most times, so that functions of the repeat exchange the arrays instead. k is the number of
// the repeat.
func (w *smallWriter) copied(k int) {
	rng, t := w.rng, w.elem()
	p, q, zero := w.named(fmt.Sprint("p", k)), w.named(fmt.Sprint("q", k)), t.String()+"(0)"
	lo, hi := one(rng, "0", "1", "-2"), one(rng, w.names...)
	role := one(rng, "inout", "out", "")
	bounds, x, loops := lo+".."+hi, "x", "x = "+lo+".."+hi
	if w.chance(3) {
		bounds, x, loops = "1..3, "+bounds, "y,x", "y = 1..3, "+loops
	}
	w.decls = append(w.decls, fmt.Sprintf("array %s[%s] %s %s", p, bounds, t, role))
	if role != "inout" {
		w.decls = append(w.decls, fmt.Sprintf("init %s[%s] = %s(x)", p, x, t))
	}
	w.decls = append(w.decls, fmt.Sprintf("array %s[%s] %s", q, bounds, t))
	if role == "" {
		w.decls = append(w.decls, fmt.Sprintf("array %s[%s] %s out", p+"Last", bounds, t))
	}
	fmt.Fprintf(&w.nests, "repeat %s = %s {\nfor %s { %s[%s] = %s[%s] }\n", w.named(fmt.Sprint("n", k)), one(rng, "1..2", "1..3", "1.."+w.names[0], "2..1"), loops, q, x, p, x)
	before := x[:len(x)-1] + "x-1"
	if w.chance(4) { // not all cells
		loops = loops[:len(loops)-len(lo+".."+hi)] + lo + "+1.." + hi
	} else if w.chance(3) {
		loops = loops[:len(loops)-len(lo+".."+hi)] + hi + ".." + lo + " step -1"
	}
	fmt.Fprintf(&w.nests, "for %s { %s[%s] = %s }\n", loops, p, x, one(rng,
		fmt.Sprintf("%s[%s] + select(x > %s, %s[%s], %s)", q, x, lo, q, before, zero),
		fmt.Sprintf("max(%s[%s], select(x > %s, %s[%s] + %s[%s], %s))", q, x, lo, q, x, q, before, zero),
		fmt.Sprintf("select(x > %s, %s[%s], %s)", lo, q, before, zero)))
	if w.chance(4) { // both are read
		fmt.Fprintf(&w.nests, "for %s { %s[%s] = %s[%s] - %s[%s] }\n", loops, p, x, p, x, q, x)
	}
	w.nests.WriteString("}\n")
	if role == "" {
		fmt.Fprintf(&w.nests, "for %s { %s[%s] = %s[%s] }\n", loops, p+"Last", x, p, x)
	}
}
