package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestTilesCover: every iteration lies in one active tile of one column, and every column belongs
// to one worker, as Worker says.
func TestTilesCover(t *testing.T) {
	several := 0
	plantest.RandomPlans(t, 1, 800, func(_ *rand.Rand, s plantest.Tiled) {
		p := s.Plan
		n := len(p.Side)
		owners := make([][][2]int, p.Columns())
		for r := range p.Ranks {
			for c := range p.CPUs {
				if r >= plan.Product(p.Grid) || c >= plan.Product(p.Mesh) {
					continue
				}
				for _, col := range p.WorkerColumns(r, c) {
					owners[col] = append(owners[col], [2]int{r, c})
				}
			}
		}
		seen := map[string]int{}
		col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
		for c := range owners {
			p.ColumnAt(c, col)
			if p.ColumnOf(col) != c {
				t.Fatalf("column %d at %v is column %d", c, col, p.ColumnOf(col))
			}
			r, cpu := p.Worker(col)
			if len(owners[c]) != 1 || owners[c][0] != [2]int{r, cpu} {
				t.Fatalf("column %v belongs to %v; Worker says rank %d, CPU %d", col, owners[c], r, cpu)
			}
			first, last := p.Active(col, lo, hi)
			for k := first; k <= last; k++ {
				if !p.PointsBox(col, k, lo, hi) {
					continue
				}
				plantest.EachPoint(lo, hi, func(q []int) {
					if !s.Inside[plantest.Key(q)] {
						return
					}
					seen[plantest.Key(q)]++
					at := slices.Clone(col)
					at[p.Map] = k
					if !slices.Equal(at, s.Tile[plantest.Key(q)]) {
						t.Fatalf("%v lies in tile %v, not %v", q, s.Tile[plantest.Key(q)], at)
					}
				})
			}
			if len(p.WorkerColumns(r, cpu)) > 1 {
				several++
			}
		}
		for _, q := range s.Points {
			if seen[plantest.Key(q)] != 1 {
				t.Fatalf("%s: iteration %v is run %d times", p, q, seen[plantest.Key(q)])
			}
		}
	})
	if several == 0 {
		t.Error("no worker had several columns")
	}
}

// TestRankTiles compares the first and the last column coordinate of every rank coordinate with those
// that Place gives it, and requires that they cost no memory, however many columns there are.
func TestRankTiles(t *testing.T) {
	apart := 0 // of one rank, with others between
	plantest.RandomPlans(t, 1, 200, func(_ *rand.Rand, s plantest.Tiled) {
		p := s.Plan
		for x := range p.Side {
			if x == p.Map {
				continue
			}
			for node := range p.Grid[x] {
				first, last, count := p.Tiles[x], -1, 0
				for at := range p.Tiles[x] {
					if _, _, mine := p.Place(x, at); mine == node {
						first, last = min(first, at), max(last, at)
						count++
					}
				}
				if count > 0 && last-first >= count {
					apart++
				}
				if f, l := p.RankTiles(x, node); f != first || l != last {
					t.Fatalf("%s: along %d, node %d has columns %d to %d, not %d to %d", p, x, node, first, last, f, l)
				}
				if n := testing.AllocsPerRun(1, func() { p.RankTiles(x, node) }); n > 0 {
					t.Fatalf("%v allocations", n)
				}
			}
		}
	})
	if apart == 0 {
		t.Error("no rank had columns with others between")
	}
}

// TestTilesKeepOrder runs tiles in random orders in which a tile waits for its faces and a worker
// keeps its order. No iteration may run before one on which it depends.
func TestTilesKeepOrder(t *testing.T) {
	plantest.RandomPlans(t, 2, 500, func(rng *rand.Rand, s plantest.Tiled) {
		p := s.Plan
		n := len(p.Side)
		lo, hi := make([]int, n), make([]int, n)
		type job struct {
			col, k int
		}
		var queues [][]job
		for r := range plan.Product(p.Grid) {
			for c := range plan.Product(p.Mesh) {
				var q []job
				mine := p.WorkerColumns(r, c)
				for c, k := range p.InOrder(len(mine), func(i int) (int, int) {
					at := make([]int, n)
					p.ColumnAt(mine[i], at)
					return p.Active(at, lo, hi)
				}) {
					q = append(q, job{mine[c], k})
				}
				queues = append(queues, q)
			}
		}
		into := map[int][]plan.EdgeOf{}
		for _, e := range p.Edges() {
			into[e.To] = append(into[e.To], e)
		}
		points := map[job][][]int{}
		for _, q := range s.Points {
			tile := s.Tile[plantest.Key(q)]
			j := job{p.ColumnOf(tile), tile[p.Map]}
			points[j] = append(points[j], q)
		}
		done, ran := map[job]bool{}, map[string]bool{}
		for {
			var ready []int
			rest := 0
			for w, q := range queues {
				rest += len(q)
				if len(q) == 0 {
					continue
				}
				at := make([]int, n)
				p.ColumnAt(q[0].col, at)
				first, last := p.Active(at, lo, hi)
				ok := true
				for _, e := range into[q[0].col] {
					from := make([]int, n)
					p.ColumnAt(e.From, from)
					if _, sent := plantest.Sends(p, from, q[0].k, &p.Directions()[e.Dir], first, last, lo, hi); sent && !done[job{e.From, q[0].k}] {
						ok = false
					}
				}
				if ok {
					ready = append(ready, w)
				}
			}
			if rest == 0 {
				break
			}
			if len(ready) == 0 {
				t.Fatalf("%s: %d tiles wait for one another", p, rest)
			}
			w := ready[rng.IntN(len(ready))]
			j := queues[w][0]
			queues[w] = queues[w][1:]
			done[j] = true
			for _, q := range points[j] {
				for v := range s.Nest.Values {
					for _, d := range s.Nest.Values[v].Flow {
						if from := plantest.At(q, -1, d); s.Inside[plantest.Key(from)] && !ran[plantest.Key(from)] {
							t.Fatalf("%s: %v runs before %v, which it depends on", p, q, from)
						}
					}
				}
				ran[plantest.Key(q)] = true
			}
		}
		if len(ran) != len(s.Points) {
			t.Fatalf("%d of %d iterations ran", len(ran), len(s.Points))
		}
	})
}

