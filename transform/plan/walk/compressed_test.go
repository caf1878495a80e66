package walk

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

// levelOptions returns options that go with whole rows.
func levelOptions(rng *rand.Rand, nest *plan.Nest) plan.Options {
	last := len(nest.Dims) - 1
	o := plan.Options{CPUs: 1 + rng.IntN(3), Map: nest.Dims[rng.IntN(last)], Assign: []plan.Assign{plan.Any, plan.Cluster, plan.Cyclic}[rng.IntN(3)], Mesh: nil}
	for x, m := range nest.HaloWidth() {
		o.Tile = append(o.Tile, max(1, m)+rng.IntN(4))
		if x == last {
			o.Tile[x] = 0
		}
	}
	return o
}

// TestCompressed runs random nests in compressed grids, with tiles, rows and cells of a row in
// random permitted orders. Every read must find the right result, and the grid must be smaller than
// other storage and hold every location that is touched. Some nests are refused because a reader
// lies in the row that overwrites what it reads: at least half of these must fail in a compressed
// grid, or the refusal would be needless.
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
		inRow := slices.ContainsFunc(n.Distances(), func(d []int) bool { return slices.Equal(d[:last], p.HaloWidth[:last]) })
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
		"a side along it":  func(o *plan.Options) { o.Tile = slices.Clone(o.Tile); o.Tile[last] = max(1, p.HaloWidth[last]) },
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

// compressedAll returns a plan of n with a compressed grid although readers lie in the row that
// overwrites what they read. It is the plan of a nest without these readers, if the longest
// distances are the same, else nil.
func compressedAll(n *plan.Nest, o plan.Options) *plan.Plan {
	margin, last := n.HaloWidth(), len(n.Dims)-1
	inRow := func(d []int) bool { return slices.Equal(d[:last], margin[:last]) }
	fewer := *n
	fewer.Values = slices.Clone(n.Values)
	for v := range fewer.Values {
		val := &fewer.Values[v]
		val.Flow = slices.DeleteFunc(slices.Clone(val.Flow), inRow)
		val.Need = slices.DeleteFunc(slices.Clone(val.Need), inRow)
	}
	p, err := plan.New(&fewer, nil, o)
	if err != nil || !p.Compressed() || !slices.Equal(fewer.HaloWidth(), margin) {
		return nil
	}
	all := *p
	all.Nest = n
	return &all
}
