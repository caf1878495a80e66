package codegen_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// A levelModel is a call of a function, lane by lane: memory is a list of regions
// of lanes, as bits.
type levelModel struct {
	b            *levelNest
	k            *vector.LevelKernel
	y            *kernel.Temporal
	chains       int
	many, masked bool
	steps, split int // the calls are of split steps, and of the others
	full0, full1 int // steps without masks
	kept         int // of these the first that leaves its cell in the row that is not kept
	idle         int // lanes whose levels nobody needs, the highest
	back         int // steps before the first that memory has
	params       []int
	regions      [][]uint64
	types        []ir.Type  // of the lanes of a region, that is how they are compared
	ring         [][]int    // per chain and row
	replaced     [][]uint64 // per chain: the row whose place is taken, as it was
	now          []int
	planes       [][]int // per chain and insert; outs go to the same ones
	given        [][]int // per chain
	bounds       []int
	reduced      []int                           // per chain, of accumulators
	tables       map[int]*levelTable             // by array
	narrow       map[int]int                     // bytes of lanes of regions of tables
	first        []int                           // v of the first step, per chain
	index        [][]int                         // per chain
	past         []map[int]map[levelKey][]uint64 // per chain, step and vector
}

type levelKey struct{ value, up int }

const planeMargin = 100

func newLevelModel(rng *rand.Rand, b *levelNest, k *vector.LevelKernel, many, masked bool) *levelModel {
	y := &k.Lanes
	m := &levelModel{b: b, k: k, y: y, chains: 1, many: many, masked: masked, steps: 1 + rng.IntN(20), back: 70}
	if many {
		m.chains = y.Streams
	}
	if y.InPlace == 0 {
		m.split = rng.IntN(m.steps + 1)
	}
	m.full1 = m.steps
	if masked {
		m.full0 = rng.IntN(m.steps + 1)
		m.full1 = m.full0 + rng.IntN(m.steps+1-m.full0)
	}
	m.kept = m.full0
	if rng.IntN(2) == 0 {
		m.kept += rng.IntN(m.full1 - m.full0 + 1)
	}
	if y.TailMask && rng.IntN(3) == 0 {
		m.idle = rng.IntN(y.Count - 2)
		for _, p := range y.CarryOut {
			m.idle = min(m.idle, y.Count-p.Level)
		}
	}
	for range b.n.Params {
		m.params = append(m.params, rng.IntN(2000)-1000)
	}
	region := func(lanes int, t ir.Type, cell func(k int) uint64) int {
		x := make([]uint64, lanes)
		for k := range x {
			if cell != nil {
				x[k] = cell(k)
			} else {
				x[k] = randomLane(rng, t)
			}
		}
		m.regions, m.types = append(m.regions, x), append(m.types, t)
		return len(m.regions) - 1
	}
	elem := func(v int) ir.Type { return b.n.Arrays[b.n.Body[b.l.Values[v]].(*ir.Assign).Array].Elem }
	random := func(v int) uint64 {
		x := randomLane(rng, elem(v))
		if y.Values[v].Elem == "float64" {
			return math.Float64bits(float64(int32(x)))
		}
		return x
	}
	cellType := func(vectors int, inRing bool) func(k int) uint64 {
		values := make([]int, vectors)
		for v := range y.Values {
			for up := range y.Count {
				if p, ok := k.Place(v, up); ok && p.InBuffer == inRing {
					values[p.At] = v
				}
			}
			if p := y.Values[v]; p.InBuffer && !inRing {
				values[p.Fill] = v
			}
		}
		return func(k int) uint64 { return random(values[k/y.Count%vectors]) }
	}
	for range m.chains {
		var ring, planes, given, index []int
		for k := range y.Rows {
			if k > 0 && k == y.InPlace {
				ring = append(ring, ring[0])
			} else if y.Buffered > 0 {
				ring = append(ring, region((m.back+m.steps)*y.Buffered*y.Count, 0, cellType(y.Buffered, true)))
			}
		}
		m.ring = append(m.ring, ring)
		now := -1
		if y.Current > 0 {
			now = region((m.back+m.steps)*y.Current*y.Count, 0, cellType(y.Current, false))
		}
		m.now = append(m.now, now)
		for _, p := range y.CarryIn {
			planes = append(planes, region(2*planeMargin+m.steps, 0, func(int) uint64 { return random(p.Value) }))
		}
		m.planes = append(m.planes, planes)
		for _, g := range y.Given {
			t := map[string]ir.Type{"float32": ir.Float32, "float64": ir.Float64, "int32": ir.Int32, "int64": ir.Int64, "uint8": ir.Uint8}[g.Elem]
			given = append(given, region(map[kernel.LaneKind]int{kernel.Same: 1 + g.Step*m.steps, kernel.Fixed: y.Count, kernel.Window: m.steps + y.Count, kernel.Interleaved: m.steps * y.Count}[g.Kind], t, func(int) uint64 {
				if t == ir.Int32 { // which may hold a narrower type
					return randomLane(rng, b.n.Arrays[g.Array].Elem)
				}
				if cell := b.n.Arrays[g.Array].Elem; t == ir.Float64 && cell.Integer() { // likewise
					return math.Float64bits(float64(laneOf(cell, randomLane(rng, cell)).i))
				}
				return randomLane(rng, t)
			}))
		}
		m.given = append(m.given, given)
		m.first = append(m.first, rng.IntN(2000)-1000)
		bounds := region(2*y.Count, ir.Int32, nil)
		for k := range m.regions[bounds] {
			m.regions[bounds][k] = m.bits(m.first[len(m.first)-1] + rng.IntN(m.steps+6) - 3)
		}
		m.bounds = append(m.bounds, bounds)
		m.reduced = append(m.reduced, region(y.Accumulators()*y.Count, ir.Int32, func(k int) uint64 {
			if k/y.Count == y.Reduces {
				return 0
			}
			return startLane(rng, b.n, k/y.Count, y.Size)
		}))
		for range y.Indices {
			index = append(index, rng.IntN(2000)-1000)
		}
		m.index = append(m.index, index)
	}
	m.makeTables(rng)
	return m
}

