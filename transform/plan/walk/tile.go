package walk

import (
	"iter"
	"slices"

	"loopc/transform/plan"
)

// Carried is the Dir of operations on cells that a tile carries to the next tile of its column.
const Carried = -1

// Tile yields all operations of tile k of the column at col, in order, if its levels are computed one by one. It is for readers and tests;
// the executor asks for one turn at a time.
func Tile(p *plan.Plan, col []int, k int) iter.Seq[Op] {
	t := &tile{w: NewLevels(p), p: p, k: k, lo: make([]int, len(p.Side)), hi: make([]int, len(p.Side))}
	t.first, t.last = p.Active(col, t.lo, t.hi)
	return func(yield func(Op) bool) {
		t.yield, t.ended = yield, false
		t.run(col)
	}
}

// A tile is the tile whose operations Tile yields.
type tile struct {
	w           *Levels
	p           *plan.Plan
	k           int
	first, last int // active tiles of the column
	in, out     []image
	lo, hi      []int // scratch
	yield       func(Op) bool
	ended       bool
}

// An image is a box of cells of a value: in a face, or carried.
type image struct {
	dir, value int
	lo, hi     []int
}

func (t *tile) run(col []int) {
	p, w := t.p, t.w
	from, to := w.Tile(col, t.k, p.Map != 0 || t.k == t.first)
	t.faces(col)
	if !p.KeepsWhole() && p.Map != 0 {
		t.carried()
	}
	for level := from; level <= to && !t.ended; level++ {
		t.move(Unpack, t.in, level)
		t.level(level)
		t.move(Pack, t.out, level)
	}
	for d := range p.Directions() {
		if bytes := p.FaceBytes(col, t.k, &p.Directions()[d], t.lo, t.hi); bytes > 0 && t.leads(col, d, 1) {
			t.do(Op{Kind: Post, Dir: d, Bytes: bytes})
		}
	}
}

// do yields an operation with its own copy of the box.
func (t *tile) do(op Op) {
	op.Lo, op.Hi = slices.Clone(op.Lo), slices.Clone(op.Hi)
	t.ended = t.ended || !t.yield(op)
}

// leads reports whether there is a column the given number of steps from col in a direction.
func (t *tile) leads(col []int, dir, steps int) bool {
	for x, s := range t.p.Directions()[dir].Step {
		if to := col[x] + steps*s; s != 0 && (to < 0 || to >= t.p.Tiles[x]) {
			return false
		}
	}
	return true
}

// faces waits for the faces that arrive, and lists the cells of all faces.
func (t *tile) faces(col []int) {
	p := t.p
	boxes := func(from []int, d int) (out []image) {
		for v := range p.Nest.Values {
			if !p.KeepsWhole() && p.PointsBox(from, t.k, t.lo, t.hi) && p.FaceBox(from, &p.Directions()[d], v, t.lo, t.hi) {
				out = append(out, image{d, v, slices.Clone(t.lo), slices.Clone(t.hi)})
			}
		}
		return out
	}
	for d := range p.Directions() {
		dir := &p.Directions()[d]
		if t.leads(col, d, 1) {
			t.out = append(t.out, boxes(col, d)...)
		}
		if !t.leads(col, d, -1) {
			continue
		}
		from := slices.Clone(col)
		for x, s := range dir.Step {
			from[x] -= s
		}
		if bytes := p.FaceBytes(from, t.k, dir, t.lo, t.hi); bytes > 0 {
			t.do(Op{Kind: Await, Dir: d, Bytes: bytes})
			t.in = append(t.in, boxes(from, d)...)
		}
	}
}

// carried lists the cells that the previous tile carries to this one, and this tile to the next.
func (t *tile) carried() {
	p, m := t.p, t.p.Map
	for v := range p.Nest.Values {
		reach := 0
		for _, d := range p.Nest.Values[v].Flow {
			reach = max(reach, d[m])
		}
		if reach == 0 || p.CarryBytes(v) == 0 {
			continue
		}
		lo, hi := slices.Clone(t.w.First), slices.Clone(t.w.Last)
		for x := range lo {
			lo[x] -= p.HaloWidth[x]
		}
		if t.k > t.first {
			in := image{Carried, v, slices.Clone(lo), slices.Clone(hi)}
			in.lo[m], in.hi[m] = t.w.First[m]-reach, t.w.First[m]-1
			t.in = append(t.in, in)
		}
		if t.k < t.last {
			out := image{Carried, v, lo, hi}
			out.lo[m], out.hi[m] = t.w.Last[m]-reach+1, t.w.Last[m]
			t.out = append(t.out, out)
		}
	}
}

// move copies the cells of a level in the given images.
func (t *tile) move(kind Kind, images []image, level int) {
	for _, b := range images {
		if level < b.lo[0] || level > b.hi[0] {
			continue
		}
		op := Op{Kind: kind, Value: b.value, Dir: b.dir, Lo: slices.Clone(b.lo), Hi: slices.Clone(b.hi)}
		op.Lo[0], op.Hi[0] = level, level
		op.Bytes = op.Cells() * t.p.Nest.Arrays[t.p.Nest.Values[b.value].Array].Size
		t.do(op)
	}
}

// level fills and computes a level, and stores its results.
func (t *tile) level(level int) {
	w, nest := t.w, t.p.Nest
	own, does := w.Does(level)
	if !does {
		return
	}
	rows := w.Level(level, own)
	t.yieldAll()
	for rows {
		rows = w.Row()
		t.yieldAll()
	}
	for v := range nest.Values {
		if val := &nest.Values[v]; !own || val.Direct || !nest.Arrays[val.Array].Returned() || !w.Stores(v, level) {
			continue
		}
		for rows := true; rows; {
			rows = w.StoreRow()
			t.yieldAll()
		}
	}
}

// yieldAll yields the operations of a turn.
func (t *tile) yieldAll() {
	for i := range t.w.Ops {
		t.do(t.w.Ops[i])
	}
}
