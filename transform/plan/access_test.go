package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// accessed adds to a random nest what accesses need: an array that the kernels
// read, one that values are written to in place, and one whose initial content
// is computed from the first.
func accessed(rng *rand.Rand, s *plantest.Sample) {
	n := len(s.Nest.Dims)
	given := plan.Array{Name: "g", Elem: "int64", Size: 8, Role: plan.In}
	var subs []plan.Affine
	for k := range n {
		given.Lo, given.Hi = append(given.Lo, plan.Affine{Const: -1000}), append(given.Hi, plan.Affine{Const: 1000})
		f := plan.Affine{Const: rng.IntN(5) - 2, Iters: make([]int, n)}
		f.Iters[k] = []int{1, 1, -1, 2}[rng.IntN(4)]
		f.Iters[rng.IntN(n)] += rng.IntN(2)
		subs = append(subs, f)
	}
	g := len(s.Nest.Arrays)
	s.Nest.Listed = true
	s.Nest.Reads = []plan.Access{{Array: g, Subs: subs}}
	for v := range s.Nest.Values {
		val, arr := &s.Nest.Values[v], &s.Nest.Arrays[v]
		arr.Role, arr.Initial = plan.Out, plan.Computed
		if rng.IntN(2) == 0 {
			arr.Role, arr.Initial = plan.InOut, plan.Given
		}
		inPlace := rng.IntN(2) == 0
		for k := range n {
			if inPlace && k == 0 {
				continue
			}
			f := plan.Affine{Const: rng.IntN(3), Iters: make([]int, n)}
			f.Iters[k] = 1
			val.Cell = append(val.Cell, f)
			arr.Lo, arr.Hi = append(arr.Lo, plan.Affine{Const: -500}), append(arr.Hi, plan.Affine{Const: 500})
		}
		if inPlace {
			o := make([]int, n)
			o[0] = 1
			val.Overwrites = [][]int{o}
		}
		if rng.IntN(3) == 0 && arr.Role == plan.Out && len(val.Cell) > 1 && len(s.Points) > 0 {
			// A slice through a cell that is written.
			arr.Role, arr.Slice = plan.Internal, make([]*plan.Affine, len(val.Cell))
			m := rng.IntN(len(val.Cell))
			arr.Slice[m] = &plan.Affine{Const: val.Cell[m].Eval(nil, s.Points[rng.IntN(len(s.Points))])}
		}
		val.Need = slices.Clone(val.Flow)
		if arr.Initial == plan.Computed {
			in := plan.InitAccess{Of: v, Array: g}
			for m := range n {
				f := plan.Affine{Const: 1, Iters: make([]int, len(val.Cell))}
				if m < len(val.Cell) {
					f.Iters[m] = 1
				}
				in.Subs = append(in.Subs, f)
			}
			s.Nest.InitReads = append(s.Nest.InitReads, in)
		}
	}
	s.Nest.Arrays = append(s.Nest.Arrays, given)
}

// evaluate returns the values of forms at p.
func evaluate(forms []plan.Affine, p []int) []int {
	var out []int
	for m := range forms {
		out = append(out, forms[m].Eval(nil, p))
	}
	return out
}

