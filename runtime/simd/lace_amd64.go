package simd

// Functions of lace_amd64.s, which codegen/interleave writes. Memory whose address is in a frame must
// not move: it must not be on a goroutine's stack, which may grow before the call.

//go:noescape
func unlaceAVX2x4(frame *uintptr)

//go:noescape
func unlaceEdgeAVX2x4(frame *uintptr)

//go:noescape
func laceAVX2x4(frame *uintptr)

//go:noescape
func laceEdgeAVX2x4(frame *uintptr)

//go:noescape
func unlaceAVX2x8(frame *uintptr)

//go:noescape
func unlaceEdgeAVX2x8(frame *uintptr)

//go:noescape
func laceAVX2x8(frame *uintptr)

//go:noescape
func laceEdgeAVX2x8(frame *uintptr)

//go:noescape
func streamAVX2x4(frame *uintptr)

//go:noescape
func streamEdgeAVX2x4(frame *uintptr)

//go:noescape
func streamAVX2x8(frame *uintptr)

//go:noescape
func streamEdgeAVX2x8(frame *uintptr)

//go:noescape
func unlaceAVX512x4(frame *uintptr)

//go:noescape
func unlaceEdgeAVX512x4(frame *uintptr)

//go:noescape
func laceAVX512x4(frame *uintptr)

//go:noescape
func laceEdgeAVX512x4(frame *uintptr)

//go:noescape
func unlaceAVX512x8(frame *uintptr)

//go:noescape
func unlaceEdgeAVX512x8(frame *uintptr)

//go:noescape
func laceAVX512x8(frame *uintptr)

//go:noescape
func laceEdgeAVX512x8(frame *uintptr)

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

// laceCodes are the functions by the bytes of vectors and of lanes.
var laceCodes = map[[2]int]*laceCode{
	{32, 4}: {unlaceAVX2x4, unlaceEdgeAVX2x4, laceAVX2x4, laceEdgeAVX2x4, streamAVX2x4, streamEdgeAVX2x4, fetch, fence, nil},
	{32, 8}: {unlaceAVX2x8, unlaceEdgeAVX2x8, laceAVX2x8, laceEdgeAVX2x8, streamAVX2x8, streamEdgeAVX2x8, fetch, fence, nil},
	{64, 4}: {unlaceAVX512x4, unlaceEdgeAVX512x4, laceAVX512x4, laceEdgeAVX512x4, streamAVX512x4, streamEdgeAVX512x4, fetch, fence, linesAVX512x4},
	{64, 8}: {unlaceAVX512x8, unlaceEdgeAVX512x8, laceAVX512x8, laceEdgeAVX512x8, streamAVX512x8, streamEdgeAVX512x8, fetch, fence, linesAVX512x8},
}

// laceCodeFor returns the functions for vectors and lanes of the given numbers of bytes; nil if there
// are none, or if the processor lacks the instructions.
func laceCodeFor(vector, lane int) *laceCode {
	if vector == 64 && !AVX512() || !AVX2() {
		return nil
	}
	return laceCodes[[2]int{vector, lane}]
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
