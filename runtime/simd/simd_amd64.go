package simd

// cpuid executes the CPUID instruction.
func cpuid(leaf, part uint32) (a, b, c, d uint32)

// xgetbv returns the lower half of extended control register 0. The processor must have
// OSXSAVE.
func xgetbv() uint32

// Bits of CPUID and of XCR0: Intel's manual, volume 2A, tables 3-8 and 3-10, and
// volume 1, section 13.3.
const (
	fma     = 1 << 12 // leaf 1, ECX
	osxsave = 1 << 27 // leaf 1, ECX
	avx     = 1 << 28 // leaf 1, ECX
	avx2    = 1 << 5  // leaf 7, EBX
	avx512  = 1<<16 | 1<<17 | 1<<30 | 1<<31

	saved256 = 1<<1 | 1<<2     // XMM and YMM
	saved512 = saved256 | 7<<5 // also mask registers and ZMM
)

func detect() (s set) {
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return s
	}
	if _, _, c, _ := cpuid(1, 0); c&osxsave == 0 || c&avx == 0 || c&fma == 0 {
		return s
	}
	_, b, _, _ := cpuid(7, 0)
	saved := xgetbv()
	s.avx2 = saved&saved256 == saved256 && b&avx2 != 0
	s.avx512 = s.avx2 && saved&saved512 == saved512 && b&avx512 == avx512
	return s
}
