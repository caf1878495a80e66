package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
	"loopc/testdata/nestrun"
	"loopc/transform"
	"loopc/transform/plan"
)

// TestRandomNests checks the whole way from a .loop file to a running program
// against the interpreter: random nests and files of several, each emitted, compiled
// and run under random plans, in process and over TCP, with no differing bit. They
// are linked 50 to a binary; -parallel says how many binaries run at a time.
func TestRandomNests(t *testing.T) {
	t.Parallel()
	seed, count := randomNests.begin(t, "nest-plans", "nest-tcp", "nest-several", "nest-tilings"), *randomNests.count
	var all tally
	var access sync.Mutex
	const most = 50
	t.Run("binaries", func(t *testing.T) {
		for batch := range (count + most - 1) / most {
			t.Run(fmt.Sprint(batch), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(seed, uint64(batch)))
				var nests []builtNest
				for len(nests) < min(most, count-batch*most) {
					nests = append(nests, randomBuilt(t, rng, len(nests)))
				}
				reports := runNests(t, nests)
				access.Lock()
				defer access.Unlock()
				all.add(nests, reports)
			})
		}
	})
	t.Log(&all)
	if t.Failed() {
		return
	}
	if all.cut < all.ran/5 {
		t.Errorf("only %d of %d plans were cut into windows", all.cut, all.ran)
	}
	if *nestSeveral != 1 && all.resumed < all.cut/3 {
		t.Errorf("only %d of %d plans that were cut continued under another plan", all.resumed, all.cut)
	}
	if *nestSeveral >= 4 && all.ran >= 1000 && count >= 80 && all.shorter == 0 { // few random nests can become longer
		t.Errorf("of %d plans none began with fewer levels", all.ran)
	}
	if all.shorter >= 8 && all.longer == 0 {
		t.Errorf("of %d plans that began with fewer levels none continued with all of them", all.shorter)
	}
	if least := all.ran / 20; *nestSeveral != 1 && min(all.stopped, all.shown) < least {
		t.Errorf("of %d plans only %d stopped early and continued, and of %d snapshots were compared", all.ran, all.stopped, all.shown)
	}
	// Of a few nests, many may lack lanes by chance: less is required of them.
	if least := max(1, all.ran/8*min(count, 50)/50); simd.AVX2() && all.lanes() < least {
		t.Errorf("only %d of %d plans were run with a vector kernel", all.lanes(), all.ran)
	}
	if *nestShare > 0 && *nestSeveral != 1 && (all.tiled < count / *nestShare / 2 || all.turned < all.tiled/3) {
		t.Errorf("only %d nests have a tiling, %d one that is not triangular; the test proves little", all.tiled, all.turned)
	}
	if ran := count * *nestPlans; all.ran < ran*3/4 || *nestTCP > 0 && all.tcp < ran / *nestTCP / 2 {
		t.Errorf("only %d plans were run, %d over TCP; the test proves little", all.ran, all.tcp)
	}
	for _, c := range constructs {
		if count < 50 || *nestSeveral == 1 {
			break // shares vary, and files of several have others
		}
		seen := all.constructs[c.name]
		if count < 40*c.least && (seen > 0 || count < 8*c.least) {
			continue // shares vary, and few nests lack a rare construct by chance
		}
		if c.least > 0 && seen*c.least < count {
			t.Errorf("only %d of %d nests have %s", seen, count, c.name)
		}
	}
}

