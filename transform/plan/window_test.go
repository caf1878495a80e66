package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestDone: a run that continues after some levels begins with the next one, even if that level has no iterations, and its
// windows are as long as they say.
func TestDone(t *testing.T) {
	rng := rand.New(rand.NewPCG(20261127, 1))
	continued, without := 0, 0
	for range 400 {
		s := plantest.RandomNest(rng)
		o := plan.Options{Ranks: 1, CPUs: 1}
		whole, err := plan.New(s.Nest, s.Params, o)
		if n := len(s.Nest.Dims); err == nil && n > 1 && rng.IntN(4) == 0 { // some levels have no iterations
			up, down := make([]int, n), make([]int, n)
			up[0], up[n-1], down[0], down[n-1] = -1, 3, 1, -3
			c := 3*(whole.Lo[n-1]+whole.Hi[n-1])/2 - (whole.Lo[0]+whole.Hi[0])/2
			s.Nest.Space = append(slices.Clone(s.Nest.Space), plan.Affine{Const: -c, Iters: up}, plan.Affine{Const: c + 1, Iters: down})
			whole, err = plan.New(s.Nest, s.Params, o)
		}
		if err != nil || whole.Empty {
			continue
		}
		for o.Done = 1; o.Done <= whole.Hi[0]-whole.Lo[0]; o.Done++ {
			o.Epoch = max(1, whole.HaloWidth[0]) + rng.IntN(6)
			p, err := plan.New(s.Nest, s.Params, o)
			if err != nil {
				break
			}
			continued++
			if last := min(p.Lo[0]+p.Epoch-1, whole.Hi[0]); p.Lo[0] != whole.Lo[0]+o.Done || p.Epoch > 0 && p.Hi[0] != last {
				t.Fatalf("after %d of the levels %d..%d, epochs of %d: levels %d..%d\n%s", o.Done, whole.Lo[0], whole.Hi[0], p.Epoch, p.Lo[0], p.Hi[0], p)
			}
			if most := min(p.Epoch, p.Levels); p.Windows > 1 {
				for _, n := range []int{p.FirstLevels, 1 + rng.IntN(most), most} {
					if w := p.Window(0, n); w.Lo[0] != p.Lo[0] || w.Hi[0] != p.Lo[0]+n-1 {
						t.Fatalf("the first %d of %d levels from %d on, in epochs of %d, are levels %d..%d\n%s", n, p.Levels, p.Lo[0], p.Epoch, w.Lo[0], w.Hi[0], p)
					}
				}
			}
			lo, hi := slices.Clone(p.Lo), slices.Clone(p.Hi)
			if hi[0] = lo[0]; !p.Space.Shrink(lo, hi) {
				without++
			}
		}
	}
	if continued < 1000 || without < 10 {
		t.Errorf("%d runs continue, %d of them with a level that has no iterations", continued, without)
	}
}

// TestBoxesOfManyWindows: the boxes of arrays of a run of many windows, most of which are not looked at, are those of all its
// windows, whatever slices are returned.
func TestBoxesOfManyWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(20261129, 1))
	boxes, sliced, moving := 0, 0, 0
	for range 600 {
		n := 2 + rng.IntN(2)
		nest := plantest.BoxNest(nil, []string{"t", "i", "j"}[:n]...)
		val, arr := &nest.Values[0], &nest.Arrays[0]
		levels, params := 70+rng.IntN(200), []int{0}
		for k := range nest.Space { // over p = T·j: what is subtracted of p_k is T's entry times p_0
			if k < 2 {
				continue
			}
			nest.Space[k].Iters[0] = -nest.Space[k].Iters[k/2] * (1 + k/2%2)
		}
		params[0] = levels
		at := []*plan.Affine{nil}
		for k := 1; k < n; k++ {
			params = append(params, 3+rng.IntN(8))
			nest.Skew[k] = slices.Clone(nest.Skew[k])
			nest.Skew[k][0] = 1 + k%2
			val.Cell[k].Iters[0] = -nest.Skew[k][0]
			at = append(at, nil)
		}
		for k := range 1 + rng.IntN(3) {
			d := make([]int, n)
			if d[0] = 1; k == 2 {
				d[0] = 2
			}
			for x := 1; x < n; x++ {
				d[x] = d[0]*nest.Skew[x][0] + rng.IntN(3) - 1
			}
			val.Flow = append(val.Flow, d)
		}
		val.Flow = plantest.Distinct(val.Flow)
		val.Need = val.Flow
		nest.Listed = true
		arr.Role, arr.Initial = plan.Out, plan.Given
		for k := range at {
			if rng.IntN(3) > 0 {
				continue
			}
			at[k] = &plan.Affine{Const: rng.IntN(params[k])}
			arr.Role, arr.Slice = plan.Internal, at
		}
		if rng.IntN(4) == 0 { // the array has no dimension of the outermost loop
			val.Cell, arr.Lo, arr.Hi = val.Cell[1:], arr.Lo[1:], arr.Hi[1:]
			over := make([]int, n)
			over[0] = 1
			for x := 1; x < n; x++ {
				over[x] = nest.Skew[x][0]
			}
			if val.Overwrites = [][]int{over}; arr.Slice != nil {
				arr.Slice = arr.Slice[1:]
			}
		} else if rng.IntN(3) == 0 { // a diagonal
			val.Cell[1].Iters[0]++
			val.Cell[1].Const = -levels / 2
			arr.Lo[1], arr.Hi[1] = plan.Affine{Const: -levels}, plan.Affine{Const: levels}
		}
		if len(val.Cell) == n && rng.IntN(4) == 0 { // levels are stored backward
			val.Cell[0].Iters[0], val.Cell[0].Const = -1, levels-1
		}
		p, err := plan.New(nest, params, plan.Options{Ranks: 1 + rng.IntN(3), CPUs: 1, Epoch: 2 + rng.IntN(4), Done: rng.IntN(3) * rng.IntN(5)})
		if err != nil || p.Empty || p.Windows < 10 {
			continue
		}
		if arr.Slice != nil {
			sliced++
		}
		for rank := range p.Ranks {
			given, result := p.BoxesOfAllWindows(rank, 0)
			lo, hi, _ := p.GivenBox(rank, 0)
			if boxes++; !slices.Equal(lo, given[0]) || !slices.Equal(hi, given[1]) {
				t.Fatalf("%s\nrank %d reads %v..%v, of all windows %v", p, rank, lo, hi, given)
			}
			if lo, hi, _ = p.ResultBox(rank, 0); !slices.Equal(lo, result[0]) || !slices.Equal(hi, result[1]) {
				t.Fatalf("%s\nrank %d writes %v..%v, of all windows %v", p, rank, lo, hi, result)
			}
			if arr.Slice != nil && len(result[0]) > 0 && len(arr.Slice) == n && arr.Slice[0] != nil {
				moving++
			}
		}
	}
	if boxes < 500 || sliced < 100 || moving < 30 {
		t.Errorf("%d boxes; %d plans with slices, %d boxes of slices at a level", boxes, sliced, moving)
	}
}
