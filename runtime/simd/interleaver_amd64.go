package simd

// Functions of interleaver_amd64.s, which codegen/interleave writes. Memory whose address is in a frame must
// not move: it must not be on a goroutine's stack, which may grow before the call.

//go:noescape
func deinterleaveAVX2x4(frame *uintptr)

//go:noescape
func deinterleaveEdgeAVX2x4(frame *uintptr)

//go:noescape
func interleaveAVX2x4(frame *uintptr)

//go:noescape
func interleaveEdgeAVX2x4(frame *uintptr)

//go:noescape
func deinterleaveAVX2x8(frame *uintptr)

//go:noescape
func deinterleaveEdgeAVX2x8(frame *uintptr)

//go:noescape
func interleaveAVX2x8(frame *uintptr)

//go:noescape
func interleaveEdgeAVX2x8(frame *uintptr)

//go:noescape
func streamAVX2x4(frame *uintptr)

//go:noescape
func streamEdgeAVX2x4(frame *uintptr)

//go:noescape
func streamAVX2x8(frame *uintptr)

//go:noescape
func streamEdgeAVX2x8(frame *uintptr)

//go:noescape
func deinterleaveAVX512x4(frame *uintptr)

//go:noescape
func deinterleaveEdgeAVX512x4(frame *uintptr)

//go:noescape
func interleaveAVX512x4(frame *uintptr)

//go:noescape
func interleaveEdgeAVX512x4(frame *uintptr)

//go:noescape
func deinterleaveAVX512x8(frame *uintptr)

//go:noescape
func deinterleaveEdgeAVX512x8(frame *uintptr)

//go:noescape
func interleaveAVX512x8(frame *uintptr)

//go:noescape
func interleaveEdgeAVX512x8(frame *uintptr)

//go:noescape
func streamAVX512x4(frame *uintptr)

//go:noescape
func streamEdgeAVX512x4(frame *uintptr)

//go:noescape
func streamAVX512x8(frame *uintptr)

//go:noescape
func streamEdgeAVX512x8(frame *uintptr)

//go:noescape
func linesAVX512x4(frame *uintptr)

//go:noescape
func linesAVX512x8(frame *uintptr)

//go:noescape
func widenUint8(frame *uintptr)

//go:noescape
func widenInt8(frame *uintptr)

//go:noescape
func widenUint16(frame *uintptr)

//go:noescape
func widenInt16(frame *uintptr)

//go:noescape
func narrow1(frame *uintptr)

//go:noescape
func narrow2(frame *uintptr)

//go:noescape
func fence()

//go:noescape
func fetch(frame *uintptr)

// codes are the functions by the bytes of vectors and of lanes.
var codes = map[[2]int]*interleaverCode{
	{32, 4}: {deinterleaveAVX2x4, deinterleaveEdgeAVX2x4, interleaveAVX2x4, interleaveEdgeAVX2x4, streamAVX2x4, streamEdgeAVX2x4, fetch, fence, nil},
	{32, 8}: {deinterleaveAVX2x8, deinterleaveEdgeAVX2x8, interleaveAVX2x8, interleaveEdgeAVX2x8, streamAVX2x8, streamEdgeAVX2x8, fetch, fence, nil},
	{64, 4}: {deinterleaveAVX512x4, deinterleaveEdgeAVX512x4, interleaveAVX512x4, interleaveEdgeAVX512x4, streamAVX512x4, streamEdgeAVX512x4, fetch, fence, linesAVX512x4},
	{64, 8}: {deinterleaveAVX512x8, deinterleaveEdgeAVX512x8, interleaveAVX512x8, interleaveEdgeAVX512x8, streamAVX512x8, streamEdgeAVX512x8, fetch, fence, linesAVX512x8},
}

// codeFor returns the functions for vectors and lanes of the given numbers of bytes; nil if there
// are none, or if the processor lacks the instructions.
func codeFor(vector, lane int) *interleaverCode {
	if vector == 64 && !AVX512() || !AVX2() {
		return nil
	}
	return codes[[2]int{vector, lane}]
}

// cellCodeFor returns the functions that convert cells of a type to int32, and back; ok is false if there
// are none, or if the processor lacks the instructions.
func cellCodeFor(elem string) (in, out cellCode, ok bool) {
	if !AVX2() {
		return in, out, false
	}
	switch elem {
	case "uint8":
		return cellCode{run: widenUint8, size: 1}, cellCode{run: narrow1, size: 1}, true
	case "int8":
		return cellCode{run: widenInt8, size: 1}, cellCode{run: narrow1, size: 1}, true
	case "uint16":
		return cellCode{run: widenUint16, size: 2}, cellCode{run: narrow2, size: 2}, true
	case "int16":
		return cellCode{run: widenInt16, size: 2}, cellCode{run: narrow2, size: 2}, true
	}
	return in, out, false
}
