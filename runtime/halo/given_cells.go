package halo

import (
	"math"
	"unsafe"

	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/runtime/simd"
)

// A laneConverter converts n cells, every fromStep-th from first on, to cells of the type of lanes, every toStep-th from at on.
type laneConverter[T int32 | int64] func(dst []T, at, toStep int, src []byte, first, fromStep, n int)

// converter returns what converts cells from one type to another, which lanes hold as T.
func converter[T int32 | int64](from, to string) laneConverter[T] {
	if from == to {
		return copyCells[T]
	}
	convert := element.Named(from).ToLanes(element.Named(to))
	var put laneConverter[T] = func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
		convert(bytes(dst), at, toStep, src, first, fromStep, n)
	}
	if element.Named(from).Size == 1 {
		put = lookUp(put)
	}
	widen, _ := rowConverters[T](from, to)
	if widen == nil {
		return put
	}
	size := element.Named(from).Size
	return func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
		if toStep != 1 || fromStep != 1 || n < simd.ConvertLeast {
			put(dst, at, toStep, src, first, fromStep, n)
			return
		}
		widen(dst[at:at+n], src[first*size:(first+n)*size])
	}
}

// rowConverters returns simd.Converts' functions for cells of type elem that lanes hold as to; nil if there are none.
func rowConverters[T int32 | int64](elem, to string) (widen func([]T, []byte), narrow func([]byte, []T)) {
	if to != element.Of[int32]().Name {
		return nil, nil
	}
	in, out := simd.Converts(elem)
	widen, _ = any(in).(func([]T, []byte))
	narrow, _ = any(out).(func([]byte, []T))
	return widen, narrow
}

// lookUp does what convert does for cells of one byte: it looks values up in a table of all 256.
func lookUp[T int32 | int64](convert laneConverter[T]) laneConverter[T] {
	table, all := new([256]T), make([]byte, 256)
	for x := range all {
		all[x] = byte(x)
	}
	convert(table[:], 0, 1, all, 0, 1, len(all))
	return func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
		if toStep == 1 && fromStep == 1 {
			to := dst[at : at+n]
			for i, x := range src[first : first+n] {
				to[i] = table[x]
			}
			return
		}
		for range n {
			dst[at] = table[src[first]]
			at, first = at+toStep, first+fromStep
		}
	}
}

// copyCells copies n cells of the type of lanes.
func copyCells[T int32 | int64](dst []T, at, toStep int, src []byte, first, fromStep, n int) {
	array.Copy(bytes(dst), at, toStep, src, first, fromStep, n, int(unsafe.Sizeof(*new(T))))
}

// paramBits returns the bits of a parameter converted to type elem.
func paramBits(elem string, x int) int {
	switch {
	case elem == "float32":
		return int(math.Float32bits(float32(x)))
	case elem == "float64":
		return int(math.Float64bits(float64(x)))
	case element.Named(elem).Size == 8:
		return x
	}
	return int(uint32(int32(x)))
}

// floatBits returns the bits of a float parameter rounded to type elem.
func floatBits(elem string, x float64) int {
	if elem == "float32" {
		return int(math.Float32bits(float32(x)))
	}
	return int(math.Float64bits(x))
}
