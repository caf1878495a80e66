package region

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// randomLevels returns a nest whose levels are kept whole, of four loops, now and then five:
// boxes that shift, grow or shrink from one level to the next, one or two values that are
// read at a few random distances one level back, now and then none of them backwards or
// forwards along a loop, and cells with, or without, a dimension of levels.
func randomLevels(rng *rand.Rand) *plan.Nest {
	n, most := 4, []int{4, 8, 7, 4}
	if rng.IntN(6) == 0 {
		n, most = 5, []int{3, 4, 5, 4, 3}
	}
	nest := &plan.Nest{Name: "random", Digest: "random", Whole: true, Listed: true}
	back, forth := make([]int, n), make([]int, n)
	for x := range n {
		nest.Dims = append(nest.Dims, string(rune('i'+x)))
		if x > 0 {
			back[x], forth[x] = rng.IntN(3), rng.IntN(3)
			if rng.IntN(8) == 0 {
				forth[x] = -min(1, back[x]) // they all lead one way
			}
		}
		row := make([]int, n)
		row[x] = 1
		if x > 0 {
			row[0] = max(0, forth[x])
			if rng.IntN(16) == 0 {
				row[0]++
			}
			if rng.IntN(10) == 0 {
				back[x], forth[x] = -min(1, row[0]), row[0] // the other way
			}
		}
		nest.Skew = append(nest.Skew, row)
		low, high := make([]int, n), make([]int, n)
		low[x], high[x] = 1, -1
		if x > 0 {
			low[0], high[0] = -row[0], row[0]
			if rng.IntN(6) == 0 {
				low[0] += rng.IntN(3) - 1
				high[0] += rng.IntN(3) - 1
			}
		}
		lo := rng.IntN(5) - 2
		nest.Space = append(nest.Space, plan.Affine{Const: -lo, Iters: low}, plan.Affine{Const: lo + most[x]/2 + rng.IntN(most[x]), Iters: high})
	}
	for v := range 1 + rng.IntN(2) {
		val := plan.Value{Name: fmt.Sprint("v", v), Array: v}
		arr := plan.Array{Name: val.Name, Elem: "float64", Size: 8, Initial: plan.Computed}
		if rng.IntN(3) == 0 {
			arr.Elem, arr.Size = "float32", 4
		}
		for range 2 + rng.IntN(5) {
			d := make([]int, n)
			d[0] = 1
			for x := 1; x < n; x++ {
				d[x] = nest.Skew[x][0] - forth[x] + rng.IntN(back[x]+forth[x]+1)
			}
			val.Flow = append(val.Flow, d)
			if rng.IntN(6) > 0 {
				val.Need = append(val.Need, d)
			}
		}
		val.Flow, val.Need = plantest.Distinct(val.Flow), plantest.Distinct(val.Need)
		for x := range n {
			if f := (plan.Affine{Const: rng.IntN(3), Iters: slices.Clone(nest.Space[2*x].Iters)}); x > 0 {
				f.Iters[0] = -nest.Skew[x][0]
				val.Cell = append(val.Cell, f)
			} else if rng.IntN(3) > 0 {
				val.Cell = append(val.Cell, f)
				if rng.IntN(3) > 0 {
					arr.InitIgnores = []int{0}
				}
			}
		}
		for range val.Cell {
			arr.Lo, arr.Hi = append(arr.Lo, plan.Affine{Const: -100}), append(arr.Hi, plan.Affine{Const: 100})
		}
		nest.Values, nest.Arrays = append(nest.Values, val), append(nest.Arrays, arr)
	}
	return nest
}

// A levelRun runs the tiles of a plan whose levels are kept whole, those that do not wait
// for one another by turns, in a block that has, for every cell of it, which location was
// written there last.
type levelRun struct {
	p           *plan.Plan
	rng         *rand.Rand
	cells, more int
	origin      []int
	stride      []int
	drift       []int
	block       [][]string // per value
	begins      bool       // the level below all iterations need not be there
	writes      int        // of fills
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
		at += (q[x] - plan.Drifted(s.drift, q[0], x) - s.origin[x]) * s.stride[x]
	}
	if at < 0 || at >= s.cells+s.more {
		panic(fmt.Sprintf("%v lies at %d of %d cells", q, at, s.cells))
	}
	c0 := s.drift[0]
	return at + ((q[0]%c0+c0)%c0)*s.cells
}

// newLevelRun begins a run of p.
func newLevelRun(rng *rand.Rand, p *plan.Plan) *levelRun {
	n := len(p.Side)
	s := &levelRun{p: p, rng: rng, origin: make([]int, n), stride: make([]int, n), drift: p.Drift(), begins: rng.IntN(2) == 0}
	s.cells, s.more = p.WholeLayout(s.origin, s.stride)
	for range p.Nest.Values {
		s.block = append(s.block, make([]string, s.cells*s.drift[0]+s.more))
	}
	return s
}

