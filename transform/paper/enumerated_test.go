package paper

import (
	"math/rand/v2"
	"slices"

	"loopc/transform/plan"
)

// enumerated is a schedule of a tile space, tile by tile, found from the
// definitions of [P1] and [P2] alone, without their closed forms. Tiles are
// numbered in lexicographic order.
type enumerated struct {
	u      []int
	stride []int
	edge   []int // of each tile, the dimensions along which it is the first, as bits
	node   []int // of each tile
	worker []int // a CPU of a node, unique among all
	step   []int
	// group is the step of the whole supertile that a cluster's tile belongs to;
	// elsewhere it is step. Nodes exchange faces between groups.
	group []int
}

// A schedule says where and when a tile runs, by its coordinates: coordinates of
// its node and of its CPU, its step and, of a cluster, the number of its tile
// within the supertile.
type schedule func(tile, node, cpu []int) (step, sub int)

// enumerate lists a schedule. w is the number of tiles of a supertile.
func (e *enumerated) enumerate(u, m []int, w int, f schedule) {
	n := len(u)
	e.u = append(e.u[:0], u...)
	e.stride = append(e.stride[:0], u...)
	total := 1
	for x := n - 1; x >= 0; x-- {
		e.stride[x] = total
		total *= u[x]
	}
	resize := func(v []int) []int { return slices.Grow(v[:0], total)[:total] }
	e.edge, e.node, e.worker, e.step, e.group = resize(e.edge), resize(e.node), resize(e.worker), resize(e.step), resize(e.group)
	tile, node, cpu := make([]int, n), make([]int, n), make([]int, n)
	for i := range total {
		e.edge[i] = 0
		for x := range u {
			tile[x] = i / e.stride[x] % u[x]
			node[x], cpu[x] = 0, 0
			if tile[x] == 0 {
				e.edge[i] |= 1 << x
			}
		}
		step, sub := f(tile, node, cpu)
		id, c := 0, 0
		for x := range u {
			id, c = id*64+node[x], c*m[x]+cpu[x]
			if node[x] >= 64 || cpu[x] >= m[x] {
				panic("no such node or CPU")
			}
		}
		e.node[i], e.worker[i] = id, id*64+c
		e.step[i], e.group[i] = step*w+sub, step
	}
}

// makespan is the number of steps from the first tile to the last, in supertiles.
func (e *enumerated) makespan() int { return slices.Max(e.group) - slices.Min(e.group) + 1 }

// exclusive reports whether no CPU runs two tiles in one step.
func (e *enumerated) exclusive(scratch *[]uint64) bool {
	keys := (*scratch)[:0]
	for i := range e.step {
		keys = append(keys, uint64(e.worker[i])<<20|uint64(e.step[i]))
	}
	slices.Sort(keys)
	*scratch = keys
	for i := range len(keys) - 1 {
		if keys[i] == keys[i+1] {
			return false
		}
	}
	return true
}

// breaks returns a tile and one that it depends on which does not run early
// enough, or -1: a step earlier on the same node, and another one between for the
// faces if communication overlaps and the nodes differ. Tile dependences are all
// vectors of zeros and ones.
func (e *enumerated) breaks(c plan.Comm) (tile, from int) {
	var back [16]int // from a tile to the one at distance set
	sets := 1 << len(e.u)
	for set := range sets {
		for x, stride := range e.stride {
			back[set] += stride * (set >> x & 1)
		}
	}
	for i := range e.step {
		for set := 1; set < sets; set++ {
			if set&e.edge[i] != 0 {
				continue
			}
			from := i - back[set]
			least, when, before := 1, e.step[i], e.step[from]
			if e.worker[i] != e.worker[from] {
				when, before = e.group[i], e.group[from]
			}
			if c == plan.Overlap && e.node[i] != e.node[from] {
				least = 2
			}
			if when-before < least {
				return i, from
			}
		}
	}
	return -1, -1
}

// enough is the schedule with a node for every group: groups are ⌊H^G·j⌋, their
// steps Π^G·j^G, [P1] (2), [P2] section 2.
func enough(s TileSpace, c plan.Comm) schedule {
	return func(tile, node, cpu []int) (int, int) {
		step := 0
		for x, j := range tile {
			step += j
			if x == s.Map {
				continue
			}
			node[x], cpu[x] = j/s.M[x], j%s.M[x]
			if c == plan.Overlap {
				step += node[x]
			}
		}
		return step, 0
	}
}

// chunked is cyclic or mirror assignment with chunks L steps apart: the time in
// the chunk is j_1 + Σ j_i mod m_i·p_i, and + Σ j^G_i mod p_i if overlapped.
func chunked(s TileSpace, a plan.Assign, c plan.Comm, l int) schedule {
	return func(tile, node, cpu []int) (int, int) {
		step := tile[s.Map]
		number := 0 // of the chunk, in lexicographic order
		for x, j := range tile {
			if x == s.Map {
				continue
			}
			in := s.M[x] * s.P[x]
			chunks := 0
			for first := 0; first < s.U[x]; first += in {
				chunks++
			}
			step += j % in
			group := j / s.M[x]
			if c == plan.Overlap {
				step += group % s.P[x]
			}
			cpu[x], node[x] = j%s.M[x], group%s.P[x]
			if a == plan.Mirror && group/s.P[x]%2 == 1 {
				node[x] = s.P[x] - 1 - node[x]
			}
			number = number*chunks + j/in
		}
		return step + l*number, 0
	}
}

// clustered merges c_i tiles along each dimension, so that there is one supertile
// for each CPU at most, and runs them as if there were enough nodes, tile by tile.
func clustered(s TileSpace, c plan.Comm) schedule {
	merge := make([]int, len(s.U))
	for x := range merge {
		for merge[x] = 1; x != s.Map && merge[x]*s.M[x]*s.P[x] < s.U[x]; merge[x]++ {
		}
	}
	inner := enough(s, c)
	super := make([]int, len(s.U))
	return func(tile, node, cpu []int) (int, int) {
		sub := 0
		for x, j := range tile {
			super[x] = j / merge[x]
			sub = sub*merge[x] + j%merge[x]
		}
		step, _ := inner(super, node, cpu)
		return step, sub
	}
}

// randomSpace returns a tile space of two to four dimensions, any of them mapped.
// Every other time the mapped one is the longest, as the papers assume.
func randomSpace(rng *rand.Rand) TileSpace {
	n := 2 + rng.IntN(3)
	s := TileSpace{U: make([]int, n), M: make([]int, n), P: make([]int, n), Map: rng.IntN(n)}
	most := []int{0, 0, 12, 6, 4}[n]
	for x := range n {
		s.U[x] = 1 + rng.IntN(most)
		s.M[x], s.P[x] = 1+rng.IntN(3), 1+rng.IntN(3)
	}
	s.M[s.Map], s.P[s.Map] = 1, 1
	if rng.IntN(2) == 0 {
		s.U[s.Map] = slices.Max(s.U)
	}
	return s
}
