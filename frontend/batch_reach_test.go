package frontend

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"loopc/ir"
	"loopc/ir/eval"
)

// bandHeader declares what the batches of TestItemInits have.
const bandHeader = `param B, N, w = 1, 60, 2
array len[1..B] int32 in
array b[1..B] int32 in
array s[1..B] int32 out
array H[1..B, 0..N, 0..N] int32
init H[p, i, j] = i - j
init s[p] = 0
`

// TestItemInits enumerates the cells that the nests of an item access, and those that its inits fill: all of the former, and
// not many more.
func TestItemInits(t *testing.T) {
	last := "\nfor k = 1..1 {\ns[p] = H[p,M,K]\n}"
	for _, c := range []struct {
		name, nests string
		most        int // cells that are filled, at most, for each one that is accessed
	}{
		{"a band, and a cell beside it", "for i = 1..M, j = max(1, i-w)..min(K, i+w) {\nH[p,i,j] = max(H[p,i-1,j-1] + 1, H[p,i-1,j], H[p,i,j-1])\n}" + last, 2},
		{"a band whose rows are columns", "for j = 1..K, i = max(1, j-w)..min(M, j+w) {\nH[p,i,j] = H[p,i-1,j-1] + H[p,i,j-1]\n}" + last, 2},
		{"a band in a repeat", "repeat t = 1..3 {\nfor i = t..M, j = max(t, i-w)..min(K, i+w) {\nH[p,i,j] = H[p,i-1,j-1] + H[p,i,j-1]\n}\n}" + last, 2},
		{"backward", "for i = M-1..0 step -1, j = min(K-1, i+w)..max(0, i-w) step -1 {\nH[p,i,j] = H[p,i+1,j+1] + H[p,i,j+1]\n}" + last, 2},
		{"an entire table", "for i = 1..M, j = 1..K {\nH[p,i,j] = H[p,i-1,j-1] + H[p,i,j-1]\n}" + last, 2},
		{"boundaries", "for i = 1..M, j = 1..K {\nH[p,i,j] = H[p,i-1,j] + 1\n}\nfor k = 1..1 {\ns[p] = H[p,k,k-2]\n}", 1 << 30},
	} {
		src := bandHeader
		if c.most > 2 {
			src = strings.Replace(src, "init H", "boundary H[*, *, periodic]\ninit H", 1)
		}
		prog, diags := CompileProgram("band.loop", []byte(src+"batch p = 1..B, M = len[p], K = b[p] {\n"+c.nests+"\n}\n"))
		if prog == nil {
			t.Errorf("%s: %v", c.name, diags)
			continue
		}
		for _, item := range [][2]int{{0, 0}, {1, 1}, {20, 31}, {40, 40}} {
			params := []int{1, 60, 2, 1, item[0], item[1]}
			accessed, filled := map[string]bool{}, map[string]bool{}
			for _, n := range prog.Nests {
				array := slices.IndexFunc(n.Arrays, func(a ir.Array) bool { return a.Name == "H" })
				to := accessed
				if strings.Contains(n.Name, "OfItem") {
					to = filled
					fewestEnds(t, c.name, n)
				} else if n.OfInit {
					continue
				}
				accesses(n, array, params, to)
			}
			for cell := range accessed {
				if !filled[cell] {
					t.Errorf("%s: item %v: cell %s is accessed, and not filled", c.name, item, cell)
					break
				}
			}
			if len(filled) > c.most*len(accessed)+8 {
				t.Errorf("%s: item %v: %d cells are filled, %d are accessed", c.name, item, len(filled), len(accessed))
			}
		}
	}
}

// accesses adds the cells of an array that a nest accesses. Its last parameter is the number of a repeat, if it has one more.
func accesses(n *ir.Nest, array int, params []int, cells map[string]bool) {
	numbers := [][]int{params}
	if len(n.Params) > len(params) {
		numbers = nil
		for t := 1; t <= 3; t++ {
			numbers = append(numbers, append(slices.Clone(params), t))
		}
	}
	add := func(subs []ir.Affine, params, at []int) {
		cell := []int{}
		for m, sub := range subs {
			x, a := sub.Eval(params, at), &n.Arrays[array]
			if size := a.Hi[m].Eval(params, nil) + 1; a.Boundary != nil && m > 0 {
				x = (x + size) % size
			}
			cell = append(cell, x)
		}
		cells[fmt.Sprint(cell)] = true
	}
	for _, params := range numbers {
		at := make([]int, len(n.Loops))
		var each func(k int)
		each = func(k int) {
			if k == len(at) {
				for _, r := range n.Reads {
					if r.Array == array {
						add(r.Subs, params, at)
					}
				}
				for _, s := range n.Assigns(array) {
					add(n.Body[s].(*ir.Assign).Subs, params, at)
				}
				return
			}
			lo, hi := eval.Bounds(&n.Loops[k], params, at)
			for at[k] = lo; at[k] <= hi; at[k]++ {
				each(k + 1)
			}
		}
		each(0)
	}
}

// fewestEnds requires that no upper bound of a loop is one that the parameters of the item, which are within their ranges, always meet.
func fewestEnds(t *testing.T, name string, n *ir.Nest) {
	for _, l := range n.Loops {
		ends := slices.DeleteFunc(slices.Clone(l.Hi), ir.Affine.HasIters)
		if len(ends) > 1 {
			t.Errorf("%s: the loop %s of %s has the upper bounds %v", name, l.Name, n.Name, ends)
		}
	}
}
