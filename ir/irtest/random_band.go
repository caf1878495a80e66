package irtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"loopc/ir"
)

// RandomBand returns the text of a nest like those that align sequences in a band: it updates an array in place, and reads results of the
// row before and of the iteration before. Its space is a band, a trapezoid or a triangle. Each of its two loops runs forward or backward,
// and some nests have a third loop around them.
func RandomBand(rng *rand.Rand) string {
	t := one(rng, ir.Int32, ir.Int16, ir.Float32, ir.Float64)
	width, far := 1+rng.IntN(30), 30+rng.IntN(50)
	slope := one(rng, "", "2*")
	columns := one(rng,
		fmt.Sprintf("max(1, %si-%d)..min(N, %si+%d)", slope, width, slope, width),
		fmt.Sprintf("max(1, i-%d)..N", width),
		fmt.Sprintf("1..min(N, %si+%d)", slope, width),
		"i..N", "1..i",
		fmt.Sprintf("max(1, %d-i)..min(N, %d-i)", width, far),
		fmt.Sprintf("max(2, i-%d, %d-%si)..min(N-1, i+%d)", width, width, slope, width))
	lo, hi, _ := strings.Cut(columns, "..")
	up, back, around, outer := "i-1", "j-1", "", ""
	m := 20 + rng.IntN(40)
	rows, bounds := "1..M", columns
	if rng.IntN(3) == 0 {
		rows, up = "M..1 step -1", "i+1"
	}
	if rng.IntN(3) == 0 {
		bounds, back = hi+".."+lo+" step -1", "j+1"
	}
	beside := one(rng, back, back, "j", strings.NewReplacer("-1", "+1", "+1", "-1").Replace(back))
	if rng.IntN(3) == 0 {
		around = "t = 1..2, "
		if t != ir.Int16 { // vector kernels have no reductions of int16
			outer = "\nreduce best = max(D[i,j])"
		}
	}
	text := fmt.Sprintf("param M, N = %d, %d\narray a[0..M] %s in\narray b[0..N] %s in\narray D[0..M+1, 0..N+1] %s inout%s\n", m, m+rng.IntN(40), t, t, t, outer)
	return text + fmt.Sprintf("for %si = %s, j = %s {\n\tD[i,j] = max(D[%s,%s] + select(a[i] == b[j], 2, 1), D[%s,j] - b[j], D[i,%s] - 1)\n}\n", around, rows, bounds, up, beside, up, back)
}
