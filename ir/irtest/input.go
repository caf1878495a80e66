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
		for x := range a.F32 {
			a.F32[x] = 2*rng.Float32() - 1
		}
		for x := range a.F64 {
			a.F64[x] = 2*rng.Float64() - 1
		}
		for x := range a.I32 {
			a.I32[x] = int32(rng.Uint32())
		}
		for x := range a.I64 {
			a.I64[x] = int64(rng.Uint64())
		}
		for x := range a.U8 {
			a.U8[x] = uint8(rng.Uint32())
		}
		in[decl.Name] = a
	}
	return in
}