// TestAccessBoxes requires that the boxes of a rank hold every cell that its
// iterations read of given arrays, directly or as initial content, and every
// cell that they give back.
func TestAccessBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 9))
	reads, initials, results, boxes, whole := 0, 0, 0, 0, 0
	for range 600 {
		s := plantest.RandomNest(rng)
		accessed(rng, s)
		p, err := plan.New(s.Nest, []int{s.Params[0], s.Params[1]}, plantest.RandomOptions(rng, s.Nest))
		if err != nil || p.Empty {
			continue
		}
		n := len(p.Side)
		holds := func(what string, rank int, lo, hi []int, ok bool, cell []int) {
			t.Helper()
			if !ok {
				t.Fatalf("%s: rank %d: no box for %s, but cell %v", p, rank, what, cell)
			}
			for m := range cell {
				if cell[m] < lo[m] || cell[m] > hi[m] {
					t.Fatalf("%s: rank %d: the box %v..%v for %s lacks cell %v", p, rank, lo, hi, what, cell)
				}
			}
		}
		g := len(s.Nest.Arrays) - 1
		for _, q := range s.Points {
			tile := make([]int, n)
			for k := range q {
				tile[k] = plan.FloorDiv(q[k]-p.Origin[k], p.Side[k])
			}
			rank, _ := p.Worker(tile)
			lo, hi, ok := p.GivenBox(rank, g)
			holds("reads", rank, lo, hi, ok, evaluate(s.Nest.Reads[0].Subs, q))
			reads++
			for v := range s.Nest.Values {
				val, arr := &s.Nest.Values[v], &s.Nest.Arrays[v]
				for _, d := range val.Need {
					from := plantest.At(q, -1, d)
					if s.Inside[plantest.Key(from)] {
						continue
					}
					initials++
					cell := evaluate(val.Cell, from)
					if arr.Initial == plan.Given {
						lo, hi, ok := p.GivenBox(rank, v)
						holds("initial content", rank, lo, hi, ok, cell)
						continue
					}
					for _, in := range s.Nest.InitReads {
						if in.Of == v {
							lo, hi, ok := p.GivenBox(rank, g)
							holds("init expressions", rank, lo, hi, ok, evaluate(in.Subs, cell))
						}
					}
				}
				final := true
				for _, o := range val.Overwrites {
					final = final && !s.Inside[plantest.Key(plantest.At(q, 1, o))]
				}
				cell := evaluate(val.Cell, q)
				var kept []int
				for m := range cell {
					if arr.Slice == nil || arr.Slice[m] == nil {
						kept = append(kept, cell[m])
					} else if arr.Slice[m].Const != cell[m] {
						final = false
					}
				}
				if final {
					lo, hi, ok := p.ResultBox(rank, v)
					holds("results", rank, lo, hi, ok, kept)
					results++
					checkWriter(t, s, p, v, cell, q)
				}
			}
		}
		for r := range p.Ranks {
			for a := range s.Nest.Arrays {
				if lo, hi, ok := p.GivenBox(r, a); ok && s.Nest.Arrays[a].Role != plan.Out {
					boxes++
					if plan.BoxCells(lo, hi) >= 1001*1001 {
						whole++
					}
				}
			}
		}
	}
	if reads < 5000 || initials < 2000 || results < 5000 {
		t.Errorf("only %d reads, %d of initial content, %d results", reads, initials, results)
	}
	if whole*20 > boxes {
		t.Errorf("%d boxes of %d are the whole array, though few cells are read", whole, boxes)
	}
}

// checkWriter requires that Writer names iteration q as that which wrote a cell
// last, and its tile and worker.
func checkWriter(t *testing.T, s *plantest.Sample, p *plan.Plan, v int, cell, q []int) {
	t.Helper()
	w, ok := p.Writer(v, cell)
	if !ok || w.Value != v || !slices.Equal(w.Iteration, q) {
		t.Fatalf("%s: cell %v is written last by %v; Writer says %+v, %t", p, cell, q, w, ok)
	}
	rank, cpu := p.Worker(w.Tile)
	for k := range q {
		if w.Tile[k] != plan.FloorDiv(q[k]-p.Origin[k], p.Side[k]) {
			t.Fatalf("%v lies in no tile %v", q, w.Tile)
		}
	}
	if rank != w.Rank || cpu != w.CPU {
		t.Fatalf("tile %v is not run by rank %d, CPU %d", w.Tile, w.Rank, w.CPU)
	}
}

// TestUnlisted requires the whole array where reads are not listed.
func TestUnlisted(t *testing.T) {
	nest := plantest.BoxNest(plantest.Units(2), "i", "j")
	nest.Arrays[0].Role = plan.In
	p, err := plan.New(nest, []int{6, 7}, plan.Options{Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	lo, hi, ok := p.GivenBox(1, 0)
	if !ok || !slices.Equal(lo, []int{0, 0}) || !slices.Equal(hi, []int{5, 6}) {
		t.Errorf("GivenBox = %v, %v, %t", lo, hi, ok)
	}
	if _, _, ok := p.GivenBox(5, 0); ok {
		t.Error("a rank beyond the grid reads cells")
	}
	nest.Listed = true
	if _, _, ok := p.GivenBox(1, 0); ok {
		t.Error("a nest without listed reads reads cells")
	}
}
