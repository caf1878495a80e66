package arith

import "unsafe"

// Kernels with vector instructions add to a Sum in lanes: a lane of a vector takes many addends, in two floats, and what
// a lane cannot take goes to a list. These are words of memory:
//
//	0                                 the address of the next addend of the list
//	LanesFirst + LanesPair·p + l      what lane l of pair p has taken is this word
//	LanesFirst + LanesPair·(p+½) + l  and this one
//	lanesList ..                      the list
//
// A kernel writes whole vectors to the list, and zeros in them count for nothing.
const (
	LanesFirst = 8
	LanesPair  = 16

	lanesPairs = 4
	lanesList  = LanesFirst + lanesPairs*LanesPair
	wordBytes  = int(unsafe.Sizeof(float64(0)))
)

// longList is the length of a list from which lanes begin anew: they hold sums that are too large for the addends that follow.
const longList = 64

// Lanes returns the address of the memory for lanes, with room for a list of n words. It is valid until the next call for a longer list.
func (s *Sum) Lanes(n int) int {
	if len(s.lanes) < lanesList+n {
		s.take()
		s.lanes = make([]float64, lanesList+n)
		s.rewind()
	}
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(s.lanes))))
}

// Room is the number of words for which the list has room.
func (s *Sum) Room() int { return max(0, len(s.lanes)-lanesList) }

// next is the first word for lanes, as an address.
func (s *Sum) next() *int { return (*int)(unsafe.Pointer(&s.lanes[0])) }

// rewind makes the list empty.
func (s *Sum) rewind() {
	*s.next() = int(uintptr(unsafe.Pointer(&s.lanes[0]))) + lanesList*wordBytes
}

// Listed adds the addends of the list, and makes it empty. It is called after a call of a kernel.
func (s *Sum) Listed() {
	n := (*s.next()-int(uintptr(unsafe.Pointer(&s.lanes[0]))))/wordBytes - lanesList
	if n == 0 {
		return
	}
	s.addAll(s.lanes[lanesList : lanesList+n])
	s.rewind()
	if n >= longList {
		s.take()
	}
}

// take moves what lanes have taken to the limbs.
func (s *Sum) take() {
	if s.lanes != nil {
		taken := s.lanes[LanesFirst:lanesList]
		s.addAll(taken)
		clear(taken)
	}
}

// addAll adds numbers.
func (s *Sum) addAll(xs []float64) {
	for _, x := range xs {
		if x != 0 {
			s.Add(x)
		}
	}
}

// Clear makes the sum empty, and keeps its memory.
func (s *Sum) Clear() {
	lanes := s.lanes
	*s = Sum{lanes: lanes}
	if lanes != nil {
		clear(lanes[LanesFirst:lanesList])
		s.rewind()
	}
}
