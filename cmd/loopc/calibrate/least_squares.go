package calibrate

import (
	"math"
	"slices"

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
	// mostIterations bounds the iterations of leastSquares, mostDampings the dampings that one
	// iteration tries.
	mostIterations = 60
	mostDampings   = 8
	// mostReweighted bounds how often linearLeastSquares updates the weights.
	mostReweighted = 40
	// mostSweeps bounds the sweeps of coordinate descent for each update of the weights.
	mostSweeps = 3000
	// outlier is the residual, relative to a measurement, beyond which the loss grows
	// linearly instead of quadratically (Huber), because some runs are disturbed.
	outlier = 0.05
	// priorWeight is the weight of the rows that keep unknowns near their start values: it is the
	// residual of such a row if the unknown is off by its start value, or by its scale if that is greater.
	priorWeight = 0.004
)

// prior is the factor of x − Start in the row that keeps an unknown x near its start if the
// samples say little about it.
func (u *unknown) prior() float64 { return priorWeight / math.Max(u.Start, u.Scale) }

// withPriors returns a function that writes the n given residuals, then a residual per unknown: its prior.
func withPriors(unknowns []unknown, n int, residuals func(x, out []float64)) func(x, out []float64) {
	return func(x, out []float64) {
		residuals(x, out[:n])
		for j, u := range unknowns {
			out[n+j] = u.prior() * (x[j] - u.Start)
		}
	}
}

// leastSquares returns the values of the unknowns for which the sum of the losses of n residuals
// (see outlier) is least: the method of Levenberg and Marquardt, with derivatives by
// differences. An unknown that would leave its bounds is held at the bound while the others
// are solved again. The function residuals writes (predicted − measured)/measured, for the
// unknowns x, to out.
func leastSquares(unknowns []unknown, n int, residuals func(x, out []float64)) []float64 {
	residuals = withPriors(unknowns, n, residuals)
	n += len(unknowns)
	x := make([]float64, len(unknowns))
	for j, u := range unknowns {
		x[j] = u.clamp(u.Start)
	}
	r, next := make([]float64, n), make([]float64, n)
	residuals(x, r)
	best := robust(r)
	damping := 1e-3
	jacobian := mat.NewDense(n, len(unknowns), nil)
	for range mostIterations {
		differentiate(unknowns, x, r, residuals, jacobian)
		improved := false
		for range mostDampings {
			y := step(unknowns, x, r, jacobian, damping)
			residuals(y, next)
			if cost := robust(next); cost < best {
				improved = best-cost > 1e-7*best
				best, x = cost, y
				copy(r, next)
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

// differentiate sets jacobian to the derivatives of the weighted residuals at x, per scale of each unknown.
// r are the residuals at x, without weights. Differences are forward, or backward at an upper bound.
func differentiate(unknowns []unknown, x, r []float64, residuals func(x, out []float64), jacobian *mat.Dense) {
	moved := make([]float64, len(r))
	for j, u := range unknowns {
		h := math.Max(u.Scale*0.05, x[j]*1e-4)
		y := slices.Clone(x)
		if y[j] += h; u.clamp(y[j]) != y[j] {
			y[j], h = x[j]-h, -h
		}
		residuals(y, moved)
		for i := range r {
			jacobian.Set(i, j, rootWeight(r[i])*(moved[i]-r[i])/h*u.Scale)
		}
	}
}

// step solves the damped linear least-squares problem around x, whose residuals are r, and
// returns the new x. Unknowns that would cross a bound are held there, one after the other.
func step(unknowns []unknown, x, r []float64, jacobian *mat.Dense, damping float64) []float64 {
	free := make([]int, len(unknowns))
	for j := range free {
		free[j] = j
	}
	held := make([]float64, len(unknowns)) // of unknowns that are held at a bound: how far they move, in units of their scales
	y := slices.Clone(x)
	for len(free) > 0 {
		moves, err := solveDamped(jacobian, r, free, held, damping)
		if err != nil {
			return y // numerically singular: keep the step so far
		}
		farthest, excess := -1, 0.0
		for c, j := range free {
			u := &unknowns[j]
			want := x[j] + moves.AtVec(c)*u.Scale
			y[j] = u.clamp(want)
			if over := math.Abs(want-y[j]) / u.Scale; over > excess {
				farthest, excess = c, over
			}
		}
		if farthest < 0 {
			return y
		}
		j := free[farthest]
		held[j] = (y[j] - x[j]) / unknowns[j].Scale
		free = slices.Delete(free, farthest, farthest+1)
	}
	return y
}

// solveDamped returns the moves of the free unknowns, in units of their scales, for which the
// weighted residuals are least, given the moves of the held ones. A row below the jacobian keeps the
// move of each free unknown small: its entry grows with damping and with the unknown's effect on residuals.
func solveDamped(jacobian *mat.Dense, r []float64, free []int, held []float64, damping float64) (moves mat.VecDense, err error) {
	n, _ := jacobian.Dims()
	a := mat.NewDense(n+len(free), len(free), nil)
	b := mat.NewVecDense(n+len(free), nil)
	for i := range n {
		byHeld := 0.0
		for j, move := range held {
			byHeld += jacobian.At(i, j) * move
		}
		b.SetVec(i, -rootWeight(r[i])*r[i]-byHeld)
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
	err = moves.SolveVec(a, b)
	return moves, err
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
	d := &descent{unknowns: unknowns, rows: rows, rest: rest}
	d.x, d.r, d.weights = make([]float64, len(unknowns)), make([]float64, len(rows)), make([]float64, len(rows))
	for j, u := range unknowns {
		d.x[j] = u.clamp(u.Start)
	}
	for range mostReweighted {
		d.reweigh()
		farthest := 0.0
		for range mostSweeps {
			moved := d.sweep()
			farthest = math.Max(farthest, moved)
			if moved < 1e-7 {
				break
			}
		}
		if farthest < 1e-6 {
			break
		}
	}
	return d.x
}

// A descent is the state of a coordinate descent.
type descent struct {
	unknowns []unknown
	rows     [][]float64
	rest     []float64
	x        []float64
	r        []float64 // residuals of x
	weights  []float64 // of the residuals
}

// reweigh computes the residuals of x, and their weights anew.
func (d *descent) reweigh() {
	for i, row := range d.rows {
		d.r[i] = -d.rest[i]
		for j, a := range row {
			d.r[i] += a * d.x[j]
		}
		d.weights[i] = rootWeight(d.r[i]) * rootWeight(d.r[i])
	}
}

// sweep minimizes over one unknown after another. It returns the greatest product of a move and
// the root of the curvature, which has no unit, so that moves of all unknowns can be compared.
func (d *descent) sweep() (moved float64) {
	for j, u := range d.unknowns {
		prior := u.prior() * u.prior()
		slope, curve := prior*(d.x[j]-u.Start), prior
		for i, row := range d.rows {
			slope += d.weights[i] * row[j] * d.r[i]
			curve += d.weights[i] * row[j] * row[j]
		}
		to := u.clamp(d.x[j] - slope/curve)
		by := to - d.x[j]
		if by == 0 {
			continue
		}
		d.x[j] = to
		moved = math.Max(moved, math.Abs(by)*math.Sqrt(curve))
		for i, row := range d.rows {
			d.r[i] += by * row[j]
		}
	}
	return moved
}
