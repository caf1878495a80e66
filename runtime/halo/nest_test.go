package halo_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// A sample is a random nest with its parameters, its iterations, found without package plan,
// and the results of a direct evaluation.
type sample struct {
	nest    *plan.Nest
	params  []int
	points  [][]int // skewed, in lexicographic order
	inside  map[string]bool
	results []map[string]uint64 // per value, by iteration
	finals  []map[string]uint64 // per array, by cell: the last result
	given   kernel.Fields       // the caller's arrays
}

func key(p []int) string {
	var b []byte
	for _, x := range p {
		b = strconv.AppendInt(append(b, ' '), int64(x), 10)
	}
	return string(b)
}

func moved(p []int, c int, d []int) []int {
	q := slices.Clone(p)
	for k := range q {
		q[k] += c * d[k]
	}
	return q
}

// hash mixes numbers.
func hash(of ...int) uint64 {
	h := uint64(14695981039346656037)
	for _, x := range of {
		h = (h ^ uint64(x)) * 1099511628211
		h ^= h >> 29
	}
	return h
}

// A nestBuilder makes a random nest step by step.
type nestBuilder struct {
	*sample
	rng    *rand.Rand
	n      int
	most   []int // iterations of each loop, about
	skew   [][]int
	unskew [][]int
	loops  []plan.Affine // ≥ 0, over j
	box    bool          // no loop's bounds use another loop
	elems  []string      // of arrays; nil: any
	levels int           // > 0: the nest works in place over a box, with this many levels
	plain  bool          // a box that is not skewed
	later  bool          // exterior locations may hold results of later iterations: see fallback
	steady bool          // init computes the same at all levels
}

// randomNest returns a nest of two to four loops with a few iterations, and one to three values
// in arrays of every role, written once or in place; one of the arrays is sometimes read before
// others have written it.
func randomNest(rng *rand.Rand) *sample { return randomNestOf(rng, nil) }

// randomNestOf is randomNest with arrays of the given types only. If there are such types,
// exterior locations do not hold results.
func randomNestOf(rng *rand.Rand, elems []string) *sample {
	n := 2 + rng.IntN(3)
	return randomNestLike(rng, elems, slices.Repeat([]int{[]int{0, 0, 25, 11, 7}[n]}, n))
}

// randomNestLike is randomNestOf with one loop per entry of most, which is about the most
// iterations of the loop.
func randomNestLike(rng *rand.Rand, elems []string, most []int) *sample {
	b := newNestBuilder(rng, elems, most)
	return b.build(1 + rng.IntN(3))
}

// randomNestOnTop is a nest in place with the given number of levels, which returns only the
// last one, and rows of some length.
func randomNestOnTop(rng *rand.Rand, elems []string, levels int) *sample {
	b := newNestBuilder(rng, elems, []int{1, 5, 60})
	b.levels = levels
	return b.build(1)
}

// randomPlainNest is randomNestLike over a box that is not skewed, so that levels are boxes,
// too.
func randomPlainNest(rng *rand.Rand, most []int) *sample {
	b := newNestBuilder(rng, nil, most)
	b.plain = true
	return b.build(1 + rng.IntN(3))
}

// randomLaterNest is randomNest or randomPlainNest in which exterior locations may also hold results that come
// later in the same level.
func randomLaterNest(rng *rand.Rand, plain bool) *sample {
	n := 2 + rng.IntN(2)
	b := newNestBuilder(rng, nil, []int{5, 7, 12}[:n])
	b.plain, b.later = plain, true
	return b.build(1 + rng.IntN(3))
}

func newNestBuilder(rng *rand.Rand, elems []string, most []int) *nestBuilder {
	return &nestBuilder{sample: &sample{inside: map[string]bool{}, params: []int{rng.IntN(7) - 3}}, rng: rng, n: len(most), most: most, elems: elems}
}

// build makes a nest with the given number of values.
func (b *nestBuilder) build(values int) *sample {
	b.nest = &plan.Nest{Name: "random", Params: []string{"M"}, Digest: "random"}
	b.space()
	b.enumerate()
	for v := range values {
		b.nest.Values = append(b.nest.Values, plan.Value{Name: fmt.Sprint("v", v)})
		b.distances(v)
	}
	for v := range values {
		b.array(v)
	}
	for v := range values {
		if b.elems == nil {
			b.fallback(v)
		}
	}
	b.give()
	b.evaluate()
	return b.sample
}

// space makes loops with random bounds, boxes, triangles and bands, and a skew.
func (b *nestBuilder) space() {
	n, rng := b.n, b.rng
	b.box = b.plain || rng.IntN(2) == 0 || b.levels > 0
	for k := range n {
		b.nest.Dims = append(b.nest.Dims, string(rune('i'+k)))
		b.skew, b.unskew = append(b.skew, make([]int, n)), append(b.unskew, make([]int, n))
		b.skew[k][k], b.unskew[k][k] = 1, 1
		if k > 0 && !b.plain && rng.IntN(2) == 0 {
			// p_k = j_k + c·p_l, and so j_k = p_k - c·p_l.
			l, c := rng.IntN(k), 1+rng.IntN(2)
			for x := range n {
				b.skew[k][x] += c * b.skew[l][x]
			}
			b.unskew[k][l] = -c
		}
		lo := rng.IntN(7) - 3
		low := plan.Affine{Const: -lo, Params: []int{-1}, Iters: make([]int, n)}
		high := plan.Affine{Const: lo + b.most[k]/4 + rng.IntN(b.most[k]), Params: []int{1}, Iters: make([]int, n)}
		if k == 0 && b.levels > 0 {
			high.Const = lo + b.levels - 1
		}
		low.Iters[k], high.Iters[k] = 1, -1
		for l := range k {
			if c := rng.IntN(5) - 2; !b.box && c == 1 || c == -1 && !b.box {
				low.Iters[l], high.Iters[l] = -c, c
			}
			if !b.box && rng.IntN(4) == 0 {
				high.Iters[l]-- // a triangle
			}
		}
		b.loops = append(b.loops, low, high)
	}
	b.nest.Skew = b.skew
	for _, f := range b.loops {
		b.nest.Space = append(b.nest.Space, b.skewed(f))
	}
}

