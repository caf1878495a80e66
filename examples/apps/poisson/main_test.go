package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestOrder checks that the error falls with the square of the mesh width, and is
// what theory says: the five-point scheme solves for the mode sin(πx) sin(2πy) with
// the eigenvalue (4/h²)(sin²(πh/2) + sin²(πh)) in place of 5π².
func TestOrder(t *testing.T) {
	var errors []float64
	for k, n := range []int{15, 31, 63} {
		p := newProblem(n, source)
		sweeps, err := p.solve(t.Context(), 1e-10, k+1)
		if err != nil {
			t.Fatal(err)
		}
		// Gauss-Seidel needs of the order of n² sweeps, over-relaxation of n.
		if sweeps > 12*n {
			t.Errorf("n = %d: %d sweeps", n, sweeps)
		}
		if own := p.residual(); own > 1.001e-10 || math.Abs(p.reached/own-1) > 1e-9 {
			t.Errorf("n = %d: the run ended with a residual of %g, it is %g", n, p.reached, own)
		}
		h := 1 / float64(n+1)
		square := func(x float64) float64 { return math.Sin(x) * math.Sin(x) }
		value := 4 / (h * h) * (square(math.Pi*h/2) + square(math.Pi*h))
		factor := 5 * math.Pi * math.Pi / value
		if d := p.deviation(func(x, y float64) float64 { return factor * solution(x, y) }); d > 1e-8 {
			t.Errorf("n = %d: %g from the solution of the scheme", n, d)
		}
		errors = append(errors, p.deviation(solution))
	}
	for k := 1; k < len(errors); k++ {
		if ratio := errors[k-1] / errors[k]; ratio < 3.9 || ratio > 4.1 {
			t.Errorf("half the mesh width divides the error by %v: %v", ratio, errors)
		}
	}
}

// TestGivesUp requires an error if the residual does not become small.
func TestGivesUp(t *testing.T) {
	p := newProblem(9, source)
	if sweeps, err := p.solve(t.Context(), 1e-30, 2); err == nil || sweeps != 100*10 {
		t.Errorf("%d sweeps, error %v", sweeps, err)
	}
}

// TestSweeps compares a batch with the plain loops, bit for bit.
func TestSweeps(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n, sweeps, omega = 23, 9, 1.7
	p := newProblem(n, func(x, y float64) float64 { return rng.NormFloat64() })
	for k := range p.u {
		p.u[k] = rng.NormFloat64()
	}
	want := slices.Clone(p.u)
	for range sweeps {
		for i := 1; i <= n; i++ {
			for j := 1; j <= n; j++ {
				at := i*(n+2) + j
				mean := float64(0.25 * (want[at-n-2] + want[at-1] + want[at+n+2] + want[at+1] + p.f[(i-1)*n+j-1]))
				want[at] += float64(omega * (mean - want[at]))
			}
		}
	}
	a := &PoissonArrays{Omega: []float64{omega}, Scale: []float64{0}, F: p.f, U: p.u} // by which any residual is small
	var o PoissonOptions
	o.Ranks = 3
	if _, err := RunPoisson(t.Context(), PoissonParams{T: 5, S: sweeps, N: n}, a, o); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.U, want) {
		t.Error("the sweeps differ from the plain loops")
	}
}

// TestCSV counts the lines of what is written.
func TestCSV(t *testing.T) {
	name := filepath.Join(t.TempDir(), "u.csv")
	if err := run(9, 1e-6, 1, name); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if lines := bytes.Count(text, []byte("\n")); err != nil || lines != 82 || !bytes.HasPrefix(text, []byte("x,y,u\n0.1,0.1,0.18")) {
		t.Errorf("%d lines, error %v:\n%.100s", lines, err, text)
	}
}
