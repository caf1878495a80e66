package diffusion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"loopc/examples/exampletest"
)

// A grid is a square field of N x N cells and the boundary around them.
type grid struct {
	n     int // N
	cells []float64
}

func newGrid(n int, value func(i, j int) float64) grid {
	g := grid{n: n}
	for i := range n + 2 {
		for j := range n + 2 {
			g.cells = append(g.cells, value(i, j))
		}
	}
	return g
}

func (g grid) at(i, j int) float64 { return g.cells[i*(g.n+2)+j] }

// plain is the nest as one would write it in Go. The conversions keep products
// from being fused into sums.
func plain(g grid, steps int) grid {
	const c = 0.1
	for range steps {
		g = newGrid(g.n, func(i, j int) float64 {
			if i == 0 || j == 0 || i == g.n+1 || j == g.n+1 {
				return g.at(i, j)
			}
			return g.at(i, j) + float64(c*(g.at(i-1, j)+g.at(i+1, j)+g.at(i, j-1)+g.at(i, j+1)-float64(4*g.at(i, j))))
		})
	}
	return g
}

// diffuse runs the example on g.
func diffuse(l *exampletest.Loopc, g grid, steps int, flags []string) grid {
	shape := []int{g.n + 2, g.n + 2}
	exampletest.Write(l, "u0.npy", shape, g.cells)
	l.Run("diffusion/diffusion.loop", append(flags, "-p", fmt.Sprintf("T=%d,N=%d", steps, g.n), "--in", "u0=u0.npy", "--out", "u=u.npy")...)
	return grid{g.n, exampletest.Read[float64](l, "u.npy", shape...)}
}

// TestDiffusion compares with the plain loops, bit for bit, and with what is
// known of diffusion.
func TestDiffusion(t *testing.T) {
	l := exampletest.New(t)
	t.Run("plain", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		g := newGrid(40, func(int, int) float64 { return rng.NormFloat64() })
		want := plain(g, 25)
		for _, flags := range exampletest.Plans() {
			got := diffuse(l, g, 25, flags)
			exampletest.SameBits(l, "u", []int{g.n + 2, g.n + 2}, got.cells, want.cells)
		}
	})
	t.Run("mode", func(t *testing.T) { decays(t, l) })
	t.Run("spot", func(t *testing.T) { spreads(t, l) })
	l.Readme()
}

// decays checks that sin(p π i/(N+1)) sin(q π j/(N+1)) decays in every step by
// the factor 1 - 4c (sin²(p π/2(N+1)) + sin²(q π/2(N+1))).
func decays(t *testing.T, l *exampletest.Loopc) {
	const n, p, q, steps = 50, 2, 3, 60
	g := newGrid(n, func(i, j int) float64 {
		if i == 0 || j == 0 || i == n+1 || j == n+1 {
			return 0
		}
		return math.Sin(p*math.Pi*float64(i)/(n+1)) * math.Sin(q*math.Pi*float64(j)/(n+1))
	})
	half := func(m float64) float64 { return math.Pow(math.Sin(m*math.Pi/(2*(n+1))), 2) }
	factor := math.Pow(1-4*0.1*(half(p)+half(q)), steps)
	if factor > 0.9 {
		t.Fatalf("the mode hardly decays, to %v: this proves nothing", factor)
	}
	u := diffuse(l, g, steps, exampletest.Plans()[0])
	for i := range n + 2 {
		for j := range n + 2 {
			if want := factor * g.at(i, j); math.Abs(u.at(i, j)-want) > 1e-13 {
				t.Fatalf("u[%d, %d] is %v after %d steps, the mode %v", i, j, u.at(i, j), steps, want)
			}
		}
	}
}

// spreads checks a hot spot far from the boundary: its heat neither vanishes nor
// grows, no cell gets colder than the coldest or hotter than the hottest was, and
// heat moves by one cell a step.
func spreads(t *testing.T, l *exampletest.Loopc) {
	const n, mid, steps = 41, 21, 15
	g := newGrid(n, func(i, j int) float64 {
		if i == mid && j == mid {
			return 1
		}
		return 0
	})
	u := diffuse(l, g, steps, exampletest.Plans()[1])
	sum, warm := 0.0, 0
	for i := range n + 2 {
		for j := range n + 2 {
			x := u.at(i, j)
			sum += x
			far := max(i-mid, mid-i)+max(j-mid, mid-j) > steps
			switch {
			case x < 0 || x > 1:
				t.Errorf("u[%d, %d] is %v, but was between 0 and 1", i, j, x)
			case far && x != 0:
				t.Errorf("u[%d, %d] is %v after %d steps, so far away", i, j, x, steps)
			case !far && x == 0:
				t.Errorf("u[%d, %d] is still cold after %d steps", i, j, steps)
			case x != 0:
				warm++
			}
		}
	}
	if math.Abs(sum-1) > 1e-14 {
		t.Errorf("the heat was 1 and is %v", sum)
	}
	if want := 2*steps*(steps+1) + 1; warm != want {
		t.Errorf("%d cells are warm, want %d", warm, want)
	}
}
