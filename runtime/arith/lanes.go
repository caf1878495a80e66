package arith

import "unsafe"

// Kernels with vector instructions add to a Sum in lanes. A lane holds the exact sum of its addends as two floats, high and low, which are
// in the two vectors of a pair. What two floats cannot hold exactly goes to a list. These are words of memory:
//
//	0                                 the address behind the list, for its next addend
//	LanesFirst + LanesPair·p + l      high of lane l of pair p
//	LanesFirst + LanesPair·(p+½) + l  low of lane l of pair p
//	lanesList ..                      the list
//
// A kernel appends whole vectors to the list: a lane that has nothing to append has a zero there.
const (
	LanesFirst = 8
	LanesPair  = 16

	lanesPairs = 4
	lanesList  = LanesFirst + lanesPairs*LanesPair
	wordBytes  = int(unsafe.Sizeof(float64(0)))
)

// After a list of longList addends or more, the lanes begin anew at zero: their sums are too large to take such addends exactly.
const longList = 64

// Lanes returns the address of the memory for lanes, with room for a list of n words. It is valid until the next call for a longer list.
func (s *Sum) Lanes(n int) int {
	if len(s.lanes) < lanesList+n {
		s.flush()
		s.lanes = make([]float64, lanesList+n)
		s.rewind()
	}
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(s.lanes))))
}

// Room is the number of words for which the list has room.
func (s *Sum) Room() int { return max(0, len(s.lanes)-lanesList) }

// next is word 0, which holds the address for the next addend of the list.
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
		s.flush()
	}
}

// flush adds what the lanes hold to the limbs, and makes the lanes zero.
func (s *Sum) flush() {
	if s.lanes != nil {
		held := s.lanes[LanesFirst:lanesList]
		s.addAll(held)
		clear(held)
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
