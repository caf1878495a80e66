package plan

// Columns is the number of columns of tiles. A column is all tiles that differ only in their coordinate along the mapping dimension.
// Columns are numbered in lexicographic order of the other coordinates.
func (p *Plan) Columns() int {
	c := 1
	for k, t := range p.Tiles {
		if k != p.Map {
			c *= t
		}
	}
	return c
}

// ColumnAt writes the tile coordinates of column c to col; the coordinate along the mapping dimension is 0.
func (p *Plan) ColumnAt(c int, col []int) {
	for k := len(p.Tiles) - 1; k >= 0; k-- {
		if k == p.Map {
			col[k] = 0
			continue
		}
		col[k] = c % p.Tiles[k]
		c /= p.Tiles[k]
	}
}

// columnOf returns the number of the column at col, or -1 if there is none.
func (p *Plan) columnOf(col []int) int {
	c := 0
	for k, t := range p.Tiles {
		if k == p.Map {
			continue
		}
		if col[k] < 0 || col[k] >= t {
			return -1
		}
		c = c*t + col[k]
	}
	return c
}

// TileBox writes the box of tile k of the column at col, in iterations, both ends inclusive.
func (p *Plan) TileBox(col []int, k int, lo, hi []int) {
	for x, s := range p.Side {
		c := col[x]
		if x == p.Map {
			c = k
		}
		lo[x] = p.Origin[x] + c*s
		hi[x] = min(lo[x]+s-1, p.Hi[x])
		lo[x] = max(lo[x], p.Lo[x])
	}
}

// PointsBox writes a box that contains the iterations of tile k of the column at col, and reports false if the tile has none.
func (p *Plan) PointsBox(col []int, k int, lo, hi []int) bool {
	p.TileBox(col, k, lo, hi)
	return p.Space.Shrink(lo, hi)
}

// Active returns the first and the last tile of a column that its worker runs; first > last if it runs none. If dependences lead
// diagonally out of a neighboring column, a corner arrives one tile before the first tile with iterations, so that tile runs, too, and
// carries the corner. For skewed storage see wholeReach.
func (p *Plan) Active(col []int, lo, hi []int) (first, last int) {
	return p.activeOf(col, col, lo, hi)
}

// activeOf does what Active does, for the box from..to of columns: every tile that one of these columns runs is in first..last.
func (p *Plan) activeOf(from, to []int, lo, hi []int) (first, last int) {
	switch {
	case p.Empty:
		return 0, -1
	case p.reach == nil:
		return 0, p.Tiles[p.Map] - 1
	}
	first, last = p.within(from, to, p.reach, lo, hi)
	if p.diagonal && first > 0 && first <= last {
		first--
	}
	return first, last
}

// within returns a range that contains every tile of the columns from..to with iterations in
// its box or up to reach above it; first > last if there is none.
func (p *Plan) within(from, to, reach, lo, hi []int) (first, last int) {
	for x, s := range p.Side {
		if x == p.Map {
			lo[x], hi[x] = p.Lo[x], p.Hi[x]
			continue
		}
		lo[x] = max(p.Origin[x]+from[x]*s, p.Lo[x])
		hi[x] = min(p.Origin[x]+(to[x]+1)*s-1+reach[x], p.Hi[x])
	}
	if !p.Space.Shrink(lo, hi) {
		return 0, -1
	}
	first = max(0, lo[p.Map]-reach[p.Map]-p.Origin[p.Map]) / p.Side[p.Map]
	last = (hi[p.Map] - p.Origin[p.Map]) / p.Side[p.Map]
	return first, last
}

// Nonempty returns a range that contains every tile of a column with iterations; first > last if there is none.
func (p *Plan) Nonempty(col []int, lo, hi []int) (first, last int) {
	return p.within(col, col, make([]int, len(col)), lo, hi)
}

