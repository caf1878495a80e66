package kernel

import "loopc/runtime/element"

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
	groups       []PlaceGroup
	first, index int // words of the frame: of the first reduction, and of the first index
	reduced      []Reduced
	lanes        [][]byte // by group: the vector of values, and one for each place
}

// NewPlaces returns the places of groups among reductions, whose words the frame has from first on, and the indices from index on.
func NewPlaces(reduced []Reduced, first, index int, groups []PlaceGroup) Places {
	p := Places{groups, first, index, reduced, make([][]byte, len(groups))}
	for k := range groups {
		p.lanes[k] = make([]byte, (1+len(groups[k].Loops))*PlaceVector)
		of, none := groups[k].lowest(reduced)
		for l := range PlaceVector / of.Size {
			of.Set(p.lanes[k], l, none)
		}
	}
	return p
}

// Call calls a function for the rows of the frame, and adds what its lanes have collected to the reductions.
func (p *Places) Call(compute func(frame *int), frame []int) {
	var room [8]int
	for k := range p.groups {
		g := &p.groups[k]
		frame[p.first+g.Reduce] = Address(p.lanes[k], 0)
		if g.Nothing(p.reduced) {
			at := room[:0]
			for _, x := range g.Index {
				at = append(at, frame[p.index+x])
			}
			g.Lowest(p.reduced, at)
		}
	}
	compute(&frame[0])
	for k := range p.groups {
		p.groups[k].Collect(p.reduced, p.lanes[k], PlaceVector, 0)
	}
}

// lowest returns the type of a max or min, and its result over no iterations.
func (g *PlaceGroup) lowest(reduced []Reduced) (t *element.Type, none element.Value) {
	if t = element.Named(reduced[g.Reduce].Value.Elem); g.Least {
		return t, t.Highest()
	}
	return t, t.Lowest()
}

// Nothing reports whether no iteration so far has had another value than the lowest of the type.
func (g *PlaceGroup) Nothing(reduced []Reduced) bool {
	_, none := g.lowest(reduced)
	return reduced[g.Reduce].Value.Cell(0) == none
}

// Lowest offers an iteration with the lowest value of the type, in which the loops have the given values. Collect leaves out such
// iterations: this is the first of some, and stands for all of them. If any value is higher, no such offer becomes the place.
func (g *PlaceGroup) Lowest(reduced []Reduced, at []int) {
	_, none := g.lowest(reduced)
	g.offer(reduced, none, at)
}

// Collect adds lanes to the reductions, and resets them. They are a vector with values, and one for each place; vector is the
// size of each in bytes. Lanes before first do not count.
func (g *PlaceGroup) Collect(reduced []Reduced, lanes []byte, vector, first int) {
	of, none := g.lowest(reduced)
	loops := element.Named("int32")
	if of.Size == 8 {
		loops = element.Named("float64")
	}
	var room [8]int
	for l := range vector / of.Size {
		x := of.Value(lanes, l)
		if x == none {
			continue
		}
		of.Set(lanes, l, none)
		if l < first || !reduced[g.Reduce+1].Place.Takes(x) {
			continue
		}
		at := room[:0]
		for i := range g.Loops {
			v := loops.Value(lanes[(i+1)*vector:], l)
			at = append(at, int(v.I)+int(v.F))
		}
		g.offer(reduced, x, at)
		reduced[g.Reduce].Value.SetCell(0, x)
	}
}

// offer offers an iteration whose loops have the given values to all places.
func (g *PlaceGroup) offer(reduced []Reduced, value element.Value, at []int) {
	var room [8]int
	key := append(room[:0], at...)
	for i, loop := range g.Loops {
		if key[loop] = at[i]; g.Backward[i] {
			key[loop] = -at[i]
		}
	}
	for i := range g.Loops {
		reduced[g.Reduce+1+i].Place.Offer(value, int64(at[i]), key)
	}
}
