package walk

// An innerEdge is the exterior of a level in its inner tiles. An inner tile lies, along every dimension but that of rows, inside the
// iterations of the level and of all levels that read it. All inner tiles have the same boxes along the rows.
type innerEdge struct {
	bounds bool  // lo and hi are known
	lo, hi []int // where inner tiles lie; along the rows, the sides of the tile for which boxes were found
	known  bool  // exterior is known
	alike  bool  // the level below has the same boxes, moved by still; see copied
	exterior
}

// keep copies the exterior of this tile into in, for the other inner tiles. It reuses the memory of
// the boxes that in had before, because tiles allocate nothing.
func (in *innerEdge) keep(out exterior) {
	boxes := in.Boxes[:cap(in.Boxes)]
	for len(boxes) < len(out.Boxes) {
		boxes = append(boxes, valueBox{})
	}
	boxes = boxes[:len(out.Boxes)]
	for k, f := range out.Boxes {
		boxes[k] = valueBox{f.Value, append(boxes[k].Lo[:0], f.Lo...), append(boxes[k].Hi[:0], f.Hi...)}
	}
	in.known = true
	in.exterior = out
	in.Boxes = boxes
}

// holds reports whether in is the exterior of a level in the tile of e.
func (in *innerEdge) holds(e *levelEdge) bool {
	last := len(e.Lo) - 1
	for x := 1; x < last; x++ {
		if e.Lo[x] < in.lo[x] || e.Hi[x] > in.hi[x] {
			return false
		}
	}
	return e.Lo[last] == in.lo[last] && e.Hi[last] == in.hi[last]
}

// of returns the stored boxes, moved to the tile of e.
func (in *innerEdge) of(e *levelEdge) exterior {
	last := len(e.Lo) - 1
	for _, f := range in.Boxes {
		copy(f.Lo[1:last], e.Lo[1:last])
		copy(f.Hi[1:last], e.Hi[1:last])
	}
	return in.exterior
}
