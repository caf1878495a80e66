package cost

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A content is the work of a tile, the same for every worker.
type content struct {
	points int     // iterations
	rows   int     // runs of iterations along the last dimension
	faces  []int   // bytes per direction, 0: none
	copied []int   // bytes of the faces that the tile packs
	slabs  bool    // some levels are computed in slabs
	runs   []int   // contiguous runs of cells in the faces
	carry  float64 // bytes that are carried to the next tile
	strips float64 // contiguous runs of cells in the carried bytes
	edge   edgeWork
}

// contents computes the content of tiles. Tiles are of one kind if the bounds cut their surroundings in the same way; the content of a
// kind is computed once. Most tiles inside the space are of one kind. Kinds that the space crosses at other places, but likewise, have
// the same content, unless samples of places stood for the tile: see crossed.
type contents struct {
	p       *plan.Plan
	least   []int // per inequality: the range of its values over the surroundings of an entire tile
	most    []int
	below   []int // how far the surroundings reach below the tile's box: cells that it reads
	above   []int // and above: iterations that overwrite its results
	edges   *edgeCounter
	rise    []int // growth of each inequality from a tile to the next along the mapping dimension
	known   map[string]*content
	alike   map[string]*content // by shape
	looks   int                 // tiles that were examined
	lanes   lanes
	rows    int  // rows that may still be counted one by one
	counted int  // rows counted so far
	linear  bool // see unrounded
	lo, hi  []int
	faceLo  []int // scratch
	faceHi  []int
	q       []int
	key     []byte
	shape   []byte
	sample  bool    // a sample of rows stood for the last tile that was examined
	effort  *Effort // that the search has left; nil: unlimited
	sampled int     // rows of a tile that stand for the others; 0: see edgeCounter
	rough   bool    // some tile was examined less closely than by an exact simulation
}

// lookCost is the additional cost of examining a tile, for its faces and its kind, in rows.
const lookCost = 1 << 5

// Limits of the rows that are counted one by one, in all and per tile; a sample represents more.
const (
	mostCounted     = 1 << 21
	mostCountedTile = 1 << 12
	leastCounted    = 1 << 5
)

func newContents(p *plan.Plan, l lanes, e *Effort, rows int) *contents {
	n := len(p.Side)
	c := &contents{p: p, linear: unrounded(p.Space), effort: e, sampled: rows, known: map[string]*content{}, alike: map[string]*content{}, lanes: l, rows: mostCounted, lo: make([]int, n), hi: make([]int, n), faceLo: make([]int, n), faceHi: make([]int, n), q: make([]int, n)}
	c.edges = newEdgeCounter(p, l)
	c.edges.sampled = rows
	if c.edges.slabs != nil {
		c.edges.slabs.few = rows > 0
	}
	c.below, c.above = c.edges.reach()
	for _, in := range p.Space.Ineq {
		least, most := 0, 0
		for x, a := range in.A {
			down, up := -a*c.below[x], a*(p.Side[x]-1+c.above[x])
			least += min(down, up)
			most += max(down, up)
		}
		c.least, c.most = append(c.least, least), append(c.most, most)
		c.rise = append(c.rise, in.A[p.Map]*p.Side[p.Map])
	}
	return c
}

// whole returns the range of tiles of the column at col that are complete: all iterations that a tile of this column can have, and their
// surroundings, lie in the space. It also returns their content. The range may be empty; there is only one, because the space is convex.
func (c *contents) whole(col []int) (first, last int, what *content) {
	p := c.p
	last = (p.Hi[p.Map]-p.Lo[p.Map]+1)/p.Side[p.Map] - 1 // the tile after it may be shorter
	p.TileBox(col, 0, c.lo, c.hi)
	for i := range p.Space.Ineq {
		in := &p.Space.Ineq[i]
		v := in.C
		for x, a := range in.A {
			switch {
			case x == p.Map:
				v += a*c.lo[x] + min(-a*c.below[x], a*(p.Side[x]-1+c.above[x]))
			case a > 0:
				v += a * (c.lo[x] - c.below[x])
			default:
				v += a * (c.hi[x] + c.above[x])
			}
		}
		first, last = walk.Clip(v, c.rise[i], 0, math.MaxInt/2, first, last) // v + rise·k ≥ 0
	}
	if first > last {
		return first, last, nil
	}
	return first, last, c.at(col, first)
}

// at returns the content of tile k of the column at col.
func (c *contents) at(col []int, k int) *content {
	if c.kind(col, k) && c.p.KeepsWhole() {
		c.key = append(c.key[:0], idleKey...) // an idle tile has the same content everywhere
	}
	if what, ok := c.known[string(c.key)]; ok {
		return what
	}
	what := c.alike[string(c.crossed(col, k))]
	if what != nil {
		c.effort.spend(effortOf(c.p, extentCost))
	} else {
		before := c.edges.looked + c.counted
		c.sample = false
		what = c.look(col, k)
		c.effort.spend(effortOf(c.p, lookCost+c.edges.looked+c.counted-before))
		if c.looks++; len(c.shape) > 0 && !c.sample && !c.edges.placed {
			c.alike[string(c.shape)] = what
		}
	}
	c.known[string(c.key)] = what
	return what
}

