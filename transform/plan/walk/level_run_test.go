package walk

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// A levelRun runs the tiles of a plan whose levels are kept whole. Its block has, instead of numbers, the
// name of what was written last to each cell. Tiles that do not wait for one another run in turns.
type levelRun struct {
	p           *plan.Plan
	rng         *rand.Rand
	cells, more int
	origin      []int
	stride      []int
	offset      []int
	block       [][]string // per value
	begins      bool       // no tile fills the levels below all iterations: see levelEdge.Begins
	writes      int        // cells that fill has written
	copies      int
}

// in is whether q is an iteration.
func (s *levelRun) in(q []int) bool {
	return !slices.ContainsFunc(s.p.Nest.Space, func(f plan.Affine) bool { return f.Eval(s.p.Params, q) < 0 })
}

// content tells what location q of value v holds: an iteration's result, or the initial
// content of its cell, which other locations may have too.
func (s *levelRun) content(v int, q []int) string {
	if s.in(q) {
		return plantest.Key(q)
	}
	val := &s.p.Nest.Values[v]
	cell := "cell"
	for m, f := range val.Cell {
		if !slices.Contains(s.p.Nest.Arrays[val.Array].InitIgnores, m) {
			cell += fmt.Sprint(" ", f.Eval(s.p.Params, q))
		}
	}
	return cell
}

// place is where location q lies in the block.
func (s *levelRun) place(q []int) int {
	at := 0
	for x := 1; x < len(q); x++ {
		at += (q[x] - plan.Shifted(s.offset, q[0], x) - s.origin[x]) * s.stride[x]
	}
	if at < 0 || at >= s.cells+s.more {
		panic(fmt.Sprintf("%v lies at %d of %d cells", q, at, s.cells))
	}
	c0 := s.offset[0]
	return at + ((q[0]%c0+c0)%c0)*s.cells
}

// newLevelRun begins a run of p.
func newLevelRun(rng *rand.Rand, p *plan.Plan) *levelRun {
	n := len(p.Side)
	s := &levelRun{p: p, rng: rng, origin: make([]int, n), stride: make([]int, n), offset: p.StorageOffset(), begins: rng.IntN(2) == 0}
	s.cells, s.more, _ = p.WholeLayout(s.origin, s.stride)
	for range p.Nest.Values {
		s.block = append(s.block, make([]string, s.cells*s.offset[0]+s.more))
	}
	return s
}

// run runs all tiles on the given number of workers, and returns the first read that finds a wrong
// result; "" if there is none.
func (s *levelRun) run(workers int) (wrong string) {
	p, n := s.p, len(s.p.Side)
	type tile struct {
		at    []int
		waits int
		then  []*tile
	}
	known := map[string]*tile{}
	var ready, all []*tile
	lo, hi := make([]int, n), make([]int, n)
	for c := range p.Columns() {
		at := plantest.ColumnOf(p, c)
		first, last := p.Active(at, lo, hi)
		for k := first; k <= last; k++ {
			at[p.Map] = k
			u := &tile{at: slices.Clone(at)}
			known[plantest.Key(at)], all = u, append(all, u)
		}
	}
	for _, u := range all {
		for x := range n {
			before := slices.Clone(u.at)
			if before[x]--; x != p.Map && p.HaloWidth[x] == 0 {
				continue
			}
			if b := known[plantest.Key(before)]; b != nil {
				b.then, u.waits = append(b.then, u), u.waits+1
			}
		}
		if u.waits == 0 {
			ready = append(ready, u)
		}
	}
	type worker struct {
		edge  *levelEdge
		tile  *tile
		steps []func() string
	}
	var busy []*worker
	for range workers {
		w := &worker{edge: newLevelEdge(p)}
		if s.begins {
			w.edge.Begins()
		}
		busy = append(busy, w)
	}
	for done := 0; done < len(all); {
		w := busy[s.rng.IntN(len(busy))]
		if w.tile == nil && len(ready) > 0 {
			k := s.rng.IntN(len(ready))
			w.tile = ready[k]
			ready = slices.Delete(ready, k, k+1)
			w.steps = s.tile(w.edge, w.tile.at)
		}
		if len(w.steps) > 0 {
			if wrong := w.steps[0](); wrong != "" {
				return wrong
			}
			w.steps = w.steps[1:]
		}
		if w.tile == nil || len(w.steps) > 0 {
			continue
		}
		for _, u := range w.tile.then {
			if u.waits--; u.waits == 0 {
				ready = append(ready, u)
			}
		}
		w.tile = nil
		done++
	}
	return ""
}

