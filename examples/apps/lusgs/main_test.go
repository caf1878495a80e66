package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sweeps is the correction as one would write it in Go. The conversions keep
// products from being fused into sums.
func sweeps(b *box, r []float64) []float64 {
	x := make([]float64, len(b.u))
	for i := 1; i <= b.size[0]; i++ {
		for j := 1; j <= b.size[1]; j++ {
			for k := 1; k <= b.size[2]; k++ {
				sum := r[((i-1)*b.size[1]+j-1)*b.size[2]+k-1] + float64(b.low[0]*x[b.at(i-1, j, k)])
				sum = sum + float64(b.low[1]*x[b.at(i, j-1, k)]) + float64(b.low[2]*x[b.at(i, j, k-1)])
				x[b.at(i, j, k)] = sum / b.center
			}
		}
	}
	for i := b.size[0]; i >= 1; i-- {
		for j := b.size[1]; j >= 1; j-- {
			for k := b.size[2]; k >= 1; k-- {
				sum := float64(b.high[0]*x[b.at(i+1, j, k)]) + float64(b.high[1]*x[b.at(i, j+1, k)]) + float64(b.high[2]*x[b.at(i, j, k+1)])
				x[b.at(i, j, k)] += sum / b.center
			}
		}
	}
	return x
}

// winds blow into octants that differ.
var winds = [][3]float64{{1, 0.5, -0.25}, {-1, 2, 0.5}, {-0.3, -0.2, -1}, {0, 0, 0}}

// TestSweeps compares both sweeps with the plain loops, bit for bit, in boxes whose
// sides differ.
func TestSweeps(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for n, wind := range winds {
		b := newBox(5+n, 12-n, 7+3*n, wind, 0.02)
		r := make([]float64, len(b.f))
		for k := range r {
			r[k] = rng.NormFloat64()
		}
		got, err := b.correct(t.Context(), r, 1+n)
		if err != nil {
			t.Fatal(err)
		}
		if want := sweeps(b, r); !slices.Equal(got, want) {
			t.Errorf("wind %v: the sweeps differ from the plain loops", wind)
		}
	}
}

// TestSolve compares the limit of the iteration with a known solution: f is computed
// from a random u.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, wind := range winds {
		b := newBox(9, 8, 7, wind, 0.02)
		want := make([]float64, len(b.u))
		b.points(func(_, at int) { want[at] = rng.Float64() })
		b.u = want
		f, _ := b.residual()
		for k := range f {
			b.f[k] = -f[k]
		}
		b.u = make([]float64, len(want))
		iterations, err := b.solve(t.Context(), 1e-12, 2)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want {
			if math.Abs(b.u[k]-want[k]) > 1e-9 {
				t.Fatalf("wind %v: cell %d is %v after %d iterations, want %v", wind, k, b.u[k], iterations, want[k])
			}
		}
	}
}

// TestWind checks that the wind blows the puff along.
func TestWind(t *testing.T) {
	b := newBox(16, 16, 16, [3]float64{1, 0, 0}, 0.02)
	b.puff()
	if _, err := b.solve(t.Context(), 1e-8, 2); err != nil {
		t.Fatal(err)
	}
	if with, across := b.u[b.at(12, 2, 8)], b.u[b.at(2, 12, 8)]; !(with > 5*across) || across <= 0 {
		t.Errorf("downwind it is %g, across %g", with, across)
	}
	if picture := b.slice(); !bytes.HasPrefix(picture, []byte("P5\n16 16\n255\n")) || len(picture) != 13+16*16 || slices.Max(picture[13:]) < 200 {
		t.Errorf("the picture is %q", picture)
	}
}
