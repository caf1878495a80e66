package halo

import (
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A carrier has the cells that the columns of a worker carry from tile to tile.
type carrier struct {
	reach []int // of each value's flow along the mapping dimension
	// cells are per value: those of the last column made, or, if columns run one after the
	// other, of all.
	cells [][]byte
}

func newCarrier(p *plan.Plan) (c carrier) {
	for v := range p.Nest.Values {
		reach := 0
		for _, d := range p.Nest.Values[v].Flow {
			reach = max(reach, d[p.Map])
		}
		c.reach = append(c.reach, reach)
	}
	return c
}

// layCarry computes the boxes of what the tile before carried into this one:
// the last cells along the mapping dimension, ghost cells of the other
// dimensions included, for they hold the corners.
func (c *Column) layCarry(none bool) {
	w, p := c.w, c.w.plan
	for v, reach := range w.carry.reach {
		lo, hi := c.carryLo[v], c.carryHi[v]
		for x := range lo {
			lo[x], hi[x] = w.first[x]-p.Margin[x], w.last[x]
		}
		lo[p.Map], hi[p.Map] = w.first[p.Map]-reach, w.first[p.Map]-1
		if none {
			hi[0] = lo[0] - 1
		}
	}
}

// receive fills the ghost cells of a level from the faces that arrived and from
// what was carried.
func (c *Column) receive(level int) {
	for _, f := range c.In {
		if f.Slot == nil {
			continue
		}
		for v, has := range f.has {
			if has && level >= f.lo[v][0] && level <= f.hi[v][0] {
				c.move(walk.Unpack, v, level, f.lo[v], f.hi[v], f.part[v])
			}
		}
	}
	for v, data := range c.carried {
		if data != nil && level <= c.carryHi[v][0] {
			c.move(walk.Unpack, v, level, c.carryLo[v], c.carryHi[v], data)
		}
	}
}

// move copies the cells of a level of the box lo..hi of value v into an image of the box, or
// out of it.
func (c *Column) move(kind walk.Kind, v, level int, lo, hi []int, image []byte) {
	nest := c.w.plan.Nest
	size := nest.Arrays[nest.Values[v].Array].Size
	rows := move(c.block, v, size, level, lo, hi, image, kind == walk.Pack, c.w.q)
	if c.w.counts != nil {
		c.w.counts.Move(kind, rows, rows*size*(hi[len(hi)-1]-lo[len(lo)-1]+1))
	}
}

// send packs what neighbors and the next tile need of a level.
func (c *Column) send(level, k int) {
	w, p := c.w, c.w.plan
	for _, f := range c.Out {
		if f.Slot == nil {
			continue
		}
		for v, has := range f.has {
			if has && level >= f.lo[v][0] && level <= f.hi[v][0] {
				c.move(walk.Pack, v, level, f.lo[v], f.hi[v], f.part[v])
			}
		}
	}
	if k == c.Last {
		return
	}
	for v, data := range c.carried {
		if data == nil {
			continue
		}
		lo, hi := w.r, c.carryHi[v]
		copy(lo, c.carryLo[v])
		from, to, top := lo[p.Map], hi[p.Map], hi[0]
		lo[p.Map], hi[p.Map], hi[0] = w.last[p.Map]-w.carry.reach[v]+1, w.last[p.Map], w.last[0]
		c.move(walk.Pack, v, level, lo, hi, data)
		lo[p.Map], hi[p.Map], hi[0] = from, to, top
	}
}
