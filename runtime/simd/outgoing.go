package simd

import "unsafe"

// mostOutgoing is how many rows can be outgoing at a time: as many as the kernel in Go
// computes together, codegen's mostRows.
const mostOutgoing = 8

// OutgoingBytes is what is worth a call of Upto, of each row: memory takes up what one call
// stores while the kernel computes as much again, if it is not more than that [note kernel-constants].
const OutgoingBytes = 256

// Outgoing are rows of results that are copied to where they are given back, as Copy does,
// while they are computed: a row past the caches by whole lines as soon as they are complete.
type Outgoing[T any] struct {
	to, from [mostOutgoing][]T
	rows     int // that go past the caches; they are the first
	next     int // bytes of each row's lines that have gone
	frame    outgoingFrame
}

// An outgoingFrame has for each row the address of its first whole line, and where the cells
// of that come from.
type outgoingFrame struct {
	to, from [mostOutgoing]unsafe.Pointer
}

// Begin tells that a row, the next after those that have begun, is going to be copied to
// cells of an array with as many as all says, when it has been computed. Its first and its
// last line belong to others, too, and what these have there must be in the cache before
// cells can be stored beside it: they are asked for now. The first row begins a new group.
// Rows of a group are of the same length.
func (o *Outgoing[T]) Begin(row int, to, from []T, all int) {
	if row == 0 {
		o.rows, o.next = 0, 0
	}
	o.to[row], o.from[row] = to, from
	size := int(unsafe.Sizeof(*new(T)))
	n := len(to) * size
	if n < pastLeast || !goesPast(size, all) {
		return
	}
	first := unsafe.Pointer(unsafe.SliceData(to))
	fetchEnds(first, n)
	head := beforeLine(first)
	o.frame.to[row] = unsafe.Add(first, head)
	o.frame.from[row] = unsafe.Add(unsafe.Pointer(unsafe.SliceData(from)), head)
	o.rows = row + 1
}

// Upto tells that so many cells at least of each row have been computed.
func (o *Outgoing[T]) Upto(cells int) {
	// A line begins among the first cells of a row, and ends as many before the last of these.
	n := cells*int(unsafe.Sizeof(*new(T)))/streamLine*streamLine - streamLine
	if o.rows > 0 && n > o.next {
		copyLines(&o.frame, o.rows, o.next, n-o.next)
		o.next = n
	}
}

// End copies what is left of a row that has been computed. Copied says when it is in memory.
func (o *Outgoing[T]) End(row, all int) {
	to, from := o.to[row], o.from[row]
	if o.next > 0 {
		size := int(unsafe.Sizeof(*new(T)))
		head := beforeLine(unsafe.Pointer(unsafe.SliceData(to))) / size
		gone := head + o.next/size
		copy(to[:head], from[:head])
		to, from = to[gone:], from[gone:]
		if n := len(to) * size; n >= streamLine { // however few: nobody has asked for them
			copyPast(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), n)
			return
		}
	}
	Copy(to, from, all)
}

// beforeLine is how many bytes there are from an address to the first line.
func beforeLine(at unsafe.Pointer) int { return int(-uintptr(at) % streamLine) }
