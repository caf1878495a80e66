package walk

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// needed returns, by value and location, the exterior cells of a level that a tile in skewed
// storage owns and iterations read, by definition. A nil e stands for all tiles.
func (s *levelRun) needed(level int, e *levelEdge) map[string]bool {
	lo, hi := plantest.At(s.p.Lo, -1, s.p.HaloWidth), slices.Clone(s.p.Hi)
	if e != nil {
		copy(lo, e.Lo)
		copy(hi, e.Hi)
	}
	lo[0], hi[0] = level, level
	all := map[string]bool{}
	plantest.EachPoint(lo, hi, func(q []int) {
		if s.in(q) {
			return
		}
		for v, val := range s.p.Nest.Values {
			if slices.ContainsFunc(val.Need, func(d []int) bool { return s.in(plantest.At(q, 1, d)) }) {
				all[plantest.Key(append([]int{v}, q...))] = true
			}
		}
	})
	return all
}

// listed returns what boxes list, likewise.
func listed(out exterior, level int) map[string]bool {
	all := map[string]bool{}
	for _, f := range out.Boxes {
		f.Lo[0], f.Hi[0] = level, level
		plantest.EachPoint(f.Lo, f.Hi, func(q []int) { all[plantest.Key(append([]int{f.Value}, q...))] = true })
	}
	return all
}

// TestExterior compares what tiles of whole levels have to fill, asked of one levelEdge for
// tiles in any order, with what lies outside one by one: all of that, and of levels with
// iterations nothing else, unless it is in its place already; what iterations they own; and
// that what may be copied has been filled with the same a level below.
func TestExterior(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	ran, compressed, inner, boxes, copies, before := 0, 0, 0, 0, 0, 0
	for tried := 0; ran < 50; tried++ {
		if tried > 3000 {
			t.Fatalf("only %d of %d random nests are kept whole", ran, tried)
		}
		want := ran%3 > 0
		n := randomLevels(rng)
		o := levelOptions(rng, n)
		for x := range o.Tile[1:] {
			o.Tile[x+1] = min(o.Tile[x+1], max(1+rng.IntN(2), n.HaloWidth()[x+1]))
		}
		if last := len(n.Dims) - 1; !want && rng.IntN(2) == 0 {
			o.Tile[last] = max(1, n.HaloWidth()[last])
		}
		if want {
			o.CompressFrom = 1
		}
		p, err := plan.New(n, nil, o)
		if err != nil || p.Empty || !p.KeepsWhole() || p.Compressed() != want {
			continue
		}
		ran++
		if p.Compressed() {
			compressed++
		}
		s := newLevelRun(rng, p)
		e := newLevelEdge(p)
		begins := rng.IntN(3) == 0
		if begins {
			e.Begins()
		}
		var tiles [][]int
		end := slices.Clone(p.Tiles)
		for x := range end {
			end[x]--
		}
		plantest.EachPoint(make([]int, len(end)), end, func(u []int) { tiles = append(tiles, slices.Clone(u)) })
		rng.Shuffle(len(tiles), func(x, y int) { tiles[x], tiles[y] = tiles[y], tiles[x] })
		first, last := make([]int, len(end)), make([]int, len(end))
		for _, u := range tiles[:min(len(tiles), 40)] {
			p.TileBox(u, u[p.Map], first, last)
			e.Tile(first, last)
			for level := e.Lo[0]; level <= e.Hi[0]; level++ {
				lo, hi := slices.Clone(first), slices.Clone(last)
				lo[0], hi[0] = level, level
				some, ok := e.Own(level, lo, hi)
				own := 0
				plantest.EachPoint(first[1:], last[1:], func(q []int) {
					if s.in(append([]int{level}, q...)) {
						own++
					}
				})
				if !ok || some != (own > 0) || some && (plan.BoxCells(lo[1:], hi[1:]) != own || !s.in(lo) || !s.in(hi)) {
					t.Fatalf("%s\ntile %v..%v: %v..%v of level %d (%v, %v), which has %d iterations", p, first, last, lo, hi, level, some, ok, own)
				}
				known := e.boxes[(level-p.Lo[0]+len(e.boxes)*2)%len(e.boxes)]
				if known.known && known.level == level && known.inner.known && known.inner.holds(e) {
					inner++
				}
				out, ok := e.Exterior(level)
				got, want := listed(out, level), s.needed(level, e)
				boxes += len(out.Boxes)
				switch exact := p.LevelBox(level, lo, hi); {
				case !ok:
					t.Fatalf("%s\nlevel %d is not a box", p, level)
				case begins && level < p.Lo[0]:
					if len(got) > 0 {
						t.Fatalf("%s\n%v are filled of level %d, which the kernel finds", p, got, level)
					}
					continue
				case len(got) == 0 && len(want) > 0 && level-s.offset[0] >= p.Lo[0]:
					// In place, but for an offset.
					all := s.needed(level-s.offset[0], nil)
					for _, q := range locations(want) {
						r := append([]int{q[0]}, plantest.At(q[1:], -1, s.offset)...)
						if !all[plantest.Key(r)] || s.content(q[0], r[1:]) != s.content(q[0], q[1:]) {
							t.Fatalf("%s\n%+v\n%v is not filled, nor is %v", p, n, q, r)
						}
					}
					before++
					continue
				case exact && len(got) != len(want):
					t.Fatalf("%s\n%+v\ntile %v..%v: %d locations of level %d are filled, want %d", p, n, first, last, len(got), level, len(want))
				}
				for _, q := range locations(want) {
					if !got[plantest.Key(q)] {
						t.Fatalf("%s\n%+v\ntile %v..%v: %v is not filled", p, n, first, last, q)
					}
				}
				if copies += out.Copied; out.Copied > 0 {
					s.mayCopy(t, out, level)
				}
			}
		}
	}
	if compressed < ran/4 || inner < ran || boxes < 20*ran || copies < ran {
		t.Errorf("of %d plans %d are compressed, %d tiles are like others, %d boxes are filled, %d copied, %d levels are filled before: that proves little", ran, compressed, inner, boxes, copies, before)
	}
}

