package cost

import (
	"math"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
	"loopc/transform/plan/walk"
)

// slabsByTurns counts the work of levels lo..hi of a tile by going through every
// turn of every chain, each lane of each row, as the runtime does.
func slabsByTurns(p *plan.Plan, l lanes, skew int, first, last []int, lo, hi int) (sum laneWork) {
	n := len(first)
	chains, vector, depth := l.all/l.vector, l.vector, p.HaloWidth[0]
	c0, c1 := first[n-1], last[n-1]
	var rows [][]int // coordinates 1 to n-2
	q := make([]int, n)
	for x := 1; x < n-1; x++ {
		q[x] = first[x] - p.HaloWidth[x]
	}
	for more := true; more; {
		rows = append(rows, slices.Clone(q))
		x := n - 2
		for ; x >= 1; x-- {
			if q[x]++; q[x] <= last[x] {
				break
			}
			q[x] = first[x] - p.HaloWidth[x]
		}
		more = x >= 1
	}
	// The cells of a row that some iteration reads, or computes.
	read := func(q []int, at int) bool {
		x := slices.Clone(q)
		x[n-1] = at
		if plantest.Contains(p.Space, x) {
			return true
		}
		for _, d := range p.Nest.Distances() {
			y := slices.Clone(x)
			for k := range y {
				y[k] += d[k]
			}
			if plantest.Contains(p.Space, y) {
				return true
			}
		}
		return false
	}
	// rowOf is a row of a slab, and its iterations.
	rowOf := func(slab, number int) (r slabRow, points int) {
		row := slices.Clone(rows[number])
		own := true
		for x := 1; x < n-1; x++ {
			own = own && row[x] >= first[x]
		}
		r = slabRow{skip: true, first: math.MaxInt, end: math.MinInt, full0: math.MinInt, full1: math.MaxInt}
		for k := -depth; k < vector && lo+slab*vector+k <= hi; k++ {
			row[0] = lo + slab*vector + k
			from, to := math.MaxInt, math.MinInt
			for at := c0 - p.HaloWidth[n-1]; at <= c1; at++ {
				if read(row, at) {
					r.skip = false
					r.first, r.end = min(r.first, at+skew*k), max(r.end, at+skew*k+1)
				}
				row[n-1] = at
				if own && at >= c0 && plantest.Contains(p.Space, row) {
					from, to = min(from, at), max(to, at)
				}
			}
			if k < 0 {
				continue
			}
			if from > to {
				r.full1 = math.MinInt
				continue
			}
			r.full0, r.full1 = max(r.full0, from+skew*k), min(r.full1, to+skew*k)
			points += to - from + 1
		}
		return r, points
	}
	// take adds the rows that chains compute in a turn, each lag steps behind the one before.
	take := func(rowsNow []slabRow, points, lag int) {
		sum.runs += float64(len(rowsNow))
		together := len(rowsNow) == chains && chains > 1
		if together {
			all := rowsNow[0]
			for i, r := range rowsNow {
				all.first, all.end, all.full0 = min(all.first, r.first+i*lag), max(all.end, r.end+i*lag), max(all.full0, r.full0+i*lag)
				if r.full1 > math.MinInt {
					r.full1 += i * lag
				}
				all.full1 = min(all.full1, r.full1)
			}
			for i := range rowsNow {
				rowsNow[i] = all
			}
		}
		for _, r := range rowsNow {
			steps := r.end - r.first
			full := min(r.full1, r.end-1) - max(r.full0, r.first) + 1
			if r.full1 == math.MinInt || full < 4 {
				full = 0
			}
			sum.idle += float64(steps * vector)
			sum.masked += float64((steps - full) * vector)
			if !together {
				sum.lone += float64(steps * vector)
			}
		}
		sum.idle -= float64(points)
	}
	slabs := plan.CeilDiv(hi-lo+1, vector)
	if s := walk.StreamsOf(p, chains, vector, true); s.Shared {
		for slab := range slabs {
			for at := 0; at < len(rows); at += chains {
				var rowsNow []slabRow
				points := 0
				for number := at; number < min(len(rows), at+chains); number++ {
					if r, n := rowOf(slab, number); !r.skip {
						rowsNow, points = append(rowsNow, r), points+n
					}
				}
				take(rowsNow, points, s.Lag)
			}
		}
		return sum
	}
	type state struct{ slab, row int }
	busy := make([]state, chains)
	for i := range busy {
		busy[i].slab = -1
	}
	for next := 0; ; {
		if next < slabs && busy[next%chains].slab < 0 {
			busy[next%chains] = state{next, 0}
			next++
		}
		var rowsNow []slabRow
		points := 0
		for i := range busy {
			c := &busy[i]
			if c.slab < 0 {
				continue
			}
			if r, n := rowOf(c.slab, c.row); !r.skip {
				rowsNow, points = append(rowsNow, r), points+n
			}
			if c.row++; c.row == len(rows) {
				c.slab = -1
			}
		}
		take(rowsNow, points, 0)
		if next == slabs && !slices.ContainsFunc(busy, func(c state) bool { return c.slab >= 0 }) {
			return sum
		}
	}
}

