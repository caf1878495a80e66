package cost

import (
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// Slabs copy only those cells of a face that iterations read. At the edge of the space, these are fewer than the cells of the face.

// mostFaceRows is the most rows of a face that are examined; it is fewFaceRows if tiles are examined roughly.
const (
	mostFaceRows = 32
	fewFaceRows  = 4
)

// copied returns how many cells of the box lo..hi, which belongs to a face of the current tile, are copied. Levels outside slabs are copied
// entirely.
func (s *slabCounter) copied(lo, hi []int) int {
	p, last := s.p, len(lo)-1
	cells := plan.BoxCells(lo, hi)
	first, end := max(lo[0], s.lo), min(hi[0], s.hi)
	if first > end || p.Space.BoxInside(lo, hi) {
		return cells
	}
	rows := end - first + 1
	for x := 1; x < last; x++ {
		rows *= hi[x] - lo[x] + 1
	}
	looks := mostFaceRows
	if s.few {
		looks = fewFaceRows
	}
	if looks < rows { // each row that is examined stands for several
		s.summed, s.rough = true, s.rough || s.few
	}
	unread := 0.0 // cells
	s.turns = spread(s.turns[:0], 0, rows, min(rows, looks), 0.5, goldenRatio)
	for _, row := range s.turns {
		number := row.at
		for x := last - 1; x >= 1; x-- {
			e := hi[x] - lo[x] + 1
			s.q[x] = lo[x] + number%e
			number /= e
		}
		s.q[0] = first + number
		read := s.read()
		unread += row.weight * float64(hi[last]-lo[last]+1-max(0, min(read.Hi, hi[last])-max(read.Lo, lo[last])+1))
	}
	return cells - int(unread+0.5)
}

// read returns the columns of row s.q that iterations read, ghost cells included.
func (s *slabCounter) read() walk.Span {
	last := len(s.q) - 1
	s.p.Space.Row(s.q, s.row)
	s.edges.Bounds(s.row, s.rise, s.bounds[:1])
	in, read := s.edges.Lane(s.bounds[0], s.first[last]-s.p.HaloWidth[last], s.last[last])
	s.within(0, &in, &read)
	s.looked++
	return read
}

// copied finds how many bytes are copied of the faces of tile k of the column at col, and of the cells that the tile carries. Some levels
// of the tile must be computed in slabs.
func (c *contents) copied(col []int, k int, what *content) {
	s, p := c.edges.slabs, c.p
	if s.inside {
		return
	}
	what.copied, s.summed = make([]int, len(what.faces)), false
	for d := range p.Directions() {
		if what.faces[d] == 0 {
			continue
		}
		for v := range p.Nest.Values {
			if p.PointsBox(col, k, c.faceLo, c.faceHi) && p.FaceBox(col, &p.Directions()[d], v, c.faceLo, c.faceHi) {
				what.copied[d] += s.copied(c.faceLo, c.faceHi) * p.Nest.Arrays[p.Nest.Values[v].Array].Size
			}
		}
	}
	if p.Map > 0 {
		c.copiedCarry(col, k, what)
	}
	c.edges.summed, c.edges.placed = c.edges.summed || s.summed, c.edges.placed || s.summed
	c.edges.rough = c.edges.rough || s.rough
	c.edges.looked += s.looked
	s.looked = 0
}

// copiedCarry does what copied does, for the carried cells alone.
func (c *contents) copiedCarry(col []int, k int, what *content) {
	s, p := c.edges.slabs, c.p
	what.carry = 0
	for v := range p.Nest.Values {
		reach := carriedReach(p, v)
		if reach == 0 {
			continue
		}
		p.TileBox(col, k, c.faceLo, c.faceHi)
		for x := range c.faceLo {
			c.faceLo[x] -= p.HaloWidth[x]
		}
		c.faceLo[p.Map] = c.faceHi[p.Map] - reach + 1
		if c.edges.begins { // nothing is copied below the first level
			c.faceLo[0] = max(c.faceLo[0], s.lo)
		}
		what.carry += float64(s.copied(c.faceLo, c.faceHi) * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
	}
}