// locations returns the keys of a set.
func locations(set map[string]bool) (all [][]int) {
	for k := range set {
		all = append(all, unkey(k))
	}
	return all
}

// unkey is the inverse of key.
func unkey(k string) (q []int) {
	for _, x := range strings.Fields(k) {
		n, err := strconv.Atoi(x)
		if err != nil {
			panic(err)
		}
		q = append(q, n)
	}
	return q
}

// mayCopy requires that the first boxes of out have the content of locations a level below
// that are filled, and that neither iterations of the level nor boxes before take the place
// of these.
func (s *levelRun) mayCopy(t *testing.T, out exterior, level int) {
	t.Helper()
	p := s.p
	var still []int // from a location to that of the next level at the same place
	for _, row := range p.Nest.Skew {
		still = append(still, row[0])
	}
	filled := s.needed(level-1, nil)
	gone := map[string]bool{} // by value, and as a location an offset further
	for k, f := range out.Boxes[:out.Copied] {
		for _, q := range locations(listed(exterior{Boxes: out.Boxes[k : k+1]}, level)) {
			from := plantest.At(q[1:], -1, still)
			by := plantest.At(from, 1, s.offset)
			switch {
			case !filled[plantest.Key(append([]int{f.Value}, from...))] || s.content(f.Value, from) != s.content(f.Value, q[1:]):
				t.Fatalf("%s\n%+v\n%v is a copy of %v", p, p.Nest, q, from)
			case s.in(by) || gone[plantest.Key(append([]int{f.Value}, by...))]:
				t.Fatalf("%s\n%+v\n%v is a copy of %v, which %v replaces", p, p.Nest, q, from, by)
			}
		}
		for q := range listed(exterior{Boxes: out.Boxes[k : k+1]}, level) {
			if gone[q] {
				t.Fatalf("%s\n%+v\n%s is copied twice", p, p.Nest, q)
			}
			gone[q] = true
		}
	}
}
