// Package paper has the closed forms of the papers, for explanations and figures. No emitted
// program links it. The closed forms hold for rectangular spaces of equal tiles; runs are
// planned with the real tiles: see plan.Plan.StepOf and Steps.
//
// References:
//
//	[P1]  Athanasaki, Sotiropoulos, Tsoukalas, Koziris. Pipelined scheduling of
//	      tiled nested loops onto clusters of SMPs using memory mapped network
//	      interfaces.
//	[P2]  Athanasaki, Koukis, Koziris. Scheduling of tiled nested loops onto a
//	      cluster with a fixed number of SMP nodes.
//
// The papers map the first dimension. Here any dimension may be mapped, and the papers' sums and
// products over i = 2..n become sums and products over the other dimensions.
package paper

import (
	"fmt"
	"math"
	"slices"

	"loopc/transform/plan"
)

// A TileSpace is a rectangular space of tiles 0 ≤ j_i < U_i, on nodes that form
// a mesh of P_2 × .. × P_n, of M_2 × .. × M_n CPUs each.
type TileSpace struct {
	U   []int // number of tiles per dimension
	M   []int // CPUs of a node per dimension, 1 along Map
	P   []int // nodes per dimension, 1 along Map
	Map int   // mapping dimension: tiles along it run on one CPU
}

// Of returns the tile space of a plan, as if every tile had iterations.
func Of(p *plan.Plan) TileSpace {
	return TileSpace{U: p.Tiles, M: p.Mesh, P: p.Grid, Map: p.Map}
}

// A Frac is a rational number, Den positive.
type Frac struct{ Num, Den int }

// String returns text such as "0", "1" or "1/2".
func (f Frac) String() string {
	if f.Den == 1 || f.Num == 0 {
		return fmt.Sprint(f.Num)
	}
	return fmt.Sprintf("%d/%d", f.Num, f.Den)
}

// HG returns the grouping matrix H^G of [P1] (2): row x has 1/m_x on the
// diagonal, the row of the mapping dimension is all ones.
func (s TileSpace) HG() [][]Frac {
	h := make([][]Frac, len(s.U))
	for x := range h {
		h[x] = slices.Repeat([]Frac{{0, 1}}, len(s.U))
		h[x][x] = Frac{1, s.M[x]}
		if x == s.Map {
			h[x] = slices.Repeat([]Frac{{1, 1}}, len(s.U))
		}
	}
	return h
}

// PG returns the inverse of HG, [P1] (3): column x has m_x on the diagonal and
// -m_x in the row of the mapping dimension, whose own column is a unit vector. Its
// determinant is the number of CPUs of a node: a group has a tile for each.
func (s TileSpace) PG() [][]int {
	p := make([][]int, len(s.U))
	for x := range p {
		p[x] = make([]int, len(s.U))
		p[x][x] = s.M[x]
	}
	for x, m := range s.M {
		p[s.Map][x] = -m
	}
	p[s.Map][s.Map] = 1
	return p
}

// PiG returns the linear schedule of groups Π^G: (1, 1, .., 1) overlapped, and (1, 0, .., 0) blocking and buffered,
// where the first entry belongs to the mapping dimension.
func (s TileSpace) PiG(c plan.Comm) []int {
	pi := make([]int, len(s.U))
	for x := range pi {
		if x == s.Map || c == plan.Overlap {
			pi[x] = 1
		}
	}
	return pi
}

// Group returns j^G = ⌊H^G·j^S⌋, the hyperplane group of a tile [P1] (2).
func (s TileSpace) Group(tile []int) []int {
	g := make([]int, len(tile))
	for x, j := range tile {
		if x != s.Map {
			g[x] = plan.FloorDiv(j, s.M[x])
		}
		g[s.Map] += j
	}
	return g
}

// CPU returns the coordinates j_x mod m_x of the CPU of a node that runs a tile, 0 along the
// mapping dimension. For Cluster, j is the supertile.
func (s TileSpace) CPU(a plan.Assign, tile []int) []int {
	c := make([]int, len(tile))
	for x, j := range tile {
		if x == s.Map {
			continue
		}
		if a == plan.Cluster {
			j /= s.merged(x)
		}
		c[x] = j % s.M[x]
	}
	return c
}

// Node returns the coordinates of the node that runs a tile, 0 along the mapping dimension [P2]
// section 3. With Any, or with Retile and a tile of Retiled, each group has a node of its own.
func (s TileSpace) Node(a plan.Assign, tile []int) []int {
	node := s.Group(tile)
	node[s.Map] = 0
	for x, g := range node {
		if x == s.Map {
			continue
		}
		p := s.P[x]
		switch {
		case a == plan.Cluster:
			node[x] = tile[x] / (s.M[x] * s.merged(x))
		case a == plan.Mirror && g/p%2 == 1:
			node[x] = p - 1 - g%p
		case a == plan.Mirror || a == plan.Cyclic:
			node[x] = g % p
		}
	}
	return node
}

// groups returns G_x = ⌈u_x/m_x⌉.
func (s TileSpace) groups(x int) int { return plan.CeilDiv(s.U[x], s.M[x]) }

