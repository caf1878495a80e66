// Package kernels races the kernels that are emitted for the examples against plain
// Go loops. It is a package of its own so that the compiler's tests can be built
// while emitted code is broken.
package kernels

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/simd"
	"loopc/testdata/emit/adi"
	"loopc/testdata/emit/diffusion"
	"loopc/testdata/emit/editdistance"
	"loopc/testdata/emit/pipeline"
	"loopc/testdata/emit/seidel"
	"loopc/testdata/emit/triangle"
)

// A contest is a nest run by loopc, on one rank with one CPU, and by the plain
// Go loop that a good programmer writes for it.
type contest struct {
	name   string
	points int
	loopc  func() (seconds float64, err error) // of the run, its planning apart
	plain  func()
	same   func() bool
}

func randomFloat64s(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]float64, n)
	for k := range out {
		out[k] = rng.Float64()
	}
	return out
}

func randomText(n int, seed uint64) []uint8 {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	out := make([]uint8, n)
	for k := range out {
		out[k] = "ACGT"[rng.IntN(4)]
	}
	return out
}

// contests are the examples at the sizes of the examples where these have defaults, over fewer time steps.
func contests() []contest {
	ctx := context.Background()
	return []contest{
		pipelineContest(ctx, 64, 64, 4096), seidelContest(ctx, 50, 2000), diffusionContest(ctx, 50, 2000),
		adiContest(ctx, 16, 2000), editContest(ctx, 5000, 5000), triangleContest(ctx, 5000),
	}
}

func pipelineContest(ctx context.Context, X, Y, Z int) contest {
	a := &pipeline.Arrays{A: make([]float32, (X+1)*(Y+1)*(Z+1))}
	A := make([]float32, len(a.A))
	return contest{
		name: "pipeline", points: X * Y * Z,
		loopc: func() (seconds float64, err error) {
			sum, err := pipeline.Run(ctx, pipeline.Params{X: X, Y: Y, Z: Z}, a, pipeline.Options{CPUs: 1})
			return sum.Seconds, err
		},
		plain: func() {
			const w = 0.3
			sj, si := Z+1, (Z+1)*(Y+1)
			for i := 0; i <= X; i++ {
				for j := 0; j <= Y; j++ {
					row := A[i*si+j*sj:][:Z+1]
					base := 1.0 + float32(0.01*float32(i)) - float32(0.002*float32(j))
					if i > 0 && j > 0 {
						row[0] = base + float32(0.0001*float32(0))
						continue
					}
					for k := range row {
						row[k] = base + float32(0.0001*float32(k))
					}
				}
			}
			for i := 1; i <= X; i++ {
				for j := 1; j <= Y; j++ {
					here := A[i*si+j*sj+1:][:Z]
					up := A[(i-1)*si+j*sj+1:][:Z]
					left := A[i*si+(j-1)*sj+1:][:Z]
					last := A[i*si+j*sj]
					for k := range here {
						last = float32(w*up[k]) + float32(w*left[k]) + float32(0.4*last)
						here[k] = last
					}
				}
			}
		},
		same: func() bool { return slices.Equal(a.A, A) },
	}
}

func seidelContest(ctx context.Context, T, N int) contest {
	start := randomFloat64s((N + 2) * (N + 2))
	a := &seidel.Arrays{U: slices.Clone(start)}
	u := slices.Clone(start)
	return contest{
		name: "seidel", points: T * N * N,
		loopc: func() (seconds float64, err error) {
			copy(a.U, start)
			sum, err := seidel.Run(ctx, seidel.Params{T: T, N: N}, a, seidel.Options{CPUs: 1})
			return sum.Seconds, err
		},
		plain: func() {
			copy(u, start)
			s := N + 2
			for range T {
				for i := 1; i <= N; i++ {
					here := u[i*s+1:][:N]
					up := u[(i-1)*s+1:][:N]
					right := u[i*s+2:][:N]
					down := u[(i+1)*s+1:][:N]
					last := u[i*s]
					for j := range here {
						last = 0.25 * (up[j] + last + down[j] + right[j])
						here[j] = last
					}
				}
			}
		},
		same: func() bool { return slices.Equal(a.U, u) },
	}
}

func diffusionContest(ctx context.Context, T, N int) contest {
	a := &diffusion.Arrays{U0: randomFloat64s((N + 2) * (N + 2))}
	var result []float64
	return contest{
		name: "diffusion", points: T * N * N,
		loopc: func() (seconds float64, err error) {
			sum, err := diffusion.Run(ctx, diffusion.Params{T: T, N: N}, a, diffusion.Options{CPUs: 1})
			return sum.Seconds, err
		},
		plain: func() {
			const c = 0.1
			s := N + 2
			old, now := slices.Clone(a.U0), slices.Clone(a.U0)
			for range T {
				for i := 1; i <= N; i++ {
					here := now[i*s+1:][:N]
					mid := old[i*s+1:][:N]
					up := old[(i-1)*s+1:][:N]
					down := old[(i+1)*s+1:][:N]
					left := old[i*s:][:N]
					right := old[i*s+2:][:N]
					for j := range here {
						here[j] = mid[j] + float64(c*(up[j]+down[j]+left[j]+right[j]-float64(4*mid[j])))
					}
				}
				old, now = now, old
			}
			result = old
		},
		same: func() bool { return slices.Equal(a.U, result) },
	}
}

