package paper

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
)

// TestGroupingMatrices is [P1] examples 2 and 3: H^G and P^G as printed.
func TestGroupingMatrices(t *testing.T) {
	for _, c := range []struct {
		s      TileSpace
		hg, pg string
	}{
		{TileSpace{U: []int{9, 4}, M: []int{1, 2}}, "[[1 1] [0 1/2]]", "[[1 -2] [0 2]]"},
		{TileSpace{U: []int{4, 3, 9}, M: []int{2, 1, 1}, Map: 2}, "[[1/2 0 0] [0 1 0] [1 1 1]]", "[[2 0 0] [0 1 0] [-2 -1 1]]"},
	} {
		if got := fmt.Sprint(c.s.HG()); got != c.hg {
			t.Errorf("H^G = %s, want %s", got, c.hg)
		}
		if got := fmt.Sprint(c.s.PG()); got != c.pg {
			t.Errorf("P^G = %s, want %s", got, c.pg)
		}
	}
}

// TestGroupingInverse requires for meshes of any dimension, mapped along any of
// them, that H^G·P^G is the identity, that det P^G = m, that ⌊H^G·j⌋ is the group
// of a tile, and that H^G·D^S ≥ 0, [P1] (2), (3).
func TestGroupingInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		n := 2 + rng.IntN(4)
		s := TileSpace{U: make([]int, n), M: make([]int, n), Map: rng.IntN(n)}
		cpus := 1
		for x := range n {
			s.U[x], s.M[x] = 9, 1+rng.IntN(4)
		}
		s.M[s.Map] = 1
		for _, m := range s.M {
			cpus *= m
		}
		hg, pg := s.HG(), s.PG()
		rat := func(f Frac) *big.Rat { return big.NewRat(int64(f.Num), int64(f.Den)) }
		for r := range n {
			for c := range n {
				sum := new(big.Rat)
				for k := range n {
					sum.Add(sum, new(big.Rat).Mul(rat(hg[r][k]), big.NewRat(int64(pg[k][c]), 1)))
				}
				want := int64(0)
				if r == c {
					want = 1
				}
				if sum.Cmp(big.NewRat(want, 1)) != 0 {
					t.Errorf("%v mapped along %d: H^G·P^G has %s at %d, %d", s.M, s.Map, sum, r, c)
				}
				if rat(hg[r][c]).Sign() < 0 {
					t.Errorf("%v mapped along %d: H^G·D^S < 0", s.M, s.Map)
				}
			}
		}
		if d := determinant(pg); d != cpus {
			t.Errorf("%v mapped along %d: det P^G = %d, want %d", s.M, s.Map, d, cpus)
		}
		tile := make([]int, n)
		for x := range tile {
			tile[x] = rng.IntN(9)
		}
		group, cpu := s.Group(tile), s.CPU(plan.Any, tile)
		for r := range n {
			sum := new(big.Rat)
			for k := range n {
				sum.Add(sum, new(big.Rat).Mul(rat(hg[r][k]), big.NewRat(int64(tile[k]), 1)))
			}
			floor := new(big.Int).Div(sum.Num(), sum.Denom())
			if int(floor.Int64()) != group[r] {
				t.Errorf("%v mapped along %d: tile %v is in group %v, H^G says %s along %d", s.M, s.Map, tile, group, floor, r)
			}
			// The tile is the group's corner and, along the others, its CPU.
			if r != s.Map && group[r]*s.M[r]+cpu[r] != tile[r] {
				t.Errorf("%v mapped along %d: tile %v is CPU %v of group %v", s.M, s.Map, tile, cpu, group)
			}
		}
	}
}

// determinant expands along the first row.
func determinant(a [][]int) int {
	if len(a) == 0 {
		return 1
	}
	d, sign := 0, 1
	for c := range a {
		var minor [][]int
		for _, row := range a[1:] {
			minor = append(minor, slices.Concat(row[:c], row[c+1:]))
		}
		d += sign * a[0][c] * determinant(minor)
		sign = -sign
	}
	return d
}

