package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNamesOfTheUser compiles and runs nests whose names are Go's keywords and
// predeclared identifiers, the imported packages, and the words that emitted
// code uses for itself, each as parameter, constant, loop, array, let and index
// name.
func TestNamesOfTheUser(t *testing.T) {
	words := strings.Fields(`
		break case chan continue default defer else fallthrough func go goto if import interface map package range
		return struct switch type var append any byte cap clear close copy len make new nil panic string true false
		iota error uint rune int bool arith array cli context errors halo inproc plan sched
		first at block cell cells dim dst err fields from hi lo kernel params program nest width stride x view value
		Bind Box Init Run Params Arrays Options Summary Program Sequential bind values chosen holds
		uHere uLevel uBefore strideI uPrevJ uNew uBack uResult uOrigin uStride0 initU main`)
	const template = `param %[1]s, N = 7, 9
const %[2]s = 0.25
array given[0..N, 0..N] float64 in
array %[3]s[0..%[1]s, 0..N] float64 out
init %[3]s[%[4]s, b] = %[2]s + 0.1*%[4]s - b/3 + given[1, b]
array u[-1..%[1]s, -1..N] float64 out
init u[p, q] = 0.5*p + q
for %[5]s = 1..%[1]s, j = 1..N {
	let %[6]s = select(given[%[5]s-1, j] < %[2]s, %[3]s[%[5]s-1,j], given[%[5]s-1,j-1])
	%[3]s[%[5]s,j] = %[2]s*%[6]s + 0.5*%[3]s[%[5]s,j-1] - 0.01*%[1]s
	u[%[5]s,j] = 0.3*u[%[5]s-1,j] + 0.3*u[%[5]s,j-1] + 0.2*%[3]s[%[5]s,j] + 0.001*%[5]s
}
`
	rng := rand.New(rand.NewPCG(9, 9))
	var nests []builtNest
	refused := 0
	for k := range words {
		// Six roles, each word in each as k runs.
		w := func(role int) string { return words[(k+role*7)%len(words)] }
		src := fmt.Sprintf(template, w(0), w(1), w(2), w(3), w(4), w(5))
		b, ok := buildNest(t, fmt.Sprintf("names%03d", k), src, rng, 3)
		if !ok {
			refused++ // "if", "let" and the like mean something in the language
			continue
		}
		nests = append(nests, b)
	}
	if len(nests) < len(words)/2 {
		t.Fatalf("only %d of %d nests were accepted", len(nests), len(words))
	}
	runNests(t, nests)
}
