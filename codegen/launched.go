package codegen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// A floatUse is a float parameter as a value of a type.
type floatUse struct {
	float int
	t     ir.Type
}

// A launched is a value that is known when a run begins: its Go name, type, and where a kernel's
// constructor finds it.
type launched struct{ name, t, value string }

// nameFloats finds the types in which the nest uses float parameters, and chooses a name for each.
func (g *generator) nameFloats(s *scope) {
	g.n.FloatRefs(func(f *ir.FloatRef) {
		if use := (floatUse{f.Float, f.T}); !slices.Contains(g.floatUses, use) {
			g.floatUses = append(g.floatUses, use)
		}
	})
	slices.SortFunc(g.floatUses, func(x, y floatUse) int { return cmp.Or(x.float-y.float, int(y.t)-int(x.t)) })
	g.floats = map[floatUse]string{}
	for _, use := range g.floatUses {
		name := g.n.Floats[use.float].Name
		if use.t == ir.Float32 {
			name += "32"
		}
		g.floats[use] = s.name(name)
	}
}

// launched returns the parameters, and the float parameters in the types of their uses.
func (g *generator) launched() (all []launched) {
	for k, p := range g.params {
		all = append(all, launched{p, "int", fmt.Sprintf("params[%d]", k)})
	}
	for _, use := range g.floatUses {
		value := fmt.Sprintf("fields.Floats[%d]", use.float)
		if use.t.Integer() { // the bits of a result of an earlier nest
			value = fmt.Sprintf("arith.FromBits[%s](%s)", use.t, value)
		} else if use.t != ir.Float64 {
			value = fmt.Sprintf("%s(%s)", use.t, value)
		}
		all = append(all, launched{g.floats[use], use.t.String(), value})
	}
	return all
}

// launchedNames are the Go names of launched.
func (g *generator) launchedNames() []string {
	return mapped(g.launched(), func(p launched) string { return p.name })
}

// paramFieldsOfKernel prints the fields of the kernel for launched values.
func (g *generator) paramFieldsOfKernel() {
	if len(g.params) > 0 {
		g.linef("%s int", strings.Join(g.params, ", "))
	}
	for _, p := range g.launched()[len(g.params):] {
		g.linef("%s %s", p.name, p.t)
	}
}

// loadLaunched prints variables for launched values, in a method of the kernel.
func (g *generator) loadLaunched() {
	for _, p := range g.launchedNames() {
		g.linef("%s := tile.%s", p, p)
	}
}

// withFloats is the Go expression of the program, with the float parameters of the struct p.
func (g *generator) withFloats() string {
	if len(g.n.Floats) == 0 {
		return g.varProgram
	}
	return fmt.Sprintf("%s.With(%s)", g.varProgram, strings.Join(mapped(g.floatFields, func(f string) string { return "p." + f }), ", "))
}

// earlier returns the text of the field Earlier of a sched.Program: the reductions whose results the nest reads. It is ""
// for a nest that reads none.
func (g *generator) earlier() string {
	var places []ir.ReducePlace
	for _, f := range g.n.Floats {
		if f.Of != nil {
			places = append(places, *f.Of)
		}
	}
	if places == nil {
		return ""
	}
	return ", Earlier: " + placesText(places)
}

// placesText returns places of reductions as the runtime has them.
func placesText(places []ir.ReducePlace) string {
	list := mapped(places, func(at ir.ReducePlace) string { return fmt.Sprintf("{Nest: %d, Reduce: %d}", at.Nest, at.Reduce) })
	return "[]sched.ReducePlace{" + strings.Join(list, ", ") + "}"
}
