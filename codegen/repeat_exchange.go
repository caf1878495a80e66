package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// A nest of a repeat may copy an entire array to another one, if the next nest then writes all cells of the first array and reads none:
// a dynamic program copies a row in order to compute the next row from it. Then the two arrays change places instead. A function of a
// repeat has arrays in variables, and exchanges the variables; before it ends, the contents return to their own arrays.

// An exchange is such a copy.
type exchange struct {
	nest     int
	from, to int    // arrays
	allowed  string // a variable: the arrays are alike, and all nests that use them run by the function's loops
	odd      string // a variable: the arrays have changed places
}

// findExchanges finds the copies among steps in place of which arrays change places.
func (w *repeatWriter) findExchanges(steps []ir.Step) {
	for k, s := range steps {
		if s.Repeat != nil {
			w.findExchanges(s.Repeat.Steps)
			continue
		}
		if k+1 == len(steps) || steps[k+1].Repeat != nil {
			continue
		}
		copies, next := w.parts[s.Nest].n, w.parts[steps[k+1].Nest].n
		a, r := copies.Copied()
		if r == nil || w.exchanged(a.Array) || w.exchanged(r.Array) {
			continue
		}
		reads := slices.ContainsFunc(next.Reads, func(x *ir.Read) bool { return x.Array == r.Array }) || next.LooksUp(r.Array)
		writes := slices.ContainsFunc(next.Assigns(r.Array), func(k int) bool { return next.WritesAll(next.Body[k].(*ir.Assign)) })
		if reads || !writes || slices.ContainsFunc(w.nests, func(k int) bool { return w.prepares(k) && (w.uses(k, r.Array) || w.uses(k, a.Array)) }) {
			continue
		}
		w.exchanges = append(w.exchanges, exchange{nest: s.Nest, from: r.Array, to: a.Array})
	}
}

// exchanged reports whether an array changes places already.
func (w *repeatWriter) exchanged(a int) bool {
	return slices.ContainsFunc(w.exchanges, func(x exchange) bool { return x.from == a || x.to == a })
}

// uses reports whether nest k uses an array.
func (w *repeatWriter) uses(k, a int) bool {
	s := newSeqWriter(w.parts[k].fresh())
	return s.used(s.arrays[a])
}

// beginExchanges prints whether the arrays of the exchanges may change places.
func (w *repeatWriter) beginExchanges() {
	for k := range w.exchanges {
		x := &w.exchanges[k]
		x.allowed, x.odd = w.scope.name("exchanges"), w.scope.name("exchanged")
		conditions := []string{fmt.Sprintf("kernel.Alike(%s, %s)", w.views[x.from], w.views[x.to])}
		for _, k := range w.nests {
			if part := w.parts[k]; (part.inArrays() || part.front.shape != nil) && (w.uses(k, x.from) || w.uses(k, x.to)) {
				conditions = append(conditions, fmt.Sprintf("%s.Rows[%d] == nil", w.run, k))
			}
		}
		w.linef("%s, %s := %s, false", x.allowed, x.odd, strings.Join(conditions, " && "))
	}
}

// exchange prints the exchange in place of nest k, if there is one, and what precedes the nest.
func (w *repeatWriter) exchange(k int) {
	for _, x := range w.exchanges {
		if x.nest == k {
			w.linef("if %s { // %s: the arrays change places", x.allowed, w.parts[k].n.Name)
			w.linef("%[1]s, %[2]s, %[3]s = %[2]s, %[1]s, !%[3]s", w.of.arrays[x.from], w.of.arrays[x.to], x.odd)
			fmt.Fprint(&w.buf, "} else ")
		}
	}
}

// endExchanges prints the return of contents to their places.
func (w *repeatWriter) endExchanges() {
	for _, x := range w.exchanges {
		w.linef("if %s {", x.odd)
		w.linef("kernel.Exchange(%s, %s)", w.of.arrays[x.from], w.of.arrays[x.to])
		w.linef("}")
	}
}