// tile returns the steps of a tile: rows that it computes, and levels whose exterior cells it
// fills.
func (s *levelRun) tile(e *levelEdge, at []int) (steps []func() string) {
	p, n := s.p, len(at)
	first, last := make([]int, n), make([]int, n)
	p.TileBox(at, at[p.Map], first, last)
	e.Tile(first, last)
	lo, hi := make([]int, n), make([]int, n)
	some := p.PointsBox(at, at[p.Map], lo, hi)
	if !some && !e.Concerns() {
		return nil
	}
	from, to := e.Levels(slices.Clone(first), slices.Clone(last))
	for level := from; level <= to; level++ {
		fill := func() string { return s.fill(e, level) }
		if !p.Compressed() {
			steps = append(steps, fill)
		}
		a, b := slices.Clone(first), slices.Clone(last)
		a[0], b[0] = level, level
		if own, _ := e.Own(level, a, b); own && level >= first[0] && level <= last[0] {
			for _, row := range s.rows(a, b) {
				steps = append(steps, func() string { return s.row(row, b[n-1]) })
			}
		}
		if p.Compressed() {
			steps = append(steps, fill)
		}
	}
	return steps
}

// rows returns the rows of a box of a level, by their first locations. A row comes after every other
// row whose coordinates are all at most its own; otherwise the order is random.
func (s *levelRun) rows(lo, hi []int) (rows [][]int) {
	n := len(lo)
	end := slices.Clone(hi)
	end[n-1] = lo[n-1]
	plantest.EachPoint(lo, end, func(q []int) { rows = append(rows, slices.Clone(q)) })
	weight := make([]int, n)
	for x := 1; x < n-1; x++ {
		weight[x] = []int{0, 1, 1, 2, 100, 10000}[s.rng.IntN(6)]
	}
	of := func(q []int) (sum int) {
		for x := range q {
			sum += weight[x] * q[x]
		}
		return sum
	}
	slices.SortStableFunc(rows, func(q, r []int) int { return of(q) - of(r) })
	return rows
}

// row computes the row from q to column to, in a random permitted order.
func (s *levelRun) row(q []int, to int) (wrong string) {
	last := len(q) - 1
	var all [][]int
	for ; q[last] <= to; q[last]++ {
		all = append(all, slices.Clone(q))
	}
	read := func(r []int) {
		for v, val := range s.p.Nest.Values {
			for _, d := range val.Flow {
				q := plantest.At(r, -1, d)
				needed := slices.ContainsFunc(val.Need, func(e []int) bool { return slices.Equal(d, e) })
				if s.in(q) || needed && !(s.begins && q[0] < s.p.Lo[0]) {
					if got, want := s.block[v][s.place(q)], s.content(v, q); got != want && wrong == "" {
						wrong = fmt.Sprintf("iteration %v reads %q of value %d from %v, want %q", r, got, v, q, want)
					}
				}
			}
		}
	}
	write := func(r []int) {
		for v := range s.block {
			s.block[v][s.place(r)] = s.content(v, r)
		}
	}
	switch s.rng.IntN(3) {
	case 0: // from either end
		if s.rng.IntN(2) == 0 {
			slices.Reverse(all)
		}
		for _, r := range all {
			read(r)
			write(r)
		}
	default:
		for _, r := range all {
			write(r)
		}
		for _, r := range all {
			read(r)
		}
	}
	return wrong
}

// fill writes the content of the exterior cells of a level, and returns the first copy that is
// wrong; "" if there is none.
func (s *levelRun) fill(e *levelEdge, level int) string {
	out, ok := e.Exterior(level)
	if !ok {
		return fmt.Sprintf("level %d is not a box", level)
	}
	wrong := ""
	for k, f := range out.Boxes {
		f.Lo[0], f.Hi[0] = level, level
		plantest.EachPoint(f.Lo, f.Hi, func(q []int) {
			s.writes++
			to := &s.block[f.Value][s.place(q)]
			if k >= out.Copied {
				*to = s.content(f.Value, q)
				return
			}
			s.copies++
			from := plantest.At(q, -1, e.Still())
			if *to = s.block[f.Value][s.place(from)]; *to != s.content(f.Value, q) && wrong == "" {
				wrong = fmt.Sprintf("%v of value %d is a copy of %q from %v, want %q", q, f.Value, *to, from, s.content(f.Value, q))
			}
		})
	}
	return wrong
}
