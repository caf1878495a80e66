package frontend

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"loopc/ir/diag"
)

// eitherBlock returns a block that assigns to x, y and v, and whether it gives x a value before it reads x.
func eitherBlock(rng *rand.Rand) (text string, settles bool) {
	pick := func(list ...string) string { return list[rng.Intn(len(list))] }
	read := false
	for k := range 2 + rng.Intn(3) {
		target := pick("x[i,j]", "x[i,j]", "y[i,j]", "v")
		value := pick("a[i,j]", "y[i,j]", "v", "x[i,j]") + pick(" + ", " - ", "*") + pick("y[i-1,j]", "y[i,j-1]", "a[i,j]", "v", "2")
		sign := pick("=", "=", "=", "+=")
		if rng.Intn(4) == 0 {
			let := fmt.Sprintf("z%d", k)
			text += "\t\tlet " + let + " = " + value + "\n"
			read = read || !settles && strings.Contains(value, "x[")
			value = let
		}
		text += "\t\t" + target + " " + sign + " " + value + "\n"
		read = read || !settles && (strings.Contains(value, "x[") || target[0] == 'x' && sign == "+=")
		settles = settles || target[0] == 'x' && !read
	}
	return text, settles
}

// TestEitherBlock compares ifs and elses that assign to the same cells with their statements as they stand. A cell to
// which each block gives a value before it reads it needs none before the if.
func TestEitherBlock(t *testing.T) {
	const head = `param N = 4
array a[1..N, 1..N] float64 in
array x[1..N, 1..N] float64 out
array y[0..N, 0..N] float64 inout

for i = 1..N, j = 1..N {
	var v float64 = 0.5*a[i,j]
	if a[i,j] > y[i-1,j] {
`
	count := map[bool]int{}
	for seed := range int64(200) {
		rng := rand.New(rand.NewSource(seed))
		block, settled := eitherBlock(rng)
		src := head + block
		elses := []string{"\t} else {\n"}
		if rng.Intn(3) == 0 {
			elses = []string{"\t} else if y[i,j-1] > v {\n", "\t} else {\n"}
		}
		for _, header := range elses {
			block, settles := eitherBlock(rng)
			src += header + block
			settled = settled && settles
		}
		src += "\t}\n\ty[i,j] += v\n}\n"
		p, diags := sameAsStands(t, fmt.Sprintf("seed%d.loop", seed), src)
		if told := len(diags) > 0 && diags[0].Code == diag.NotSupplied; (p != nil) != settled || p == nil && !told {
			t.Errorf("seed %d, settled %v:\n%s\n%s", seed, settled, src, rendered("x.loop", src, diags))
		}
		count[settled]++
	}
	if count[true] < 10 || count[false] < 10 {
		t.Errorf("too few ifs of a kind: %v", count)
	}
}
