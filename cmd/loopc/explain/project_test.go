package explain

import (
	"fmt"
	"html/template"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// randomDistances returns distances of n loops, no two of them equal and none of them 0: short
// ones, some of which lie on a line, and sometimes very long ones.
func randomDistances(rng *rand.Rand, n int) (out [][]int) {
	for range 1 + rng.IntN(12) {
		v := make([]int, n)
		reach := []int{1, 1, 2, 3}[rng.IntN(4)]
		for k := range v {
			v[k] = rng.IntN(2*reach+1) - reach
		}
		switch rng.IntN(8) {
		case 0:
			v = slices.Repeat([]int{1 + rng.IntN(3)}, n) // along a diagonal
		case 1:
			v[rng.IntN(n)] = 1 + rng.IntN(1_000_000)
		}
		if length(v) > 0 && !slices.ContainsFunc(out, func(o []int) bool { return slices.Equal(o, v) }) {
			out = append(out, v)
		}
	}
	return out
}

var arrowHead = regexp.MustCompile(`<path d="M(-?[\d.]+) (-?[\d.]+)L[^"]*" class="dep head"`)

// TestNoPoint draws random distances: every one has an arrow of a length that can
// be seen, which ends where no other does.
func TestNoPoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	turned, named, all := 0, 0, 0
	for range 600 {
		n := 1 + rng.IntN(6)
		vectors := randomDistances(rng, n)
		usual := projectionOf(vectors, n)
		usual.unit = usualAxes(n)
		names, axes := map[string]string{}, []string{}
		for _, v := range vectors {
			names[vector(v)] = vector(v)
		}
		for k := range n {
			axes = append(axes, strings.Repeat("i", 1+k))
		}
		if n > 2 && usual.quality(vectors) < 0.1 {
			turned++
		}
		var drawing template.HTML
		with, _ := drawVectors(vectors, names, axes, &drawing)
		named += with
		all += len(vectors)
		lookAtLabels(t, fmt.Sprint(vectors), string(drawing))
		var heads []point
		for _, m := range arrowHead.FindAllStringSubmatch(string(drawing), -1) {
			at := numbers(t, m[1]+" "+m[2])
			heads = append(heads, point{at[0], at[1]})
		}
		if len(heads) != len(vectors) {
			t.Errorf("%v: %d arrows are drawn", vectors, len(heads))
		}
		for k, h := range heads {
			if math.Hypot(h.x, h.y) < 6 {
				t.Errorf("%v: an arrow is %.1f long", vectors, math.Hypot(h.x, h.y))
			}
			for _, o := range heads[:k] {
				if math.Hypot(h.x-o.x, h.y-o.y) < 2 {
					t.Errorf("%v: two arrows end at the same place", vectors)
				}
			}
		}
	}
	if turned < 50 || named < all*9/10 {
		t.Errorf("%d of 600 sets need another projection, %d of %d arrows have names", turned, named, all)
	}
	t.Logf("%d of 600 sets need another projection, %d of %d arrows have names", turned, named, all)
}

// TestAllDistances requires an arrow on the page for every distance, also if the
// picture of the iteration space leaves out a loop.
func TestAllDistances(t *testing.T) {
	drawn := 0
	for _, c := range pictures(t) {
		s := subject(t, "nest.loop", c.text, c.params, c.o)
		r := New(s)
		want := map[string]bool{}
		for _, d := range r.Dependences {
			if d.Carried {
				want[vector(d.Distance)] = true
			}
		}
		for _, skewed := range []bool{false, true} {
			text := vectorsText(r, s.Plan, skewed)
			if got := len(arrowHead.FindAllString(text, -1)); got != len(want) {
				t.Errorf("%s: %d arrows for %d distances", c.name, got, len(want))
			}
		}
		drawn += len(want)
	}
	if drawn < 50 {
		t.Errorf("%d distances: the test proves little", drawn)
	}
}

// TestUsualProjection keeps the axes of the picture of the iteration space where
// these show all distances.
func TestUsualProjection(t *testing.T) {
	for _, vectors := range [][][]int{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, -1, 0}}} {
		if p := projectionOf(vectors, 3); !slices.Equal(p.unit, usualAxes(3)) {
			t.Errorf("%v: axes are at %v", vectors, p.unit)
		}
	}
	if p := projectionOf([][]int{{1, 1, 1}}, 3); slices.Equal(p.unit, usualAxes(3)) {
		t.Error("a diagonal is drawn as a point")
	}
}
