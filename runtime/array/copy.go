package array

import "unsafe"

// Copy copies n cells, each of size bytes, from src to dst. In src the cells begin at position
// from and are fromStride apart; in dst they begin at position to and are toStride apart.
// Positions and strides are in cells. If fromStride is 0, one cell is repeated.
func Copy(dst []byte, to, toStride int, src []byte, from, fromStride, n, size int) {
	if n <= 0 {
		return
	}
	if toStride == 1 && fromStride == 1 {
		if n == 1 {
			copyCell(dst, to, src, from, size)
			return
		}
		copy(dst[to*size:(to+n)*size], src[from*size:(from+n)*size])
		return
	}
	switch size {
	case 4:
		copyApart(cells[[4]byte](dst), to, toStride, cells[[4]byte](src), from, fromStride, n)
	case 8:
		copyApart(cells[[8]byte](dst), to, toStride, cells[[8]byte](src), from, fromStride, n)
	default:
		for ; n > 0; n-- {
			copyCell(dst, to, src, from, size)
			to += toStride
			from += fromStride
		}
	}
}

// cells returns b as cells of one word each. b need not be aligned.
func cells[C [4]byte | [8]byte](b []byte) []C {
	var c C
	return unsafe.Slice((*C)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/len(c))
}

// copyApart does what Copy does, for cells of one word each.
func copyApart[C [4]byte | [8]byte](dst []C, to, toStride int, src []C, from, fromStride, n int) {
	if toStride == 1 && n > 0 {
		for k := range dst[to : to+n] {
			dst[to+k] = src[from]
			from += fromStride
		}
		return
	}
	for ; n > 0; n-- {
		dst[to] = src[from]
		to += toStride
		from += fromStride
	}
}

// copyCell copies one cell. The two common sizes are moved as one word, because a call of copy
// takes longer.
func copyCell(dst []byte, to int, src []byte, from, size int) {
	d, s := dst[to*size:to*size+size], src[from*size:from*size+size]
	switch size {
	case 4:
		*(*[4]byte)(unsafe.Pointer(&d[0])) = *(*[4]byte)(unsafe.Pointer(&s[0]))
	case 8:
		*(*[8]byte)(unsafe.Pointer(&d[0])) = *(*[8]byte)(unsafe.Pointer(&s[0]))
	default:
		copy(d, s)
	}
}