// TestSlabs compares the estimated work of time slabs, for which only some rows and lanes are
// examined, with an exact count over all turns of all chains. Tiles inside the space must agree
// exactly, and all tiles of a run together nearly.
func TestSlabs(t *testing.T) {
	l := lanes{plan.AcrossLevels, 32, 8}
	inside, together := 0, 0
	for _, c := range []struct {
		sweeps, n int
		tile      []int
	}{
		{37, 40, []int{37, 20, 77}}, {37, 40, []int{37, 5, 77}}, {64, 50, []int{64, 40, 31}}, {20, 60, []int{10, 30, 40}}, {70, 30, []int{70, 1, 100}}, {9, 50, []int{9, 25, 25}}, {40, 64, []int{16, 8, 12}},
	} {
		p, err := plan.New(plantest.SweepNest(), []int{c.sweeps, c.n}, plan.Options{Tile: c.tile, Map: "i"})
		if err != nil {
			t.Fatal(err)
		}
		s := newSlabCounter(p, l)
		if s.streams.Shared {
			together++
		}
		if s.streams.Skew != 0 {
			t.Fatalf("lanes lag by %d columns, not 0", s.streams.Skew)
		}
		var got, want laneWork
		col := make([]int, 3)
		first, last, lo, hi := make([]int, 3), make([]int, 3), make([]int, 3), make([]int, 3)
		for number := range p.Columns() {
			p.ColumnAt(number, col)
			for k := range p.Tiles[p.Map] {
				p.TileBox(col, k, first, last)
				copy(lo, first)
				copy(hi, last)
				if !p.Space.Shrink(lo, hi) {
					continue
				}
				h := s.height(hi[0] - lo[0] + 1)
				if h == 0 {
					continue
				}
				reach := slices.Clone(first)
				for x := range reach {
					reach[x] -= p.HaloWidth[x]
				}
				in := p.Space.BoxInside(reach, last)
				var work edgeWork
				s.tile(first, last, lo[0], lo[0]+h-1, in, &work)
				one := work.laneWork
				all := slabsByTurns(p, l, s.streams.Skew, first, last, lo[0], lo[0]+h-1)
				if in {
					inside++
					if one != all {
						t.Fatalf("%v, inside: %+v, want %+v", c, one, all)
					}
				}
				for _, x := range [][2]*laneWork{{&got, &one}, {&want, &all}} {
					x[0].runs, x[0].lone, x[0].masked, x[0].idle = x[0].runs+x[1].runs, x[0].lone+x[1].lone, x[0].masked+x[1].masked, x[0].idle+x[1].idle
				}
			}
		}
		t.Logf("%v: %+v, want %+v", c, got, want)
		whole := want.runs * float64(l.vector*(c.tile[2])) // lanes of about all steps
		for _, x := range []struct {
			what      string
			got, want float64
			most      float64
		}{
			{"rows", got.runs, want.runs, 0.05 * want.runs}, {"lanes alone", got.lone, want.lone, 0.05 * whole}, {"masked lanes", got.masked, want.masked, 0.05 * whole}, {"idle lanes", got.idle, want.idle, 0.05 * whole},
		} {
			if math.Abs(x.got-x.want) > x.most {
				t.Errorf("%v: %s: %g, want %g, at most %g away", c, x.what, x.got, x.want, x.most)
			}
		}
	}
	if inside < 5 || together < 2 || together > 5 {
		t.Errorf("only %d tiles are inside the space, %d plans have chains of one slab", inside, together)
	}
}