// alignments are nests like sequence alignment, large enough for lanes across levels, whose kernels
// add a number once to all cells: with a first row that init computes or the caller gives, with
// reads two levels back, and with levels of several rows, of which the last or all are returned.
var alignments = []string{
	`param M, N = 83, 61
array a[1..M] uint8 in
array b[1..N] uint8 in
array D[0..M, 0..N] int32 out
init D[i, j] = 2*i + 3*j
for i = 1..M, j = 1..N {
	D[i,j] = min(D[i-1,j] + 5, D[i,j-1] + 5, D[i-1,j-1] + select(a[i] == b[j], -3, 4))
}`,
	`param M, N = 70, 93
array H[0..M, 0..N] int32 inout
for i = 1..M, j = 1..N {
	H[i,j] = max(H[i-1,j] - 7, H[i,j-1] - 7, H[i-1,j-1] + 1)
}`,
	`param M, N = 75, 80
array H[-1..M, 0..N] int32
init H[i, j] = 2*j - 3*i
out H[M, *]
for i = 1..M, j = 1..N {
	H[i,j] = max(H[i-1,j] - 7, H[i,j-1] - 7, H[i-2,j-1] - 7, H[i-2,j])
}`,
	`param M, N = 40, 61
array D[0..M, 0..N] int16
init D[i, j] = i - j
out D[*, *]
for i = 1..M, j = 1..N {
	D[i,j] = max(D[i-1,j] - 1, D[i,j-1], D[i-1,j-1] + 1)
}`,
	`param M, N = 83, 61
array a[1..M] uint8 in
array D[0..2, 0..M, 0..N] int32
init D[k, i, j] = 2*i + 3*j - k
out D[1, M, *]
for i = 1..M, j = 1..N {
	D[1,i,j] = min(D[1,i-1,j] + 5, D[1,i,j-1] + a[i], D[1,i-1,j-1] - 3)
}`,
	`param M, N = 99, 150
array u[0..M+1, 0..N+1] float32
array v[0..M+1, 0..N+1] float32
init u[i, j] = 0.01*i - 0.5*j
init v[i, j] = 0.02*j
out u[0, *]
out v[0, 3]
for i = M..0 step -1, j = N..0 step -1 {
	u[i,j] = 0.5*u[i+1,j] + 0.25*v[i,j+1] + 0.01*i
	v[i,j] = 0.5*v[i+1,j+1] - 0.25*u[i,j+1]
}`,
	`param X, M, N = 50, 11, 45
array H[0..X, 0..M, 0..N] int32
init H[h, i, j] = h - i + j
out H[X, *, *]
for h = 1..X, i = 1..M, j = 1..N {
	H[h,i,j] = min(H[h-1,i,j] + 3, H[h,i,j-1] + 3, H[h-1,i,j-1] - 2)
}`,
	`param X, M, N = 45, 9, 50
array H[0..X, 0..M, 0..N] int32 inout
for h = 1..X, i = 1..M, j = 1..N {
	H[h,i,j] = min(H[h-1,i,j] + 3, H[h,i,j-1] + 3, H[h-1,i,j-1])
}`,
	`param M, N = 45, 70
array mask[1..M, 1..N] uint8 in
array H[0..M+1, 0..N+1] int32 inout
for i = M..1 step -1, j = N..1 step -1 {
	H[i,j] = min(mask[i,j] + 300, max(H[i,j], H[i,j+1], H[i+1,j-1], H[i+1,j], H[i+1,j+1]))
}`,
}

// letsOfIndices are nests with lets of indices, parameters and constants alone, which lanes have in
// narrower types: in float64, float32 and int32, compared, and as they are.
var letsOfIndices = []string{
	`param T, N = 12, 40
array u[0..N+1, 0..N+1] float64 inout
for t = 1..T, i = 1..N, j = 1..N {
	let s = i + j - N
	let back = 2*t - s
	u[i,j] = 0.25*(u[i+1,j] + u[i-1,j] + u[i,j+1] + u[i,j-1]) + 0.001*back
}`,
	`param T, N = 9, 50
array u[0..N+1, 0..N+1] float32 inout
for t = 1..T, i = N..1 step -1, j = 1..N {
	let s = i - 2*j + 3
	u[i,j] = select(s == 3 || s > 40, 0.5, 0.25*(u[i+1,j] + u[i-1,j] + u[i,j+1] + u[i,j-1]) - 0.01*s)
}`,
	`param M, N = 60, 70
array H[0..M, 0..N] int32 inout
for i = 1..M, j = 1..N {
	let far = j - i
	let both = far + 1
	H[i,j] = max(H[i-1,j] - far, H[i,j-1] + both, H[i-1,j-1] + select(both >= 0, 1, -2))
}`,
	`param T, N = 20, 300
array u[0..T, 0..N+1] float64
init u[t, i] = t - i
out u[T, *]
for t = 1..T, i = 1..N {
	let z = t - t
	let s = i - t
	u[t,i] = 0.5*u[t-1,i] + 0.25*(u[t-1,i-1] + u[t-1,i+1]) - z*u[t-1,i] + 0.001*s
}`,
}

