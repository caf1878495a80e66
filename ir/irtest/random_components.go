package irtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"loopc/ir"
)

// RandomComponents returns the text of a nest whose last loop runs over all of a few components, such as those of a state: two arrays
// are updated, each with reads of neighbors in the row, in the rows above and below, and of given components of a point or of all of them.
func RandomComponents(rng *rand.Rand) string {
	t := one(rng, ir.Float64, ir.Float64, ir.Float32, ir.Int32)
	lo, count, further := rng.IntN(3)-1, 2+rng.IntN(8), rng.IntN(2)
	n, m := 8+rng.IntN(30), 8+rng.IntN(30)
	dim := func(by int) string { return fmt.Sprintf("%d..%d", lo+by, lo+by+count-1) }
	around, rows := "", "i = 1..M"
	if rng.IntN(2) == 0 {
		around = "t = 1..3, "
	}
	if rng.IntN(4) == 0 {
		rows = "i = M..1 step -1"
	}
	columns := one(rng, "1..N", "0..N+1", "2..N-1")
	reach := func(a string, by int) string {
		c := strings.ReplaceAll(fmt.Sprintf("c+%d", by), "c+0", "c")
		return fmt.Sprintf("%s[i%+d,j%+d,%s]", a, one(rng, -1, -1, 0, 0, 1), one(rng, -1, -1, -2, 0, 1, 2), c)
	}
	text := fmt.Sprintf("param M, N = %d, %d\narray g[-3..N+3, %s] %s in\narray u[-1..M+2, -3..N+3, %s] %s inout\narray v[-1..M+2, -3..N+3, %s] %s inout\n",
		m, n, dim(0), t, dim(0), t, dim(further), t)
	body := fmt.Sprintf("\tu[i,j,c] = max(%s - %s, %s + g[j%+d,c])\n", reach("u", 0), one(rng, reach("u", 0), reach("v", further)), reach("u", 0), rng.IntN(3)-1)
	if rng.IntN(2) == 0 {
		body += fmt.Sprintf("\t%s = %s - %s\n", strings.ReplaceAll(fmt.Sprintf("v[i,j,c+%d]", further), "c+0", "c"), reach("u", 0), reach("v", further))
	}
	return text + fmt.Sprintf("for %s%s, j = %s, c = %s {\n%s}\n", around, rows, columns, dim(0), strings.ReplaceAll(strings.ReplaceAll(body, "+0", ""), "-0", ""))
}
