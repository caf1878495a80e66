package transform

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/transform/plan"
)

// TestParseTiling has tiling matrices as they are typed, with the unimodular
// matrix and the sides that they stand for.
func TestParseTiling(t *testing.T) {
	for text, want := range map[string]string{
		"H=1/8,0;1/8,1/8":         "[[1 0] [1 1]] [8 8]",
		" H = 1/8 0 ; 1/4  1/4 ;": "[[1 0] [1 1]] [8 4]",
		"1,0;0,1/32":              "[[1 0] [0 1]] [0 32]",
		"0,1;1,0":                 "[[0 1] [1 0]] [0 0]",
		"-1/3 0;2/3 -1/3":         "[[-1 0] [2 -1]] [3 3]",
		"2/8,1/8;4/16,2/16":       "", // singular
		"3/6,2/6;1,1":             "[[3 2] [1 1]] [6 0]",
		"1/32":                    "[[1]] [32]",
		"0,0,1/2;1/3,0,0;0,1,0":   "[[0 0 1] [1 0 0] [0 1 0]] [2 3 0]",
	} {
		h, err := ParseTiling(text)
		if want == "" {
			if err == nil {
				t.Errorf("%s is accepted", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := fmt.Sprint(h.U, h.Sides); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestRefusedTilings has texts that are no tiling matrices, with the reason.
func TestRefusedTilings(t *testing.T) {
	for text, want := range map[string]string{
		"G=1,0;0,1":                     `"G=1,0;0,1" is no tiling matrix: it is written H=`,
		"":                              "row 1 () has 0 entries",
		"1,0":                           "not square: row 1 (1,0) has 2 entries, and there are 1 rows",
		"1,0;1":                         "not square: row 2 (1) has 1 entry",
		"1,x;0,1":                       `row 1 of the tiling matrix (1,x): "x" is no integer or fraction`,
		"1,0.5;0,1":                     `"0.5" is no integer or fraction`,
		"1,1/0;0,1":                     `"1/0" is no integer or fraction`,
		"1/9999999,0;0,1":               "numerators and denominators are at most 1048576",
		"1/1048576,1/1048575;0,1":       "the tile side would exceed 1048576",
		"1048576,1/1048576;0,1":         "its integers would exceed 1048576",
		"0,0;0,1":                       "it is zero, and the matrix singular",
		"1,1;1,1":                       "the tiling matrix is singular",
		"1/2,1/2;1/3,1/3":               "the tiling matrix is singular",
		"2/3,0;0,1":                     "it is 2/3 times the integers (1, 0), and must be one over the tile side times integers without a common divisor, such as 1,0",
		"2,4;0,1":                       "it is 2 times the integers (1, 2)",
		"1/2,1/2;1/2,-1/2":              "without the tile sides it is U = [1 1; 1 -1], with the determinant -2, not 1 or -1",
		"1,1000000,0;0,1,1000000;0,0":   "not square: row 3 (0,0) has 2 entries",
		"1,0,0;1000000,1,0;0,1000000,1": "the inverse of the tiling matrix has entries beyond 1048576",
	} {
		if h, err := ParseTiling(text); err == nil {
			t.Errorf("%q is accepted as %v", text, h)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

const jacobi = `param T, N = 10, 20
array A[0..T, 0..N+1] float64 out
init A[t,i] = t + i
for t = 1..T, i = 1..N {
	A[t,i] = A[t-1,i-1] + A[t-1,i+1]
}
`

func compiled(t *testing.T, src string) *ir.Nest {
	t.Helper()
	n, diags := frontend.Compile("nest.loop", []byte(src))
	if diag.HasErrors(diags) {
		t.Fatalf("%+v", diags)
	}
	return n
}

// TestIllegalTilings requires of matrices that do not fit a nest a diagnostic at
// the read that forbids them, with its write, and a hint that is legal.
func TestIllegalTilings(t *testing.T) {
	n := compiled(t, jacobi)
	for _, c := range []struct {
		tiling, message string
		line, col       int
	}{
		{"1,0;0,1/4", "the tiling runs against the flow dependence (1, -1) of A: row 2 of H, (0,1/4), times (1, -1) is -1/4, and must not be negative", 5, 24},
		{"1,0;1,-1", "", 0, 0}, // (1, -1) and (1, 1) become (1, 2) and (1, 0)
		{"-1,0;0,1", "the tiling runs against the flow dependence (1, 1) of A: row 1 of H, (-1,0), times (1, 1) is -1", 5, 11},
		{"1,0;1/1,2/1", "", -1, 0},
		{"1/2,0;1/1,1/1;", "", 0, 0},
		{"1/2,0;0,1/1", "", 5, 24},
		{"1/3,0;1/3,1/3", "", 0, 0},
		{"1,0,0;0,1,0;0,0,1", "the tiling matrix is 3 × 3, but the nest has 2 loops", 4, 5},
		{"1/1048576", "the tiling matrix is 1 × 1, but the nest has 2 loops", 4, 5},
	} {
		h, err := ParseTiling(c.tiling)
		if c.line < 0 {
			if err == nil {
				t.Errorf("%s is accepted", c.tiling)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		l, p, diags := LowerTiled(n, h)
		if c.line == 0 {
			if len(diags) > 0 || !slices.EqualFunc(l.Skew, h.U, slices.Equal[[]int]) {
				t.Errorf("%s: %+v", c.tiling, diags)
			}
			continue
		}
		if l != nil || p != nil || len(diags) == 0 {
			t.Errorf("%s is accepted", c.tiling)
			continue
		}
		d := diags[0]
		if d.Code != diag.TileIllegal || !strings.Contains(d.Message, c.message) || d.At.Line != c.line || d.At.Col != c.col {
			t.Errorf("%s: %+v", c.tiling, diags)
		}
		if len(h.U) == 2 && (len(d.Notes) != 1 || d.Notes[0].At.Line != 5 || d.Notes[0].At.Col != 2) {
			t.Errorf("%s: notes %+v", c.tiling, d.Notes)
		}
		_, hint, _ := strings.Cut(d.Hint, `"`)
		hint, _, _ = strings.Cut(hint, `"`)
		if h, err = ParseTiling(hint); err != nil {
			t.Errorf("hint %s: %v", d.Hint, err)
		} else if _, _, diags := LowerTiled(n, h); len(diags) > 0 {
			t.Errorf("hint %s: %+v", d.Hint, diags)
		}
	}
	// A tile must be as long as the longest dependence: (2, 1)·(1, 1) = 3.
	h, err := ParseTiling("1/2,0;2/2,1/2")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, diags := LowerTiled(n, h); len(diags) != 1 || !strings.Contains(diags[0].Message, "tiles are too short for the flow dependence (1, 1) of A: row 2 of H, (1,1/2), times (1, 1) is 3/2") {
		t.Errorf("%+v", diags)
	}
}

// TestTileSides requires that the sides of a tiling matrix are those of a plan,
// that a side of 1 is the planner's to choose, and that --tile replaces all.
func TestTileSides(t *testing.T) {
	n := compiled(t, jacobi)
	h, err := ParseTiling("1/3,0;1,1")
	if err != nil {
		t.Fatal(err)
	}
	_, p, _ := LowerTiled(n, h)
	for _, c := range []struct {
		tile []int
		want []int // 0: chosen
	}{{nil, []int{3, 0}}, {[]int{5, 7}, []int{5, 7}}, {[]int{0, 7}, []int{0, 7}}} {
		at, err := plan.New(p, []int{10, 20}, plan.Options{Tile: c.tile})
		if err != nil {
			t.Fatal(err)
		}
		for k, s := range c.want {
			if s != 0 && at.Side[k] != s || s == 0 && at.Side[k] < 8 {
				t.Errorf("tile %v: sides %v, want %v", c.tile, at.Side, c.want)
			}
		}
	}
}

// TestSingleLoop requires that a nest of one loop can be tiled, too.
func TestSingleLoop(t *testing.T) {
	n := compiled(t, `param N = 100
array A[0..N] float64 out
init A[i] = 1
for i = 1..N {
	A[i] = A[i-1] + 1
}
`)
	h, err := ParseTiling("1/32")
	if err != nil {
		t.Fatal(err)
	}
	l, p, diags := LowerTiled(n, h)
	if len(diags) > 0 || !l.Levelled || !slices.Equal(p.Tile, []int{32}) {
		t.Fatalf("%+v %+v %+v", l, p, diags)
	}
	at, err := plan.New(p, []int{100}, plan.Options{})
	if err != nil || !slices.Equal(at.Side, []int{1, 32}) {
		t.Errorf("sides %v, %v", at.Side, err)
	}
}

// randomUnimodular returns a product of random row operations.
func randomUnimodular(rng *rand.Rand, n int) [][]int {
	u := identity(n)
	for range 3 * n {
		a, b := rng.IntN(n), rng.IntN(n)
		switch c := 1 - 2*rng.IntN(2); {
		case a == b:
			for x := range u[a] {
				u[a][x] *= -1
			}
		case rng.IntN(2) == 0:
			u[a], u[b] = u[b], u[a]
		default:
			for x := range u[a] {
				u[a][x] += c * u[b][x]
			}
		}
	}
	return u
}

// TestInvert requires of random matrices the determinant that Laplace's rule
// gives, and of the unimodular ones their inverse.
func TestInvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	signs := map[int]int{}
	for k := range 5000 {
		n := 1 + rng.IntN(5)
		m := randomUnimodular(rng, n)
		if k%4 == 0 {
			for _, row := range m {
				for x := range row {
					row[x] = rng.IntN(9) - 4
				}
			}
		}
		det, u := invert(m, 1<<40)
		if want := determinant(m); det.Cmp(big.NewInt(int64(want))) != 0 {
			t.Fatalf("the determinant of %v is %s, want %d", m, det, want)
		} else if (want == 1 || want == -1) != (u != nil) {
			t.Fatalf("%v has the inverse %v and the determinant %d", m, u, want)
		} else {
			signs[min(max(want, -2), 2)]++
		}
		for x := range n {
			if u == nil {
				break
			}
			e := identity(n)[x]
			if got := apply(u, apply(m, e)); !slices.Equal(got, e) {
				t.Fatalf("%v is not the inverse of %v", u, m)
			}
		}
	}
	for d := -2; d <= 2; d++ {
		if signs[d] < 50 {
			t.Errorf("only %d matrices with a determinant like %d", signs[d], d)
		}
	}
}

// TestDimNames requires that dimensions that are sums of loops are named so that
// they can be typed: what is added first.
func TestDimNames(t *testing.T) {
	n := compiled(t, jacobi)
	for _, c := range []struct {
		u    [][]int
		want string
	}{
		{[][]int{{1, 0}, {3, 1}}, "t i"}, // shifted loops keep their names
		{[][]int{{1, 1}, {1, 0}}, "t+i t"},
		{[][]int{{-1, 1}, {0, -1}}, "i-t -i"},
		{[][]int{{2, -3}, {-1, 2}}, "2*t-3*i 2*i-t"},
	} {
		_, p, _ := lowerAs(n, c.u, nil, "")
		if got := strings.Join(p.Dims, " "); got != c.want {
			t.Errorf("T = %v: dimensions %s, want %s", c.u, got, c.want)
		}
	}
}