// TestAlignments and TestLetsOfIndices run these nests under random plans, as TestRandomNests
// does.
func TestAlignments(t *testing.T)    { runNamed(t, "alignment", alignments) }
func TestLetsOfIndices(t *testing.T) { runNamed(t, "indices", letsOfIndices) }

// runNamed runs nests under random plans, and requires vector kernels of each.
func runNamed(t *testing.T, name string, sources []string) {
	t.Helper()
	t.Parallel()
	rng := rand.New(rand.NewPCG(randomNests.begin(t, "nest-plans"), 11))
	var nests []builtNest
	for k, src := range sources {
		b, ok := buildNest(t, fmt.Sprintf("%s%d", name, k), src, rng, irtest.OfAll(3, 1)**nestPlans)
		if !ok {
			t.Fatalf("refused:\n%s", src)
		}
		nests = append(nests, b)
	}
	var all tally
	reports := runNests(t, nests)
	all.add(nests, reports)
	for k, r := range reports {
		if simd.AVX2() && r.Kernels["avx2"] == 0 {
			t.Errorf("no plan was run with a vector kernel of\n%s", nests[k].src)
		}
		written := func(name string) bool { return name == kernel.AsWritten || strings.HasSuffix(name, kernel.InArrays) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(r.Kernels)), written) {
			t.Errorf("the loops have not run as they are written of\n%s", nests[k].src)
		}
	}
	t.Log(&all)
}

// randomBuilt returns a random nest, or sometimes a file of several nests, that the frontend
// accepts. Other random files are dropped: the frontend must refuse some.
func randomBuilt(t *testing.T, rng *rand.Rand, number int) builtNest {
	t.Helper()
	name := fmt.Sprintf("nest%03d", number)
	for {
		b, ok := builtNest{}, false
		switch {
		case *nestSeveral > 0 && number%*nestSeveral == 1%*nestSeveral:
			file := irtest.RandomRich
			switch number / *nestSeveral % 6 {
			case 0, 3:
				file = irtest.RandomProgram
			case 4:
				file = irtest.RandomBatch
			}
			b, ok = buildProgram(t, name, file(rng), rng, *nestPlans)
		case *nestShare > 0 && number%*nestShare == 0:
			b, ok = buildNestAs(t, name, irtest.RandomNest(rng), rng, *nestPlans, func(n *ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) {
				return transform.LowerTiled(n, randomTiling(t, rng, n))
			})
		default:
			text := irtest.RandomNest(rng)
			for draws := 0; number%12 == 7 && draws < 500 && !lengthens(text); draws++ {
				text = irtest.RandomNest(rng)
			}
			b, ok = buildNest(t, name, text, rng, *nestPlans)
		}
		if ok {
			b.job.TCP = *nestTCP
			return b
		}
	}
}

// A tally is what became of many nests.
type tally struct {
	nests, several, tiled, turned                                    int
	ran, tcp, cut, resumed, stopped, shorter, longer, shown, refused int
	divided                                                          int
	moved                                                            int64
	kernels, constructs                                              map[string]int
}

