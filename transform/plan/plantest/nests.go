package plantest

import (
	"loopc/transform/plan"
)

// BoxNest returns a nest over 0 ≤ x_k < N_k, one parameter per loop, with the
// given distances, and a float64 array with the same extents.
func BoxNest(dists [][]int, loops ...string) *plan.Nest {
	n := len(loops)
	nest := &plan.Nest{
		Name: "sample", Dims: loops, Digest: "sample",
		Values: []plan.Value{{Name: "A", Flow: dists}},
		Arrays: []plan.Array{{Name: "A", Elem: "float64", Size: 8}},
	}
	for k := range n {
		nest.Params = append(nest.Params, "N"+loops[k])
		unit, up, down := make([]int, n), make([]int, n), make([]int, n)
		unit[k], up[k], down[k] = 1, 1, -1
		nest.Skew = append(nest.Skew, unit)
		nest.Space = append(nest.Space, plan.Affine{Iters: up}, plan.Affine{Const: -1, Params: unit, Iters: down})
		nest.Arrays[0].Lo = append(nest.Arrays[0].Lo, plan.Affine{})
		nest.Arrays[0].Hi = append(nest.Arrays[0].Hi, plan.Affine{Const: -1, Params: unit})
		cell := make([]int, n)
		cell[k] = 1
		nest.Values[0].Cell = append(nest.Values[0].Cell, plan.Affine{Iters: cell})
	}
	return nest
}

// Units returns the n unit vectors.
func Units(n int) [][]int {
	var d [][]int
	for k := range n {
		u := make([]int, n)
		u[k] = 1
		d = append(d, u)
	}
	return d
}

// Levelled returns the nest with a dimension 0 of one level in front of it.
func Levelled(n *plan.Nest) *plan.Nest {
	out := *n
	out.Levelled = true
	out.Dims = append([]string{"level"}, n.Dims...)
	out.Space, out.Values, out.Skew = nil, nil, nil
	depth := len(out.Dims)
	for k := range depth {
		row := make([]int, depth)
		row[k] = 1
		out.Skew = append(out.Skew, row)
	}
	for _, f := range n.Space {
		f.Iters = append([]int{0}, f.Iters...)
		out.Space = append(out.Space, f)
	}
	up, down := make([]int, depth), make([]int, depth)
	up[0], down[0] = 1, -1
	out.Space = append(out.Space, plan.Affine{Iters: up}, plan.Affine{Iters: down})
	for _, v := range n.Values {
		var flow [][]int
		for _, d := range v.Flow {
			flow = append(flow, append([]int{0}, d...))
		}
		v.Flow = flow
		out.Values = append(out.Values, v)
	}
	return &out
}

// SweepNest sweeps in place over the inner cells of a square; each cell is computed from its
// four neighbors.
func SweepNest() *plan.Nest {
	return &plan.Nest{
		Name:     "seidel",
		Params:   []string{"T", "N"},
		Defaults: map[string]int{"N": 2000, "T": 100},
		Dims:     []string{"t", "i", "j"},
		Skew:     [][]int{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}},
		Space:    []plan.Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}, {Const: -1, Iters: []int{-1, 1}}, {Params: []int{0, 1}, Iters: []int{1, -1}}, {Const: -1, Iters: []int{-1, 0, 1}}, {Params: []int{0, 1}, Iters: []int{1, 0, -1}}},
		Arrays: []plan.Array{
			{
				Name:    "u",
				Elem:    "float64",
				Size:    8,
				Lo:      []plan.Affine{{}, {}},
				Hi:      []plan.Affine{{Const: 1, Params: []int{0, 1}}, {Const: 1, Params: []int{0, 1}}},
				Role:    plan.InOut,
				Initial: plan.Given,
			},
		},
		Values: []plan.Value{
			{
				Name:       "u",
				Flow:       [][]int{{0, 0, 1}, {0, 1, 0}, {1, 0, 1}, {1, 1, 0}},
				Need:       [][]int{{0, 0, 1}, {0, 1, 0}, {1, 0, 1}, {1, 1, 0}},
				Cell:       []plan.Affine{{Iters: []int{-1, 1}}, {Iters: []int{-1, 0, 1}}},
				Overwrites: [][]int{{1, 1, 1}},
			},
		},
		Listed: true,
	}
}