// run runs all tiles, on so many workers, and returns the first read that does not find what
// it should; "" if all do.
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
			if before[x]--; x != p.Map && p.Margin[x] == 0 {
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
		edge  *LevelEdge
		tile  *tile
		steps []func() string
	}
	var busy []*worker
	for range workers {
		w := &worker{edge: NewLevelEdge(p)}
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

// tile returns the steps of a tile: rows, and what is filled of a level.
func (s *levelRun) tile(e *LevelEdge, at []int) (steps []func() string) {
	p, n := s.p, len(at)
	first, last := make([]int, n), make([]int, n)
	p.TileBox(at, at[p.Map], first, last)
	e.Tile(first, last)
	lo, hi := make([]int, n), make([]int, n)
	some := p.PointsBox(at, at[p.Map], lo, hi)
	if !some && !e.Concerns() {
		return nil
	}
	for level := e.Lo[0]; level <= e.Hi[0]; level++ {
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

// rows returns the rows of a box of a level, by their first locations, in a componentwise
// order: lexicographic, or another.
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

// row computes a row from q on, in whatever order.
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

// fill gives locations outside the space what they contain.
func (s *levelRun) fill(e *LevelEdge, level int) string {
	out, ok := e.Outside(level)
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

// levelOptions returns options that go with whole rows.
func levelOptions(rng *rand.Rand, nest *plan.Nest) plan.Options {
	last := len(nest.Dims) - 1
	o := plan.Options{CPUs: 1 + rng.IntN(3), Map: nest.Dims[rng.IntN(last)], Assign: []plan.Assign{plan.AnyAssign, plan.Cluster, plan.Cyclic}[rng.IntN(3)], Mesh: nil}
	for x, m := range nest.Margin() {
		o.Tile = append(o.Tile, max(1, m)+rng.IntN(4))
		if x == last {
			o.Tile[x] = 0
		}
	}
	return o
}

// TestCompressed runs random nests whose levels are compressed, and requires every read to
// find what was written for it, in whatever order tiles, rows and cells of a row may come;
// that they are smaller than others and hold all that is touched; and that not all nests
// which are refused because a reader lies in the row that takes the place of what it reads
// would do as well.
func TestCompressed(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	ran, others, refused, failed, tiles, fills, copies := 0, 0, 0, 0, 0, 0, 0
	for tried := 0; ran < 60; tried++ {
		if tried > 3000 {
			t.Fatalf("levels of only %d of %d random nests are compressed", ran, tried)
		}
		n := randomLevels(rng)
		o := levelOptions(rng, n)
		o.CompressFrom = 1
		p, err := plan.New(n, nil, o)
		if err != nil || p.Empty || !p.KeepsWhole() {
			continue
		}
		last := len(p.Side) - 1
		inRow := slices.ContainsFunc(n.Distances(), func(d []int) bool { return slices.Equal(d[:last], p.Margin[:last]) })
		switch {
		case p.Compressed() && inRow:
			t.Fatalf("%s\n%v: a reader lies in the row of what it reads", p, n.Distances())
		case p.Compressed():
			ran++
		case inRow && refused < 15:
			if q := compressedAll(n, o); q != nil {
				refused++
				if newLevelRun(rng, q).run(1) != "" {
					failed++
				}
			}
			continue
		case others < 10:
			others++
		default:
			continue
		}
		s := newLevelRun(rng, p)
		if wrong := s.run(o.CPUs); wrong != "" {
			t.Fatalf("%s\n%+v\ncompressed %v: %s", p, n, p.Compressed(), wrong)
		}
		tiles, fills, copies = tiles+plan.Product(p.Tiles), fills+s.writes, copies+s.copies
		if p.Compressed() {
			notCompressed(t, p, o)
		}
	}
	if others < 10 || failed < refused/2 || refused < 10 || tiles < 10*ran || fills < 1000 || copies < fills/40 {
		t.Errorf("%d nests ran and %d others, in %d tiles; %d locations were filled, %d of them copied; %d nests of %d that were refused fail: that proves little", ran, others, tiles, fills, copies, failed, refused)
	}
}

// notCompressed requires that the levels of p take less memory than others, and are not
// compressed if they are too small, if rows are cut, or if there are several ranks.
func notCompressed(t *testing.T, p *plan.Plan, o plan.Options) {
	t.Helper()
	last := len(p.Side) - 1
	for what, change := range map[string]func(o *plan.Options){
		"small levels":     func(o *plan.Options) { o.CompressFrom = 1 << 40 },
		"a side along it":  func(o *plan.Options) { o.Tile = slices.Clone(o.Tile); o.Tile[last] = max(1, p.Margin[last]) },
		"rows in turn":     func(o *plan.Options) { o.Map = p.Nest.Dims[last] },
		"several ranks":    func(o *plan.Options) { o.Ranks = 2 },
		"levels of others": func(o *plan.Options) { o.CompressFrom = p.WholeBytes() * 4 / 3 * 100 },
	} {
		other := o
		change(&other)
		q, err := plan.New(p.Nest, p.Params, other)
		if err != nil {
			continue
		}
		cut := what != "a side along it" || q.Tiles[last] > 1
		if q.Compressed() && cut && (what != "several ranks" || plan.Product(q.Grid) > 1) {
			t.Errorf("%s\n%s: levels are compressed", q, what)
		}
		if what == "small levels" && float64(p.WholeBytes()) > 3.0/4*float64(q.WholeBytes()) {
			t.Errorf("%s\ncompressed levels take %d bytes, others %d", p, p.WholeBytes(), q.WholeBytes())
		}
	}
}

// compressedAll returns a plan of n with compressed levels although readers lie in the row of
// what they read: that of a nest without these, if the longest distances are the same, else nil.
func compressedAll(n *plan.Nest, o plan.Options) *plan.Plan {
	margin, last := n.Margin(), len(n.Dims)-1
	inRow := func(d []int) bool { return slices.Equal(d[:last], margin[:last]) }
	fewer := *n
	fewer.Values = slices.Clone(n.Values)
	for v := range fewer.Values {
		val := &fewer.Values[v]
		val.Flow = slices.DeleteFunc(slices.Clone(val.Flow), inRow)
		val.Need = slices.DeleteFunc(slices.Clone(val.Need), inRow)
	}
	p, err := plan.New(&fewer, nil, o)
	if err != nil || !p.Compressed() || !slices.Equal(fewer.Margin(), margin) {
		return nil
	}
	all := *p
	all.Nest = n
	return &all
}
