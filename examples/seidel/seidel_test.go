package seidel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/examples/exampletest"
)

// relax is the nest as one would write it in Go: sweeps over the N x N cells
// within u, in place. With omega 1 it does what seidel.loop says, else what
// sor.loop says. The conversion keeps a product from being fused into a sum.
func relax(u []float64, n, sweeps int, omega float64) {
	row := n + 2
	for range sweeps {
		for i := 1; i <= n; i++ {
			for j := 1; j <= n; j++ {
				at := i*row + j
				mean := float64(0.25 * (u[at-row] + u[at-1] + u[at+row] + u[at+1]))
				if omega == 1 {
					u[at] = mean
				} else {
					u[at] += float64(omega * (mean - u[at]))
				}
			}
		}
	}
}

// solve runs a nest on u, which stays as it is.
func solve(l *exampletest.Loopc, nest string, u []float64, n, sweeps int, flags []string) []float64 {
	shape := []int{n + 2, n + 2}
	exampletest.Write(l, "u.npy", shape, u)
	l.Run("seidel/"+nest, append(flags, "-p", fmt.Sprintf("T=%d,N=%d", sweeps, n), "--in", "u=u.npy", "--out", "u=solved.npy")...)
	return exampletest.Read[float64](l, "solved.npy", shape...)
}

// nests are the nests here and their factors of over-relaxation.
var nests = []struct {
	file  string
	omega float64
}{{"seidel.loop", 1}, {"sor.loop", 1.9}}

// harmonic is a function that is the mean of its four neighbors everywhere, so
// that it solves the equations in a box of which it is the boundary.
func harmonic(i, j int) float64 {
	x, y := float64(i), float64(j)
	return (x*x - y*y + 3*x*y - x) / 100
}

// disturbed is the harmonic function at the boundary, and noise within it.
func disturbed(n int) []float64 {
	rng := rand.New(rand.NewPCG(4, uint64(n)))
	u := make([]float64, 0, (n+2)*(n+2))
	for i := range n + 2 {
		for j := range n + 2 {
			x := harmonic(i, j)
			if i > 0 && j > 0 && i <= n && j <= n {
				x += rng.Float64()
			}
			u = append(u, x)
		}
	}
	return u
}

// distance is the greatest difference of a cell from the harmonic function.
func distance(u []float64, n int) float64 {
	most := 0.0
	for i := range n + 2 {
		for j := range n + 2 {
			most = max(most, math.Abs(u[i*(n+2)+j]-harmonic(i, j)))
		}
	}
	return most
}

// TestSeidel compares with the plain loops, bit for bit, and with the solution.
func TestSeidel(t *testing.T) {
	l := exampletest.New(t)
	for _, nest := range nests {
		t.Run(nest.file, func(t *testing.T) {
			const n, sweeps = 37, 20
			u := disturbed(n)
			want := slices.Clone(u)
			relax(want, n, sweeps, nest.omega)
			for _, flags := range exampletest.Plans() {
				got := solve(l, nest.file, u, n, sweeps, flags)
				exampletest.SameBits(l, "u", []int{n + 2, n + 2}, got, want)
			}
		})
	}
	t.Run("solution", func(t *testing.T) { converges(t, l) })
	l.Readme()
}

// converges checks that both nests reach the solution, and as fast as theory
// says: the error falls in every sweep by cos²(π/(N+1)) with Gauss-Seidel, and by
// ω-1 with SOR where ω is at least 2/(1 + sin(π/(N+1))) [young54].
//
// References:
//
//	[young54]  David Young. Iterative methods for solving partial difference
//	           equations of elliptic type. Transactions of the AMS, 1954.
func converges(t *testing.T, l *exampletest.Loopc) {
	const n = 30
	angle := math.Pi / (n + 1)
	if best := 2 / (1 + math.Sin(angle)); best > 1.9 {
		t.Fatalf("1.9 is less than the best factor, %v", best)
	}
	seidel := math.Pow(math.Cos(angle), 2)
	u := disturbed(n)
	for k, c := range []struct {
		rate, near       float64
		early, late, end int // sweeps
		within           float64
	}{
		{seidel, 1e-4, 300, 400, 1000, 10 * math.Pow(seidel, 1000)},
		// All eigenvalues have the same size here, none wins: less can be said
		// of the rate. In the end there is only rounding.
		{1.9 - 1, 1e-2, 100, 200, 400, 1e-12},
	} {
		file := nests[k].file
		at := func(sweeps int) float64 {
			return distance(solve(l, file, u, n, sweeps, exampletest.Plans()[0]), n)
		}
		rate := math.Pow(at(c.late)/at(c.early), 1/float64(c.late-c.early))
		if math.Abs(rate-c.rate) > c.near {
			t.Errorf("%s: the error falls by %v a sweep, want %v", file, rate, c.rate)
		}
		if d := at(c.end); d > c.within {
			t.Errorf("%s: after %d sweeps the error is %v, want at most %v", file, c.end, d, c.within)
		}
	}
}
