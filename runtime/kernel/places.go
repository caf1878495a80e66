package kernel

import (
	"math"

	"loopc/runtime/arith"
	"loopc/runtime/array"
)

// A PlaceGroup is the places of a max or min that lanes collect. A lane has the greatest, or least, value of its iterations and,
// in a vector for each place, the loop's value in the first of these iterations that has it. A lane without a value above that
// with which it began, the lowest of the type, has no place.
type PlaceGroup struct {
	Reduce   int    // the max or min; its places follow
	Least    bool   // a min
	Loops    []int  // of each place
	Backward []bool // whether this loop runs backward
	Index    []int  // its place among the indices of the kernel
}

// PlaceVector is the number of bytes from a vector of Places to the next: the longest vector.
const PlaceVector = 64

// Places collect the places of reductions for a kernel that computes boxes of rows.
type Places struct {
	groups  []PlaceGroup
	words   []int // of the frame, by group: the address of lanes
	index   int   // the word of the first index
	reduced []Reduced
	lanes   [][]byte // by group: the vector of values, and one for each place
	loops   []int
}

// NewPlaces returns the places of groups among reductions, whose words the frame has from first on, and the indices from index on.
func NewPlaces(reduced []Reduced, first, index int, groups []PlaceGroup) (p Places) {
	p = Places{groups: groups, index: index, reduced: reduced}
	for k := range groups {
		g := &groups[k]
		lanes := make([]byte, (1+len(g.Loops))*PlaceVector)
		g.clear(reduced, lanes[:PlaceVector])
		p.lanes, p.words = append(p.lanes, lanes), append(p.words, first+g.Reduce)
		p.loops = append(p.loops, make([]int, max(0, len(g.Loops)-len(p.loops)))...)
	}
	return p
}

// Call calls a function for the rows of the frame, and adds what its lanes have collected to the reductions.
func (p *Places) Call(compute func(frame *int), frame []int) {
	for k := range p.groups {
		g := &p.groups[k]
		frame[p.words[k]] = Address(p.lanes[k], 0)
		if at := p.loops[:len(g.Loops)]; g.Nothing(p.reduced) {
			for i, x := range g.Index {
				at[i] = frame[p.index+x]
			}
			g.Lowest(p.reduced, at)
		}
	}
	compute(&frame[0])
	for k := range p.groups {
		g := &p.groups[k]
		g.Collect(p.reduced, p.lanes[k], PlaceVector, 0)
		g.clear(p.reduced, p.lanes[k][:PlaceVector])
	}
}

// Nothing reports whether no iteration so far has had another value than the lowest of the type.
func (g *PlaceGroup) Nothing(reduced []Reduced) bool {
	switch v := reduced[g.Reduce].Value; v.Elem {
	case "int32":
		return array.Cells[int32](v)[0] == lowest[int32](g.Least)
	case "float32":
		return array.Cells[float32](v)[0] == lowest[float32](g.Least)
	default:
		return array.Cells[float64](v)[0] == lowest[float64](g.Least)
	}
}

// Lowest offers an iteration whose loops have the given values. It is the first of some iterations that no other call offers if
// their values are the lowest of the type. If a value is not, then no such offer becomes the place.
func (g *PlaceGroup) Lowest(reduced []Reduced, at []int) {
	switch v := reduced[g.Reduce].Value; v.Elem {
	case "int32":
		offerAt(g, reduced, lowest[int32](g.Least), at)
	case "float32":
		offerAt(g, reduced, lowest[float32](g.Least), at)
	default:
		offerAt(g, reduced, lowest[float64](g.Least), at)
	}
}

// Collect adds lanes to the reductions: a vector with their values, and one for each place. A vector has so many bytes, and
// lanes that count begin with the given one.
func (g *PlaceGroup) Collect(reduced []Reduced, lanes []byte, vector, first int) {
	switch reduced[g.Reduce].Value.Elem {
	case "int32":
		collectPlaces[int32, int32](g, reduced, lanes, vector, first)
	case "float32":
		collectPlaces[float32, int32](g, reduced, lanes, vector, first)
	default:
		collectPlaces[float64, float64](g, reduced, lanes, vector, first)
	}
}

// collectPlaces is Collect for values of type E. Lanes have loops as N.
func collectPlaces[E int32 | float32 | float64, N int32 | float64](g *PlaceGroup, reduced []Reduced, lanes []byte, vector, first int) {
	values := array.Cast[E](lanes[:vector])[first:]
	none := lowest[E](g.Least)
	all := none
	for _, x := range values {
		all = better(g.Least, all, x)
	}
	best := &array.Cells[E](reduced[g.Reduce].Value)[0]
	if all == none || worse(g.Least, all, *best) {
		return
	}
	*best = better(g.Least, *best, all)
	var room [8]int
	for l, x := range values {
		if worse(g.Least, x, all) {
			continue
		}
		at := room[:0]
		for i := range g.Loops {
			at = append(at, int(array.Cast[N](lanes[(i+1)*vector:][:vector])[first+l]))
		}
		offerAt(g, reduced, x, at)
	}
}

// offerAt offers an iteration whose loops have the given values to all places.
func offerAt[E int32 | float32 | float64](g *PlaceGroup, reduced []Reduced, value E, at []int) {
	var room [8]int
	key := append(room[:0], at...)
	for i, loop := range g.Loops {
		if key[loop] = at[i]; g.Backward[i] {
			key[loop] = -at[i]
		}
	}
	for i := range g.Loops {
		arith.Offer(reduced[g.Reduce+1+i].Place, value, at[i], key...)
	}
}

// better returns the max or min of two values.
func better[E int32 | float32 | float64](least bool, x, y E) E {
	if least {
		return min(x, y)
	}
	return max(x, y)
}

// worse reports whether x is below y, or above it for a min. NaN is below nothing.
func worse[E int32 | float32 | float64](least bool, x, y E) bool {
	return least && (x > y || y != y && x == x) || !least && (x < y || y != y && x == x)
}

// clear sets a vector of values to the lowest value of the type.
func (g *PlaceGroup) clear(reduced []Reduced, values []byte) {
	switch reduced[g.Reduce].Value.Elem {
	case "int32":
		fill(array.Cast[int32](values), lowest[int32](g.Least))
	case "float32":
		fill(array.Cast[float32](values), lowest[float32](g.Least))
	default:
		fill(array.Cast[float64](values), lowest[float64](g.Least))
	}
}

func fill[E any](cells []E, x E) {
	for k := range cells {
		cells[k] = x
	}
}

// lowest is the result of a max, or of a min, over no iterations.
func lowest[E int32 | float32 | float64](least bool) E {
	var x E
	switch p := any(&x).(type) {
	case *int32:
		if *p = math.MinInt32; least {
			*p = math.MaxInt32
		}
	case *float32:
		if *p = float32(math.Inf(-1)); least {
			*p = float32(math.Inf(1))
		}
	case *float64:
		if *p = math.Inf(-1); least {
			*p = math.Inf(1)
		}
	}
	return x
}
