package adi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"loopc/examples/exampletest"
)

// A state is the two fields that the nest computes, of (N+1) x (N+1) cells.
type state struct {
	n    int // N
	X, B []float32
}

// initial is the state before the first step. The conversions keep products from
// being fused into sums.
func initial(n int) state {
	s := state{n: n}
	for i := range n + 1 {
		for j := range n + 1 {
			s.X = append(s.X, 1+float32(0.001*float32(i))-float32(0.0007*float32(j)))
			s.B = append(s.B, 2+float32(0.0003*float32(i))+float32(0.0001*float32(j)))
		}
	}
	return s
}

// plain is the nest as one would write it in Go; A has N x N cells.
func plain(A []float32, n, steps int) state {
	s := initial(n)
	for range steps {
		next := initial(n)
		for i := 1; i <= n; i++ {
			for j := 1; j <= n; j++ {
				a := A[(i-1)*n+j-1]
				at := i*(n+1) + j
				left, up := at-1, at-(n+1)
				next.X[at] = s.X[at] + s.X[left]*a/s.B[left] - s.X[up]*a/s.B[up]
				next.B[at] = s.B[at] - a*a/s.B[left] - a*a/s.B[up]
			}
		}
		s = next
	}
	return s
}

// integrate runs the example on A.
func integrate(l *exampletest.Loopc, A []float32, n, steps int, flags []string) state {
	exampletest.Write(l, "A.npy", []int{n, n}, A)
	l.Run("adi/adi.loop", append(flags, "-p", fmt.Sprintf("T=%d,N=%d", steps, n), "--in", "A=A.npy", "--out", "X=X.npy,B=B.npy")...)
	return state{n, exampletest.Read[float32](l, "X.npy", n+1, n+1), exampletest.Read[float32](l, "B.npy", n+1, n+1)}
}

// TestADI compares with the plain loops, bit for bit, and with what the
// equations say of small and of vanishing coefficients.
func TestADI(t *testing.T) {
	l := exampletest.New(t)
	t.Run("plain", func(t *testing.T) {
		const n, steps = 45, 20
		rng := rand.New(rand.NewPCG(5, 6))
		A := make([]float32, n*n)
		for k := range A {
			A[k] = 0.3 * rng.Float32()
			if k%7 == 0 {
				A[k] = 0
			}
		}
		want, before := plain(A, n, steps), initial(n)
		for _, flags := range exampletest.Plans() {
			got := integrate(l, A, n, steps, flags)
			shape := []int{n + 1, n + 1}
			exampletest.SameBits(l, "X", shape, got.X, want.X)
			exampletest.SameBits(l, "B", shape, got.B, want.B)
			// Where the coefficient is 0 nothing happens, whatever is around.
			for k, a := range A {
				at := (k/n+1)*(n+1) + k%n + 1
				still := got.X[at] == before.X[at] && got.B[at] == before.B[at]
				if still != (a == 0) {
					t.Fatalf("cell %d changed: %t, but its coefficient is %v", at, !still, a)
				}
			}
		}
	})
	t.Run("constant", func(t *testing.T) { follows(t, l) })
	l.Readme()
}

// follows checks B for one small coefficient a everywhere. Far from the edges B
// is nearly the same in neighboring cells, and a step is one of Euler's for
//
//	dB/dt = -2 a²/B,   that is   B(t)² = B(0)² - 4 a² t
func follows(t *testing.T, l *exampletest.Loopc) {
	const n, steps, a = 120, 100, 0.05
	A := make([]float32, n*n)
	for k := range A {
		A[k] = a
	}
	got, before := integrate(l, A, n, steps, exampletest.Plans()[0]), initial(n)
	at := (n+1)*(n+1) - 1 // no news of the edges comes so far in these steps
	start, end := float64(before.B[at]), float64(got.B[at])
	want := math.Sqrt(start*start - 4*a*a*steps)
	if fell := start - want; math.Abs(end-want) > 0.01*fell || fell < 0.2 {
		t.Errorf("B falls from %v to %v, want %v", start, end, want)
	}
}
