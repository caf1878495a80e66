package transform

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/transform/plan"
)

// LowerProgram lowers every nest of a program. A single nest may have a tiling that the user gives;
// otherwise t is nil. whole has the parameters, arrays and reductions of the program and no loops,
// for the runtime; for a program of one nest, it is that nest.
func LowerProgram(p *ir.Program, t *Tiling) (lowered []*ir.Lowered, nests []*plan.Nest, whole *plan.Nest, diags []diag.Diagnostic) {
	if p.Single() && t != nil {
		l, nest, diags := LowerTiled(p.Nests[0], t)
		return []*ir.Lowered{l}, []*plan.Nest{nest}, nest, diags
	}
	for _, n := range p.Nests {
		l, nest, more := Lower(n)
		lowered, nests, diags = append(lowered, l), append(nests, nest), append(diags, more...)
	}
	if p.Single() || diag.HasErrors(diags) {
		return lowered, nests, nests[0], diags
	}
	whole = &plan.Nest{Name: p.Name}
	lowerParams(p.Params, whole)
	lowerFloats(p.Floats, whole)
	lowerArrays(&ir.Nest{Arrays: p.Arrays}, whole)
	for _, n := range p.Nests {
		lowerIndexes(n, whole)
		lowerNarrow(n, whole)
	}
	lowerItems(p, whole)
	for _, nest := range nests { // whole says which parameters extend the program
		nest.Extends = nil
	}
	lowerExtends(p, whole)
	for _, r := range p.Reduces() {
		whole.Reduces = append(whole.Reduces, plan.Reduce{Name: r.Name, Op: r.Word(), Elem: r.Type.String()})
	}
	trim(reflect.ValueOf(whole))
	h := sha256.New()
	fmt.Fprintln(h, version, p.StepsText())
	for _, n := range nests {
		fmt.Fprintln(h, n.Digest)
	}
	whole.Digest = hex.EncodeToString(h.Sum(nil))
	return lowered, nests, whole, diags
}
