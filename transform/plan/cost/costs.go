package cost

import (
	"loopc/transform/plan"
)

// costs are the figures of a machine for one plan.
type costs struct {
	kernel Kernel
	point  float64 // s per iteration, while no other CPU of the node computes
	alone  float64 // the same, for a stream that is not interleaved
	shape  float64 // factor on the time of a tile: Kernel.shapeFactor
	fresh  float64 // s in which the system supplies the memory of a run: Machine.Fresh
	links  [2]Link // between workers of a rank, between ranks
	points int64   // iterations of the run; 0: not counted yet, see Plan.Points
	cores  int     // of a node
	node   int     // ranks that share the cores of a node
	cpus   int     // CPUs that compute at a time, if known
}

func costsOf(p *plan.Plan, m *Machine, link string) *costs {
	local, _ := m.LinkNamed(LinkLocal)
	remote, _ := m.LinkNamed(link)
	c := &costs{kernel: m.KernelFor(p), links: [2]Link{local, remote}, cores: m.Cores, node: plan.Product(p.Grid)}
	if m.Node > 0 {
		c.node = min(c.node, m.Node)
	}
	together, alone := c.kernel.footprint(p)
	c.point, c.alone = c.kernel.PointAt(together), c.kernel.PointAt(alone)
	if p.KeepsWhole() && c.kernel.Move > 0 && !p.Empty {
		c.point += c.kernel.Move * moved(p, m.lastCache())
	}
	c.shape = c.kernel.shapeFactor(p, link)
	c.fresh = m.Fresh * max(0, freshMemory(p)-float64(m.lastCache())) / windows(p) // other windows have the memory of the first one
	return c
}

// open is the time of a run before the first tile.
func (c *costs) open(p *plan.Plan) float64 {
	open := c.kernel.Open + c.fresh
	if c.kernel.Fresh > 0 {
		open += c.kernel.Fresh * (freshBytes(p) + c.kernel.planeBytes(p, p.Side[len(p.Side)-1]))
	}
	open += c.kernel.Byte * orderedBytes(p) / float64(max(1, plan.Product(p.Mesh)))
	switch {
	case plan.Product(p.Grid) > 1:
		return open + c.links[1].Open
	case plan.Product(p.Mesh) > 1:
		return open + c.links[0].Open
	}
	return open
}

// orderedBytes is the size of the given arrays that the first rank copies in the order of rows.
func orderedBytes(p *plan.Plan) (bytes float64) {
	for a := range p.Nest.Arrays {
		if arr := &p.Nest.Arrays[a]; arr.RowDim != 0 {
			if lo, hi, ok := p.GivenBox(0, a); ok {
				bytes += float64(boxBytes(lo, hi, arr.Size))
			}
		}
	}
	return bytes
}

// freshBytes is the size of the slots that a worker touches for the first time: per column and direction in which the worker
// sends, a slot for each tile, but at most plan.LeastSlots.
func freshBytes(p *plan.Plan) float64 {
	block := make([]int, len(p.Side))
	for x, t := range p.Tiles {
		block[x] = 1
		if x != p.Map {
			block[x] = plan.CeilDiv(t, p.Grid[x]*p.Mesh[x])
		}
	}
	sum := 0.0
	for d := range p.Directions() {
		all, _ := columnsSending(p, d, block)
		sum += all * faceMean(p, d, 1)
	}
	return sum * float64(min(plan.LeastSlots, p.Tiles[p.Map]))
}

// tile is the time of a tile, faces not included. isFirst and isLast say whether it is the first or the last of its column.
func (c *costs) tile(p *plan.Plan, what *content, isFirst, isLast bool) float64 {
	levels := what.edge.levels
	switch {
	case p.KeepsWhole() && levels == 0:
		return 0
	case !p.KeepsWhole() && (p.Map > 0 || isFirst):
		levels += p.HaloWidth[0]
	}
	k := &c.kernel
	carry := k.Byte*what.carry + k.Piece*what.strips
	switch {
	case isFirst && isLast, !k.copies(p):
		carry = 0
	case !isFirst && !isLast:
		carry *= 2
	}
	stored := what.edge.stored
	if what.points > 0 {
		stored *= 1 + what.edge.idle/float64(what.points) // idle lanes are transposed, too
	}
	return c.shape * (k.Tile + k.Level*float64(levels) + k.Row*float64(what.rows) + c.point*(float64(what.points)+what.edge.idle-what.edge.lone) + c.alone*what.edge.lone + carry +
		k.lanesTime(&what.edge.laneWork) + k.Check*what.edge.checked + k.Fill*(what.edge.filled-what.edge.swept-what.edge.far) + k.Store*(what.edge.swept+what.edge.flow+stored))
}
