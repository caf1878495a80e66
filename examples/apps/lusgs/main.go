// Lusgs computes how a substance is distributed in a box by wind and diffusion, until nothing
// changes any more: the steady state of convection and diffusion in three dimensions,
//
//	a·∇u - ν Δu = f,   u = 0 at the walls,
//
// with first-order upwind differences, by the LU-SGS scheme of Yoon and Jameson
// (1988): each iteration solves (D + L) D⁻¹ (D + U) x = r by a sweep from one corner
// of the box to the opposite one and a sweep back, and adds x to u.
//
//	lusgs [-n N] [-wind X,Y,Z] [-viscosity V] [-tolerance X] [-ranks N] [OUT.pgm]
//
// OUT.pgm is a picture of the middle slice.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
)

//go:generate loopc compile forward.loop
//go:generate loopc compile backward.loop

func main() {
	log.SetFlags(0)
	log.SetPrefix("lusgs: ")
	n := flag.Int("n", 30, "points within, along each side")
	text := flag.String("wind", "1,0.5,-0.25", "velocity of the wind")
	viscosity := flag.Float64("viscosity", 0.02, "how fast the substance spreads")
	tolerance := flag.Float64("tolerance", 1e-8, "greatest residual with which to stop, as a part of the first one")
	ranks := flag.Int("ranks", 1, "ranks that share the work")
	flag.Parse()
	var wind [3]float64
	if _, err := fmt.Sscanf(*text, "%g,%g,%g", &wind[0], &wind[1], &wind[2]); err != nil || flag.NArg() > 1 || *n < 1 {
		log.Fatal("usage: lusgs [-n N] [-wind X,Y,Z] [-viscosity V] [-tolerance X] [-ranks N] [OUT.pgm]")
	}
	b := newBox(*n, *n, *n, wind, *viscosity)
	b.puff()
	iterations, err := b.solve(context.Background(), *tolerance, *ranks)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d points: %d iterations, greatest concentration %.6f\n", len(b.f), iterations, b.greatest())
	if flag.NArg() == 1 {
		if err := os.WriteFile(flag.Arg(0), b.slice(), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// A box is the equation on a mesh. The equation of a cell is
//
//	center·u = Σ low[d]·u(one below along d) + Σ high[d]·u(one above) + f.
type box struct {
	size      [3]int // inner points
	low, high [3]float64
	center    float64
	f         []float64 // of the inner points
	u         []float64 // of all points, walls included
}

// newBox returns a box without a source, of a mesh whose longest side is 1.
func newBox(l, m, n int, wind [3]float64, viscosity float64) *box {
	b := &box{size: [3]int{l, m, n}, f: make([]float64, l*m*n), u: make([]float64, (l+2)*(m+2)*(n+2))}
	h := 1 / float64(max(l, m, n)+1)
	for d, a := range wind {
		b.low[d] = viscosity/(h*h) + max(a, 0)/h
		b.high[d] = viscosity/(h*h) + max(-a, 0)/h
		b.center += b.low[d] + b.high[d]
	}
	return b
}

// at returns the index in u of point i, j, k; 0 and size+1 are walls.
func (b *box) at(i, j, k int) int { return (i*(b.size[1]+2)+j)*(b.size[2]+2) + k }

// points calls do for each inner point, with its indices in f and u.
func (b *box) points(do func(k, at int)) {
	k := 0
	for x := 1; x <= b.size[0]; x++ {
		for y := 1; y <= b.size[1]; y++ {
			for z := 1; z <= b.size[2]; z++ {
				do(k, b.at(x, y, z))
				k++
			}
		}
	}
}

// puff puts a source near the first corner.
func (b *box) puff() {
	b.points(func(k, at int) {
		z := at % (b.size[2] + 2)
		y := at / (b.size[2] + 2) % (b.size[1] + 2)
		x := at / (b.size[2] + 2) / (b.size[1] + 2)
		if 4*x <= b.size[0]+3 && 4*y <= b.size[1]+3 && 4*z <= 3*b.size[2] && 4*z > b.size[2] {
			b.f[k] = 1
		}
	})
}

// residual returns, for each inner point, the error in its equation, and the greatest of these.
func (b *box) residual() (r []float64, worst float64) {
	r = make([]float64, len(b.f))
	steps := [3]int{b.at(1, 0, 0), b.at(0, 1, 0), b.at(0, 0, 1)}
	b.points(func(k, at int) {
		sum := b.f[k] - b.center*b.u[at]
		for d, s := range steps {
			sum += b.low[d]*b.u[at-s] + b.high[d]*b.u[at+s]
		}
		r[k] = sum
		worst = max(worst, math.Abs(sum))
	})
	return r, worst
}

// correct returns x with (D + L) D⁻¹ (D + U) x = r, walls included.
func (b *box) correct(ctx context.Context, r []float64, ranks int) ([]float64, error) {
	var o ForwardOptions
	o.Ranks = ranks
	forward := &ForwardArrays{Lo: append(b.low[:3:3], b.center), R: r}
	if _, err := RunForward(ctx, ForwardParams{L: b.size[0], M: b.size[1], N: b.size[2]}, forward, o); err != nil {
		return nil, err
	}
	backward := &BackwardArrays{Hi: append(b.high[:3:3], b.center), D: forward.D}
	_, err := RunBackward(ctx, BackwardParams{L: b.size[0], M: b.size[1], N: b.size[2]}, backward, BackwardOptions(o))
	return backward.D, err
}

// solve iterates until the residual is at most tolerance times the first one, and
// returns how many iterations that took.
func (b *box) solve(ctx context.Context, tolerance float64, ranks int) (iterations int, err error) {
	r, first := b.residual()
	for worst := first; worst > tolerance*first; iterations++ {
		if iterations == 1000 {
			return iterations, fmt.Errorf("the residual is still %g of the first one", worst/first)
		}
		x, err := b.correct(ctx, r, ranks)
		if err != nil {
			return iterations, err
		}
		for k := range b.u {
			b.u[k] += x[k]
		}
		r, worst = b.residual()
	}
	return iterations, nil
}

// greatest returns the greatest concentration.
func (b *box) greatest() float64 {
	most := 0.0
	for _, u := range b.u {
		most = max(most, u)
	}
	return most
}

// slice returns the middle slice as a PGM picture.
func (b *box) slice() []byte {
	picture := fmt.Appendf(nil, "P5\n%d %d\n255\n", b.size[1], b.size[0])
	most := b.greatest()
	for i := 1; i <= b.size[0]; i++ {
		for j := 1; j <= b.size[1]; j++ {
			picture = append(picture, uint8(255*max(0, b.u[b.at(i, j, b.size[2]/2+1)]/most)))
		}
	}
	return picture
}
