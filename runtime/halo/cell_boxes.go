package halo

import (
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A cellBox is a dense image of a box of cells of one value: its part of a face, or the cells carried from one tile to the next.
type cellBox struct {
	value  int
	lo, hi []int
	cells  []byte
	face   *Face // nil: the cells are carried
}

// has reports whether the box contains cells of a level.
func (b *cellBox) has(level int) bool { return level >= b.lo[0] && level <= b.hi[0] }

// rowAt returns the position in the image at which column 0 of row q of level lo[0] would lie, and the number of cells per level. ok is
// false if the row lies outside the box.
func (b *cellBox) rowAt(q []int) (at, perLevel int, ok bool) {
	n := len(b.lo)
	width := b.hi[n-1] - b.lo[n-1] + 1
	rows := 1
	for x := 1; x < n-1; x++ {
		if q[x] < b.lo[x] || q[x] > b.hi[x] {
			return 0, 0, false
		}
		size := b.hi[x] - b.lo[x] + 1
		at = at*size + q[x] - b.lo[x]
		rows *= size
	}
	return at*width - b.lo[n-1], rows * width, true
}

// A border lists what enters and leaves the tile at hand: faces, and the carried cells of the column. A column carries its last cells along
// the mapping dimension, including the ghost cells of the other dimensions, because these hold the corners.
type border struct {
	in, out []cellBox
	reach   []int // per value: its longest flow distance along the mapping dimension
	// carried are the carried cells per value. Columns that run one after the other share them;
	// otherwise each column has its own, and these are the cells of the column made last.
	carried               [][]byte
	carriedIn, carriedOut []cellBox // per value
}

func newBorder(p *plan.Plan) (c border) {
	for v := range p.Nest.Values {
		reach := 0
		for _, d := range p.Nest.Values[v].Flow {
			reach = max(reach, d[p.Map])
		}
		c.reach = append(c.reach, reach)
		box := func() cellBox { return cellBox{value: v, lo: make([]int, len(p.Side)), hi: make([]int, len(p.Side))} }
		c.carriedIn, c.carriedOut = append(c.carriedIn, box()), append(c.carriedOut, box())
	}
	return c
}

// boxes lists the boxes that tile k receives and those that it sends or carries on.
func (c *Column) boxes(k int) {
	w, d, p, m := c.w, &c.w.border, c.w.plan, c.w.plan.Map
	d.in, d.out = faceBoxes(d.in[:0], c.In), faceBoxes(d.out[:0], c.Out)
	for v, cells := range c.carried {
		if len(cells) == 0 {
			continue
		}
		in, out := &d.carriedIn[v], &d.carriedOut[v]
		for _, b := range []*cellBox{in, out} {
			b.cells = cells
			copy(b.hi, w.last)
			for x := range b.lo {
				b.lo[x] = w.first[x] - p.HaloWidth[x]
			}
		}
		in.lo[m], in.hi[m] = w.first[m]-d.reach[v], w.first[m]-1
		out.lo[m] = w.last[m] - d.reach[v] + 1
		if k != c.First {
			d.in = append(d.in, *in)
		}
		if k != c.Last {
			d.out = append(d.out, *out)
		}
	}
}

// faceBoxes appends the boxes of the faces that this tile has.
func faceBoxes(boxes []cellBox, faces []*Face) []cellBox {
	for _, f := range faces {
		for v, has := range f.has {
			if has && f.Slot != nil {
				boxes = append(boxes, cellBox{v, f.lo[v], f.hi[v], f.part[v], f})
			}
		}
	}
	return boxes
}

// await waits until every incoming face has arrived up to a level.
func (c *Column) await(level int) {
	for i := range c.w.border.in {
		if b := &c.w.border.in[i]; b.face != nil && b.face.receiver != nil && b.has(level) {
			b.face.awaitLevels(level)
		}
	}
}

// move copies the cells of a level between the block and the boxes. walk.Unpack copies ghost cells from boxes to the block; walk.Pack
// copies cells that neighbors or the next tile need from the block to boxes.
func (c *Column) move(kind walk.Kind, boxes []cellBox, level int) {
	w := c.w
	for i := range boxes {
		b := &boxes[i]
		if !b.has(level) {
			continue
		}
		size := w.plan.Nest.Arrays[w.plan.Nest.Values[b.value].Array].Size
		rows := move(c.block, b.value, size, level, b.lo, b.hi, b.cells, kind == walk.Pack, w.q)
		if w.counts != nil {
			w.counts.Move(kind, rows, rows*size*(b.hi[len(b.hi)-1]-b.lo[len(b.lo)-1]+1))
		}
	}
}
