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

// shift returns + c as text, sometimes as a cell of a constant array.
func (w *nestWriter) shift(c int) string {
	if c == 0 || !w.chance(40) {
		return plus("", c)
	}
	name := fmt.Sprintf("off%d%s", len(w.decls), w.tag)
	w.decls = append(w.decls, fmt.Sprintf("const %s[%d..%d] int32 = [%d, 7, %d]", name, c, c+2, c, c))
	return fmt.Sprintf("+%s[%d]", name, one(w.rng, c, c+2))
}

// smallLoop returns a loop that adds the cells of a constant array times t's values to a var; it is written out.
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

// listed returns a cell, of type t, of a constant array, or "". Subscripts are constant, or from 0 to 2.
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