// insert and out are the lanes of a plane that are read and written in the first
// step: a plane that is overwritten in place.
func (m *levelModel) insert(k int) int { return planeMargin + m.y.Skew*m.y.CarryIn[k].Level }
func (m *levelModel) out(k int) int {
	return planeMargin - m.y.Skew*(m.y.Count-m.idle-m.y.CarryOut[k].Level)
}

// before is how many cells the address of what a plane gets is before that: see
// kernel.FrameTail.
func (m *levelModel) before(k int) int {
	if m.idle == 0 {
		return 0
	}
	return m.idle + m.y.CarryOut[k].Level - 1
}

// givenLane is where a given sequence's vector begins.
func (m *levelModel) givenLane(g kernel.LaneGiven, step int) int {
	switch g.Kind {
	case kernel.Same:
		return g.Step * step
	case kernel.Window:
		return step
	case kernel.Interleaved:
		return step * m.y.Count
	}
	return 0
}

// run computes what the calls do.
func (m *levelModel) run() {
	for c := range m.chains {
		if m.y.InPlace > 0 {
			m.replaced = append(m.replaced, slices.Clone(m.regions[m.ring[c][0]]))
		}
		m.past = append(m.past, map[int]map[levelKey][]uint64{})
	}
	for step := range m.steps {
		for c := range m.chains {
			m.step(c, step)
		}
	}
}

// place returns the lanes of a cell's vector.
func (m *levelModel) place(p kernel.LaneValue, c, row, step int) []uint64 {
	region, vectors := m.now[c], m.y.Current
	if p.InBuffer {
		region, vectors = m.ring[c][row], m.y.Buffered
	}
	at := ((m.back+step)*vectors + p.At) * m.y.Count
	if p.InBuffer && row > 0 && row == m.y.InPlace {
		return m.replaced[c][at : at+m.y.Count]
	}
	return m.regions[region][at : at+m.y.Count]
}

// vector returns a vector of the row itself, of an earlier step.
func (m *levelModel) vector(c, step int, key levelKey) []uint64 {
	if step >= 0 {
		return m.past[c][step][key]
	}
	if p, ok := m.k.Place(key.value, key.up); ok {
		out := slices.Clone(m.place(p, c, 0, step))
		if key.up > 0 {
			for l := range out {
				out[l] = m.plus(key.value, out[l], -1)
			}
		}
		return out
	}
	return m.shifted(c, step, key, m.vector(c, step, levelKey{key.value, key.up - 1}))
}

// shifted moves a vector up by a lane: its first lane in memory is the top one.
func (m *levelModel) shifted(c, step int, key levelKey, below []uint64) []uint64 {
	k := slices.Index(m.y.CarryIn, kernel.LanePlane{Value: key.value, Level: key.up})
	return append(slices.Clone(below[1:]), m.plus(key.value, m.regions[m.planes[c][k]][m.insert(k)+step], -1))
}

// plus returns a cell of a value with what its planes, and its vectors that were moved up, have
// added to it, times sign.
func (m *levelModel) plus(value int, cell uint64, sign int) uint64 {
	if by := m.y.Values[value].Plus; by != 0 {
		return uint64(uint32(cell) + uint32(sign*by))
	}
	return cell
}

