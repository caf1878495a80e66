package halo

import (
	"math"

	"loopc/runtime/array"
)

// converter returns a function that converts n cells between two types, from every fromStep-th
// cell to every toStep-th.
func converter[T int32 | int64](from, to string) func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
	if from == to {
		return copyCells[T]
	}
	switch from {
	case "uint8":
		return convertAs[T, uint8](to)
	case "int32":
		return convertAs[T, int32](to)
	case "int64":
		return convertAs[T, int64](to)
	case "float32":
		return convertAs[T, float32](to)
	}
	return convertAs[T, float64](to)
}

func convertAs[T int32 | int64, F array.Number](to string) func([]T, int, int, []byte, int, int, int) {
	switch to { // a function for each: a call for each cell would take longer than the conversion
	case "int32":
		return func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
			cells := array.Cast[F](src)
			if toStep == 1 && fromStep == 1 {
				to := dst[at : at+n]
				for i, x := range cells[first : first+n] {
					to[i] = T(int32(x))
				}
				return
			}
			for range n {
				dst[at] = T(int32(cells[first]))
				at, first = at+toStep, first+fromStep
			}
		}
	case "int64":
		return func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
			cells := array.Cast[F](src)
			if toStep == 1 && fromStep == 1 {
				to := dst[at : at+n]
				for i, x := range cells[first : first+n] {
					to[i] = T(int64(x))
				}
				return
			}
			for range n {
				dst[at] = T(int64(cells[first]))
				at, first = at+toStep, first+fromStep
			}
		}
	case "float32":
		return func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
			cells := array.Cast[F](src)
			if toStep == 1 && fromStep == 1 {
				to := dst[at : at+n]
				for i, x := range cells[first : first+n] {
					to[i] = T(math.Float32bits(float32(x)))
				}
				return
			}
			for range n {
				dst[at] = T(math.Float32bits(float32(cells[first])))
				at, first = at+toStep, first+fromStep
			}
		}
	default:
		return func(dst []T, at, toStep int, src []byte, first, fromStep, n int) {
			cells := array.Cast[F](src)
			if toStep == 1 && fromStep == 1 {
				to := dst[at : at+n]
				for i, x := range cells[first : first+n] {
					to[i] = T(math.Float64bits(float64(x)))
				}
				return
			}
			for range n {
				dst[at] = T(math.Float64bits(float64(cells[first])))
				at, first = at+toStep, first+fromStep
			}
		}
	}
}

// copyCells copies n cells of the type of lanes.
func copyCells[T int32 | int64](dst []T, at, toStep int, src []byte, first, fromStep, n int) {
	cells := array.Cast[T](src)
	if toStep == 1 && fromStep == -1 && n > 0 {
		to, from := dst[at:at+n], cells[first-n+1:first+1]
		for len(to) >= 4 && len(from) >= 4 {
			x, y := (*[4]T)(from), (*[4]T)(to[len(to)-4:])
			y[0], y[1], y[2], y[3] = x[3], x[2], x[1], x[0]
			from, to = from[4:], to[:len(to)-4]
		}
		for i, x := range from {
			to[len(to)-1-i] = x
		}
		return
	}
	for range n {
		dst[at] = cells[first]
		at, first = at+toStep, first+fromStep
	}
}

// paramBits returns the bits of a parameter converted to type elem.
func paramBits(elem string, x int) int {
	switch elem {
	case "float32":
		return int(math.Float32bits(float32(x)))
	case "float64":
		return int(math.Float64bits(float64(x)))
	}
	return int(uint32(int32(x)))
}