// merged returns c_x = ⌈u_x/(m_x·p_x)⌉, the number of tiles that a cluster merges
// along dimension x; it is also C_x = ⌈G_x/p_x⌉, the number of chunks. A chunk is a
// round of groups: p_x along each dimension, one for each node.
func (s TileSpace) merged(x int) int {
	if x == s.Map {
		return 1
	}
	return plan.CeilDiv(s.U[x], s.M[x]*s.P[x])
}

// W returns Π ⌈u_i/(m_i·p_i)⌉: the chunks that a node runs, and the columns of
// tiles of a CPU.
func (s TileSpace) W() int {
	w := 1
	for x := range s.U {
		w *= s.merged(x)
	}
	return w
}

// Chunk returns the number of a tile's chunk, c(j^G) = Σ ⌊j^G_i/p_i⌋·Π_{k>i} C_k,
// for cyclic and mirror assignment.
func (s TileSpace) Chunk(tile []int) int {
	c := 0
	for x, g := range s.Group(tile) {
		if x != s.Map {
			c = c*s.merged(x) + g/s.P[x]
		}
	}
	return c
}

// Offset returns the steps L from the start of a chunk to the start of the next one.
//
// A mirrored node that comes last in a chunk comes first in the next one, hence
//
//	mirror    L = u_1 + Σ (m_i+1)·p_i - 2n + 2    overlapped
//	          L = u_1 + Σ m_i·p_i - n + 1         blocking
//
// For cyclic assignment [P2] has L = u_1. That breaks dependences: the first tile of a chunk
// depends, around the mesh, on the last tile of an earlier chunk. Here L is the least L ≥ u_1
// that breaks none: for every i with C_i > 1,
//
//	cyclic    L·Π_{k>i} C_k ≥ (m_i+1)·p_i         overlapped; m_i if p_i = 1
//	          L·Π_{k>i} C_k ≥ m_i·p_i             blocking
func (s TileSpace) Offset(a plan.Assign, c plan.Comm) int {
	l, after := s.U[s.Map], 1
	for x := len(s.U) - 1; x >= 0; x-- {
		if x == s.Map {
			continue
		}
		lag := s.M[x]*s.P[x] - 1 // steps of the last CPU behind the first
		apart := 1               // steps from a tile to its dependent
		if c == plan.Overlap {
			lag += s.P[x] - 1
			if s.P[x] > 1 {
				apart = 2
			}
		}
		if a == plan.Mirror {
			l += lag
		} else if s.merged(x) > 1 {
			l = max(l, plan.CeilDiv(lag+apart, after))
		}
		after *= s.merged(x)
	}
	return l
}

// EnoughNodes returns the makespan in steps with a node for every group of tiles.
//
//	hyperplane, overlapped   Σ_{1..n} u_i + Σ G_i - 2n + 2     [P2] (1)
//	hyperplane, blocking     Σ_{1..n} u_i - n + 1              [P2] (2)
//
// With vertical grouping, [P1] 4.6, the m_i tiles that lie side by side on a node count as one:
// the formulas hold with u_i := G_i and one CPU per node. For two dimensions and nodes of two
// CPUs that gives the table of [P1] 4.6,
//
//	blocking + vertical      X/x + Y/(2y) - 1
//	overlapped + vertical    X/x + Y/y - 2
//	overlapped + hyperplane  X/x + 3Y/(2y) - 2
//
// and for three dimensions, mapped along Z, overlapped + hyperplane takes 3X/(2x) + 2Y/y + Z/z - 4.
func (s TileSpace) EnoughNodes(g plan.Group, c plan.Comm) int {
	steps := 1
	for x, u := range s.U {
		groups := s.groups(x)
		if g == plan.Vertical {
			u = groups
		}
		steps += u - 1
		if x != s.Map && c == plan.Overlap {
			steps += groups - 1
		}
	}
	return steps
}

// Makespan returns the makespan on P nodes in steps of one tile, with hyperplane
// groups.
//
//	cyclic   Σ [(u_i-1) mod m_i·p_i + (G_i-1) mod p_i] + L·(W-1) + u_1   (3); (4) without G
//	mirror   the same with the L of mirror                               (5), (6)
//	cluster  W·(makespan of Merged with enough nodes)                    (7), (8)
//	retile   the makespan of Retiled with enough nodes                   (9), (10)
//
// The numbers are the equations of [P2], first overlapped, then blocking. (3) and (4) have u_1·W in
// place of L·(W-1) + u_1; the two are equal if L = u_1, see Offset.
func (s TileSpace) Makespan(a plan.Assign, c plan.Comm) int {
	switch a {
	case plan.Cluster:
		return s.W() * s.Merged().EnoughNodes(plan.Hyperplane, c)
	case plan.Retile:
		again, _ := s.Retiled()
		return again.EnoughNodes(plan.Hyperplane, c)
	case plan.Any:
		panic("BUG: the makespan of no assignment")
	}
	// The last chunk, which starts after W-1 others, ends last.
	steps := s.Offset(a, c)*(s.W()-1) + s.U[s.Map]
	for x, u := range s.U {
		if x == s.Map {
			continue
		}
		steps += (u - 1) % (s.M[x] * s.P[x])
		if c == plan.Overlap {
			steps += (s.groups(x) - 1) % s.P[x]
		}
	}
	return steps
}