// TestExample2Groups is [P1] example 2: tiles (1,0) and (0,1) are group (1,0),
// (2,0) and (1,1) are group (2,0), and groups run at Π^G·j^G as in its table.
func TestExample2Groups(t *testing.T) {
	s := TileSpace{U: []int{9, 4}, M: []int{1, 2}, P: []int{1, 2}}
	for _, c := range []struct{ tile, group, node, cpu, step int }{
		{00, 00, 0, 0, 0},
		{10, 10, 0, 0, 1}, {01, 10, 0, 1, 1},
		{20, 20, 0, 0, 2}, {11, 20, 0, 1, 2},
		{30, 30, 0, 0, 3}, {21, 30, 0, 1, 3}, {02, 21, 1, 0, 3},
		{40, 40, 0, 0, 4}, {31, 40, 0, 1, 4}, {12, 31, 1, 0, 4}, {03, 31, 1, 1, 4},
	} {
		tile := []int{c.tile / 10, c.tile % 10}
		group, node, cpu := s.Group(tile), s.Node(plan.Any, tile), s.CPU(plan.Any, tile)
		step := 0
		for x, pi := range s.PiG(plan.Overlap) {
			step += pi * group[x]
		}
		if group[0]*10+group[1] != c.group || node[1] != c.node || cpu[1] != c.cpu || step != c.step {
			t.Errorf("tile %v: group %v on node %v, CPU %v at step %d; want %+v", tile, group, node, cpu, step, c)
		}
	}
	if pi := s.PiG(plan.Blocking); !slices.Equal(pi, []int{1, 0}) {
		t.Errorf("blocking, groups run at %v·j^G", pi)
	}
}

// TestSchemes2D is the table of [P1] 4.6: steps on nodes with two CPUs, in a space
// of X/x by Y/y tiles. Its figures have 10 by 8.
func TestSchemes2D(t *testing.T) {
	for _, u := range [][2]int{{10, 8}, {4, 2}, {100, 16}} {
		s := TileSpace{U: u[:], M: []int{1, 2}}
		for _, c := range []struct {
			group plan.Group
			comm  plan.Comm
			want  int
		}{
			{plan.Vertical, plan.Blocking, u[0] + u[1]/2 - 1},
			{plan.Vertical, plan.Overlap, u[0] + u[1] - 2},
			{plan.Hyperplane, plan.Overlap, u[0] + 3*u[1]/2 - 2},
		} {
			if got := s.EnoughNodes(c.group, c.comm); got != c.want {
				t.Errorf("%v tiles, %s, %s: %d steps, want %d", u, c.comm, c.group, got, c.want)
			}
		}
	}
}

// TestSchemes3D is [P1] example 3 and the formula of its experiments: mapped along
// the third dimension, 3u_1/2 + 2u_2 + u_3 - 4 steps with u_1 even.
func TestSchemes3D(t *testing.T) {
	for _, u := range [][]int{{2, 1, 1}, {4, 3, 9}, {16, 16, 512}} {
		s := TileSpace{U: u, M: []int{2, 1, 1}, Map: 2}
		if got, want := s.EnoughNodes(plan.Hyperplane, plan.Overlap), 3*u[0]/2+2*u[1]+u[2]-4; got != want {
			t.Errorf("%v tiles: %d steps, want %d", u, got, want)
		}
	}
}

// TestVerticalSchedule compares the steps of vertical grouping with enumeration. A node's tile is
// as wide as all its CPUs, so a node is scheduled like one CPU.
func TestVerticalSchedule(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var e enumerated
	for range 500 {
		s := randomSpace(rng)
		wide := TileSpace{U: slices.Clone(s.U), M: slices.Repeat([]int{1}, len(s.U)), P: s.P, Map: s.Map}
		for x := range wide.U {
			wide.U[x] = plan.CeilDiv(s.U[x], s.M[x])
		}
		for _, c := range []plan.Comm{plan.Overlap, plan.Blocking} {
			e.enumerate(wide.U, wide.M, 1, enough(wide, c))
			if tile, from := e.breaks(c); tile >= 0 {
				t.Errorf("%+v, %s: tile %d depends on %d", wide, c, tile, from)
			}
			if got, want := s.EnoughNodes(plan.Vertical, c), e.makespan(); got != want {
				t.Errorf("%+v, %s: %d steps, %d enumerated", s, c, got, want)
			}
		}
	}
}

