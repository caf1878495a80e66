package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"loopc/runtime/simd"
)

// TestLargeNests runs random nests, with few long rows, many short ones, and others, and compares
// with the sequential loops. Their results are just large enough for streaming stores, which the
// small arrays of TestVectorNests never need.
func TestLargeNests(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs")
	}
	seed := largeCases.begin(t)
	for k := range *largeCases.count {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		file := filepath.Join(t.TempDir(), "large.loop")
		src := largeNest(rng)
		if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		for run := range 8 {
			args := []string{"run", file, "--check", "--progress", "none", "--random", strconv.Itoa(1 + rng.IntN(999)), "-p", largeSizes(rng, src)}
			args = append(args, [][]string{{"--cpus", "1"}, {"--cpus", "1"}, {"--cpus", "2"}, {"-n", "2", "--cpus", "1"}}[run%4]...)
			if run%3 == 2 {
				args = append(args, "--kernel", "portable")
			}
			out, err := exec.Command("loopc", args...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "equals the sequential loops") {
				t.Fatalf("%v\n%s\n%s%v", args, src, out, err)
			}
		}
	}
}

// largeNest returns a nest of two or three loops, the last of which goes along rows.
func largeNest(rng *rand.Rand) string {
	elem := []string{"float32", "float64", "int32"}[rng.IntN(3)]
	dims := []string{"i", "j", "k"}
	reads := []string{"A[i-1,j,k]", "A[i,j-1,k]", "A[i,j,k-1]"}
	more := []string{"A[i,j-1,k-1]", "A[i-1,j-1,k]", "A[i-1,j,k-1]", "A[i,j,k-2]", "A[i-1,j-1,k-1]", "A[i-2,j,k]", "g[i,j,k]"}
	if rng.IntN(3) == 0 {
		dims = []string{"i", "k"}
		reads, more = []string{"A[i-1,k]", "A[i,k-1]"}, []string{"A[i-1,k-1]", "A[i,k-2]", "A[i-2,k]", "g[i,k]"}
	}
	for _, k := range rng.Perm(len(more))[:rng.IntN(4)] {
		reads = append(reads, more[k])
	}
	rng.Shuffle(len(reads), func(a, b int) { reads[a], reads[b] = reads[b], reads[a] })
	value := "0.1*" + strings.Join(reads, " + 0.2*")
	if elem == "int32" {
		value = "max(" + strings.Join(reads, " - 1, ") + " + 3)"
	}
	var low, bounds, loops []string
	for _, d := range dims {
		size := strings.ToUpper(d)
		low = append(low, fmt.Sprintf("%d..%s", -2-rng.IntN(3)*rng.IntN(6), size))
		bounds = append(bounds, "-2.."+size)
		loops = append(loops, d+" = 1.."+size)
	}
	if last := len(loops) - 1; rng.IntN(4) == 0 {
		loops[last] = fmt.Sprintf("k = max(1, 3*i-%d)..min(K, K-200+4*i)", rng.IntN(9))
	}
	return fmt.Sprintf("param %s\narray g[%s] %s in\narray A[%s] %s out\ninit A[%s] = 2\nfor %s {\n\tA[%s] = %s\n}\n",
		strings.ToUpper(strings.Join(dims, ", ")), strings.Join(bounds, ", "), elem, strings.Join(low, ", "), elem,
		strings.Join(dims, ", "), strings.Join(loops, ", "), strings.Join(dims, ", "), value)
}

// largeSizes returns values of the parameters for which the result has a little more than
// simd.StreamBytes.
func largeSizes(rng *rand.Rand, src string) string {
	cells := simd.StreamBytes/4 + rng.IntN(100000)
	if strings.Contains(src, "float64 out") {
		cells /= 2
	}
	i, j := 16+rng.IntN(50), 1
	if strings.Contains(src, "J") {
		j = []int{1 + rng.IntN(9), 10 + rng.IntN(100)}[rng.IntN(2)]
	}
	sizes := fmt.Sprintf("I=%d,K=%d", i, cells/(i*j)+1)
	if strings.Contains(src, "J") {
		sizes += fmt.Sprintf(",J=%d", j)
	}
	return sizes
}