// heat3Nest is diffusion in a cube of N·N·N cells, otherwise like HeatNest.
func heat3Nest() *plan.Nest {
	need := [][]int{{1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}, {1, 1, 1, 1}, {1, 1, 1, 2}, {1, 1, 2, 1}, {1, 2, 1, 1}}
	n := &plan.Nest{
		Name:   "heat3",
		Params: []string{"T", "N"},
		Dims:   []string{"t", "i", "j", "k"},
		Skew:   [][]int{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 1}},
		Space:  []plan.Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}},
		Arrays: []plan.Array{{Name: "u", Elem: "float64", Size: 8, Lo: []plan.Affine{{}}, Hi: []plan.Affine{{Params: []int{1}}}, Initial: plan.Computed, InitIgnores: []int{0}}},
		Values: []plan.Value{{Name: "u", Flow: need, Need: need, Cell: []plan.Affine{{Iters: []int{1}}}}},
		Whole:  true,
		Listed: true,
		Digest: "heat3",
	}
	for x := 1; x < 4; x++ {
		up, down := []int{-1, 0, 0, 0}, []int{1, 0, 0, 0}
		up[x], down[x] = 1, -1
		n.Space = append(n.Space, plan.Affine{Const: -1, Iters: up}, plan.Affine{Params: []int{0, 1}, Iters: down})
		n.Arrays[0].Lo = append(n.Arrays[0].Lo, plan.Affine{})
		n.Arrays[0].Hi = append(n.Arrays[0].Hi, plan.Affine{Const: 1, Params: []int{0, 1}})
		n.Values[0].Cell = append(n.Values[0].Cell, plan.Affine{Iters: up})
	}
	return n
}

// CuboidNest is heat3Nest in a box of X·Y·Z cells of size bytes each.
func CuboidNest(size int) *plan.Nest {
	n := heat3Nest()
	n.Params = []string{"T", "X", "Y", "Z"}
	n.Arrays[0].Size, n.Arrays[0].Elem = size, map[int]string{4: "float32", 8: "float64"}[size]
	for x := range 3 {
		of := make([]int, 4)
		of[x+1] = 1
		n.Space[2*x+3].Params = of
		n.Arrays[0].Hi[x+1].Params = of
	}
	return n
}

// HeatNest is diffusion on a square of N·N cells in skewed storage: two alternating levels,
// each cell computed from itself and its four neighbors in the level before, and a constant
// rim. It returns the last level.
func HeatNest() *plan.Nest {
	need := [][]int{{1, 0, 1}, {1, 1, 0}, {1, 1, 1}, {1, 1, 2}, {1, 2, 1}}
	return &plan.Nest{
		Name:     "heat",
		Params:   []string{"T", "N"},
		Dims:     []string{"t", "i", "j"},
		Skew:     [][]int{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}},
		Space:    []plan.Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}, {Const: -1, Iters: []int{-1, 1}}, {Params: []int{0, 1}, Iters: []int{1, -1}}, {Const: -1, Iters: []int{-1, 0, 1}}, {Params: []int{0, 1}, Iters: []int{1, 0, -1}}},
		Arrays:   []plan.Array{{Name: "u", Elem: "float64", Size: 8, Lo: []plan.Affine{{}, {}, {}}, Hi: []plan.Affine{{Params: []int{1}}, {Const: 1, Params: []int{0, 1}}, {Const: 1, Params: []int{0, 1}}}, Initial: plan.Computed, InitIgnores: []int{0}}},
		Values:   []plan.Value{{Name: "u", Flow: need, Need: need, Cell: []plan.Affine{{Iters: []int{1}}, {Iters: []int{-1, 1}}, {Iters: []int{-1, 0, 1}}}}},
		Whole:    true,
		Listed:   true,
		Digest:   "heat",
		Defaults: map[string]int{"T": 10, "N": 10},
	}
}

// ColumnOf returns the tile coordinates of column c, which ColumnAt writes.
func ColumnOf(p *plan.Plan, c int) []int {
	col := make([]int, len(p.Tiles))
	p.ColumnAt(c, col)
	return col
}

// Contains reports whether p lies in the space.
func Contains(s *plan.Space, p []int) bool { return s.BoxInside(p, p) }
