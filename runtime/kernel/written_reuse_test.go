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

// identity is the skew of a nest whose coordinates are its loops.
func identity(depth int) (skew [][]int) {
	for x := range depth {
		skew = append(skew, make([]int, depth))
		skew[x][x] = 1
	}
	return skew
}

// box returns forms that are at least 0 if each coordinate is from 0 to its parameter - 1.
func box(parameters ...int) (space []plan.Affine) {
	for x, k := range parameters {
		lo, hi, at := make([]int, len(parameters)), make([]int, len(parameters)), make([]int, k+1)
		lo[x], hi[x], at[k] = 1, -1, 1
		space = append(space, plan.Affine{Iters: lo}, plan.Affine{Const: -1, Params: at, Iters: hi})
	}
	return space
}

// TestReuse: what loops move into a cache is about what a cache that drops the cell used least recently does not find, if the
// cache clearly holds what an iteration of some loop uses, and clearly not what the loop does.
func TestReuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	compared, again := 0, 0
	for range 80 {
		const depth, arrays = 3, 3
		nest := &plan.Nest{Name: "random", Params: []string{"a", "b", "c"}, Dims: []string{"x", "y", "z"}, Skew: identity(depth), Space: box(0, 1, 2), Listed: true}
		params := []int{6 + rng.IntN(14), 6 + rng.IntN(14), 6 + rng.IntN(14)}
		for a := range arrays {
			arr := plan.Array{Name: "abc"[a : a+1], Elem: "uint8", Size: 1, Role: plan.In}
			var subs []plan.Affine
			for _, x := range rng.Perm(depth)[:1+rng.IntN(2)] { // loops that exchange places, or are not among the subscripts
				of, by := make([]int, depth), make([]int, depth)
				of[x], by[x] = 1, 1
				subs = append(subs, plan.Affine{Iters: by})
				arr.Lo, arr.Hi = append(arr.Lo, plan.Affine{}), append(arr.Hi, plan.Affine{Const: -1, Params: of})
			}
			if a == 0 {
				arr.Role = plan.InOut
				nest.Values = []plan.Value{{Name: arr.Name, Cell: subs}}
			} else {
				nest.Reads = append(nest.Reads, plan.Access{Array: a, Subs: subs})
			}
			nest.Arrays = append(nest.Arrays, arr)
		}
		p, err := plan.New(nest, params, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		visits := append([]plan.Access{{Subs: nest.Values[0].Cell}}, nest.Reads...)
		for _, cells := range []int{15, 40, 100, 250, 600} {
			cache := lru{cells: cells, held: map[string]*list.Element{}}
			at, missed := make([]int, depth), 0
			for at[0] = range params[0] {
				for at[1] = range params[1] {
					for at[2] = range params[2] {
						for _, v := range visits {
							cell := fmt.Sprint(v.Array)
							for _, sub := range v.Subs {
								cell += fmt.Sprint(" ", sub.Eval(params, at))
							}
							cache.missed = 0
							cache.use(cell)
							if v.Array == 0 {
								cache.missed *= 2
							}
							missed += cache.missed
						}
					}
				}
			}
			clear := movedInto(p, float64(cells)/2.5, 0) == movedInto(p, 2.5*float64(cells), 0)
			if got, want := movedInto(p, float64(cells), 0), float64(missed)/float64(params[0]*params[1]*params[2]); clear && got > 0 {
				if got < 0.6*want || got > 1.6*want {
					t.Errorf("loops of %v iterations, %+v, a cache of %d cells: %g bytes move, want %g", params, visits, cells, got, want)
				}
				compared++
				if want < 0.9*(arrays+1) {
					again++
				}
			}
		}
	}
	if compared < 50 || again < 30 {
		t.Errorf("only %d caches, of which %d hold cells until they are used again", compared, again)
	}
}

// TestReused: in a product of matrices that a core's cache cannot hold, only the matrix moves that each iteration of the outermost
// loop goes through, from the last cache. Two CPUs take half of the time.
func TestReused(t *testing.T) {
	upTo := plan.Affine{Const: -1, Params: []int{1}}
	cell := func(loops ...[]int) (subs []plan.Affine) {
		for _, c := range loops {
			subs = append(subs, plan.Affine{Iters: c})
		}
		return subs
	}
	array := func(name string, role plan.Role) plan.Array {
		return plan.Array{Name: name, Elem: "float64", Size: 8, Role: role, Lo: make([]plan.Affine, 2), Hi: []plan.Affine{upTo, upTo}}
	}
	i, k, j := []int{1}, []int{0, 1}, []int{0, 0, 1}
	nest := &plan.Nest{
		Name: "product", Params: []string{"N"}, Dims: []string{"i", "k", "j"}, Skew: identity(3), Space: box(0, 0, 0), Listed: true, Digest: "product",
		Arrays: []plan.Array{array("A", plan.In), array("B", plan.In), array("C", plan.InOut)},
		Values: []plan.Value{{Name: "C", Array: 2, Flow: [][]int{{0, 1, 0}}, Cell: cell(i, j)}},
		Reads:  []plan.Access{{Array: 0, Subs: cell(i, k)}, {Array: 1, Subs: cell(k, j)}},
	}
	const n = 1200 // an array has 11 MiB
	of := func(cpus int) *plan.Plan {
		p, err := plan.New(nest, []int{n}, plan.Options{Ranks: 1, CPUs: cpus})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if got := movedInto(of(1), farBytes, heldBytes); got > 32.0/n*1.01 {
		t.Errorf("%g bytes move into the last cache for each iteration", got)
	}
	if got := movedInto(of(1), nearBytes, heldBytes); got < 8 || got > 9 { // B, in each iteration of i
		t.Errorf("%g bytes move into a core's cache for each iteration, want 8", got)
	}
	if got := movedInto(of(1), 1<<10, heldBytes); got < 24 { // rows do not fit
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