// TestReachable: every cell that an iteration reads must be in its tile, in what the column keeps
// or carries from the tile before, or in a face that is sent to this tile or to the one before.
func TestReachable(t *testing.T) {
	faces, corners, carried := 0, 0, 0
	plantest.RandomPlans(t, 3, 800, func(_ *rand.Rand, s plantest.Tiled) {
		p := s.Plan
		n := len(p.Side)
		lo, hi := make([]int, n), make([]int, n)
		for _, q := range s.Points {
			tile := s.Tile[plantest.Key(q)]
			k := tile[p.Map]
			col := slices.Clone(tile)
			col[p.Map] = 0
			first, last := p.Active(col, lo, hi)
			if k < first || k > last {
				t.Fatalf("tile %v has iteration %v, but is not active", tile, q)
			}
			for v := range s.Nest.Values {
				for _, d := range s.Nest.Values[v].Flow {
					from := plantest.At(q, -1, d)
					if !s.Inside[plantest.Key(from)] {
						continue
					}
					source := s.Tile[plantest.Key(from)]
					back := k - source[p.Map]
					if back != 0 && back != 1 {
						t.Fatalf("%v reads %v: %d tiles back", q, from, back)
					}
					if back == 1 && p.Map > 0 {
						if !p.Carry() {
							t.Fatalf("%s: %v reads %v of the tile before, and nothing is carried", p, q, from)
						}
						carried++
					}
					step := make([]int, n)
					neighbor := false
					for x := range step {
						if x != p.Map {
							step[x] = tile[x] - source[x]
							neighbor = neighbor || step[x] != 0
						}
					}
					if !neighbor {
						continue
					}
					i := slices.IndexFunc(p.Directions(), func(dir plan.Direction) bool { return slices.Equal(dir.Step, step) })
					if i < 0 {
						t.Fatalf("%s: %v reads %v, and no results go in direction %v", p, q, from, step)
					}
					if back == 1 {
						corners++
					}
					faces++
					src := slices.Clone(source)
					src[p.Map] = 0
					if _, ok := plantest.Sends(p, src, source[p.Map], &p.Directions()[i], first, last, lo, hi); !ok {
						t.Fatalf("%s: %v reads %v, but tile %v sends nothing to column %v (active %d..%d)", p, q, from, source, col, first, last)
					}
					if !(p.PointsBox(src, source[p.Map], lo, hi) && p.FaceBox(src, &p.Directions()[i], v, lo, hi)) {
						t.Fatalf("%s: no face of value %d for %v", p, v, from)
					}
					for x := range from {
						if from[x] < lo[x] || from[x] > hi[x] {
							t.Fatalf("%s: %v reads %v, the face is %v..%v", p, q, from, lo, hi)
						}
					}
				}
			}
		}
	})
	if faces < 10000 || corners < 500 || carried < 5000 {
		t.Errorf("only %d reads across columns, %d of them also across tiles, %d carried", faces, corners, carried)
	}
}

// TestEdges requires that edges join neighbors, that their numbers are distinct
// per pair of ranks, and that Peers names the other ends.
func TestEdges(t *testing.T) {
	plantest.RandomPlans(t, 5, 300, func(_ *rand.Rand, s plantest.Tiled) {
		p := s.Plan
		n := len(p.Side)
		type name struct{ from, to, id int }
		used := map[name]bool{}
		for _, e := range p.Edges() {
			from, to := make([]int, n), make([]int, n)
			p.ColumnAt(e.From, from)
			p.ColumnAt(e.To, to)
			if !slices.Equal(plantest.At(from, 1, p.Directions()[e.Dir].Step), to) {
				t.Fatalf("edge from %v to %v in direction %v", from, to, p.Directions()[e.Dir].Step)
			}
			if used[name{e.Rank[0], e.Rank[1], e.ID}] {
				t.Fatalf("number %d from rank %d to rank %d is used twice", e.ID, e.Rank[0], e.Rank[1])
			}
			used[name{e.Rank[0], e.Rank[1], e.ID}] = true
		}
	})
}
