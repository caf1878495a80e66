package frontend

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/ir"
)

// A color is a condition in the language, and what it says. r is the number of a repeat from 0 to mod-1.
type color struct {
	text  string
	holds func(t, i, j int) bool
	mod   int
}

// randomColor returns a comparison of remainders of sums of loops. *r is the number of the repeat.
func randomColor(rng *rand.Rand, r *int) color {
	a, b, c, d := rng.IntN(4)-1, rng.IntN(4)-1, rng.IntN(4)-1, rng.IntN(9)-4
	form := func(t, i, j int) int { return a*t + b*i + c*j + d }
	text := fmt.Sprintf("(%d*t + %d*i + %d*j + %d)", a, b, c, d)
	mod, rest := 2+rng.IntN(3), rng.IntN(3)-1
	all := []color{
		{fmt.Sprintf("%s%%%d == r", text, mod), func(t, i, j int) bool { return form(t, i, j)%mod == *r }, mod},
		{fmt.Sprintf("r + 1 != %s%%%d", text, mod), func(t, i, j int) bool { return form(t, i, j)%mod != *r+1 }, mod},
		{fmt.Sprintf("(%s%%4 - 1)%%2 == r", text), func(t, i, j int) bool { return (form(t, i, j)%4-1)%2 == *r }, 2},
		{fmt.Sprintf("!((%s%%4 - 1)%%2 == r)", text), func(t, i, j int) bool { return (form(t, i, j)%4-1)%2 != *r }, 2},
		{fmt.Sprintf("!(%s%%2 == r + 1)", text), func(t, i, j int) bool { return form(t, i, j)%2 != *r+1 }, 2},
		{fmt.Sprintf("(j - (1 + (i + %d*t + r)%%2))%%2 == 0", a), func(t, i, j int) bool { return (j-(1+(i+a*t+*r)%2))%2 == 0 }, 2},
		{fmt.Sprintf("(%s - %s%%4)%%%d == 0", text, text, mod), func(t, i, j int) bool { return (form(t, i, j)-form(t, i, j)%4)%mod == 0 }, mod},
		{fmt.Sprintf("%s%%%d == %d", text, mod, rest), func(t, i, j int) bool { return form(t, i, j)%mod == rest }, mod},
		{fmt.Sprintf("%d != %s%%%d", rest, text, mod), func(t, i, j int) bool { return form(t, i, j)%mod != rest }, mod},
		{fmt.Sprintf("%s/%d*%d == %s", text, mod, mod, text), func(t, i, j int) bool { return form(t, i, j)%mod == 0 }, mod},
		{fmt.Sprintf("%s - %d*(%s/%d) == %d", text, mod, text, mod, rest), func(t, i, j int) bool { return form(t, i, j)%mod == rest }, mod},
		{fmt.Sprintf("%s&1 == %d", text, rest), func(t, i, j int) bool { return form(t, i, j)&1 == rest }, mod},
		{fmt.Sprintf("!(%s%%%d == t%%%d)", text, mod, mod), func(t, i, j int) bool { return form(t, i, j)%mod != t%mod }, mod},
		{fmt.Sprintf("%s%%2 == 0 && i > 2", text), func(t, i, j int) bool { return form(t, i, j)%2 == 0 && i > 2 }, mod},
		{fmt.Sprintf("%s%%2 == 0 || j > 2", text), func(t, i, j int) bool { return form(t, i, j)%2 == 0 || j > 2 }, mod},
	}
	return all[rng.IntN(len(all))]
}

// TestIdleWrites uses random conditions under which an iteration keeps its cell. Each evaluated
// read must see the value of the iteration that the analysis names as its source, or the initial
// value if the analysis names none.
func TestIdleWrites(t *testing.T) {
	const steps, size = 4, 5
	rng := rand.New(rand.NewPCG(5, 6))
	accepted, earlier, initial, r := 0, 0, 0, 0
	for range 3000 {
		of, di, dj := randomColor(rng, &r), rng.IntN(3)-1, rng.IntN(3)-1
		r = rng.IntN(of.mod)
		last := "T"
		if rng.IntN(2) == 0 {
			last = "1"
		}
		read := fmt.Sprintf("u[i+%d,j+%d]", di, dj)
		value := fmt.Sprintf("u[i,j] = select(%s, 0.5*%s, u[i,j])", of.text, read)
		always := false // the read is evaluated at all iterations
		switch rng.IntN(5) {
		case 0:
			value = fmt.Sprintf("let x = int64(8*%s)\n\tu[i,j] = select(!(%s), u[i,j], float64(x/3))", read, of.text)
		case 1:
			always = true
			value = fmt.Sprintf("let x = 8/int64(%s)\n\tu[i,j] = select(!(%s), u[i,j], float64(x))", read, of.text)
		case 2:
			value = fmt.Sprintf("let x = 0.5*%s\n\tu[i,j] = select(!(%s), u[i,j], x)", read, of.text)
		case 3:
			value = fmt.Sprintf("if %s {\n\t\tu[i,j] = 0.5*%s\n\t}", of.text, read)
		}
		src := fmt.Sprintf("param T, N = 4, 5\narray u[0..N+1, 0..N+1] float64 inout\nrepeat r = 0..%d {\nfor t = 1..%s, i = 1..N, j = 1..N {\n\t%s\n}\n}\n", of.mod-1, last, value)
		program, diags := CompileProgram("idle.loop", []byte(src))
		if program == nil {
			t.Fatalf("%+v\n%s", diags, src)
		}
		n := program.Nests[0]
		an := n.Analysis
		accepted++
		cells, computed := map[[2]int]int{}, map[[3]int]int{} // numbers of values; 0: the initial one
		for s := 1; s <= steps && (s == 1 || last == "T"); s++ {
			for i := 1; i <= size; i++ {
				for j := 1; j <= size; j++ {
					seen, changes := cells[[2]int{i + di, j + dj}], of.holds(s, i, j)
					if changes {
						cells[[2]int{i, j}] = len(computed) + 1
					}
					if changes || always {
						at := readOf(n, di, dj)
						got := sourceValue(an.Reads[at].Sources, computed, [3]int{s, i, j})
						if got != seen {
							t.Fatalf("%v reads value %d, the analysis says %d: %+v\n%s", []int{s, i, j}, seen, got, an.Reads[at], src)
						}
					}
					computed[[3]int{s, i, j}] = cells[[2]int{i, j}]
				}
			}
		}
		same := (di < 0 || di == 0 && dj < 0)
		sources := an.Reads[readOf(n, di, dj)].Sources
		if same && slices.ContainsFunc(sources, func(s ir.Source) bool { return s.Dist[0] == 1 }) {
			earlier++
		}
		if same && last == "1" && len(sources) == 0 {
			initial++
		}
	}
	if accepted < 2500 || earlier < 100 || initial < 100 {
		t.Errorf("%d nests accepted, in %d reads take an earlier value, in %d the initial one; the test proves little", accepted, earlier, initial)
	}
}

// readOf returns the read of the neighbor at i+di, j+dj, the first one of several.
func readOf(n *ir.Nest, di, dj int) int {
	for id, r := range n.Reads {
		if r.Subs[0].Const == di && r.Subs[1].Const == dj {
			return id
		}
	}
	panic("no such read")
}

// sourceValue returns the value of the nearest source that is an iteration; 0 if there is none.
func sourceValue(sources []ir.Source, computed map[[3]int]int, at [3]int) int {
	for _, s := range sources {
		if x, ok := computed[[3]int{at[0] - s.Dist[0], at[1] - s.Dist[1], at[2] - s.Dist[2]}]; ok {
			return x
		}
	}
	return 0
}
