package pipeline

import (
	"math"
	"testing"

	"loopc/examples/exampletest"
)

const X, Y, Z = 12, 9, 400

// start is the value of a cell before the nest runs. The conversions keep the
// products from being fused into the sums.
func start(i, j, k int) float32 {
	return 1 + float32(0.01*float32(i)) - float32(0.002*float32(j)) + float32(0.0001*float32(k))
}

// flat is the position of a cell in C order.
func flat(i, j, k int) int { return (i*(Y+1)+j)*(Z+1) + k }

// plain is the nest as one would write it in Go.
func plain() []float32 {
	A := make([]float32, (X+1)*(Y+1)*(Z+1))
	for i := 0; i <= X; i++ {
		for j := 0; j <= Y; j++ {
			for k := 0; k <= Z; k++ {
				A[flat(i, j, k)] = start(i, j, k)
				if i > 0 && j > 0 && k > 0 {
					A[flat(i, j, k)] = float32(0.3*A[flat(i-1, j, k)]) + float32(0.3*A[flat(i, j-1, k)]) + float32(0.4*A[flat(i, j, k-1)])
				}
			}
		}
	}
	return A
}

// walk returns what A[i,j,k] is by another road. The weights 0.3, 0.3 and 0.4
// sum to 1: they are the chances of a walk that steps down along i, j or k until
// it meets a face of the box, and A[i,j,k] is the mean of the initial values
// where it does. A walk ends in (0, j-b, k-c) after i steps along i, the last of
// all among them, b along j and c along k, so the chance of that is
//
//	(i-1+b+c)! / ((i-1)! b! c!) · 0.3^i · 0.3^b · 0.4^c
//
// and alike for the other faces. Chance is the sum of all chances.
func walk(i, j, k int) (mean, chance float64) {
	end := func(last int, steps [3]int, value float32) {
		n, log := -1.0, 0.0
		for d, s := range steps {
			n += float64(s)
			log += float64(s) * math.Log([]float64{0.3, 0.3, 0.4}[d])
			if d == last {
				s--
			}
			f, _ := math.Lgamma(float64(s) + 1)
			log -= f
		}
		f, _ := math.Lgamma(n + 1)
		p := math.Exp(log + f)
		mean += p * float64(value)
		chance += p
	}
	for b := range j {
		for c := range k {
			end(0, [3]int{i, b, c}, start(0, j-b, k-c))
		}
	}
	for a := range i {
		for c := range k {
			end(1, [3]int{a, j, c}, start(i-a, 0, k-c))
		}
	}
	for a := range i {
		for b := range j {
			end(2, [3]int{a, b, k}, start(i-a, j-b, 0))
		}
	}
	return mean, chance
}

// TestPipeline compares with the plain loops, bit for bit, and with the walk up
// to the rounding of float32.
func TestPipeline(t *testing.T) {
	l := exampletest.New(t)
	want := plain()
	for _, flags := range exampletest.Plans() {
		l.Run("pipeline/pipeline.loop", append(flags, "-p", "X=12,Y=9,Z=400", "--tile", "4x4x32", "--out", "A=A.npy")...)
		shape := []int{X + 1, Y + 1, Z + 1}
		exampletest.SameBits(l, "A", shape, exampletest.Read[float32](l, "A.npy", shape...), want)
	}
	for _, at := range [][3]int{{1, 1, 1}, {X, Y, Z}, {X, 1, 30}, {5, Y, 7}, {3, 4, 200}} {
		i, j, k := at[0], at[1], at[2]
		mean, chance := walk(i, j, k)
		if math.Abs(chance-1) > 1e-9 {
			t.Errorf("chances of walks from %v sum to %v", at, chance)
		}
		if got := float64(want[flat(i, j, k)]); math.Abs(got-mean) > 1e-5 {
			t.Errorf("A%v is %v, the mean over all walks is %v", at, got, mean)
		}
	}
	l.Readme()
}
