package vector

import (
	"slices"
	"testing"

	"loopc/codegen/asm"
	"loopc/ir"
)

// TestLevelsOrder: with levels as lanes, the last argument of max is the one that waits longest: for the level below, which
// is moved up by a lane. In a row by itself the last argument would be the one that waits for the row.
func TestLevelsOrder(t *testing.T) {
	for _, elem := range []string{"int32", "float32", "float64"} {
		src := "param M, N = 5, 50\narray H[0..M, 0..N] " + elem + "\ninit H[i, j] = 0\nout H[M, *]\nfor i = 1..M, j = 1..N {\n" +
			"H[i,j] = max(H[i-1,j] - 3, H[i-1,j-1] + 1, H[i,j-1] - 2, 0)\n}\n"
		n, l, p := lowered(t, src)
		s, why := AnalyzeLevels(n, l, p, []bool{true})
		if s == nil {
			t.Fatal(why)
		}
		call := n.Body[0].(*ir.Assign).Expr.(*ir.Call)
		seen, _ := s.timed(asm.LatencyShift(asm.Whole, asm.AVX512), forms[0]).delays(asm.AVX512)
		got := seen.sorted[call].of
		if want := []ir.Expr{call.Args[3], call.Args[1], call.Args[2], call.Args[0]}; !slices.Equal(got, want) {
			t.Errorf("%s: the order of the arguments is %v, with the delays %v", elem, got, seen.sorted[call].delays)
		}
	}
}

// TestGainsOnOne: more row streams are taken if one of the modeled processors gains enough and the
// other loses nothing. Fewer instructions on 64 bytes than on 32 may wait: two streams then take
// single steps, which are interleaved, while on 32 bytes each stream takes two steps at a time.
func TestGainsOnOne(t *testing.T) {
	one := Function{Blocks: 1, Cost: asm.Cost{Lanes: 16, Ports: asm.Bound{7, 7}, Latency: asm.Bound{8, 12.5}}}
	two := one
	two.Blocks = 2
	if !two.gains(&one) {
		t.Error("two chains are not taken, by which one model gains and the other does not lose")
	}
	two.Cost.Ports[asm.Whole] = 9
	if two.gains(&one) {
		t.Error("two chains are taken, by which one model loses")
	}
	two.Cost.Ports[asm.Whole], two.Cost.Latency[asm.Halves], one.Cost.Latency[asm.Halves] = 7, 8, 8
	if two.gains(&one) {
		t.Error("two chains are taken, by which nobody gains enough")
	}
	s := &Levels{Shape: &Shape{n: &ir.Nest{}, l: &ir.Lowered{}}, rows: [][]int{{}}}
	cost := &asm.Cost{Shuffles: 2, Other: 12}
	if o := s.options(asm.AVX512, 2, cost)[0]; o.unroll != 1 || o.interleaved != mostInterleaved {
		t.Errorf("long vectors: %+v, want interleaved steps", o)
	}
	if o := s.options(asm.AVX2, 2, cost)[0]; o.unroll != 2 {
		t.Errorf("short vectors: %+v, want two steps at a time", o)
	}
}