// crossed returns, in shape, what determines the content of tile k of the column at col, wherever the space crosses the tile: the extent of
// a box of the iterations in the tile's surroundings, its distances from their ends, if short, and how much each inequality cuts off it.
// shape is empty if there are no iterations. A wide tile of levels that move is crossed at another place than the next one.
func (c *contents) crossed(col []int, k int) []byte {
	p := c.p
	held := holdsLevelsBelow(p, col, k, c.faceLo, c.faceHi)
	p.TileBox(col, k, c.lo, c.hi)
	for x := range c.lo {
		c.faceLo[x], c.faceHi[x] = c.lo[x]-c.below[x], c.hi[x]+c.above[x]+p.HaloWidth[x] // iterations there read cells of the tile
	}
	c.shape = c.shape[:0]
	if !p.Space.Shrink(c.faceLo, c.faceHi) {
		return c.shape
	}
	for _, is := range []bool{held, c.faceLo[0] == p.Lo[0]} { // see edgeCounter.begins
		c.shape = append(c.shape, 0)
		if is {
			c.shape[len(c.shape)-1] = 1
		}
	}
	for x, s := range p.Side {
		near := 2 * (c.below[x] + c.above[x] + p.HaloWidth[x] + 1)
		begin := p.Origin[x] + col[x]*s
		if x == p.Map {
			begin = p.Origin[x] + k*s
		}
		for _, n := range [...]int{c.lo[x] - begin, begin + s - 1 - c.hi[x], min(near, c.faceLo[x]-c.lo[x]+c.below[x]), min(near, c.hi[x]+c.above[x]+p.HaloWidth[x]-c.faceHi[x]), c.faceHi[x] - c.faceLo[x]} {
			c.shape = binary.AppendUvarint(c.shape, uint64(n))
		}
	}
	for i := range p.Space.Ineq {
		in := &p.Space.Ineq[i]
		v := in.At(c.faceLo)
		least := v
		for x, a := range in.A {
			least += min(0, a*(c.faceHi[x]-c.faceLo[x]))
		}
		if least < 0 {
			c.shape = binary.AppendUvarint(c.shape, uint64(i))
			c.shape = binary.AppendVarint(c.shape, int64(v))
		}
	}
	return c.shape
}

// idleKey is the key of tiles in skewed storage without iterations, even in their surroundings.
const idleKey = "idle"

// kind sets key to what determines the content of tile k of the column at col: how much the bounding box and each inequality cut off.
// An inequality that cuts off nothing adds nothing to the key. If an inequality leaves nothing, kind reports that the tile is empty;
// the inequality adds the same to the keys of all such tiles.
func (c *contents) kind(col []int, k int) (empty bool) {
	p := c.p
	p.TileBox(col, k, c.lo, c.hi)
	c.key = c.key[:0]
	for x, s := range p.Side {
		if short := s - 1 - (c.hi[x] - c.lo[x]); short > 0 {
			c.key = binary.AppendUvarint(c.key, uint64(x))
			c.key = binary.AppendUvarint(c.key, uint64(short))
		}
	}
	for i := range p.Space.Ineq {
		v := p.Space.Ineq[i].At(c.lo)
		switch {
		case v+c.least[i] >= 0:
			continue
		case v+c.most[i] < 0:
			v, empty = -c.most[i]-1, true
		}
		c.key = binary.AppendUvarint(c.key, uint64(len(p.Side)+i))
		c.key = binary.AppendVarint(c.key, int64(v))
	}
	if len(c.key) > 0 && !empty && holdsLevelsBelow(c.p, col, k, c.faceLo, c.faceHi) {
		c.key = binary.AppendUvarint(c.key, uint64(len(p.Side)+len(p.Space.Ineq)))
	}
	return empty
}

// kindsSampled is how many tiles kinds samples. The estimate is about right for up to kindsSampled² kinds.
const kindsSampled = 1 << 13

// kinds estimates the number of kinds of tiles; the method at examines one tile of each kind. If
// sides are long and oblique to the bounds, nearly every tile at the bounds is of its own kind. Among
// K equally frequent kinds, a sample of s tiles contains about s²/2K pairs of the same kind.
func (c *contents) kinds() float64 {
	p := c.p
	rng := rand.New(rand.NewPCG(kindsSampled, 1)) // equal plans get equal estimates
	seen := map[string]bool{}
	sampled, twice := 0.0, 0.0
	col := make([]int, len(p.Tiles))
	columns := p.Columns()
	for range kindsSampled {
		p.ColumnAt(rng.IntN(columns), col)
		if c.kind(col, rng.IntN(p.Tiles[p.Map])) || len(c.key) == 0 {
			continue
		}
		sampled++
		if seen[string(c.key)] {
			twice++
		}
		seen[string(c.key)] = true
	}
	tiles := float64(columns) * float64(p.Tiles[p.Map])
	return min(tiles*sampled/kindsSampled, sampled*sampled/2/max(twice, 0.5))
}

