package kernel

import "loopc/runtime/arith"

// ExactSums are the sums of floats of a nest whose kernel adds in lanes: see arith.Sum.Lanes.
type ExactSums struct {
	words []int // of the frame: each has the address for a sum
	sums  []*arith.Sum
}

// Words of the memory at that address: the first pair of vectors, and from a pair to the next. The second vector of a pair is in the
// middle, and word 0 has the address of the next addend of the list.
const (
	SumFirst = arith.LanesFirst
	SumPair  = arith.LanesPair
)

// NewExactSums returns the exact sums among reductions, whose words the frame has from first on.
func NewExactSums(reduced []Reduced, first int) (x ExactSums) {
	for k := range reduced {
		if s := reduced[k].Exact; s != nil {
			x.words, x.sums = append(x.words, first+k), append(x.sums, s)
		}
	}
	return x
}

// leastList is the least number of addends for which lists have room.
const leastList = 1 << 12

// mostLanes bounds the lanes of a vector.
const mostLanes = 16

// Call calls a function for the rows of the frame. The function computes groups of so many rows together, each skew columns behind
// the row before, and takes before steps in addition. Call divides the rows among several calls if the lists have no room for all
// addends; after each, the function has moved the frame on to the rows that follow.
func (x *ExactSums) Call(compute func(frame *int), frame []int, together, skew, before int) {
	if len(x.sums) == 0 {
		compute(&frame[0])
		return
	}
	group := together * (frame[FrontFrameWidth] + skew*(together-1) + before + mostLanes)
	room := max(leastList, group, x.sums[0].Room())
	for k, s := range x.sums {
		frame[x.words[k]] = s.Lanes(room)
	}
	most := room / group * together
	for rows := frame[FrontFrameRows]; rows > 0; rows -= most {
		frame[FrontFrameRows] = min(rows, most)
		compute(&frame[0])
		for _, s := range x.sums {
			s.Listed()
		}
	}
}
