package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir/irtest"
)

// TestNamesOfTheUser compiles and runs nests whose names are Go's keywords and
// predeclared identifiers, the imported packages, and the words that emitted
// code uses for itself, each as parameter, constant, loop, array, let and index
// name; without -full not every word in each role.
func TestNamesOfTheUser(t *testing.T) {
	t.Parallel()
	words := strings.Fields(`
		break case chan continue default defer else fallthrough func go goto if import interface map package range
		return struct switch type var append any byte cap clear close copy len make new nil panic string true false
		iota error uint rune int bool arith array cli context errors halo inproc plan sched
		first at block cell cells dim dst err fields from hi lo kernel params program nest width stride x view value
		Bind Box Init Run Params Arrays Options Summary Program Sequential bind values chosen holds
		uHere uLevel uBefore strideI uPrevJ uNew uBack uResult uOrigin uStride0 initU main αβ ÿ ßz`)
	const template = `param %[1]s, %[2]s = 7, 9
const %[3]s, %[4]s = 0.25, 0.1
array given[0..%[2]s, 0..%[2]s] float64 in
array %[5]s[0..%[1]s, 0..%[2]s] float64 out
init %[5]s[%[7]s, %[8]s] = %[3]s + %[4]s*%[7]s - %[8]s/3 + given[1, %[8]s]
array %[6]s[-1..%[1]s, -1..%[2]s] float64 out
init %[6]s[p, q] = 0.5*p + q
for %[9]s = 1..%[1]s, %[10]s = 1..%[2]s {
	let %[11]s = select(given[%[9]s-1, %[10]s] < %[3]s, %[5]s[%[9]s-1,%[10]s], given[%[9]s-1,%[10]s-1])
	let %[12]s = %[3]s*%[11]s
	%[5]s[%[9]s,%[10]s] = %[12]s + 0.5*%[5]s[%[9]s,%[10]s-1] - 0.01*%[1]s
	%[6]s[%[9]s,%[10]s] = 0.3*%[6]s[%[9]s-1,%[10]s] + 0.3*%[6]s[%[9]s,%[10]s-1] + 0.2*%[5]s[%[9]s,%[10]s] + 0.001*%[9]s
}
`
	all := len(words)
	words = slices.DeleteFunc(words, func(word string) bool { // "if", "let" and the like mean something in the language
		n, _ := frontend.Compile("word.loop", fmt.Appendf(nil, "const %[1]s = 2\nparam N = 9\narray a[0..N] int32 inout\nfor i = 1..N { a[i] = a[i-1] + %[1]s }\n", word))
		return n == nil
	})
	if len(words) < all*7/8 {
		t.Fatalf("only %d of %d words are names", len(words), all)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	var nests []builtNest
	const arrayRole = 2
	half := (len(words) + 1) / 2
	// Nest k takes words k and k+half for the first role, and words 7 places further on for each next
	// role. All nests together try every word in every role; one nest in five still tries every word.
	for k := 0; k < half; k += irtest.OfAll(1, 5) {
		var names []any
		for role := range 6 {
			for second := range 2 {
				name := words[(k+role*7+second*half)%len(words)]
				if role == arrayRole && name == "else" {
					name = "or" // no statement begins with "else", which is taken for that of other languages
				}
				names = append(names, name)
			}
		}
		src := fmt.Sprintf(template, names...)
		b, ok := buildNest(t, fmt.Sprintf("names%03d", k), src, rng, 3)
		if !ok {
			t.Errorf("refused:\n%s", src)
			continue
		}
		nests = append(nests, b)
	}
	runNests(t, nests)
}
