package kernel

import "unsafe"

// Repetitions are a part of a repeat that one function runs, with the loops of the nests as they are written. The function
// sets the numbers of repeats in Params, and counts Left down with each repetition of any repeat; below 0, it calls Look.
type Repetitions struct {
	First, Last int                   // the numbers of the repeat that the function runs
	Params      []int                 // all parameters, and the numbers of repeats
	Nests       []Fields              // the arrays, by nest
	Begin       func(nest int) Fields // gives a nest its memory, and the results of earlier nests
	Starts      func(nest int)        // is called when a nest begins, if not nil
	Rows        []func() error        // by nest: runs it by a vector kernel; nil: it has none
	Row         []func(frame *int)    // by nest: computes a row by a vector kernel; nil: it has none
	Frame       [MostRowWords]int     // for Row
	Item        func(repeat int) int  // returns the only value of a repeat that stands for a parameter of an item
	Looks
}

// MostRowWords is the number of words of a frame for a row.
const MostRowWords = 64

// Address is the address of a cell, for a frame. The cell may be outside of the slice, if the kernel does not access it.
func Address[T any](cells []T, at int) int {
	var cell T
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(cells)))) + at*int(unsafe.Sizeof(cell))
}

// InLanes reports whether indices from lo to hi fit into lanes of int32, with room for what bodies compute of them.
func InLanes(lo, hi int) bool { return lo >= -1<<26 && hi <= 1<<26 }

// Bits are the bits of a parameter, a number in the type in which lanes hold it, for a frame.
func Bits[T any](x T) int {
	var word int
	*(*T)(unsafe.Pointer(&word)) = x
	return word
}

// FewIterations reports whether a nest, whose loops have so many iterations each, is for calls of a vector kernel. It must have enough
// iterations for loops in Go not to be faster, and so few that the run needs neither other CPUs nor a look at its context.
func FewIterations(loops ...int) bool {
	n := 1
	for _, count := range loops {
		n = min(n, 1<<14) * max(0, count) // cannot overflow
	}
	return n >= 12 && n <= 1<<13
}