// TestVerticalTime is [P1] (4), (5) with the times measured there: tiles of 69 ms,
// 11 µs for a synchronization, and so about 79 sub-tiles.
func TestVerticalTime(t *testing.T) {
	const a, sync = 69e-3, 11e-6
	n, least := VerticalLeast(a, sync, 1)
	if math.Round(n) != 79 || VerticalSub(a, sync, 1) != 79 {
		t.Errorf("N = %g, whole %d, want 79", n, VerticalSub(a, sync, 1))
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	near("b_min", least, a+2*math.Sqrt(a*sync))
	near("b(79)", VerticalTime(a, sync, 1, 79), a*80/79+79*sync)
	near("b(1)", VerticalTime(a, sync, 1, 1), 2*a+sync)
}

// TestVerticalSub compares the best number of sub-tiles with trying all, and the
// time of a group with its wavefront, sub-tile by sub-tile.
func TestVerticalSub(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 500 {
		lag, a := 1+rng.IntN(5), 1+rng.Float64()*50
		sync := a / (1 + rng.Float64()*2000)
		best := 1
		for n := 2; n < 300; n++ {
			if VerticalTime(a, sync, lag, n) < VerticalTime(a, sync, lag, best) {
				best = n
			}
		}
		if got := VerticalSub(a, sync, lag); got != best {
			t.Errorf("tiles of %g, synchronization %g, lag %d: %d sub-tiles, the best is %d", a, sync, lag, got, best)
		}
		if _, b := VerticalLeast(a, sync, lag); b > VerticalTime(a, sync, lag, best)*(1+1e-9) {
			t.Errorf("tiles of %g, synchronization %g, lag %d: b_min = %g, but b(%d) = %g", a, sync, lag, b, best, VerticalTime(a, sync, lag, best))
		}
		// CPU c starts sub-tile k when it has done the one before and CPU c-1 has
		// done its k-th; a synchronization lies between any two steps.
		n := 1 + rng.IntN(20)
		done := make([]int, lag+1) // step after which each CPU has done its sub-tile
		for range n {
			for c := range done {
				done[c]++
				if c > 0 {
					done[c] = max(done[c], done[c-1]+1)
				}
			}
		}
		last := done[lag]
		want := a/float64(n)*float64(last) + sync*float64(last-1)
		if got := VerticalTime(a, sync, lag, n); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%d sub-tiles, lag %d: b = %g, the wavefront takes %g", n, lag, got, want)
		}
	}
}

// TestStepTime is [P1] (1) on the numbers of its curves: a tile of x·x·z points of
// 39.6 ns, and 100 µs to start and to synchronize.
func TestStepTime(t *testing.T) {
	const x, z = 32, 128
	compute := x * x * z * 39.6e-9
	for _, c := range []struct {
		comm              plan.Comm
		communicate, want float64
	}{
		{plan.Overlap, 1e-3, 100e-6 + compute}, {plan.Overlap, 9e-3, 100e-6 + 9e-3}, {plan.Blocking, 1e-3, compute + 1e-3},
	} {
		if got := StepTime(c.comm, 60e-6, compute, c.communicate, 40e-6); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s, communication %g s: %g s, want %g", c.comm, c.communicate, got, c.want)
		}
	}
}

// TestCommunicationVolumes is the ratio G-1 : ⌊G/2⌋ : 1 : 1 of cyclic, mirror,
// cluster and retile on two nodes, [P2] section 4, and for any number of nodes the
// count of neighboring groups whose nodes differ.
func TestCommunicationVolumes(t *testing.T) {
	all := []plan.Assign{plan.Cyclic, plan.Mirror, plan.Cluster, plan.Retile}
	for g := 2; g <= 9; g++ {
		s := TileSpace{U: []int{20, 2 * g}, M: []int{1, 2}, P: []int{1, 2}}
		var got []int
		for _, a := range all {
			got = append(got, s.Crossings(a, 1))
		}
		if want := []int{g - 1, g / 2, 1, 1}; !slices.Equal(got, want) {
			t.Errorf("%d columns of groups: %v, want %v", g, got, want)
		}
	}
	for g := 1; g <= 20; g++ {
		for p := 1; p <= 5; p++ {
			s := TileSpace{U: []int{20, 2 * g}, M: []int{1, 2}, P: []int{1, p}}
			for _, a := range all {
				columns, space := g, s
				if a == plan.Retile {
					space, _ = s.Retiled()
					columns = p
				}
				count := 0
				for k := range columns - 1 {
					here, next := []int{0, 2 * k}, []int{0, 2*k + 2}
					if !slices.Equal(space.Node(a, here), space.Node(a, next)) {
						count++
					}
				}
				if got := s.Crossings(a, 1); got != count {
					t.Errorf("%s, %d columns of groups on %d nodes: %d boundaries, %d counted", a, g, p, got, count)
				}
			}
		}
	}
}

