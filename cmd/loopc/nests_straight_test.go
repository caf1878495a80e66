package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/ir/irtest"
	"loopc/transform/plan"
)

// TestStraightRows runs random nests whose rows look up cells that follow one another, except where a clamp, a remainder or
// a condition changes. Rows are long enough for several steps of the loop without tests.
func TestStraightRows(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(randomNests.begin(t, "nest-plans"), 13))
	var nests []builtNest
	for count := irtest.OfAll(80, 10); len(nests) < count; {
		build := buildNest
		if len(nests)%2 == 1 {
			build = buildProgram
		}
		if b, ok := build(t, fmt.Sprintf("straight%d", len(nests)), straightRows(rng, len(nests)%2 == 1), rng, *nestPlans); ok {
			nests = append(nests, entireRows(b))
		}
	}
	// A mistake by one is seen where the first or the last such cell stands at the end of a vector.
	for _, condition := range []string{"j > e", "!(j <= e)", "e < j", "j < M - e", "!(j >= M - e)", "j >= e && M - e >= j", "!(j < e || j > M - e)", "s[i]%7 > 2 && j >= e", "!(s[i]%7 > 2 || j < e)"} {
		src := fmt.Sprintf(`param N, M = 70, 234
array s[0..N] int32 in
array a[0..N, 0..M] float64 in
array u[0..N, 0..M] float64 inout
for i = 0..N, j = 0..M {
	let e = abs(s[i]%%40)
	u[i,j] = select(%s, a[i,max(j - 1, 0)], u[i,j])
}`, condition)
		b, ok := buildNest(t, fmt.Sprintf("straight%d", len(nests)), src, rng, *nestPlans)
		if !ok {
			t.Fatalf("refused: %s", src)
		}
		nests = append(nests, entireRows(b))
	}
	var all tally
	all.add(nests, runNests(t, nests))
	t.Log(&all)
}

// entireRows adds plans with tiles of entire rows to those of a nest.
func entireRows(b builtNest) builtNest {
	for rows := range irtest.OfAll(6, 3) {
		if !b.several {
			b.job.Plans = append(b.job.Plans, []plan.Options{{Ranks: 1, CPUs: 1, Tile: []int{rows + 1, 1000}}})
		}
	}
	return b
}

// straightRows returns a nest for TestStraightRows, or with again a program that computes row after row of one array from a copy.
func straightRows(rng *rand.Rand, again bool) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	types := []string{"float32", "float64", "int32", "int64", "uint8", "int16"}
	result, cell := pick(types...), pick(types...)
	if rng.IntN(2) == 0 {
		cell = result
	}
	by := fmt.Sprintf("abs(s[i]%%%s)", pick("5", "40", "90", "300"))
	few := "abs(s[i]%5)"
	wide := fmt.Sprintf("(s[i]%%%s)", pick("5", "40", "90", "300"))
	rows, given, copied, row := "0..N, ", "", "", "a[i, %s]"
	if again {
		rows, row = "", "a[%s]"
		copied = "\tfor j = 0..M {\n\t\ta[j] = u[j]\n\t}\n"
		cell = result
	} else {
		given = " in"
	}
	at := func(sub string) string {
		text := fmt.Sprintf(row, sub)
		if cell != result {
			text = result + "(" + text + ")"
		}
		return text
	}
	own := map[bool]string{true: "u[j]", false: "u[i, j]"}[again]
	other := pick("u", "w")
	if other == "u" {
		other = own
	} else {
		other = "w[j]"
	}
	found := func() string {
		return at(pick("max(j - "+by+", 0)", "max(0, j - 1)", "min(j + "+by+", M)", "min(max(j - "+wide+", 0), M)", "min(j, 20 + "+few+")", "max(10 + "+few+", j)",
			"(j + "+by+")%(M + 1)", "M - max(j - "+by+", 0)", "min(max(2*j - "+by+", 0), M)", "min(min(M, M + 3 - j), M - "+few+")"))
	}
	test := func() string {
		x, y := "j", pick(by, few, "M - "+by, "60 + "+wide)
		if rng.IntN(2) == 0 {
			x, y = y, x
		}
		return pick("", "!") + "(" + x + pick(" < ", " <= ", " > ", " >= ") + y + ")"
	}
	condition := pick(test(), test(), test(), test()+pick(" && ", " || ")+test(), "s[i]%7 > 2 && "+test(), "w[0] != s[0] && "+test(), test()+" || !(3 <= s[i]%7)", "j%2 == 0 && "+test())
	value := ""
	switch rng.IntN(9) {
	case 8: // beyond both conditions, nothing is looked up
		value = fmt.Sprintf("select(%s, %s, %s) + select(%s, %s, %s)", condition, found(), other, test(), found(), other)
	case 0, 1, 2:
		value = fmt.Sprintf("select(%s, %s, %s)", condition, found(), other)
	case 3, 4:
		value = fmt.Sprintf("select(%s, %s, %s)", condition, other, found())
	case 5:
		value = found() + " - " + pick(other, found())
	case 6:
		value = fmt.Sprintf("select(j - %s < 0 || j > M + %s, %s, %s + %s)", wide, wide, own, other, at("j - "+wide))
	default:
		value = fmt.Sprintf("select(j >= %s, max(%s, %s), %s)", by, own, at("j - "+by), other)
	}
	inner, open, shut := pick("j = 0..M", "j = 0..M", "j = M..0 step -1", "j = 2..M-1"), "", ""
	if rng.IntN(4) == 0 {
		open, shut = fmt.Sprintf("if j >= %s && j - %s <= M - 3 {\n", by, by), "\n}"
		value = at("j - "+by+pick("", " + 1", " + 3")) + " + " + other
	}
	more, before := "", ""
	switch rng.IntN(6) {
	case 0: // vectors hand values on
		ahead := map[bool]string{true: "v[j%s]", false: "v[i, j%s]"}[again]
		more = fmt.Sprintf("array v[%s-1..M] %s out\ninit v[%sj] = 1\n", rows, result, map[bool]string{true: "", false: "i, "}[again])
		before, value = fmt.Sprintf(ahead, "")+" = w[j] + w[j]\n", value+" + "+fmt.Sprintf(ahead, "-1")
	case 1:
		more = "reduce top = max(" + own + ")\n"
	}
	body := fmt.Sprintf("%s%s%s = %s%s", before, open, own, value, shut)
	loops := fmt.Sprintf("for i = 0..N, %s {\n%s\n}", inner, body)
	if again {
		loops = fmt.Sprintf("repeat i = 0..N {\n%s\tfor %s {\n%s\n}\n}", copied, inner, body)
		if rng.IntN(2) == 0 { // both arrays are needed when the rows are done
			more += "array both[0..M] " + result + " out\n"
			loops += "\nfor j = 0..M {\n\tboth[j] = a[j] - u[j]\n}"
		}
	}
	return fmt.Sprintf(`param N, M = %d, %d
array s[0..N] %s in
array w[0..M] %s in
array a[%s0..M] %s%s
array u[%s0..M] %s inout
%s%s
`, 8+rng.IntN(40), 40+rng.IntN(260+700*rng.IntN(2)), pick("int32", "int32", "int16", "uint8", "int64"), result, rows, cell, given, rows, result, more, loops)
}