// step computes a step of a chain.
func (m *levelModel) step(c, step int) {
	y := m.y
	news := map[levelKey][]uint64{}
	m.past[c][step] = news
	for v := range y.Values {
		news[levelKey{v, 0}] = make([]uint64, y.Count)
	}
	bounds := m.regions[m.bounds[c]]
	for l := range y.Count {
		v := m.bits(m.first[c] + step)
		at := y.LaneIndex(l)
		part := m.signed(bounds[at]) <= m.signed(v) && m.signed(v) <= m.signed(bounds[y.Count+at])
		e := &laneEval{b: m.b, params: m.params, lets: map[int]laneValue{}}
		e.read = func(r *ir.Read, t ir.Type) laneValue {
			if k, ok := m.b.shape.GivenOf(r.ID); ok {
				g := y.Given[k]
				lane := m.givenLane(g, step)
				if g.Kind != kernel.Same {
					lane += y.LaneIndex(l)
				}
				bits := m.regions[m.given[c][k]][lane]
				if g.Elem == "float64" && t.Integer() {
					bits = uint64(int64(math.Float64frombits(bits)))
				}
				return m.lane(t, bits)
			}
			from := m.b.l.Reads[r.ID]
			result := func(bits uint64) laneValue {
				x := m.result(from.Value, r.T, bits)
				if t == ir.Float64 && r.T.Integer() { // a conversion: see laneEval
					return ofInt(t, int(x.i))
				}
				return x
			}
			d := from.Dist
			if from.From == ir.FromLocal {
				return result(news[levelKey{from.Value, 0}][at])
			}
			key, back, last := levelKey{from.Value, d[0]}, d[len(d)-1]+y.Skew*d[0], len(d)-1
			row := slices.IndexFunc(y.Rows, func(r []int) bool { return slices.Equal(r, d[1:last]) })
			if row > 0 {
				p, _ := m.k.Place(key.value, key.up)
				return result(m.place(p, c, row, step-back)[at])
			}
			return result(m.vector(c, step-back, key)[at])
		}
		e.iter = func(loop int) int {
			for k, i := range m.b.shape.Indices {
				if i.Loop == loop {
					f := y.Indices[k].At
					b := f.Iters[len(f.Iters)-1]
					return m.index[c][k] + step*b + l*(f.Iters[0]-y.Skew*b)
				}
			}
			panic("an unknown loop")
		}
		counts := part || m.full0 <= step && step < m.full1
		e.lookup = func(l *ir.Lookup, subs []int64) laneValue {
			cell, wrong := m.lookup(l, subs)
			if counts {
				m.regions[m.reduced[c]][y.Reduces*y.Count+at] |= wrong
			}
			return cell
		}
		e.wrong = m.collectsWrong(c, y.Reduces*y.Count+at, counts)
		reduces, keeps := 0, false
		for k, stmt := range m.b.n.Body {
			if !m.b.live[k] {
				continue
			}
			switch stmt := stmt.(type) {
			case *ir.Let:
				e.lets[k] = e.eval(stmt.Expr)
			case *ir.Assign:
				v := slices.Index(m.b.l.Values, k)
				x := e.eval(stmt.Expr).bits(stmt.Expr.Type(), y.Size)
				if y.Values[v].Elem == "float64" {
					x = math.Float64bits(float64(int64(x)))
				}
				if p := y.Values[v]; p.At >= 0 {
					if (step < m.full0 || step >= m.full1) && !part {
						x = m.place(kernel.LaneValue{At: p.Fill}, c, 0, step)[at]
					}
				}
				news[levelKey{v, 0}][at] = x
			case *ir.Reduce:
				keeps = e.reduce(stmt, &m.regions[m.reduced[c]][reduces*y.Count+at], y.Size, counts, keeps)
				reduces++
			}
		}
	}
	for v, p := range y.Values {
		if p.At >= 0 {
			copy(m.place(p, c, 0, step), news[levelKey{v, 0}])
		}
	}
	for _, p := range y.CarryIn {
		key := levelKey{p.Value, p.Level}
		news[key] = m.shifted(c, step, key, news[levelKey{p.Value, p.Level - 1}])
		if at, ok := m.k.Place(p.Value, p.Level); ok {
			for l, x := range news[key] {
				m.place(at, c, 0, step)[l] = m.plus(p.Value, x, 1)
			}
		}
	}
	for k, p := range y.CarryOut {
		m.regions[m.planes[c][k]][m.out(k)+step] = m.plus(p.Value, news[levelKey{p.Value, 0}][y.LaneIndex(y.Count-m.idle-p.Level)], 1)
	}
}

// result is a cell of a value of type t.
func (m *levelModel) result(value int, t ir.Type, bits uint64) laneValue {
	if m.y.Values[value].Elem == "float64" {
		return laneValue{i: int64(math.Float64frombits(bits))}
	}
	return m.lane(t, bits)
}

// lane is the value of a lane that may be narrower than t.
func (m *levelModel) lane(t ir.Type, bits uint64) laneValue {
	if t == ir.Int64 && m.y.Size == 4 {
		bits = uint64(int64(int32(bits)))
	}
	return laneOf(t, bits)
}

func extremeOf[T int32 | float32 | float64](op ir.ReduceOp, x, y T) T {
	if op == ir.ReduceMin {
		return min(x, y)
	}
	return max(x, y)
}

func (m *levelModel) signed(x uint64) int {
	if m.y.Size == 4 {
		return int(int32(x))
	}
	return int(x)
}

// bits returns the bits of an integer in a lane.
func (m *levelModel) bits(x int) uint64 {
	if m.y.Size == 4 {
		return uint64(uint32(x))
	}
	return uint64(x)
}
