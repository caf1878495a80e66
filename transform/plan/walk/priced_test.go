package walk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/runtime/kernel"
	"loopc/transform"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/walk"
)

// TestPriced runs random plans of random nests, tile by tile, and compares the counts of the cost
// model with those of the run. They must be equal in tiles of which the model examines every row;
// where some rows represent others, the sums over all plans of a strategy may differ by 2 %.
func TestPriced(t *testing.T) {
	const plans = 500
	seeds := irtest.OfAll(12, 4) // the sums of a few seeds may differ by more by chance, of these they do not
	all := map[string]*tally{}
	ran := map[string]int{}
	price := func(p *plan.Plan, traits kernel.Traits) {
		s := strategyOf(p, traits)
		ran[s]++
		of := compare(p, p, traits)
		for _, wrong := range of.wrong {
			t.Errorf("%s: %s", s, wrong)
		}
		if all[s] == nil {
			all[s] = newTally()
		}
		all[s].merge(of)
	}
	for seed := range seeds {
		eachPlan(t, 14+uint64(seed), plans, price)
	}
	for s, of := range all {
		t.Logf("%s: %d plans, %d tiles, %d of them exact", s, ran[s], of.tiles, of.exact)
		for what, sum := range of.sums {
			t.Logf("%s, %s: ran %.0f, priced %.0f", s, what, sum.ran, sum.priced)
			if sum.apart() > 0.02 {
				t.Errorf("%s, %s: ran %.0f, priced %.0f", s, what, sum.ran, sum.priced)
			}
		}
		if ran[s] < seeds*plans/10 || of.exact < of.tiles/4 {
			t.Errorf("%s: %d plans, and %d of %d tiles are exact: that proves little", s, ran[s], of.exact, of.tiles)
		}
	}
}

// TestTile: the operations that Tile yields must be those that are run, if levels are computed one
// by one.
func TestTile(t *testing.T) {
	tiles := 0
	eachPlan(t, 11, 300, func(p *plan.Plan, traits kernel.Traits) {
		if strategyOf(p, traits) == temporal {
			return
		}
		r := newTileRun(p, traits)
		for c := range r.columns {
			col := &r.columns[c]
			for k := col.First; k <= col.Last; k++ {
				ran, _ := r.tile(c, k)
				ran.Looked = 0 // an operation that does nothing
				var yielded walk.Counts
				for op := range walk.Tile(p, col.At(), k) {
					yielded.Add([]walk.Op{op})
				}
				if ran != yielded {
					t.Fatalf("tile %d of column %v: ran %+v, yielded %+v\n%s", k, col.At(), ran, yielded, p)
				}
				tiles++
			}
		}
	})
	if tiles < 1000 {
		t.Errorf("only %d tiles", tiles)
	}
}

// TestPricedFault removes one read outside the space from the priced nest. The comparison must
// notice the fault in most plans.
func TestPricedFault(t *testing.T) {
	tried, found := 0, 0
	eachPlan(t, 11, 200, func(p *plan.Plan, traits kernel.Traits) {
		less := withoutNeed(p.Nest)
		if less == nil {
			return
		}
		faulty, err := plan.New(less, p.Params, p.Options())
		if err != nil || !slices.Equal(faulty.Side, p.Side) || !slices.Equal(faulty.Tiles, p.Tiles) || faulty.Map != p.Map {
			return
		}
		tried++
		of := compare(p, faulty, traits)
		if sum := of.sums["filled"]; len(of.wrong) > 0 || sum.apart() > 0.02 {
			found++
		}
	})
	if tried < 50 || found < tried*2/3 {
		t.Errorf("a forgotten read is found in %d of %d plans", found, tried)
	}
}

// withoutNeed returns the nest without the longest distance at which cells outside the space are
// read; nil if there are not two.
func withoutNeed(nest *plan.Nest) *plan.Nest {
	for v := range nest.Values {
		if len(nest.Values[v].Need) > 1 {
			less := *nest
			less.Values = slices.Clone(nest.Values)
			need := less.Values[v].Need
			less.Values[v].Need = need[:len(need)-1]
			return &less
		}
	}
	return nil
}

// eachPlan calls f with at least the given number of random plans of random nests, and with random
// traits of kernels.
func eachPlan(t *testing.T, seed uint64, plans int, f func(p *plan.Plan, traits kernel.Traits)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 12))
	for done := 0; done < plans; {
		nest, diags := frontend.Compile("random.loop", []byte(irtest.RandomNest(rng)))
		if diag.HasErrors(diags) {
			continue
		}
		_, lowered, diags := transform.Lower(nest)
		if diag.HasErrors(diags) {
			continue
		}
		for range 3 {
			p, err := plan.New(lowered, irtest.RandomParams(rng, nest), randomOptions(rng, lowered))
			if err != nil || p.Empty {
				continue
			}
			done++
			f(p, randomTraits(rng, lowered))
		}
	}
}

