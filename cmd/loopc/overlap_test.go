package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestOverlapped evaluates kernels of long bodies with divisions, whose loops along rows begin a step before they end the one before,
// and compares all cells with the interpreter's. Rows have from none to several vectors.
func TestOverlapped(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	var all bodyTally
	overlapped := 0
	for k := range 18 {
		src := dividingNest(rng, k)
		text := all.compare(t, rng, src)
		if t.Failed() {
			return
		}
		if overlaps(text) {
			overlapped++
		}
	}
	if all.refused > 0 || overlapped < 9 {
		t.Errorf("%d bodies are refused, %d overlap; the test proves little", all.refused, overlapped)
	}
}

// overlaps reports whether the last kernel, that for AVX-512, divides before its loop along a row, and in the loop.
func overlaps(text []byte) bool {
	last := text[bytes.LastIndex(text, []byte("TEXT")):]
	before, loop, ok := bytes.Cut(last, []byte("\nvectors:"))
	return ok && bytes.Contains(before, []byte("VDIVP")) && bytes.Contains(loop, []byte("VDIVP"))
}

// dividingNest returns the source of the k-th nest with a long body that divides: sums of cells, their quotients, and many operations on
// these, for up to three results.
func dividingNest(rng *rand.Rand, k int) string {
	elem, results := []string{"float64", "float32"}[k%2], 1+k/2%3
	var s strings.Builder
	fmt.Fprintf(&s, "param T, M, N = %d, %d, %d\narray a[0..M+1, 0..N+1] %s in\n", 1+rng.IntN(3), 1+rng.IntN(3), 1+rng.IntN(80), elem)
	for r := range results {
		fmt.Fprintf(&s, "array u%d[0..T, 0..M+1, 0..N+1] %s out\ninit u%d[t, i, j] = a[i,j]\n", r, elem, r)
	}
	s.WriteString("\nfor t = 1..T, i = 1..M, j = 1..N {\n")
	var known []string
	let := func(format string, args ...any) {
		name := fmt.Sprintf("x%d", len(known))
		fmt.Fprintf(&s, "\tlet %s = %s\n", name, fmt.Sprintf(format, args...))
		known = append(known, name)
	}
	cell := func() string {
		if rng.IntN(4) == 0 {
			return "a[i,j]"
		}
		return fmt.Sprintf("u%d[t-1,i%+d,j%+d]", rng.IntN(results), rng.IntN(3)-1, rng.IntN(3)-1)
	}
	one := func() string { return known[max(0, len(known)-1-rng.IntN(8))] }
	for range 4 {
		let("%s + %s*%s", cell(), cell(), cell())
	}
	for range 1 + rng.IntN(2) {
		let("%s/%s", one(), one())
	}
	for range 40 {
		let("%s %c %g*%s", one(), "+-*"[rng.IntN(3)], 0.5+rng.Float64(), one())
	}
	for r := range results {
		fmt.Fprintf(&s, "\tu%d[t,i,j] = %s - %s", r, cell(), one())
		for _, x := range known[4:] {
			if rng.IntN(3) == 0 {
				fmt.Fprintf(&s, " + %s", x)
			}
		}
		s.WriteString("\n")
	}
	s.WriteString("}\n")
	return s.String()
}