// look examines tile k of the column at col.
func (c *contents) look(col []int, k int) *content {
	p := c.p
	what := &content{faces: make([]int, len(p.Directions())), runs: make([]int, len(p.Directions()))}
	what.carry, what.strips = carried(p, c.lo, c.hi)
	iterates := p.PointsBox(col, k, c.lo, c.hi)
	for d := range p.Directions() {
		dir := &p.Directions()[d]
		if iterates {
			what.faces[d], what.runs[d] = c.face(col, dir)
		} else if p.KeepsWhole() {
			what.faces[d] = p.MessageCapacity(dir, false)
		}
	}
	what.edge = c.edges.tile(col, k)
	what.copied = what.faces
	if what.slabs = c.edges.slabs != nil && c.edges.slabLo <= c.edges.slabHi; what.slabs {
		c.copied(col, k, what)
	}
	if !iterates {
		return what
	}
	if !c.boxes(what) {
		c.count(what)
	}
	return what
}

// face returns the bytes of the face in direction dir of a tile with iterations in the box
// c.lo..c.hi, and the number of contiguous runs of cells in it.
func (c *contents) face(col []int, dir *plan.Direction) (bytes, runs int) {
	p, last := c.p, len(c.lo)-1
	for v := range p.Nest.Values {
		copy(c.faceLo, c.lo)
		copy(c.faceHi, c.hi)
		if p.FaceBox(col, dir, v, c.faceLo, c.faceHi) {
			rows := plan.BoxCells(c.faceLo[:last], c.faceHi)
			runs += rows
			bytes += rows * (c.faceHi[last] - c.faceLo[last] + 1) * p.Nest.Arrays[p.Nest.Values[v].Array].Size
		}
	}
	if p.KeepsWhole() {
		bytes = p.MessageCapacity(dir, false) // a signal
	}
	return bytes, runs
}

// count counts the iterations and the rows of the box lo..hi. If there are many rows, it counts every stride-th.
func (c *contents) count(what *content) {
	n := len(c.lo)
	all := 1.0
	for x := range n - 1 {
		all *= float64(c.hi[x] - c.lo[x] + 1)
	}
	look := float64(max(leastCounted, min(mostCountedTile, c.rows>>4)))
	if few := float64(c.sampled); 0 < few && few < min(all, look) {
		look, c.rough = few, true
	}
	stride := int(max(1, all/look))
	c.sample = c.sample || stride > 1
	points, rows, looked := 0, 0, 0
	for at := stride / 2; float64(at) < all; at += stride {
		rest := at
		for x := n - 2; x >= 0; x-- {
			e := c.hi[x] - c.lo[x] + 1
			c.q[x] = c.lo[x] + rest%e
			rest /= e
		}
		a, b := c.p.Space.Span(c.q, c.lo[n-1], c.hi[n-1])
		looked++
		if a <= b {
			points += b - a + 1
			rows++
		}
	}
	c.rows = max(0, c.rows-looked)
	c.counted += looked
	scale := all / float64(max(1, looked))
	what.points = int(float64(points)*scale + 0.5)
	what.rows = int(float64(rows)*scale + 0.5)
}

// copies reports whether tiles of p copy cells for the next tile of their column. In skewed
// storage all cells stay in place. If the mapping dimension is 0, the levels stay in place, too,
// unless the kernel's lanes are levels: such a kernel copies the levels to planes of its own.
func (k *Kernel) copies(p *plan.Plan) bool {
	return !p.KeepsWhole() && (p.Map > 0 || k.Rows > 0 && k.Across == plan.AcrossLevels)
}

// carried returns the cells, ghost cells included, that a tile with the box lo..hi carries to
// the next tile of its column: in bytes, and in contiguous runs.
func carried(p *plan.Plan, lo, hi []int) (bytes, runs float64) {
	for v := range p.Nest.Values {
		cells, row := 1.0, 1.0
		for x := range lo {
			extent := float64(hi[x] - lo[x] + 1 + p.HaloWidth[x])
			if x == p.Map {
				extent = float64(carriedReach(p, v))
			}
			cells *= extent
			row = extent // after the loop, the extent of the last dimension
		}
		if cells > 0 {
			bytes += cells * float64(p.Nest.Arrays[p.Nest.Values[v].Array].Size)
			runs += cells / row
		}
	}
	return bytes, runs
}

// carriedReach is the longest flow distance of value v along the mapping dimension: how much of a tile it carries.
func carriedReach(p *plan.Plan, v int) (reach int) {
	for _, d := range p.Nest.Values[v].Flow {
		reach = max(reach, d[p.Map])
	}
	return reach
}