// TestStepShares compares the volume that a node sends in a step with a count of faces. cluster
// merges c_2 × .. × c_n tiles; retile stretches tiles and keeps their volume.
func TestStepShares(t *testing.T) {
	// Figure 8 of [P2]: 16 × 16 columns of tiles on 4 × 4 nodes of 2 × 2 CPUs.
	s := TileSpace{U: []int{100, 16, 16}, M: []int{1, 2, 2}, P: []int{1, 4, 4}}
	for a, want := range map[plan.Assign]float64{plan.Cyclic: 1, plan.Mirror: 1, plan.Cluster: 2, plan.Retile: 0.5} {
		if got := s.StepShare(a); got != want {
			t.Errorf("%s: %g tiles' communication in a step, want %g", a, got, want)
		}
	}
	if s.W() != 4 {
		t.Errorf("W = %d, want 4", s.W())
	}
	// Of a supertile of 3 × 2 tiles, 2 and 3 faces of tiles are on its sides; a
	// tile has 2 faces.
	s = TileSpace{U: []int{100, 12, 8}, M: []int{1, 2, 2}, P: []int{1, 2, 2}}
	if got := s.StepShare(plan.Cluster); math.Abs(got-5.0/2) > 1e-12 {
		t.Errorf("cluster of 3 × 2: %g, want %g", got, 5.0/2)
	}
	// Retiled, a tile is 3 and 2 times as wide and 6 times as short: its faces are
	// a third and half as large.
	if got := s.StepShare(plan.Retile); math.Abs(got-(1.0/3+1.0/2)/2) > 1e-12 {
		t.Errorf("retile: %g, want %g", got, (1.0/3+1.0/2)/2)
	}
}

// TestFigureSpaces are the tile spaces of [P2] figures 8 and 9 on 4 × 4 nodes of
// 2 × 2 CPUs, overlapped: with 16 × 16 columns cyclic takes as long as retile, and
// cluster is the slower the shorter u_1 is; with 22 × 22, not a multiple of 8,
// retile wins and is rounded up.
func TestFigureSpaces(t *testing.T) {
	for _, c := range []struct {
		u1, wide                        int
		cyclic, mirror, cluster, retile int
		whole                           bool
	}{
		// (3): 2·(7+3) + 4·u1; (5): + 3·20; (7): 4·(u1 + 20); (9): 20 + 4·u1.
		{16, 16, 84, 144, 144, 84, true},
		{100, 16, 420, 480, 480, 420, true},
		// W = 9: 22 mod 8 and 11 mod 4 leave 5 and 2 behind. 100·22²/8² = 756.25.
		{100, 22, 914, 1074, 1080, 777, false},
		{64, 22, 590, 750, 756, 504, true},
	} {
		s := TileSpace{U: []int{c.u1, c.wide, c.wide}, M: []int{1, 2, 2}, P: []int{1, 4, 4}}
		for a, want := range map[plan.Assign]int{plan.Cyclic: c.cyclic, plan.Mirror: c.mirror, plan.Cluster: c.cluster, plan.Retile: c.retile} {
			if got := s.Makespan(a, plan.Overlap); got != want {
				t.Errorf("%v tiles, %s: %d steps, want %d", s.U, a, got, want)
			}
		}
		if _, whole := s.Retiled(); whole != c.whole {
			t.Errorf("%v tiles: retiled without rest: %v", s.U, whole)
		}
	}
}
