package kernel

import (
	"slices"

	"loopc/runtime/array"
)

// Alike reports whether two arrays have the same cells in the same order, and nothing else lies between these.
func Alike(a, b array.View) bool {
	cells := 1
	for m := range a.Lo {
		cells *= max(0, a.Hi[m]-a.Lo[m]+1)
	}
	return cells == a.Cells() && cells == b.Cells() && slices.Equal(a.Lo, b.Lo) && slices.Equal(a.Hi, b.Hi) && slices.Equal(a.Stride, b.Stride)
}

// Exchange exchanges the contents of two arrays.
func Exchange[T any](a, b []T) {
	for k, x := range a {
		a[k], b[k] = b[k], x
	}
}
