package plan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A tiled is a random nest under a random plan, with the tile of each iteration
// by the definition ⌊(p - Lo) / Side⌋.
type tiled struct {
	*sample
	plan *Plan
	tile map[string][]int // of an iteration
}

// randomPlans calls f with about count random nests under random plans that
// have iterations.
func randomPlans(t *testing.T, seed uint64, count int, f func(rng *rand.Rand, s tiled)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	refused, ran := 0, 0
	for range count {
		s := randomNest(rng)
		p, err := New(s.nest, s.params, randomOptions(rng, s.nest))
		if err != nil {
			refused++
			continue
		}
		if len(s.points) == 0 {
			continue
		}
		ran++
		x := tiled{sample: s, plan: p, tile: map[string][]int{}}
		for _, q := range s.points {
			tile := make([]int, len(q))
			for k := range q {
				tile[k] = FloorDiv(q[k]-p.Origin[k], p.Side[k])
			}
			x.tile[key(q)] = tile
		}
		f(rng, x)
	}
	if ran < count/3 {
		t.Errorf("only %d plans of %d ran, %d were refused", ran, count, refused)
	}
}

// TestTilesCover requires that every iteration lies in one active tile of one
// column, and every column belongs to one worker, that of Worker.
func TestTilesCover(t *testing.T) {
	several := 0
	randomPlans(t, 1, 800, func(_ *rand.Rand, s tiled) {
		p := s.plan
		n := len(p.Side)
		owners := make([][][2]int, p.Columns())
		for r := range p.Ranks {
			for c := range p.CPUs {
				if r >= product(p.Grid) || c >= product(p.Mesh) {
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
				eachPoint(lo, hi, func(q []int) {
					if !s.inside[key(q)] {
						return
					}
					seen[key(q)]++
					at := slices.Clone(col)
					at[p.Map] = k
					if !slices.Equal(at, s.tile[key(q)]) {
						t.Fatalf("%v lies in tile %v, not %v", q, s.tile[key(q)], at)
					}
				})
			}
			if len(p.WorkerColumns(r, cpu)) > 1 {
				several++
			}
		}
		for _, q := range s.points {
			if seen[key(q)] != 1 {
				t.Fatalf("%s: iteration %v is run %d times", p, q, seen[key(q)])
			}
		}
	})
	if several == 0 {
		t.Error("no worker had several columns")
	}
}

// TestTilesKeepOrder runs tiles in any order that waits for the faces of a tile
// and keeps that of a worker, and requires that no iteration runs before one
// that it depends on.
func TestTilesKeepOrder(t *testing.T) {
	randomPlans(t, 2, 500, func(rng *rand.Rand, s tiled) {
		p := s.plan
		n := len(p.Side)
		lo, hi := make([]int, n), make([]int, n)
		type job struct {
			col, k int
		}
		var queues [][]job
		for r := range product(p.Grid) {
			for c := range product(p.Mesh) {
				var q []job
				mine := p.WorkerColumns(r, c)
				for turn := range p.InOrder(len(mine), func(i int) (int, int) {
					at := make([]int, n)
					p.ColumnAt(mine[i], at)
					return p.Active(at, lo, hi)
				}) {
					q = append(q, job{mine[turn.Column], turn.Tile})
				}
				queues = append(queues, q)
			}
		}
		into := map[int][]EdgeOf{}
		for _, e := range p.Edges() {
			into[e.To] = append(into[e.To], e)
		}
		points := map[job][][]int{}
		for _, q := range s.points {
			tile := s.tile[key(q)]
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
					if _, sent := sends(p, from, q[0].k, &p.dirs[e.Dir], first, last, lo, hi); sent && !done[job{e.From, q[0].k}] {
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
				for v := range s.nest.Values {
					for _, d := range s.nest.Values[v].Flow {
						if from := at(q, -1, d); s.inside[key(from)] && !ran[key(from)] {
							t.Fatalf("%s: %v runs before %v, which it depends on", p, q, from)
						}
					}
				}
				ran[key(q)] = true
			}
		}
		if len(ran) != len(s.points) {
			t.Fatalf("%d of %d iterations ran", len(ran), len(s.points))
		}
	})
}

// TestReachable requires that every cell that an iteration reads is where its
// tile finds it: in the tile, in what the column keeps or carries from the tile
// before, or in a face that is sent to this tile or to the one before.
func TestReachable(t *testing.T) {
	faces, corners, carried := 0, 0, 0
	randomPlans(t, 3, 800, func(_ *rand.Rand, s tiled) {
		p := s.plan
		n := len(p.Side)
		lo, hi := make([]int, n), make([]int, n)
		for _, q := range s.points {
			tile := s.tile[key(q)]
			k := tile[p.Map]
			col := slices.Clone(tile)
			col[p.Map] = 0
			first, last := p.Active(col, lo, hi)
			if k < first || k > last {
				t.Fatalf("tile %v has iteration %v, but is not active", tile, q)
			}
			for v := range s.nest.Values {
				for _, d := range s.nest.Values[v].Flow {
					from := at(q, -1, d)
					if !s.inside[key(from)] {
						continue
					}
					source := s.tile[key(from)]
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
					i := slices.IndexFunc(p.dirs, func(dir Direction) bool { return slices.Equal(dir.Step, step) })
					if i < 0 {
						t.Fatalf("%s: %v reads %v, and no results go in direction %v", p, q, from, step)
					}
					if back == 1 {
						corners++
					}
					faces++
					src := slices.Clone(source)
					src[p.Map] = 0
					if _, ok := sends(p, src, source[p.Map], &p.dirs[i], first, last, lo, hi); !ok {
						t.Fatalf("%s: %v reads %v, but tile %v sends nothing to column %v (active %d..%d)", p, q, from, source, col, first, last)
					}
					if !p.FaceBox(src, source[p.Map], &p.dirs[i], v, lo, hi) {
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

// TestFacesAreThin requires that faces hold nothing that no neighbor could need,
// are consistent with their lengths, and fit their slots.
func TestFacesAreThin(t *testing.T) {
	full := 0
	randomPlans(t, 4, 600, func(_ *rand.Rand, s tiled) {
		p := s.plan
		n := len(p.Side)
		lo, hi := make([]int, n), make([]int, n)
		var messages, bytes int64
		for _, e := range p.Edges() {
			from, to := make([]int, n), make([]int, n)
			p.ColumnAt(e.From, from)
			p.ColumnAt(e.To, to)
			dir := &p.dirs[e.Dir]
			first, last := p.Active(to, lo, hi)
			message := -1
			for k := range p.Tiles[p.Map] {
				want := 0
				for v := range dir.Width {
					if !p.FaceBox(from, k, dir, v, lo, hi) {
						continue
					}
					want += boxCells(lo, hi) * s.nest.Arrays[v].Size
					for x, step := range dir.Step {
						end := p.Origin[x] + (from[x]+1)*p.Side[x] - 1
						if step == 1 && (lo[x] <= end-p.Margin[x] || hi[x] > end) {
							t.Fatalf("%s: face %v..%v of a tile that ends at %d along %d", p, lo, hi, end, x)
						}
					}
				}
				if got := p.FaceBytes(from, k, dir, lo, hi); got != want {
					t.Fatalf("%s: FaceBytes = %d, the boxes have %d", p, got, want)
				}
				if c := p.FaceCapacity(dir); want > c {
					t.Fatalf("%s: a face of %d bytes, slots of %d", p, want, c)
				} else if want == c {
					full++
				}
				got, ok := sends(p, from, k, dir, first, last, lo, hi)
				if should := want > 0 && k >= first && k <= last; ok != should || ok && got != want {
					t.Fatalf("%s: Sends = %d, %t; the face has %d bytes, tiles %d..%d receive, this is %d", p, got, ok, want, first, last, k)
				}
				if ok && e.Remote() {
					bytes += int64(want)
					if m := k / p.Sub; m != message {
						messages, message = messages+1, m
					}
				}
			}
		}
		if m, b, _ := p.Volume(); m != messages || b != bytes {
			t.Fatalf("%s: Volume = %d, %d; the faces are %d, %d", p, m, b, messages, bytes)
		}
	})
	if full == 0 {
		t.Error("no face filled its slot")
	}
}

// TestEdges requires that edges join neighbors, that their numbers are distinct
// per pair of ranks, and that Peers names the other ends.
func TestEdges(t *testing.T) {
	randomPlans(t, 5, 300, func(_ *rand.Rand, s tiled) {
		p := s.plan
		n := len(p.Side)
		type name struct{ from, to, id int }
		used := map[name]bool{}
		shared := make([]map[int]bool, p.Ranks)
		for r := range shared {
			shared[r] = map[int]bool{}
		}
		for _, e := range p.Edges() {
			from, to := make([]int, n), make([]int, n)
			p.ColumnAt(e.From, from)
			p.ColumnAt(e.To, to)
			if !slices.Equal(at(from, 1, p.dirs[e.Dir].Step), to) {
				t.Fatalf("edge from %v to %v in direction %v", from, to, p.dirs[e.Dir].Step)
			}
			if used[name{e.Rank[0], e.Rank[1], e.ID}] {
				t.Fatalf("number %d from rank %d to rank %d is used twice", e.ID, e.Rank[0], e.Rank[1])
			}
			used[name{e.Rank[0], e.Rank[1], e.ID}] = true
			if e.Rank[0] != e.Rank[1] {
				shared[e.Rank[0]][e.Rank[1]], shared[e.Rank[1]][e.Rank[0]] = true, true
			}
		}
		for r := range p.Ranks {
			peers := p.Peers(r)
			if len(peers) != len(shared[r]) || !slices.IsSorted(peers) {
				t.Fatalf("Peers(%d) = %v, want those of %v", r, peers, shared[r])
			}
			for _, x := range peers {
				if !shared[r][x] {
					t.Fatalf("Peers(%d) = %v, want those of %v", r, peers, shared[r])
				}
			}
		}
	})
}

// sends is the length of the face of tile k of the column at from, for a column
// whose active tiles are first..last.
func sends(p *Plan, from []int, k int, dir *Direction, first, last int, lo, hi []int) (bytes int, ok bool) {
	if k >= first && k <= last {
		bytes = p.FaceBytes(from, k, dir, lo, hi)
	}
	return bytes, bytes > 0
}
