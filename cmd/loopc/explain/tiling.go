package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"loopc/transform/plan"
)

// A Tiling is how iterations are cut into tiles. Iteration j lies in tile
// ⌊H·(j - origin)⌋; H = D^-1·T, where D is the diagonal of the sides.
type Tiling struct {
	Skew [][]int    `json:"skew"` // T: skewed coordinates are p = T·j
	H    [][]string `json:"h"`    // rows: normals of the faces of a tile, such as "1/32"
	P    [][]int    `json:"p"`    // H^-1: columns are the sides of a tile, in iterations
	Size int64      `json:"size"` // |det P|: iterations of a full tile, at most 2^63 − 1
	// TileDependences is D^S, an entry per column of the matrix: the dependence distances
	// between tiles, without dimensions that have a single tile.
	TileDependences [][]int `json:"tile_dependences"`
}

// tilingOf describes the tiling of p.
func tilingOf(p *plan.Plan) Tiling {
	t := Tiling{Skew: p.Nest.Skew, Size: 1, TileDependences: tileDependences(p)}
	for _, s := range p.Side {
		if t.Size > math.MaxInt64/int64(s) {
			t.Size = math.MaxInt64
			break
		}
		t.Size *= int64(s)
	}
	inverse := inverse(p.Nest.Skew)
	for k, row := range p.Nest.Skew {
		var h []string
		for _, c := range row {
			h = append(h, ratio(c, p.Side[k]))
		}
		t.H = append(t.H, h)
		sides := make([]int, len(row))
		for x, c := range inverse[k] {
			sides[x] = c * p.Side[x]
		}
		t.P = append(t.P, sides)
	}
	return t
}

// inverse returns the inverse of a unimodular matrix, by Gauss-Jordan
// elimination with the Euclidean algorithm in place of division.
func inverse(m [][]int) [][]int {
	n := len(m)
	a, b := make([][]int, n), make([][]int, n)
	for k := range m {
		a[k], b[k] = slices.Clone(m[k]), make([]int, n)
		b[k][k] = 1
	}
	// add adds f times row x to row k.
	add := func(k, x, f int) {
		for c := range n {
			a[k][c] += f * a[x][c]
			b[k][c] += f * b[x][c]
		}
	}
	for c := range n {
		for k := c + 1; k < n; k++ {
			for a[k][c] != 0 {
				add(c, k, -(a[c][c] / a[k][c]))
				a[c], a[k], b[c], b[k] = a[k], a[c], b[k], b[c]
			}
		}
		if a[c][c] == -1 {
			add(c, c, -2)
		}
		if a[c][c] != 1 {
			panic("BUG: explain: the skew is not unimodular")
		}
	}
	for c := range n {
		for k := range c {
			add(k, c, -a[k][c])
		}
	}
	return b
}

// tileDependences returns D^S = { ⌊H(j0 + d)⌋ : j0 in the first full tile }, without zero,
// in lexicographic order. Along a dimension with side s, a component d leads to the next
// tile if it is positive, and may stay in the tile if it is less than s.
func tileDependences(p *plan.Plan) [][]int {
	seen := map[string]bool{}
	out := [][]int{}
	for _, d := range p.Nest.Distances() {
		var rec func(k int, at []int)
		rec = func(k int, at []int) {
			if k < len(d) {
				if d[k] < p.Side[k] || p.Tiles[k] == 1 {
					rec(k+1, append(at, 0))
				}
				if d[k] > 0 && p.Tiles[k] > 1 {
					rec(k+1, append(at, 1))
				}
				return
			}
			if key := fmt.Sprint(at); !seen[key] && slices.Max(at) > 0 {
				seen[key] = true
				out = append(out, slices.Clone(at))
			}
		}
		rec(0, make([]int, 0, len(d)))
	}
	slices.SortFunc(out, slices.Compare[[]int])
	return out
}

// ratio returns the text of a/b in lowest terms.
func ratio(a, b int) string {
	x, y := max(a, -a), b
	for y != 0 {
		x, y = y, x%y
	}
	x = max(x, 1)
	a, b = a/x, b/x
	if b == 1 || a == 0 {
		return fmt.Sprint(a)
	}
	return fmt.Sprintf("%d/%d", a, b)
}

// vector returns text such as "(1, 0, 2)".
func vector(v []int) string {
	var s []string
	for _, x := range v {
		s = append(s, fmt.Sprint(x))
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// by returns text such as "4 × 2".
func by(v []int) string {
	var s []string
	for _, x := range v {
		s = append(s, count(int64(x)))
	}
	return strings.Join(s, " × ")
}

// matrixText converts a matrix of integers to strings.
func matrixText(m [][]int) [][]string {
	var out [][]string
	for _, row := range m {
		var s []string
		for _, x := range row {
			s = append(s, fmt.Sprint(x))
		}
		out = append(out, s)
	}
	return out
}
