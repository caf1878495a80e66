// Poisson solves -Δu = f on the unit square, with u = 0 at its edge, by successive
// over-relaxation, until the residual is small:
//
//	poisson [-n N] [-tolerance X] [-ranks N] [OUT.csv]
//
// Sweeps run in batches, many of them under way at once; after each batch the
// residual is computed. Here f is such that the solution is known,
// sin(πx) sin(2πy): the greatest error is printed, and OUT.csv gets a line x,y,u for
// each point within.
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

// run solves the problem whose solution is known, and says how well.
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

// A problem is the equation on a mesh of n x n points within the square.
type problem struct {
	n int
	f []float64 // times the square of the mesh width; n x n
	u []float64 // with the edge; (n+2) x (n+2)
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

// solve runs batches of sweeps until the residual is at most tolerance, and returns
// how many sweeps that took.
func (p *problem) solve(ctx context.Context, tolerance float64, ranks int) (sweeps int, err error) {
	// The best factor for this equation (Young 1954), and about as many sweeps in a
	// batch as divide the residual by ten with it.
	omega := 2 / (1 + math.Sin(math.Pi/float64(p.n+1)))
	batch := max(10, p.n/2)
	var o PoissonOptions
	o.Ranks = ranks
	for p.residual() > tolerance {
		if sweeps > 100*batch {
			return sweeps, fmt.Errorf("the residual is still %g after %d sweeps", p.residual(), sweeps)
		}
		a := &PoissonArrays{Omega: []float64{omega}, F: p.f, U: p.u}
		if _, err := RunPoisson(ctx, PoissonParams{T: batch, N: p.n}, a, o); err != nil {
			return sweeps, err
		}
		p.u = a.U
		sweeps += batch
	}
	return sweeps, nil
}

// residual returns the greatest |f + Δu| as a part of the greatest |f|.
func (p *problem) residual() float64 {
	row := p.n + 2
	worst, most := 0.0, 0.0
	for k, f := range p.f {
		at := (k/p.n+1)*row + k%p.n + 1
		r := f + p.u[at-row] + p.u[at-1] + p.u[at+row] + p.u[at+1] - 4*p.u[at]
		worst, most = max(worst, math.Abs(r)), max(most, math.Abs(f))
	}
	if worst == 0 {
		return 0
	}
	return worst / most
}

// deviation returns the greatest difference from a function.
func (p *problem) deviation(want func(x, y float64) float64) float64 {
	worst, h := 0.0, 1/float64(p.n+1)
	for k, u := range p.u {
		worst = max(worst, math.Abs(u-want(float64(k/(p.n+2))*h, float64(k%(p.n+2))*h)))
	}
	return worst
}

// writeCSV writes a line x,y,u for each point within.
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
