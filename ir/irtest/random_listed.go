package irtest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"loopc/ir"
)

// listedText declares a constant array.
func listedText(rng *rand.Rand, name string, t ir.Type, lo, hi []int) string {
	var bounds []string
	for d := range lo {
		bounds = append(bounds, fmt.Sprintf("%d..%d", lo[d], hi[d]))
	}
	value := func() string {
		if t.Float() {
			return one(rng, "0.5", "0.1", "-0.3", "1.0/3", "1", "1e-3")
		}
		return strconv.Itoa(rng.IntN(9))
	}
	var list func(d int) string
	list = func(d int) string {
		if d == len(lo) {
			return value()
		}
		var items []string
		for range hi[d] - lo[d] + 1 {
			items = append(items, list(d+1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprintf("const %s[%s] %s = %s", name, strings.Join(bounds, ", "), t, list(0))
}

// shift returns the text that adds c; the text sometimes reads c from a constant array.
func (w *nestWriter) shift(c int) string {
	if c == 0 || !w.chance(40) {
		return plus("", c)
	}
	name := fmt.Sprintf("off%d%s", len(w.decls), w.tag)
	w.decls = append(w.decls, fmt.Sprintf("const %s[%d..%d] int32 = [%d, 7, %d]", name, c, c+2, c, c))
	return fmt.Sprintf("+%s[%d]", name, one(w.rng, c, c+2))
}

// smallLoop returns a short loop that adds products to the var called name, which has type t. One factor is a cell of a
// constant array. The frontend unrolls the loop.
func (r *rich) smallLoop(w *nestWriter, name string, t ir.Type, k int) string {
	lo, list := one(w.rng, 0, 1, -1), fmt.Sprintf("c%d%s", len(w.decls), w.tag)
	hi := lo + one(w.rng, 0, 1, 2)
	w.decls = append(w.decls, listedText(w.rng, list, t, []int{lo}, []int{hi}))
	m, z := fmt.Sprintf("m%d", k), fmt.Sprintf("z%d", k)
	scale := map[bool]string{true: "0.125*", false: ""}[t.Float()]
	guard, end := "", ""
	if w.chance(3) {
		guard, end = "if "+m+" != 1 {\n\t\t", "\n\t\t}"
	}
	return fmt.Sprintf("for %s = %d..%d {\n\t\tlet %s %s = %s\n\t\t%s%s += %s%s[%s]*%s%s\n\t}", m, lo, hi, z, t, w.sum(t, 1), guard, name, scale, list, m, z, end)
}

// listed sometimes returns a cell of a new constant array of type t, otherwise "". The first subscript runs from 0 to 2, the
// second from -1 to 1.
func (w *smallWriter) listed(t ir.Type, indices []string) string {
	if !w.chance(12) {
		return ""
	}
	name := "L" + strconv.Itoa(len(w.decls))
	rank := one(w.rng, 1, 1, 2)
	w.decls = append(w.decls, listedText(w.rng, name, t, []int{0, -1}[:rank], []int{2, 1}[:rank]))
	var subs []string
	for d := range rank {
		x := one(w.rng, "1", "0", "abs(int64("+one(w.rng, indices...)+"))%3")
		if d == 1 {
			x += " - 1"
		}
		subs = append(subs, x)
	}
	return name + "[" + strings.Join(subs, ",") + "]"
}