// skewed rewrites a form over j as one over p.
func (b *nestBuilder) skewed(f plan.Affine) plan.Affine {
	out := plan.Affine{Const: f.Const, Params: f.Params, Iters: make([]int, b.n)}
	for k, c := range f.Iters {
		for x, u := range b.unskew[k] {
			out.Iters[x] += c * u
		}
	}
	return out
}

// enumerate finds the iterations, loop by loop.
func (b *nestBuilder) enumerate() {
	j := make([]int, b.n)
	var walk func(k int)
	walk = func(k int) {
		if k == b.n {
			p := make([]int, b.n)
			for x, row := range b.skew {
				for l, c := range row {
					p[x] += c * j[l]
				}
			}
			b.points = append(b.points, p)
			b.inside[key(p)] = true
			return
		}
		lo, hi := -b.loops[2*k].Eval(b.params, j[:k]), b.loops[2*k+1].Eval(b.params, j[:k])
		for j[k] = lo; j[k] <= hi; j[k]++ {
			walk(k + 1)
		}
		j[k] = 0
	}
	walk(0)
	slices.SortFunc(b.points, slices.Compare[[]int])
}

// distances makes the flow distances of a value, and decides which of them read exterior
// locations.
func (b *nestBuilder) distances(v int) {
	val := &b.nest.Values[v]
	for range b.rng.IntN(4) {
		d := make([]int, b.n)
		for k := range d {
			if b.rng.IntN(2) == 0 {
				d[k] = b.rng.IntN(3)
			}
		}
		if slices.Max(d) == 0 {
			continue
		}
		val.Flow = append(val.Flow, d)
		if b.rng.IntN(4) > 0 {
			val.Need = append(val.Need, d)
		}
	}
	val.Flow, val.Need = distinct(val.Flow), distinct(val.Need)
}

func distinct(all [][]int) [][]int {
	all = slices.Clone(all)
	slices.SortFunc(all, slices.Compare[[]int])
	return slices.CompactFunc(all, slices.Equal[[]int])
}

// fallback makes exterior locations of value v hold results of other iterations, further back or, with later
// and if only later levels read them, later in the same level, of a value in the same array.
func (b *nestBuilder) fallback(v int) {
	val := &b.nest.Values[v]
	for len(val.Need) > 0 && b.rng.IntN(4) > 0 && len(val.Fallbacks) < 2 {
		e := make([]int, b.n)
		for k := range e {
			e[k] = b.rng.IntN(4) - 1
		}
		if b.later && b.rng.IntN(2) == 0 {
			e[0] = 0
		}
		switch c := slices.Compare(e, make([]int, b.n)); {
		case c == 0:
			continue
		case c < 0 && (!b.later || e[0] < 0 || slices.ContainsFunc(val.Need, func(d []int) bool { return d[0] < 1 })): // read before it is computed
			continue
		}
		source := b.rng.IntN(len(b.nest.Values))
		if b.nest.Values[source].Array != val.Array {
			continue
		}
		var further [][]int
		for _, d := range val.Need {
			f := moved(d, 1, e)
			if slices.Min(f) < 0 {
				further = nil
				break
			}
			further = append(further, f)
		}
		if further == nil {
			continue
		}
		from := &b.nest.Values[source]
		from.Flow = distinct(append(from.Flow, further...))
		val.Fallbacks = append(val.Fallbacks, plan.Source{Value: source, Dist: e, When: b.when()})
	}
	slices.SortStableFunc(val.Fallbacks, func(x, y plan.Source) int { return slices.Compare(x.Dist, y.Dist) })
}

// when returns conditions on locations, or none in half of the cases: that they are beyond a
// bound, or within it, along one or two loops or sums of loops.
func (b *nestBuilder) when() (forms []plan.Affine) {
	for b.rng.IntN(2) == 0 && len(forms) < 2 && len(b.points) > 0 {
		f := plan.Affine{Iters: make([]int, b.n)}
		for f.Iters[b.rng.IntN(b.n)] = 1 - 2*b.rng.IntN(2); b.rng.IntN(3) == 0; {
			f.Iters[b.rng.IntN(b.n)] = b.rng.IntN(5) - 2
		}
		// The bound passes near an iteration, so that locations lie on both sides.
		f.Const = b.rng.IntN(3) - f.Eval(b.params, b.points[b.rng.IntN(len(b.points))])
		if b.rng.IntN(2) == 0 {
			f.Params, f.Const = []int{1}, f.Const-b.params[0]
		}
		forms = append(forms, f)
	}
	return forms
}
