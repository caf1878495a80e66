package plan_test

import (
	"fmt"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestExample2 is the table of [P1] example 2: n = 2, m = 2, mapping dimension
// 1. At each step, node and CPU run the tile given, and no other.
func TestExample2(t *testing.T) {
	p := plantest.TilePlan(t, []int{8, 4}, []int{1, 2}, []int{1, 2}, 0, plan.Overlap)
	type place struct{ step, node, cpu int }
	want := map[place][2]int{
		{0, 0, 0}: {0, 0},
		{1, 0, 0}: {1, 0}, {1, 0, 1}: {0, 1},
		{2, 0, 0}: {2, 0}, {2, 0, 1}: {1, 1},
		{3, 0, 0}: {3, 0}, {3, 0, 1}: {2, 1}, {3, 1, 0}: {0, 2},
		{4, 0, 0}: {4, 0}, {4, 0, 1}: {3, 1}, {4, 1, 0}: {1, 2}, {4, 1, 1}: {0, 3},
	}
	got := map[place][2]int{}
	for c := range 4 {
		for k := range 8 {
			col := []int{0, c}
			if step := p.StepOf(col, k); step <= 4 {
				node, cpu := p.Worker(col)
				got[place{step, node, cpu}] = [2]int{k, c}
			}
		}
	}
	for at, tile := range want {
		if got[at] != tile {
			t.Errorf("step %d, node %d, CPU %d runs %v, want %v", at.step, at.node, at.cpu, got[at], tile)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tiles run in the first five steps, want %d: %v", len(got), len(want), got)
	}
}

// TestExample3 is [P1] example 3: n = 3, mapping dimension 3, m_1 = 2, m_2 = 1:
// with u_1 even, 3u_1/2 + 2u_2 + u_3 - 4 steps.
func TestExample3(t *testing.T) {
	for u1 := 2; u1 <= 6; u1 += 2 {
		for u2 := 1; u2 <= 4; u2++ {
			for u3 := 1; u3 <= 9; u3 += 4 {
				p := plantest.TilePlan(t, []int{u1, u2, u3}, []int{u1 / 2, u2, 1}, []int{2, 1, 1}, 2, plan.Overlap)
				if got, want := p.Steps(), 3*u1/2+2*u2+u3-4; got != want {
					t.Errorf("%d × %d × %d tiles: %d steps, want %d", u1, u2, u3, got, want)
				}
			}
		}
	}
}

// TestHyperplane2D is the third row of the table of [P1] 4.6: with overlapping
// and hyperplane grouping, X/x + 3Y/(2y) - 2 steps on nodes with two CPUs.
func TestHyperplane2D(t *testing.T) {
	for _, u := range [][]int{{4, 2}, {10, 6}, {100, 16}} {
		p := plantest.TilePlan(t, u, []int{1, u[1] / 2}, []int{1, 2}, 0, plan.Overlap)
		if got, want := p.Steps(), u[0]+3*u[1]/2-2; got != want {
			t.Errorf("%v tiles: %d steps, want %d", u, got, want)
		}
	}
}

// TestGroups checks what makes hyperplane grouping legal, [P1] (2), (3): two
// tiles of one node and one step run on different CPUs and neither depends on
// the other; a tile runs a step after those it depends on, and two steps after
// those of another node when communication is overlapped.
func TestGroups(t *testing.T) {
	for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
		p := plantest.TilePlan(t, []int{5, 6, 4}, []int{1, 2, 2}, []int{1, 3, 2}, 0, comm)
		type place struct{ step, node, cpu int }
		seen := map[place][]int{}
		plantest.EachPoint([]int{0, 0, 0}, []int{4, 5, 3}, func(tile []int) {
			col := []int{0, tile[1], tile[2]}
			step := p.StepOf(col, tile[0])
			node, cpu := p.Worker(col)
			if other, ok := seen[place{step, node, cpu}]; ok {
				t.Errorf("%v and %v run at step %d on node %d, CPU %d", other, tile, step, node, cpu)
			}
			seen[place{step, node, cpu}] = plantest.At(tile, 0, tile)
			// Tile dependences hold 0 and 1 only.
			plantest.EachPoint([]int{0, 0, 0}, []int{1, 1, 1}, func(d []int) {
				from := plantest.At(tile, -1, d)
				if d[0]+d[1]+d[2] == 0 || from[0] < 0 || from[1] < 0 || from[2] < 0 {
					return
				}
				there, _ := p.Worker([]int{0, from[1], from[2]})
				least := 1
				if comm == plan.Overlap && there != node {
					least = 2
				}
				if before := p.StepOf([]int{0, from[1], from[2]}, from[0]); step-before < least {
					t.Errorf("%s: tile %v runs %d steps after %v, want %d or more", comm, tile, step-before, from, least)
				}
			})
		})
	}
}

// TestEnoughNodes checks [P2] (1) and (2): the makespans of a rectangular tile
// space with a node for every group.
//
//	overlap       Σ u_i + Σ G_i - 2n + 2
//	non-overlap   Σ u_i - n + 1
func TestEnoughNodes(t *testing.T) {
	plantest.EachShape(func(u, mesh []int) {
		n := len(u)
		grid := []int{1}
		overlap, blocking := u[0]-2*n+2, u[0]-n+1
		for i := 1; i < n; i++ {
			g := plan.CeilDiv(u[i], mesh[i])
			grid = append(grid, g)
			overlap += u[i] + g
			blocking += u[i]
		}
		if got := plantest.TilePlan(t, u, grid, mesh, 0, plan.Overlap).Steps(); got != overlap {
			t.Errorf("%v tiles, %v CPUs: %d steps overlapped, want %d", u, mesh, got, overlap)
		}
		if got := plantest.TilePlan(t, u, grid, mesh, 0, plan.Blocking).Steps(); got != blocking {
			t.Errorf("%v tiles, %v CPUs: %d steps blocking, want %d", u, mesh, got, blocking)
		}
	})
}

// TestFixedNodes checks [P2] (7), (8), cluster, and (9), (10), retile. The
// planner's blocks of columns are clusters: a step runs W tiles.
func TestFixedNodes(t *testing.T) {
	plantest.EachShape(func(u, mesh []int) {
		n := len(u)
		grid := []int{1, 2, 1}[:n]
		w := 1 // columns per worker; 0: sides do not divide, so (9), (10) do not hold
		cluster, clusterBlocking := u[0]-2*n+2, u[0]-n+1
		retile, retileBlocking := u[0]-2*n+2, u[0]-n+1
		side := []int{1}
		for i := 1; i < n; i++ {
			c := plan.CeilDiv(u[i], mesh[i]*grid[i])
			w *= c
			cluster += plan.CeilDiv(u[i], c) + plan.CeilDiv(u[i], mesh[i]*c)
			clusterBlocking += plan.CeilDiv(u[i], c)
			side = append(side, c)
			if u[i]%(mesh[i]*grid[i]) != 0 {
				w = 0
			}
			retile += (mesh[i] + 1) * grid[i]
			retileBlocking += mesh[i] * grid[i]
		}
		for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
			want, again := cluster, retile
			if comm == plan.Blocking {
				want, again = clusterBlocking, retileBlocking
			}
			if got := plantest.TilePlan(t, u, grid, mesh, 0, comm).Steps(); got != want {
				t.Errorf("%v tiles on %v nodes of %v CPUs, %s: %d cluster steps, want %d", u, grid, mesh, comm, got, want)
			}
			if w == 0 {
				continue
			}
			// Tiles have the old volume and are w times as wide, so 1/w times as high.
			// Here heights stay 1, and the space is w times as long instead.
			long := append([]int{u[0] * w}, u[1:]...)
			names := []string{"i", "j", "k"}[:n]
			p, err := plan.New(plantest.BoxNest(plantest.Units(n), names...), long, plan.Options{Tile: side, Grid: grid, Mesh: mesh, Map: "i", Comm: comm})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := p.Steps(), again+u[0]*(w-1); got != want {
				t.Errorf("%v tiles on %v nodes of %v CPUs, %s: %d retile steps, want %d", u, grid, mesh, comm, got, want)
			}
		}
	})
}

// TestTriangleSteps walks a triangle by hand: the closed forms do not hold, the
// tiles that have iterations do count.
func TestTriangleSteps(t *testing.T) {
	nest := plantest.BoxNest(plantest.Units(2), "i", "j")
	nest.Space = append(nest.Space, plan.Affine{Iters: []int{-1, 1}}) // j ≥ i
	for _, c := range []struct {
		comm plan.Comm
		want int
	}{{plan.Overlap, 3 + 3 + 3 + 1}, {plan.Blocking, 3 + 3 + 1}} {
		p, err := plan.New(nest, []int{4, 4}, plan.Options{Tile: []int{1, 1}, Grid: []int{1, 4}, Map: "i", Comm: c.comm})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Steps(); got != c.want {
			t.Errorf("%s: %d steps, want %d", fmt.Sprint(c.comm), got, c.want)
		}
	}
}
