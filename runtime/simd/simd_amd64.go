package simd

// cpuid executes the CPUID instruction.
func cpuid(leaf, part uint32) (a, b, c, d uint32)

// xgetbv returns the lower half of extended control register 0. The processor must have OSXSAVE.
func xgetbv() uint32

// Bits of CPUID and of XCR0: Intel's manual, volume 2A, tables 3-8 and 3-10, and volume 1, section 13.3.
const (
	fma     = 1 << 12                       // leaf 1, ECX
	osxsave = 1 << 27                       // leaf 1, ECX
	avx     = 1 << 28                       // leaf 1, ECX
	avx2    = 1 << 5                        // leaf 7, EBX
	avx512  = 1<<16 | 1<<17 | 1<<30 | 1<<31 // leaf 7, EBX: F, DQ, BW, VL

	saved256 = 1<<1 | 1<<2     // XMM and YMM
	saved512 = saved256 | 7<<5 // also mask registers and ZMM
)

// The maker's name begins with these letters (leaf 0, EBX), and family numbers from wideFamily on are of processors that divide 64 bytes at
// once. AMD's manual, volume 3, appendix E.3.
const (
	authenticAMD = 'A' | 'u'<<8 | 't'<<16 | 'h'<<24
	wideFamily   = 26
)

func detect() (s set) {
	most, maker, _, _ := cpuid(0, 0)
	if most < 7 {
		return s
	}
	version, _, c, _ := cpuid(1, 0)
	if c&osxsave == 0 || c&avx == 0 || c&fma == 0 {
		return s
	}
	s.wideDivider = maker == authenticAMD && version>>8&15+version>>20&255 >= wideFamily // base and extended family
	_, b, _, _ := cpuid(7, 0)
	saved := xgetbv()
	s.avx2 = saved&saved256 == saved256 && b&avx2 != 0
	s.avx512 = s.avx2 && saved&saved512 == saved512 && b&avx512 == avx512
	return s
}