func adiContest(ctx context.Context, T, N int) contest {
	given := make([]float32, N*N)
	for k, x := range randomFloat64s(N * N) {
		given[k] = float32(0.1 * x)
	}
	a := &adi.Arrays{A: given}
	var X, B []float32
	return contest{
		name: "adi", points: T * N * N,
		loopc: func() (seconds float64, err error) {
			sum, err := adi.Run(ctx, adi.Params{T: T, N: N}, a, adi.Options{CPUs: 1})
			return sum.Seconds, err
		},
		plain: func() {
			s := N + 1
			fill := func() (x, b []float32) {
				x, b = make([]float32, s*s), make([]float32, s*s)
				for i := range s {
					for j := range s {
						x[i*s+j] = 1.0 + float32(0.001*float32(i)) - float32(0.0007*float32(j))
						b[i*s+j] = 2.0 + float32(0.0003*float32(i)) + float32(0.0001*float32(j))
					}
				}
				return x, b
			}
			xo, bo := fill()
			xn, bn := fill()
			for range T {
				for i := 1; i <= N; i++ {
					xh, bh := xn[i*s+1:][:N], bn[i*s+1:][:N]
					xm, bm := xo[i*s+1:][:N], bo[i*s+1:][:N]
					xl, bl := xo[i*s:][:N], bo[i*s:][:N]
					xu, bu := xo[(i-1)*s+1:][:N], bo[(i-1)*s+1:][:N]
					g := given[(i-1)*N:][:N]
					for j := range xh {
						xh[j] = xm[j] + xl[j]*g[j]/bl[j] - xu[j]*g[j]/bu[j]
						bh[j] = bm[j] - g[j]*g[j]/bl[j] - g[j]*g[j]/bu[j]
					}
				}
				xo, xn, bo, bn = xn, xo, bn, bo
			}
			X, B = xo, bo
		},
		same: func() bool { return slices.Equal(a.X, X) && slices.Equal(a.B, B) },
	}
}

func editContest(ctx context.Context, M, N int) contest {
	a := &editdistance.Arrays{A: randomText(M, 1), B: randomText(N, 2)}
	var result []int32
	return contest{
		name: "editdistance", points: M * N,
		loopc: func() (seconds float64, err error) {
			sum, err := editdistance.Run(ctx, editdistance.Params{M: M, N: N}, a, editdistance.Options{CPUs: 1})
			return sum.Seconds, err
		},
		plain: func() {
			row := make([]int32, N+1)
			for j := range row {
				row[j] = int32(j)
			}
			for i, x := range a.A {
				diagonal := row[0]
				last := int32(i + 1)
				row[0] = last
				cells := row[1:][:len(a.B)]
				for j, y := range a.B {
					change := int32(1)
					if x == y {
						change = 0
					}
					up := cells[j]
					last = min(up+1, last+1, diagonal+change)
					diagonal = up
					cells[j] = last
				}
			}
			result = row
		},
		same: func() bool { return slices.Equal(a.D, result) },
	}
}

func triangleContest(ctx context.Context, N int) contest {
	a := &triangle.Arrays{Text: randomText(N, 3)}
	var longest int32
	return contest{
		name: "triangle", points: N * (N - 1) / 2,
		loopc: func() (seconds float64, err error) {
			sum, err := triangle.Run(ctx, triangle.Params{N: N}, a, triangle.Options{CPUs: 1})
			return sum.Seconds, err
		},
		plain: func() {
			two, one, now := make([]int32, N+2), make([]int32, N+2), make([]int32, N+2)
			for i := range one {
				one[i] = 1
			}
			for d := 2; d <= N; d++ {
				n := N - d + 1
				here := now[1:][:n]
				inner, left, right := two[2:][:n], one[1:][:n], one[2:][:n]
				x, y := a.Text[:n], a.Text[d-1:][:n]
				for i := range here {
					if x[i] == y[i] {
						here[i] = inner[i] + 2
					} else {
						here[i] = max(left[i], right[i])
					}
				}
				two, one, now = one, now, two
			}
			longest = one[1]
		},
		same: func() bool { return a.L[1] == longest },
	}
}

// BenchmarkKernels runs every contest with every kernel that the processor can
// run and with the plain loops, in turn, and reports nanoseconds per point of
// each, and how many times faster than the plain loops the kernels are: medians
// over the rounds.
func BenchmarkKernels(b *testing.B) {
	kernels := []string{kernel.Portable}
	if simd.AVX2() {
		kernels = append(kernels, "avx2")
	}
	if simd.AVX512() {
		kernels = append(kernels, "avx512")
	}
	for _, c := range contests() {
		b.Run(c.name, func(b *testing.B) {
			times, gain := map[string][]float64{}, map[string][]float64{}
			for range max(b.N, 5) {
				t0 := time.Now()
				c.plain()
				plain := float64(time.Since(t0))
				times["plain"] = append(times["plain"], plain)
				for _, name := range kernels {
					b.Setenv(sched.KernelVariable, name)
					t0 := time.Now()
					seconds, err := c.loopc()
					if err != nil {
						b.Fatal(err)
					}
					took := float64(time.Since(t0))
					if !c.same() {
						b.Fatalf("the results of the %s kernel differ", name)
					}
					times[name] = append(times[name], took)
					gain[name] = append(gain[name], plain/took)
					if name == kernel.Portable {
						times[name+"-run"] = append(times[name+"-run"], 1e9*seconds)
						gain[name+"-run"] = append(gain[name+"-run"], plain/(1e9*seconds))
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			for name, all := range times {
				b.ReportMetric(median(all)/float64(c.points), name+"-ns/point")
				if gain[name] != nil {
					b.ReportMetric(median(gain[name]), name+"-gain")
				}
			}
		})
	}
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