// Merged returns the space of a cluster's supertiles, of W tiles each.
func (s TileSpace) Merged() TileSpace {
	u := slices.Clone(s.U)
	for x := range u {
		u[x] = plan.CeilDiv(u[x], s.merged(x))
	}
	return TileSpace{U: u, M: s.M, P: s.P, Map: s.Map}
}

// Retiled returns the tile space after retiling, with one column of tiles for each
// CPU and tiles of the same size as before:
//
//	u'_i = m_i·p_i,  u'_1 = u_1·Π u_i/(m_i·p_i)
//
// whole says that u'_1 is an integer, as [P2] assumes; otherwise it is rounded up.
func (s TileSpace) Retiled() (again TileSpace, whole bool) {
	u := slices.Clone(s.U)
	num, den := s.U[s.Map], 1
	for x := range u {
		if x != s.Map {
			u[x] = s.M[x] * s.P[x]
			num *= s.U[x]
			den *= u[x]
		}
	}
	u[s.Map] = plan.CeilDiv(num, den)
	return TileSpace{U: u, M: s.M, P: s.P, Map: s.Map}, num%den == 0
}

// StepShare returns the volume that a node sends per step; for a cluster, per step of the merged
// space, which takes W steps. The unit is the volume that one tile sends before merging or retiling.
// That volume is assumed to be equal along all dimensions but the mapping dimension.
//
//	cyclic, mirror  1
//	cluster         W/(n-1)·Σ 1/c_i          [P2] section 3.3
//	retile          1/(n-1)·Σ m_i·p_i/u_i    [P2] section 3.4
func (s TileSpace) StepShare(a plan.Assign) float64 {
	sum := 0.0
	for x, u := range s.U {
		switch {
		case x == s.Map:
		case a == plan.Cluster:
			sum += float64(s.W()) / float64(s.merged(x))
		case a == plan.Retile:
			sum += float64(s.M[x]*s.P[x]) / float64(u)
		default:
			sum++
		}
	}
	return sum / float64(len(s.U)-1)
}

// Crossings returns how many boundaries between neighboring groups of tiles along dimension x
// are boundaries between nodes: the volume sent along x, in columns of faces. With two nodes
// that is G-1, ⌊G/2⌋, 1 and 1 for cyclic, mirror, cluster and retile: 3 : 2 : 1 : 1 for G = 4,
// where [P2] section 4.2 states 6 : 2 : 1 : 1 for its figure 7.
func (s TileSpace) Crossings(a plan.Assign, x int) int {
	g, p := s.groups(x), s.P[x]
	switch a {
	case plan.Retile:
		return p - 1
	case plan.Cluster:
		return plan.CeilDiv(g, s.merged(x)) - 1
	case plan.Mirror:
		return g - 1 - (plan.CeilDiv(g, p) - 1) // the groups on either side of a chunk's end are on one node
	}
	if p == 1 {
		return 0
	}
	return g - 1
}

// StepTime returns the duration of a step from the durations of its parts: starting a transfer,
// computing a tile or a vertical group, communicating, synchronizing. The papers have no buffered
// schedule: Buffered takes as long as Overlap, as the planner expects.
//
//	overlapped  start + max(compute, communicate) + synchronize    [P1] (1)
//	blocking    compute + communicate
func StepTime(c plan.Comm, start, compute, communicate, synchronize float64) float64 {
	if c == plan.Blocking {
		return compute + communicate
	}
	return start + max(compute, communicate) + synchronize
}

// VerticalTime returns the time b of a vertical group. Each tile takes time a on its CPU and is cut
// into n sub-tiles. Sub-tiles run as a wavefront, with synchronizations of duration sync between. The
// last CPU is lag = Σ (m_i-1) sub-tiles behind the first, at least one.
//
//	b = a·(n+lag)/n + (n+lag-1)·sync
//
// For two CPUs, lag = 1, this is [P1] (4).
func VerticalTime(a, sync float64, lag, n int) float64 {
	return a*float64(n+lag)/float64(n) + float64(n+lag-1)*sync
}

// VerticalLeast returns the number of sub-tiles for which VerticalTime is least
// among real numbers, √(lag·a/sync), and that least time; for lag = 1
//
//	N = √(a/sync),  b_min = a + 2·√(a·sync)    [P1] (5)
func VerticalLeast(a, sync float64, lag int) (n, b float64) {
	l := float64(lag)
	return math.Sqrt(l * a / sync), a + 2*math.Sqrt(l*a*sync) + (l-1)*sync
}

// VerticalSub returns the whole number of sub-tiles for which VerticalTime is
// least.
func VerticalSub(a, sync float64, lag int) int {
	n, _ := VerticalLeast(a, sync, lag)
	low := int(max(1, math.Floor(n)))
	if VerticalTime(a, sync, lag, low+1) < VerticalTime(a, sync, lag, low) {
		return low + 1
	}
	return low
}
