package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/codegen"
	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// TestStripsAlongRows runs nests whose rows are in vectors, with internal arrays of which only some rows are stored, beside arrays that
// are given back whole. Lanes of 4 bytes do not hold the greater value of K.
func TestStripsAlongRows(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(randomNests.begin(t, "nest-plans"), 17))
	var nests []builtNest
	even, vectors := 0, 0 // nests whose rows have the same columns, and those of them with such kernels
	for count := irtest.OfAll(60, 16); len(nests) < count; {
		src := stripsAlongRows(rng)
		if _, diags := frontend.Compile("strips.loop", []byte(src)); diag.HasErrors(diags) {
			t.Fatalf("%s\n%v", src, diags)
		}
		b, ok := buildNest(t, fmt.Sprintf("strips%d", len(nests)), src, rng, *nestPlans)
		if !ok {
			continue
		}
		strips := func(f codegen.File) bool {
			return strings.Contains(string(f.Text), "Strips: []kernel.FrontStrip") && strings.Contains(string(f.Text), "RowsAVX2")
		}
		if !strings.Contains(src, unevenColumns) {
			if even++; slices.ContainsFunc(b.code, strips) {
				vectors++
			}
		} else if slices.ContainsFunc(b.code, strips) {
			t.Errorf("rows of other columns are in strips:\n%s", src)
		}
		nests = append(nests, b)
	}
	if even < len(nests)/3 || vectors < even/2 {
		t.Errorf("of %d nests, %d have even rows, and %d such kernels", len(nests), even, vectors)
	}
	var all tally
	all.add(nests, runNests(t, nests))
	t.Log(&all)
}

// unevenColumns is a loop whose first value depends on the row.
const unevenColumns = "j = max(1, 4-i)..M"

// stripsAlongRows returns a nest for TestStripsAlongRows.
func stripsAlongRows(rng *rand.Rand) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	cell := pick("float32", "float64", "int32")
	rows, above := pick("i = 1..N", "i = N..1 step -1"), -1
	if strings.Contains(rows, "step") {
		above = 1
	}
	init := pick("0", "i", "3*i - j", "g[max(0, min(N, i)),max(0, min(M, j))]")
	before := func(name string) string {
		return fmt.Sprintf("%s[i%+d,j%+d]", name, above*(1+rng.IntN(3)), rng.IntN(5)-2)
	}
	half := map[bool]string{true: "", false: "0.5*"}[cell == "int32"]
	slice := pick("", "", "out y[*, 3]\n", "out y[2, *]\n")
	return fmt.Sprintf(`param N, M, K = %d, %d, %s
array g[0..N, 0..M] %[4]s in
array y[-2..N+3, -1..M+2] %[4]s
array z[-2..N+3, -1..M+2] %[4]s out
init y[i, j] = %[5]s
init z[i, j] = i + j
%[6]sfor %[7]s, %[8]s {
	y[i,j] = select(20*K - j > i, g[i,j], 1) + %[9]s%[10]s - %[9]s%[11]s
	z[i,j] = y[i,j] - %[9]s%[12]s + %[9]s%[13]s
}
`, 3+rng.IntN(40), 4+rng.IntN(90), pick("1", "134217729"), cell, init, slice, rows, pick("j = 1..M", "j = M..1 step -1", unevenColumns), half, before("y"), before("y"), before("z"), before("y"))
}
