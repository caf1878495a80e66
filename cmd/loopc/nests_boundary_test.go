package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/ir/irtest"
	"loopc/runtime/boundary"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
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
	reports, slots := runNests(t, nests), 0
	all.add(nests, reports)
	for k, r := range reports {
		if !strings.Contains(nests[k].src, " out\n") && slices.ContainsFunc(slices.Collect(maps.Keys(r.Kernels)), func(name string) bool { return strings.HasSuffix(name, kernel.InArrays) }) {
			slots++
		}
	}
	if simd.AVX2() && slots == 0 {
		t.Error("no nest has run with levels that rotate")
	}
	t.Logf("%d nests have run with levels that rotate", slots)
	t.Log(&all)
}

// boundaryLevels returns a nest for TestBoundaryLevels: two to four loops, with one or two arrays. Their last level may be all that is
// given back, and the loops may leave cells at the ends alone.
func boundaryLevels(rng *rand.Rand) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	loops := []string{"i", "j", "k"}[:1+rng.IntN(3)]
	kinds := boundary.All()
	wraps := rng.IntN(3) == 0
	size, declare := "N", "param T, N = 6, "+pick("7", "19", "33")
	if wraps { // distances are as long as the array
		declare = "param T = 6\nconst N = " + pick("4", "5", "6")
	}
	if len(loops) == 3 {
		declare = strings.NewReplacer("19", "10", "33", "18").Replace(declare)
	}
	names, whole := []string{"u", "v"}[:1+rng.IntN(2)], rng.IntN(2) == 0
	var text, body strings.Builder
	fmt.Fprintln(&text, declare)
	for _, name := range names {
		elem := pick("float32", "float64", "int32", "int64", "uint8")
		fmt.Fprintf(&text, "array %s[-1..T%s] %s", name, strings.Repeat(", 1.."+size, len(loops)), elem)
		if whole {
			fmt.Fprintln(&text, " out")
		} else {
			fmt.Fprintf(&text, "\nout %s[T%s]\n", name, strings.Repeat(", *", len(loops)))
		}
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
		fmt.Fprintf(&text, ", %s = %s..%s", loop, pick("1", "1", "1", "2"), size+pick("", "", "", "-1"))
	}
	fmt.Fprintf(&text, " {\n%s}\n", body.String())
	return text.String()
}
