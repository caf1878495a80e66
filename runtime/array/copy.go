package array

import "unsafe"

// Copy copies n cells, each of size bytes, from src to dst. In src the cells begin at position from and are fromStride apart; in dst they
// begin at position to and are toStride apart. Positions and strides are in cells. If fromStride is 0, one cell is repeated.
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
	case 1:
		copyApart(cells[[1]byte](dst), to, toStride, cells[[1]byte](src), from, fromStride, n)
	case 2:
		copyApart(cells[[2]byte](dst), to, toStride, cells[[2]byte](src), from, fromStride, n)
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

// A word is a cell that is moved at once.
type word interface {
	[1]byte | [2]byte | [4]byte | [8]byte
}

// cells returns b as cells of one word each. b need not be aligned.
func cells[C word](b []byte) []C {
	var c C
	return unsafe.Slice((*C)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/len(c))
}

// copyApart does what Copy does, for cells of one word each.
func copyApart[C word](dst []C, to, toStride int, src []C, from, fromStride, n int) {
	switch {
	case n <= 0:
		return
	case toStride == 1 && fromStride == -1:
		reverse(dst[to:to+n], src[from-n+1:from+1])
		return
	case toStride == -1 && fromStride == 1:
		reverse(dst[to-n+1:to+1], src[from:from+n])
		return
	case toStride == 1:
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

// reverse copies the cells of src to dst, the last cell first. Both have the same length, and do not overlap.
func reverse[C word](dst, src []C) {
	for len(src) >= 4 && len(dst) >= 4 {
		x, y := (*[4]C)(src), (*[4]C)(dst[len(dst)-4:])
		y[3] = x[0]
		y[2] = x[1]
		y[1] = x[2]
		y[0] = x[3]
		src, dst = src[4:], dst[:len(dst)-4]
	}
	for k := range src {
		dst[len(src)-1-k] = src[k]
	}
}

// copyCell copies one cell. The two common sizes are moved as one word, because a call of copy takes longer.
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
