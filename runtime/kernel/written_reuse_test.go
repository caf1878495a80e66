package kernel

import (
	"container/list"
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A lru is a cache that drops the cell that was used least recently.
type lru struct {
	cells, missed int
	order         list.List
	held          map[string]*list.Element
}

func (c *lru) use(cell string) {
	if e := c.held[cell]; e != nil {
		c.order.MoveToFront(e)
		return
	}
	c.missed++
	if c.held[cell] = c.order.PushFront(cell); c.order.Len() > c.cells {
		delete(c.held, c.order.Remove(c.order.Back()).(string))
	}
}

// TestReuse: what loops move into a cache is about what a cache that drops the cell used least recently does not find, if the
// cache clearly holds what an iteration of some loop uses, and clearly not what the loop does.
func TestReuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	compared, again := 0, 0
	for range 400 {
		depth, dims := 2+rng.IntN(2), 1+rng.IntN(2)
		r := reuse{}
		for range depth {
			r.trips = append(r.trips, float64(6+rng.IntN(14)))
		}
		for range 1 + rng.IntN(3) { // arrays
			v := visit{size: 1}
			for range dims {
				by, extent := make([]int, depth), 1.0
				by[rng.IntN(depth)] = 1 // loops that exchange places, or are not among the subscripts
				for x, n := range r.trips {
					extent += float64(by[x]) * (n - 1)
				}
				v.by, v.extent = append(v.by, by), append(v.extent, extent)
			}
			if dims == 2 && fmt.Sprint(v.by[0]) == fmt.Sprint(v.by[1]) {
				v.by, v.extent = v.by[:1], v.extent[:1] // a diagonal
			}
			r.visits = append(r.visits, v)
		}
		for k := 1; k <= depth; k++ {
			if r.bytes(k-1) < 4*r.bytes(k) {
				continue
			}
			cache := lru{cells: int(2 * r.bytes(k)), held: map[string]*list.Element{}}
			at, points := make([]int, depth), 0
			var run func(x int)
			run = func(x int) {
				if x < depth {
					for at[x] = 0; at[x] < int(r.trips[x]); at[x]++ {
						run(x + 1)
					}
					return
				}
				points++
				for a, v := range r.visits {
					cell := make([]int, len(v.by))
					for m, by := range v.by {
						for x, c := range by {
							cell[m] += c * at[x]
						}
					}
					cache.use(fmt.Sprint(a, cell))
				}
			}
			run(0)
			got, want := r.moved(float64(cache.cells)), float64(cache.missed)/float64(points)
			if got < 0.6*want || got > 1.6*want {
				t.Errorf("loops of %v iterations, %+v, a cache of %d cells: %g cells move, want %g", r.trips, r.visits, cache.cells, got, want)
			}
			compared++
			if want < 0.9*float64(len(r.visits)) {
				again++
			}
		}
	}
	if compared < 200 || again < 100 {
		t.Errorf("only %d caches, of which %d hold cells until they are used again", compared, again)
	}
}

// TestReused: in a product of matrices that a core's cache cannot hold, only the matrix moves that each iteration of the outermost
// loop goes through, from the last cache. Two CPUs take half of the time.
func TestReused(t *testing.T) {
	bound := func(m int) []plan.Affine { return []plan.Affine{{Const: -1}, {Const: -1}}[:m] }
	upTo := func(m int) []plan.Affine {
		return []plan.Affine{{Const: -1, Params: []int{1}}, {Const: -1, Params: []int{1}}}[:m]
	}
	cell := func(loops ...[]int) (subs []plan.Affine) {
		for _, c := range loops {
			subs = append(subs, plan.Affine{Iters: c})
		}
		return subs
	}
	array := func(name string, role plan.Role) plan.Array {
		return plan.Array{Name: name, Elem: "float64", Size: 8, Role: role, Lo: bound(2), Hi: upTo(2)}
	}
	i, k, j := []int{1}, []int{0, 1}, []int{0, 0, 1}
	nest := &plan.Nest{
		Name: "product", Params: []string{"N"}, Dims: []string{"i", "k", "j"}, Skew: [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Listed: true, Digest: "product",
		Arrays: []plan.Array{array("A", plan.In), array("B", plan.In), array("C", plan.InOut)},
		Values: []plan.Value{{Name: "C", Array: 2, Flow: [][]int{{0, 1, 0}}, Cell: cell(i, j)}},
		Reads:  []plan.Access{{Array: 0, Subs: cell(i, k)}, {Array: 1, Subs: cell(k, j)}},
	}
	for x := range 3 {
		lo, hi := make([]int, 3), make([]int, 3)
		lo[x], hi[x] = 1, -1
		nest.Space = append(nest.Space, plan.Affine{Iters: lo}, plan.Affine{Const: -1, Params: []int{1}, Iters: hi})
	}
	const n = 1200 // an array has 11 MiB
	of := func(cpus int) *plan.Plan {
		p, err := plan.New(nest, []int{n}, plan.Options{Ranks: 1, CPUs: cpus})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	r, ok := newReuse(of(1), nest.Skew)
	if !ok {
		t.Fatal("nothing is known of the loops")
	}
	if got := r.moved(farBytes); got > 32.0/n*1.01 {
		t.Errorf("%g bytes move into the last cache for each iteration", got)
	}
	if got := r.moved(nearBytes); got < 8 || got > 9 { // B, in each iteration of i
		t.Errorf("%g bytes move into a core's cache for each iteration, want 8", got)
	}
	if got := r.moved(1 << 10); got < 24 { // rows do not fit
		t.Errorf("%g bytes move into a small cache for each iteration, want those of B and C", got)
	}
	loops := AsLoops{Pace: 4, Cycles: 0.15, Apart: []int{0}}
	one, two := loops.price(of(1), cost.DefaultMachine()), loops.price(of(2), cost.DefaultMachine())
	if each := one.seconds / n / n / n; !one.vector || each < 8*nearByte || each > 2*8*nearByte {
		t.Errorf("an iteration takes %g s in vectors (%v), want %g to load B from the last cache", each, one.vector, 8*nearByte)
	}
	if two.seconds > 0.6*one.seconds || two.decides != two.seconds { // each CPU loads what it uses
		t.Errorf("one CPU takes %g s, two take %g s, and count as %g s", one.seconds, two.seconds, two.decides)
	}
}