// A Direction is one way in which results leave a column of tiles: to the neighboring column,
// which is one column further along every dimension with Step 1.
type Direction struct {
	Step []int // 0 or 1 per dimension, 0 along the mapping dimension
	// Width[v] is how far into the tile the cells of Values[v] reach that the neighbor needs, per dimension with Step 1; nil if it needs none.
	Width [][]int
}

// Directions are all ways in which results leave a column, in lexicographic order. Corners travel directly; only along the mapping
// dimension does the neighboring column itself carry them, from one tile to its next.
func (p *Plan) Directions() []Direction { return p.dirs }

// directions derives Directions from the flow distances.
func (p *Plan) directions() {
	n := len(p.HaloWidth)
	p.reach = make([]int, n)
	if p.whole {
		p.reach = p.wholeReach()
		p.signals()
		return
	}
	p.carry = p.Map > 0 && p.HaloWidth[p.Map] > 0
	for set := 1; set < 1<<n; set++ {
		step := make([]int, n)
		for k := range step {
			step[k] = set >> (n - 1 - k) & 1
		}
		if step[p.Map] == 1 {
			continue
		}
		dir := Direction{Step: step, Width: make([][]int, len(p.Nest.Values))}
		used := false
		for v := range p.Nest.Values {
			for _, d := range p.Nest.Values[v].Flow {
				if !crosses(d, step) {
					continue
				}
				used = true
				p.diagonal = p.diagonal || d[p.Map] > 0
				if dir.Width[v] == nil {
					dir.Width[v] = make([]int, n)
				}
				for k := range step {
					if step[k] == 1 {
						dir.Width[v][k] = max(dir.Width[v][k], d[k])
					}
				}
			}
		}
		if used {
			p.dirs = append(p.dirs, dir)
		}
	}
}

// crosses reports whether distance d can lead out of a tile along every dimension of step at once.
func crosses(d, step []int) bool {
	for k, s := range step {
		if s == 1 && d[k] == 0 {
			return false
		}
	}
	return true
}

// FaceBox narrows the box lo..hi of the iterations of a tile, in the column at col, to that of the cells of value v that the tile
// sends in direction dir. It reports false if there are none. Sender and receiver compute the same box.
func (p *Plan) FaceBox(col []int, dir *Direction, v int, lo, hi []int) bool {
	w := dir.Width[v]
	if w == nil {
		return false
	}
	for x, s := range dir.Step {
		if s == 0 {
			continue
		}
		end := p.Origin[x] + (col[x]+1)*p.Side[x] - 1
		lo[x] = max(lo[x], end-w[x]+1)
		if lo[x] > hi[x] {
			return false
		}
	}
	return true
}

// FaceBytes is the length of the face that tile k of the column at col sends in direction dir or, in
// skewed storage, of its signal; 0: it sends none. lo and hi are scratch.
func (p *Plan) FaceBytes(col []int, k int, dir *Direction, lo, hi []int) int {
	if p.whole {
		return signalBytes
	}
	bytes := 0
	for v := range dir.Width {
		if p.PointsBox(col, k, lo, hi) && p.FaceBox(col, dir, v, lo, hi) {
			bytes += BoxCells(lo, hi) * p.Nest.Arrays[p.Nest.Values[v].Array].Size
		}
	}
	return bytes
}

// faceCapacity is the length in bytes of the longest face in direction dir.
func (p *Plan) faceCapacity(dir *Direction) int {
	if p.whole {
		return signalBytes
	}
	bytes := 0
	for v, w := range dir.Width {
		if w == nil {
			continue
		}
		face := p.Nest.Arrays[p.Nest.Values[v].Array].Size
		for x, s := range p.Side {
			if dir.Step[x] == 1 {
				s = min(s, w[x])
			}
			face = int(BytesOf(face, s))
		}
		bytes = int(AddBytes(int64(bytes), int64(face)))
	}
	return bytes
}

func BoxCells(lo, hi []int) int {
	c := 1
	for k := range lo {
		c *= hi[k] - lo[k] + 1
	}
	return c
}
