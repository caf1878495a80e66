package vector

import (
	"slices"
	"strings"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// If the letters of two texts are only compared, as in
//
//	select(a[i] == b[j], match, miss)
//
// the letters need not be as wide as lanes: AVX-512 compares as many bytes as there are lanes, and
// gives the same mask. A window of letters moves on by one letter in each step. With 4-byte cells,
// nearly every vector of a window would lie in two cache lines; with bytes, few do.

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
	// Both sequences of a comparison must be held as bytes, or neither.
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

// texts returns the two given sequences of uint8 that e compares; not ok if e is anything but such
// a comparison.
func (s *Levels) texts(e ir.Expr) (x, y int, ok bool) {
	b, isBinary := e.(*ir.Binary)
	if !isBinary {
		return 0, 0, false
	}
	givenByte := func(e ir.Expr) (int, bool) {
		r, ok := e.(*ir.Read)
		if !ok || r.T != ir.Uint8 || s.lane != 4 {
			return 0, false
		}
		k, ok := s.givens[r.ID]
		return k, ok && (s.given[k].Kind == kernel.Fixed || s.given[k].Kind == kernel.Window)
	}
	x, okX := givenByte(b.X)
	y, okY := givenByte(b.Y)
	return x, y, okX && okY
}

// inBytes reports whether given sequence k is held as bytes.
func (s *Levels) inBytes(isa asm.ISA, k int) bool { return isa == asm.AVX512 && s.bytes[k] }

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
func (s *Levels) givenBytes(isa asm.ISA, k int) int {
	if s.inBytes(isa, k) {
		return 1
	}
	return s.lane
}

// loadGiven loads the lanes' cells of given sequence k.
func (f *levelFunction) loadGiven(k int, mem asm.Mem) asm.Reg {
	if !f.s.inBytes(f.ISA(), k) {
		return f.Load(mem)
	}
	return f.LoadBytes(mem)
}

// compareTexts writes e if it compares two sequences that are held as bytes. It returns no register
// for anything else.
func (x *levelStep) compareTexts(e *ir.Binary) asm.Reg {
	a, b, ok := x.s.texts(e)
	if !ok || !x.s.inBytes(x.ISA(), a) {
		return 0
	}
	first := x.LoadBytes(x.givenLanes(a))
	return x.CompareBytes(tests[e.Op], first, x.givenLanes(b))
}
