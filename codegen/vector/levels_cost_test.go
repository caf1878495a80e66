package vector

import (
	"testing"

	"loopc/codegen/asm"
	"loopc/ir"
)

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
