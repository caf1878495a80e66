package calibrate

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// An unknown is a figure to fit: a number from Least to Most. A change of it by Scale is
// small but noticeable.
type unknown struct {
	Name  string
	Start float64
	Scale float64
	Most  float64 // 0: no bound
	Least float64
}

const (
	mostIterations = 60
	// outlier is the residual, relative to a measurement, beyond which the loss grows
	// linearly instead of quadratically (Huber), because some runs are disturbed.
	outlier = 0.05
	// priorWeight is the weight of the rows that keep unknowns near their start values: an unknown
	// of twice its start value has the residual priorWeight there.
	priorWeight = 0.004
)

// leastSquares returns the values of the unknowns for which the sum of the residuals'
// losses (see outlier) is least: the method of Levenberg and Marquardt, with derivatives by
// differences. An unknown that would leave its bounds is held at the bound while the others
// are solved again. The function residuals writes (predicted − measured)/measured, for the
// unknowns x, to out.
func leastSquares(unknowns []unknown, n int, residuals func(x, out []float64)) []float64 {
	m := len(unknowns)
	// A row for each unknown keeps it near its start if the samples say little about it.
	measured := n
	n += m
	given := residuals
	residuals = func(x, out []float64) {
		given(x, out[:measured])
		for j, u := range unknowns {
			out[measured+j] = priorWeight * (x[j] - u.Start) / math.Max(u.Start, u.Scale)
		}
	}
	x := make([]float64, m)
	for j, u := range unknowns {
		x[j] = u.clamp(u.Start)
	}
	r, try := make([]float64, n), make([]float64, n)
	residuals(x, r)
	best := robust(r)
	damping := 1e-3
	jacobian := mat.NewDense(n, m, nil)
	for range mostIterations {
		for j, u := range unknowns {
			// Forward, or backward from the upper bound.
			h := math.Max(u.Scale*0.05, x[j]*1e-4)
			y := append([]float64(nil), x...)
			if y[j] += h; u.clamp(y[j]) != y[j] {
				y[j], h = x[j]-h, -h
			}
			residuals(y, try)
			for i := range r {
				jacobian.Set(i, j, rootWeight(r[i])*(try[i]-r[i])/h*u.Scale)
			}
		}
		improved := false
		for range 8 {
			y := step(unknowns, x, r, jacobian, damping)
			residuals(y, try)
			if cost := robust(try); cost < best {
				improved = best-cost > 1e-7*best
				best, x = cost, y
				copy(r, try)
				damping = math.Max(damping/5, 1e-9)
				break
			}
			damping *= 4
		}
		if !improved {
			break
		}
	}
	return x
}

// step solves the damped linear least-squares problem around x, whose residuals are r, and
// returns the new x. Unknowns that would cross a bound are held there, one after the other.
func step(unknowns []unknown, x, r []float64, jacobian *mat.Dense, damping float64) []float64 {
	n, m := jacobian.Dims()
	held := make([]bool, m)
	y := append([]float64(nil), x...)
	for {
		var free []int
		for j := range held {
			if !held[j] {
				free = append(free, j)
			}
		}
		if len(free) == 0 {
			return y
		}
		// Rows below the jacobian damp each unknown by its own effect.
		a := mat.NewDense(n+len(free), len(free), nil)
		b := mat.NewVecDense(n+len(free), nil)
		for i := range n {
			move := 0.0 // contribution of the unknowns held at a bound
			for j := range held {
				if held[j] {
					move += jacobian.At(i, j) * (y[j] - x[j]) / unknowns[j].Scale
				}
			}
			b.SetVec(i, -rootWeight(r[i])*r[i]-move)
		}
		for c, j := range free {
			norm := 0.0
			for i := range n {
				v := jacobian.At(i, j)
				a.Set(i, c, v)
				norm += v * v
			}
			a.Set(n+c, c, math.Sqrt(damping*norm+1e-12))
		}
		var d mat.VecDense
		if err := d.SolveVec(a, b); err != nil {
			return y // numerically singular: keep the step so far
		}
		worst, by := -1, 0.0
		for c, j := range free {
			want := x[j] + d.AtVec(c)*unknowns[j].Scale
			y[j] = unknowns[j].clamp(want)
			if over := math.Abs(want-y[j]) / unknowns[j].Scale; over > by {
				worst, by = j, over
			}
		}
		if worst < 0 {
			return y
		}
		held[worst] = true
	}
}

// clamp returns the value nearest to v within u's bounds.
func (u *unknown) clamp(v float64) float64 {
	v = math.Max(u.Least, v)
	if u.Most > 0 {
		v = math.Min(v, u.Most)
	}
	return v
}

// rootWeight returns √w, where w is the weight of a residual in the weighted least-squares
// problem: 1 up to outlier, beyond it outlier/|r| (Huber).
func rootWeight(r float64) float64 {
	if r = math.Abs(r); r > outlier {
		return math.Sqrt(outlier / r)
	}
	return 1
}

// robust is the sum of the residuals' losses: r² up to outlier, linear beyond it.
func robust(r []float64) float64 {
	sum := 0.0
	for _, x := range r {
		if x = math.Abs(x); x > outlier {
			sum += outlier * (2*x - outlier)
		} else {
			sum += x * x
		}
	}
	return sum
}

// linearLeastSquares does what leastSquares does, for residuals rows·x − rest: coordinate descent within
// the bounds, with weights from the previous residuals (iteratively reweighted least
// squares). The problem is convex, so its solution does not depend on the start.
func linearLeastSquares(unknowns []unknown, rows [][]float64, rest []float64) []float64 {
	x := make([]float64, len(unknowns))
	prior := make([]float64, len(unknowns)) // factor of x − Start in the row that keeps an unknown near its start
	for j, u := range unknowns {
		x[j] = u.clamp(u.Start)
		prior[j] = priorWeight / math.Max(u.Start, u.Scale)
	}
	r := make([]float64, len(rows))
	weights := make([]float64, len(rows))
	for range mostReweighted {
		for i, row := range rows {
			r[i] = -rest[i]
			for j, a := range row {
				r[i] += a * x[j]
			}
			weights[i] = rootWeight(r[i]) * rootWeight(r[i])
		}
		worst := 0.0
		for range mostSweeps {
			moved := 0.0
			for j, u := range unknowns {
				p := prior[j] * prior[j]
				slope, curve := p*(x[j]-u.Start), p
				for i, row := range rows {
					slope += weights[i] * row[j] * r[i]
					curve += weights[i] * row[j] * row[j]
				}
				to := u.clamp(x[j] - slope/curve)
				by := to - x[j]
				if by == 0 {
					continue
				}
				x[j] = to
				moved = math.Max(moved, math.Abs(by)*math.Sqrt(curve))
				for i, row := range rows {
					r[i] += by * row[j]
				}
			}
			worst = math.Max(worst, moved)
			if moved < 1e-7 {
				break
			}
		}
		if worst < 1e-6 {
			break
		}
	}
	return x
}

const (
	// mostReweighted bounds how often linearLeastSquares updates the weights.
	mostReweighted = 40
	// mostSweeps bounds the sweeps of coordinate descent for each update of the weights.
	mostSweeps = 3000
)