// randomOptions returns options for a nest, of which some may not fit it.
func randomOptions(rng *rand.Rand, nest *plan.Nest) plan.Options {
	n := len(nest.Dims)
	o := plan.Options{Ranks: 1 + rng.IntN(4), CPUs: 1 + rng.IntN(3), Assign: plan.Assign(rng.IntN(5)), Map: nest.Dims[rng.IntN(n)]}
	if nest.Whole && rng.IntN(3) > 0 {
		o.Ranks = 1
	}
	if rng.IntN(4) == 0 {
		return o
	}
	for _, least := range nest.HaloWidth() {
		side := max(1, least) + rng.IntN(20)
		if rng.IntN(3) == 0 {
			side = 0
		}
		o.Tile = append(o.Tile, side)
	}
	return o
}

// randomTraits returns random traits of a kernel for the nest.
func randomTraits(rng *rand.Rand, nest *plan.Nest) kernel.Traits {
	switch rng.IntN(4) {
	case 0:
		return kernel.Traits{}
	case 1:
		return kernel.Traits{Rows: 2, Lanes: 1}
	}
	if l := temporalOf(rng, nest); l != nil {
		return kernel.Traits{Rows: l.Count * l.Streams, Lanes: l.Count, Across: kernel.AcrossLevels, Temporal: l}
	}
	return kernel.Traits{Rows: 8, Lanes: 4, Across: kernel.AlongRow}
}

// The strategies by which tiles are run.
const (
	levels   = "level by level"
	skewed   = "skewed storage"
	temporal = "time slabs"
)

func strategyOf(p *plan.Plan, traits kernel.Traits) string {
	switch {
	case p.KeepsWhole():
		return skewed
	case traits.Temporal != nil:
		return temporal
	}
	return levels
}

// A tally compares what was run with what was priced.
type tally struct {
	tiles, exact int
	sums         map[string]sum
	wrong        []string // of exact tiles
}

// A sum is a count over many tiles.
type sum struct{ ran, priced float64 }

// apart is how far the two are from one another, as a part of the larger one; a few more or
// less do not count.
func (s sum) apart() float64 {
	const few = 10
	return max(0, max(s.ran, s.priced)-min(s.ran, s.priced)-few) / max(1, s.ran, s.priced)
}

func newTally() *tally { return &tally{sums: map[string]sum{}} }

func (t *tally) merge(u *tally) {
	t.tiles, t.exact = t.tiles+u.tiles, t.exact+u.exact
	for what, s := range u.sums {
		t.sums[what] = sum{t.sums[what].ran + s.ran, t.sums[what].priced + s.priced}
	}
}

// compare runs all tiles of p with a kernel of the given traits, and prices those of priced.
func compare(p, priced *plan.Plan, traits kernel.Traits) *tally {
	out := newTally()
	r := newTileRun(p, traits)
	priceOf := &cost.Kernel{Rows: traits.Rows, Lanes: traits.Lanes, Across: traits.Across}
	work := cost.TileWorks(priced, priceOf)
	for c := range r.columns {
		col := &r.columns[c]
		for k := col.First; k <= col.Last; k++ {
			counts, points := r.tile(c, k)
			w := work(col.At(), k)
			out.tiles++
			if w.Exact {
				out.exact++
			}
			note := func(what string, ran int, price float64) {
				s := out.sums[what]
				out.sums[what] = sum{s.ran + float64(ran), s.priced + price}
				if w.Exact && float64(ran) != price {
					out.wrong = append(out.wrong, fmt.Sprintf("%s of tile %d of column %v: ran %d, priced %g\n%s", what, k, col.At(), ran, price, p))
				}
			}
			note("iterations", points, float64(w.Points))
			note("stored", counts.Stored, w.Stored)
			note("looked", counts.Looked, w.Looked)
			note("filled", counts.Filled, w.Filled)
			note("boxes", counts.Boxes, w.Boxes)
			note("computed", counts.Points, float64(w.Points))
			slabs := strategyOf(p, traits) == temporal
			if r.points != counts.Points && !slabs {
				out.wrong = append(out.wrong, fmt.Sprintf("%d iterations in operations, %d in calls of the kernel\n%s", counts.Points, r.points, p))
			}
			if p.KeepsWhole() { // skewed storage copies nothing
				continue
			}
			packed, unpacked := col.moved(k, p.Map > 0, priced, priceOf)
			note("packed", counts.Packed, packed)
			if !slabs { // time slabs and levels beside them unpack different parts of a face
				note("unpacked", counts.Unpacked, unpacked)
			}
		}
	}
	return out
}

// moved is how many bytes tile k of the column is expected to pack and to unpack, with what
// tiles hand on to the next one of their column if they carry.
func (c *column) moved(k int, carry bool, priced *plan.Plan, kernel *cost.Kernel) (packed, unpacked float64) {
	work := cost.TileWorks(priced, kernel)
	w := work(c.At(), k)
	for _, f := range c.out {
		packed += float64(w.Copied[f.dir])
	}
	for _, f := range c.in {
		from := work(f.from, k)
		unpacked += float64(from.Faces[f.dir])
	}
	if carry && k < c.Last {
		packed += w.Carried
	}
	if carry && k > c.First {
		before := work(c.At(), k-1)
		unpacked += before.Carried
	}
	return packed, unpacked
}