// add counts nests and what became of them.
func (a *tally) add(nests []builtNest, reports []nestrun.Report) {
	if a.kernels == nil {
		a.kernels, a.constructs = map[string]int{}, map[string]int{}
	}
	count := func(n *int, ok bool) {
		if ok {
			*n++
		}
	}
	for _, b := range nests {
		a.nests++
		count(&a.several, b.several)
		count(&a.tiled, b.tiled)
		count(&a.turned, !b.several && !b.triangular)
		for _, c := range constructs {
			if c.pattern.MatchString(b.src) {
				a.constructs[c.name]++
			}
		}
	}
	for _, r := range reports {
		a.ran, a.tcp, a.refused, a.moved = a.ran+r.Ran, a.tcp+r.TCP, a.refused+r.Refused, a.moved+r.Moved
		a.divided += r.Divided
		a.cut, a.resumed, a.stopped, a.shorter, a.longer, a.shown = a.cut+r.Cut, a.resumed+r.Resumed, a.stopped+r.Stopped, a.shorter+r.Shorter, a.longer+r.Longer, a.shown+r.Shown
		for name, plans := range r.Kernels {
			a.kernels[name] += plans
		}
	}
}

// lanes is how many plans were run with a vector kernel.
func (a *tally) lanes() int { return a.ran - a.kernels["portable"] }

func (a *tally) String() string {
	share := func(n int) float64 { return 100 * float64(n) / float64(max(1, a.ran)) }
	return fmt.Sprintf("%d nests, %d of them files of several, %d with a tiling, %d of which is not triangular; %d plans run, %d of them over TCP too, %d (%.0f %%) in epochs of drawn lengths, of which %d (%.0f %%) continued under another plan, %d (%.0f %%) of them after they had stopped early, %d (%.0f %%) from a shorter run, of %d that began as one; of %d (%.0f %%) snapshots were compared; %d refused; kernels %v; %d messages from nest to nest, %d runs of divided batches; nests with %v",
		a.nests, a.several, a.tiled, a.turned, a.ran, a.tcp, a.cut, share(a.cut), a.resumed, share(a.resumed), a.stopped, share(a.stopped), a.longer, share(a.longer), a.shorter, a.shown, share(a.shown), a.refused, a.kernels, a.moved, a.divided, a.constructs)
}

// randomTiling returns a legal tiling of n with a random unimodular matrix, with
// permutations, negative entries and both determinants among them, and now and
// then with tile sides.
func randomTiling(t *testing.T, rng *rand.Rand, n *ir.Nest) *transform.Tiling {
	t.Helper()
	var dists []ir.Vec
	for _, r := range n.Analysis.Reads {
		for _, s := range r.Sources {
			if s.Dist.Sign() != 0 {
				dists = append(dists, s.Dist)
			}
		}
	}
	u := transform.SkewOf(n, dists)
	reach := make([]int, len(u)) // max U·d per row
	legal := func() bool {
		for k, row := range u {
			reach[k] = 0
			for _, d := range dists {
				x := 0
				for i, c := range row {
					x += c * d[i]
				}
				if x < 0 {
					return false
				}
				reach[k] = max(reach[k], x)
			}
		}
		return slices.Max(reach) < 12 // else tiles cannot be small
	}
	for range 12 {
		a, b, before := rng.IntN(len(u)), rng.IntN(len(u)), make([][]int, len(u))
		for k := range u {
			before[k] = slices.Clone(u[k])
		}
		switch c := 1 - 2*rng.IntN(2); {
		case a == b:
			for i := range u[a] {
				u[a][i] *= -1
			}
		case rng.IntN(2) == 0:
			u[a], u[b] = u[b], u[a]
		default:
			for i := range u[a] {
				u[a][i] += c * u[b][i]
			}
		}
		if !legal() {
			u = before
		}
	}
	legal()
	var rows []string
	for k, row := range u {
		side := 1
		if rng.IntN(3) == 0 {
			side = max(2, reach[k]) + rng.IntN(4)
		}
		var entries []string
		for _, x := range row {
			entries = append(entries, fmt.Sprintf("%d/%d", x, side))
		}
		rows = append(rows, strings.Join(entries, ","))
	}
	tiling, err := transform.ParseTiling("H=" + strings.Join(rows, ";"))
	if err != nil {
		t.Fatal(err)
	}
	return tiling
}
