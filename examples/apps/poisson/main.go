// Poisson solves -Δu = f on the unit square, with u = 0 at its edge, by successive
// over-relaxation, until the residual is small:
//
//	poisson [-n N] [-tolerance X] [-ranks N] [OUT.csv]
//
// The test for convergence is in poisson.loop: sweeps run in batches until the residual after a
// batch is small, and many sweeps of a batch run at the same time. Here f belongs to the known
// solution sin(πx) sin(2πy): the program prints the greatest error, and OUT.csv has a line x,y,u
// for each inner point.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
)

//go:generate loopc compile poisson.loop

func main() {
	log.SetFlags(0)
	log.SetPrefix("poisson: ")
	n := flag.Int("n", 100, "points within, along each side")
	tolerance := flag.Float64("tolerance", 1e-8, "greatest residual, as a part of the greatest |f|, with which to stop")
	ranks := flag.Int("ranks", 1, "ranks that share the work")
	flag.Parse()
	if flag.NArg() > 1 || *n < 1 {
		log.Fatal("usage: poisson [-n N] [-tolerance X] [-ranks N] [OUT.csv]")
	}
	if err := run(*n, *tolerance, *ranks, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// run solves the problem with the known solution, and prints the error.
func run(n int, tolerance float64, ranks int, out string) error {
	p := newProblem(n, source)
	sweeps, err := p.solve(context.Background(), tolerance, ranks)
	if err != nil {
		return err
	}
	fmt.Printf("%d x %d points: %d sweeps, residual %.1e, error %.2e\n", n, n, sweeps, p.residual(), p.deviation(solution))
	if out == "" {
		return nil
	}
	return p.writeCSV(out)
}

// solution and source are the known solution and its f.
func solution(x, y float64) float64 { return math.Sin(math.Pi*x) * math.Sin(2*math.Pi*y) }
func source(x, y float64) float64   { return 5 * math.Pi * math.Pi * solution(x, y) }

// A problem is the equation on a mesh of n x n inner points of the square.
type problem struct {
	n int
	f []float64 // times the square of the mesh width; n x n
	u []float64 // with the edge; (n+2) x (n+2)
	// reached is the residual at the end of the last run, as the run reports it.
	reached float64
}

// newProblem returns the problem with u = 0.
func newProblem(n int, f func(x, y float64) float64) *problem {
	p := &problem{n: n, u: make([]float64, (n+2)*(n+2))}
	h := 1 / float64(n+1)
	for i := 1; i <= n; i++ {
		for j := 1; j <= n; j++ {
			p.f = append(p.f, h*h*f(float64(i)*h, float64(j)*h))
		}
	}
	return p
}

// solve sweeps until the residual is at most tolerance, and returns how many sweeps
// that took.
func (p *problem) solve(ctx context.Context, tolerance float64, ranks int) (sweeps int, err error) {
	// The best factor for this equation (Young 1954). With this factor, a batch of n/2 sweeps
	// divides the residual by about ten.
	omega := 2 / (1 + math.Sin(math.Pi/float64(p.n+1)))
	params := PoissonParams{T: 100, S: max(10, p.n/2), N: p.n}
	unit := tolerance * p.most() // the residual at which to stop
	if unit == 0 {
		unit = math.SmallestNonzeroFloat32
	}
	var o PoissonOptions
	o.Ranks = ranks
	a := &PoissonArrays{Omega: []float64{omega}, Scale: []float64{1 / unit}, F: p.f, U: p.u}
	sum, err := RunPoisson(ctx, params, a, o)
	if err != nil {
		return 0, err
	}
	p.u, p.reached = a.U, a.Residual*tolerance
	sweeps = sum.Repeats[0] * params.S
	if a.Residual > 1 {
		return sweeps, fmt.Errorf("the residual is still %g after %d sweeps", p.reached, sweeps)
	}
	return sweeps, nil
}

// most returns the greatest |f|, times the square of the mesh width.
func (p *problem) most() (most float64) {
	for _, f := range p.f {
		most = max(most, math.Abs(f))
	}
	return most
}

// residual returns the greatest |f + Δu|, divided by the greatest |f|.
func (p *problem) residual() float64 {
	row := p.n + 2
	worst := 0.0
	for k, f := range p.f {
		at := (k/p.n+1)*row + k%p.n + 1
		r := f + p.u[at-row] + p.u[at-1] + p.u[at+row] + p.u[at+1] - 4*p.u[at]
		worst = max(worst, math.Abs(r))
	}
	if worst == 0 {
		return 0
	}
	return worst / p.most()
}

// deviation returns the greatest difference from a function.
func (p *problem) deviation(want func(x, y float64) float64) float64 {
	worst, h := 0.0, 1/float64(p.n+1)
	for k, u := range p.u {
		worst = max(worst, math.Abs(u-want(float64(k/(p.n+2))*h, float64(k%(p.n+2))*h)))
	}
	return worst
}

// writeCSV writes a line x,y,u for each inner point.
func (p *problem) writeCSV(name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	fmt.Fprintln(w, "x,y,u")
	h := 1 / float64(p.n+1)
	for i := 1; i <= p.n; i++ {
		for j := 1; j <= p.n; j++ {
			fmt.Fprintf(w, "%g,%g,%g\n", float64(i)*h, float64(j)*h, p.u[i*(p.n+2)+j])
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
