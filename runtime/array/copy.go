package array

import "unsafe"

// Copy copies n cells of size bytes: from offset from of src, every
// fromStride-th, to offset to of dst, every toStride-th. Offsets and strides
// are in cells; a fromStride of 0 repeats one cell.
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
	for ; n > 0; n-- {
		copyCell(dst, to, src, from, size)
		to += toStride
		from += fromStride
	}
}

// copyCell copies one cell. The two common sizes are moved as one word: a call
// to copy costs more than they do.
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
