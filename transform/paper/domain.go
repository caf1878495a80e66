package paper

import (
	"math"
	"slices"

	"loopc/transform/plan"
)

// A Domain is a space of X_1 × .. × X_N × Z iterations with dependences of length
// D_i along the axes, mapped along Z, as in the paper on communication-aware tile
// shapes, [P3]. For a general dependence matrix D_i is the longest component
// along i.
type Domain struct {
	X, D []int
	Z    int
}

// VComm returns the elements that an interior process sends on a grid P, as
// published: [P3] (6),
//
//	V_comm = (Z·Π X_i / P)·Σ d_i·P_i/X_i
//
// It charges a face also where P_i = 1 and there is no neighbor.
func (d Domain) VComm(grid []int) float64 {
	return d.share(grid) * d.perimeter(grid, 1)
}

// VMax returns the elements that the busiest process really sends: VComm without
// the terms with P_i = 1.
func (d Domain) VMax(grid []int) float64 {
	return d.share(grid) * d.perimeter(grid, 2)
}

// perimeter returns Σ d_i·P_i/X_i over the dimensions with P_i ≥ from.
func (d Domain) perimeter(grid []int, from int) float64 {
	v := 0.0
	for i, p := range grid {
		if p >= from {
			v += float64(d.D[i]) * float64(p) / float64(d.X[i])
		}
	}
	return v
}

// share returns Z·Π X_i / P, the iterations of a process.
func (d Domain) share(grid []int) float64 {
	v := float64(d.Z)
	for i, x := range d.X {
		v *= float64(x) / float64(grid[i])
	}
	return v
}

// VTotal returns the elements that all processes send together,
//
//	V_total = Z·Σ d_i·(P_i-1)·Π_{k≠i} X_k
func (d Domain) VTotal(grid []int) int {
	total := 0
	for i, p := range grid {
		face := d.Z * d.D[i] * (p - 1)
		for k, x := range d.X {
			if k != i {
				face *= x
			}
		}
		total += face
	}
	return total
}

// Ideal returns the real numbers P_j, whose product is the number of processes P, for which VComm is
// least, [P3] (4). All d_i·P_i/X_i are then equal, (3). Every D_i must be positive.
//
//	P_j = (X_j/d_j)·(P·Π d_i / Π X_i)^(1/N)
func (d Domain) Ideal(processes int) []float64 {
	part := float64(processes)
	for i, x := range d.X {
		part *= float64(d.D[i]) / float64(x)
	}
	part = math.Pow(part, 1/float64(len(d.X)))
	out := make([]float64, len(d.X))
	for j, x := range d.X {
		out[j] = float64(x) / float64(d.D[j]) * part
	}
	return out
}

// Grid returns the process grid for a shape. ShapeScheduling makes every P_i as close to
// P^(1/N) as a factorization allows, which minimizes Σ P_i and so the number of steps [P3] (1);
// ShapeCommunication minimizes VComm; ShapeModel minimizes VMax. The other criteria decide ties,
// steps first. The grid has fewer processes if no factorization of P gives every process a share at
// least as long as the dependences.
func (d Domain) Grid(processes int, by plan.Shape) []int {
	price := func(g []int) []float64 {
		steps := 0.0
		for _, p := range g {
			steps += float64(p)
		}
		switch by {
		case plan.ShapeScheduling:
			return []float64{steps, d.VComm(g)}
		case plan.ShapeCommunication:
			return []float64{d.VComm(g), steps}
		}
		return []float64{d.VMax(g), steps, d.VComm(g)}
	}
	var best []int
	for ; best == nil && processes > 0; processes-- {
		var lowest []float64
		plan.Factorize(processes, d.limits(), func(g []int) bool {
			// Of equally good grids the last one is taken: its smaller factors come first.
			if x := price(g); best == nil || slices.Compare(x, lowest) <= 0 {
				best, lowest = slices.Clone(g), x
			}
			return true
		})
	}
	return best
}

// limits returns, per dimension, the most processes whose shares are at least as long as the longest
// dependence.
func (d Domain) limits() []int {
	limit := make([]int, len(d.X))
	for i, x := range d.X {
		limit[i] = plan.CeilDiv(x, max(1, d.D[i]))
	}
	return limit
}
