package irtest

import (
	"math/rand/v2"

	"loopc/ir"
	"loopc/ir/eval"
)

// RandomParams returns a value for every parameter of n: mostly its default, else a number
// from 0 to a little above the default.
func RandomParams(rng *rand.Rand, n *ir.Nest) []int {
	var params []int
	for _, p := range n.Params {
		v := 6
		if p.Default != nil {
			v = *p.Default
		}
		if rng.IntN(3) == 0 {
			v = rng.IntN(v + 3)
		}
		params = append(params, v)
	}
	return params
}

// RandomInputs returns the in and inout arrays of n for the given parameters,
// filled with pseudo-random values: floats between -1 and 1, integers of any
// size. It returns nil if the parameters make an extent negative.
func RandomInputs(rng *rand.Rand, n *ir.Nest, params []int) map[string]*eval.Array {
	in := map[string]*eval.Array{}
	for k := range n.Arrays {
		decl := &n.Arrays[k]
		if decl.Role != ir.In && decl.Role != ir.InOut {
			continue
		}
		var lo, hi []int
		for d := range decl.Lo {
			lo = append(lo, decl.Lo[d].Eval(params, nil))
			hi = append(hi, decl.Hi[d].Eval(params, nil))
		}
		a, err := eval.NewArray(decl.Elem, lo, hi)
		if err != nil {
			return nil
		}
		for x := range a.Floats {
			a.Floats[x] = 2*rng.Float64() - 1
			if decl.Elem == ir.Float32 {
				a.Floats[x] = float64(2*rng.Float32() - 1)
			}
		}
		for x := range a.Ints {
			a.Ints[x] = decl.Elem.Cell().Wrapped(int64(rng.Uint64()))
		}
		in[decl.Name] = a
	}
	return in
}
