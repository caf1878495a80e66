package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"loopc/ir/irtest"
	"loopc/runtime/boundary"
)

// TestBoundaryLevels runs random nests whose levels read the level before, or the two before, across boundaries of all
// kinds at all ends, under random plans. It compares every bit with the interpreter.
func TestBoundaryLevels(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(randomNests.begin(t, "nest-plans"), 32))
	var nests []builtNest
	for count, tried := irtest.OfAll(60, 10), 0; len(nests) < count; tried++ {
		if tried > 20*count {
			t.Fatalf("%d of %d nests are accepted", len(nests), tried)
		}
		b, ok := buildNest(t, fmt.Sprintf("boundary%d", len(nests)), boundaryLevels(rng), rng, *nestPlans)
		if !ok {
			continue
		}
		nests = append(nests, b)
	}
	var all tally
	all.add(nests, runNests(t, nests))
	t.Log(&all)
}

// boundaryLevels returns a nest for TestBoundaryLevels: two or three loops, with one or two arrays.
func boundaryLevels(rng *rand.Rand) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	loops := []string{"i", "j"}[:1+rng.IntN(2)]
	kinds := boundary.All()
	wraps := rng.IntN(3) == 0
	size, declare := "N", "param T, N = 6, "+pick("7", "19", "33")
	if wraps { // distances are as long as the array
		declare = "param T = 6\nconst N = " + pick("4", "5", "6")
	}
	names := []string{"u", "v"}[:1+rng.IntN(2)]
	var text, body strings.Builder
	fmt.Fprintln(&text, declare)
	for _, name := range names {
		elem := pick("float32", "float64", "int32", "int64", "uint8")
		fmt.Fprintf(&text, "array %s[-1..T%s] %s out\n", name, strings.Repeat(", 1.."+size, len(loops)), elem)
		hash := "t"
		for k, loop := range loops {
			hash += fmt.Sprintf(" + %d*%s", 3+4*k, loop)
		}
		fmt.Fprintf(&text, "init %s[t, %s] = %s((%s)%%11)\n", name, strings.Join(loops, ", "), elem, hash)
		fmt.Fprintf(&text, "boundary %s[*", name)
		for range loops {
			low, high := kinds[rng.IntN(len(kinds))], kinds[rng.IntN(len(kinds))]
			for !wraps && low.Wraps() {
				low = kinds[rng.IntN(len(kinds))]
			}
			for high.Wraps() && !low.Wraps() {
				high = kinds[rng.IntN(len(kinds))]
			}
			if low.Wraps() || low == high {
				fmt.Fprintf(&text, ", %s", low)
			} else {
				fmt.Fprintf(&text, ", %s..%s", low, high)
			}
		}
		fmt.Fprintln(&text, "]")
		var terms []string
		for range 2 + rng.IntN(4) {
			subs := pick("t-1", "t-1", "t-2")
			for _, loop := range loops {
				subs += ", " + loop + pick("", "-1", "+1", "-2", "+2")
			}
			terms = append(terms, fmt.Sprintf("%s(%s[%s])", elem, names[rng.IntN(len(names))], subs))
		}
		sum := strings.Join(terms, pick(" + ", " - "))
		if strings.HasPrefix(elem, "float") {
			sum = fmt.Sprintf("0.25*(%s)", sum)
		}
		fmt.Fprintf(&body, "\t%s[t, %s] = %s\n", name, strings.Join(loops, ", "), sum)
	}
	fmt.Fprintf(&text, "for t = 1..T")
	for _, loop := range loops {
		fmt.Fprintf(&text, ", %s = 1..%s", loop, size)
	}
	fmt.Fprintf(&text, " {\n%s}\n", body.String())
	return text.String()
}
