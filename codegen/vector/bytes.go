package vector

import (
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
	"loopc/runtime/kernel"
)

// Letters of two texts are compared, and no more is done with them:
//
//	select(a[i] == b[j], match, miss)
//
// They need not be as wide as lanes: AVX-512 compares as many bytes to the same mask. Of a
// window that moves on by a letter in each step nearly every vector of 64 bytes lies in two
// cache lines, but few of 16 bytes do.

// compareBytes finds the given sequences that are compared as bytes.
func (s *Levels) compareBytes() {
	s.bytes = map[int]bool{}
	total, compared := map[int]int{}, map[int]int{}
	s.each(func(e ir.Expr) {
		if r, ok := e.(*ir.Read); ok {
			if k, ok := s.givens[r.ID]; ok {
				total[k]++
			}
		}
		if x, y, ok := s.texts(e); ok {
			compared[x]++
			compared[y]++
		}
	})
	// What is compared with something that is not held as bytes is not, either.
	for again := true; again; {
		again = false
		for k, n := range compared {
			s.bytes[k] = n == total[k]
		}
		s.each(func(e ir.Expr) {
			if x, y, ok := s.texts(e); ok && s.bytes[x] != s.bytes[y] {
				compared[x], compared[y], again = -1, -1, true
			}
		})
	}
}

// texts returns the given sequences of uint8 that e compares, if it does no more.
func (s *Levels) texts(e ir.Expr) (x, y int, ok bool) {
	b, isBinary := e.(*ir.Binary)
	if !isBinary {
		return 0, 0, false
	}
	of := func(e ir.Expr) (int, bool) {
		r, ok := e.(*ir.Read)
		if !ok || r.T != ir.Uint8 || s.lane != 4 {
			return 0, false
		}
		k, ok := s.givens[r.ID]
		return k, ok && (s.given[k].Kind == kernel.Fixed || s.given[k].Kind == kernel.Window)
	}
	x, okX := of(b.X)
	y, okY := of(b.Y)
	return x, y, okX && okY
}

// inBytes reports whether given sequence k is held as bytes.
func (s *Levels) inBytes(isa ISA, k int) bool { return isa == AVX512 && s.bytes[k] }

// InBytes says which arrays are compared as bytes.
func (s *Levels) InBytes() []string {
	var names []string
	for k, g := range s.given {
		if name := s.n.Arrays[g.Array].Name; s.bytes[k] && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{strings.Join(names, " and ") + " compared as bytes (avx512)"}
}

// givenBytes is the size of a cell of given sequence k.
func (s *Levels) givenBytes(isa ISA, k int) int {
	if s.inBytes(isa, k) {
		return 1
	}
	return s.lane
}

// loadGiven loads what lanes have of given sequence k.
func (f *levelFunction) loadGiven(k int, mem operand.Mem) reg.Register {
	if !f.s.inBytes(f.isa, k) {
		return f.load(mem)
	}
	r := f.vec()
	f.asm.VMOVDQU8(mem, r.AsX())
	return r
}

// compareTexts compares two sequences that are held as bytes; it returns nil for anything else.
func (x *levelStep) compareTexts(e *ir.Binary) condition {
	a, b, ok := x.s.texts(e)
	if !ok || !x.s.inBytes(x.isa, a) {
		return nil
	}
	var first reg.Register
	switch at := x.givenLanes(a).(type) {
	case reg.Register:
		first = at.(reg.Vec).AsX()
	default:
		first = x.asm.XMM()
		x.asm.VMOVDQU8(at, first)
	}
	second := x.givenLanes(b)
	if r, ok := second.(reg.Vec); ok {
		second = r.AsX()
	}
	k := x.asm.K()
	x.asm.VPCMPUB(operand.U8(intCompare[e.Op]), second, first, k)
	return k
}
