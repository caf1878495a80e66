package codegen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform"
	"loopc/transform/plan"
)

// TestWaitsMasked has the cycles from row to row where a mask turns off a part of a vector: a load waits for each store of other cells
// that are as near as the next row of the array, and goes on from there.
func TestWaitsMasked(t *testing.T) {
	const head = "param T, N = 4, 40\narray x[0..N+1, 0..N+1] float64 in\narray a[0..N+1, 0..N+1] float64 inout\narray w[0..N+1] float64 inout\n"
	const sum = 4
	for body, want := range map[string]float64{
		"for i = 1..N, j = 1..N {\n w[j] += x[i,j]\n}":                         forwardedMasked + sum,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i-1,j] + x[i,j]\n}":             forwardedMasked + sum,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i-1,j-1] + x[i,j]\n}":           blocked + sum,
		"for i = 1..N, j = 1..N {\n a[i,j] += x[i,j]\n}":                       blocked + sum, // the row before is a neighbor
		"for i = 1..N, j = 1..N {\n a[1,j] += x[i,j]\n a[2,j] += a[1,j]\n}":    2 * (blocked + sum),
		"for i = 1..N, j = 1..N {\n a[i,j] = x[i,j] + x[i,j-1]\n}":             0,
		"for i = 1..N, j = 1..N {\n w[i] = max(w[i], x[i,j])\n}":               0, // a cell of all iterations
		"for i = 1..N, j = 1..N {\n w[j] = x[i,j]\n a[i,j] = w[j] + x[i,j]\n}": 0, // in a register
	} {
		if got := decide(t, head+body).waitsMasked(); got != want {
			t.Errorf("rows wait for %g cycles, want %g:\n%s", got, want, body)
		}
	}
}

// TestRowsInOrder names nests whose rows a vector may compute in entire arrays, and others in which a statement would come too
// late, or too early.
func TestRowsInOrder(t *testing.T) {
	const head = "param T, N = 4, 40\narray x[0..N+1, 0..N+1] float64 in\narray a[0..N+1, 0..N+1] float64 inout\narray b[0..N+1, 0..N+1] float64 inout\narray w[0..N+1] float64 inout\n"
	for body, want := range map[string]int{
		"for i = 1..N, j = N..1 step -1 {\n w[j] = max(w[j], w[j-1] + x[i,j])\n}":          math.MaxInt, // read before it is overwritten
		"for i = 1..N, j = N..1 step -1 {\n w[j] = max(w[j], w[j+1] + x[i,j])\n}":          1,
		"for i = N..1 step -1, j = N..1 step -1 {\n a[i,j] = a[i+1,j+1] + a[i,j-1]\n}":     math.MaxInt,
		"for i = 1..N, j = N..1 step -1 {\n a[i,j] = x[i,j]\n b[i,j] = 2*a[i,j+1]\n}":      math.MaxInt, // a vector of a is written first
		"for i = 1..N, j = N..1 step -1 {\n a[i,j] = x[i,j]\n b[i,j] = 2*a[i,j-1]\n}":      1,
		"for i = 1..N, j = N..1 step -1 {\n b[i,j] = 2*a[i,j-1]\n a[i,j] = x[i,j]\n}":      math.MaxInt, // a vector reads first
		"for i = 1..N, j = N..1 step -1 {\n a[i,j] = x[i,j]\n a[i,j+1] = 2*b[i,j]\n}":      math.MaxInt, // overwritten by a later statement
		"for i = 1..N, j = N..1 step -1 {\n a[i,j] = x[i,j]\n a[i,j-1] = 2*b[i,j]\n}":      1,
		"for t = 1..T, i = 1..N, j = N..1 step -1 {\n a[i,j] = a[i+1,j-1] + a[i-1,j+1]\n}": math.MaxInt, // other rows
		"for i = 1..N, j = i..1 step -1 {\n a[i,j] -= a[i,0]*a[i-1,j]\n}":                  math.MaxInt,
		"for i = 1..N, j = N..1 step -1 {\n a[j,i] = x[i,j]\n}":                            math.MaxInt, // the kernel refuses columns
		"for i = 1..N, j = 1..N {\n w[i] = max(w[i], a[i,j])\n}":                           math.MaxInt,
		"for i = 1..N, j = 1..N {\n w[i] = max(w[i], w[0] + a[i,j])\n}":                    math.MaxInt, // no row collects in w[0]
		"for i = 1..N, j = 1..N {\n w[i] += a[i,j]\n b[i,j] = w[i]\n}":                     1,
		"for i = 1..N, j = 1..N {\n a[i,0] = max(a[i,0], x[i,j])\n}":                       math.MaxInt,
		"for i = 1..N, j = 9..N {\n w[j] += w[j-9]\n}":                                     9, // needs the result of nine iterations before
		"for i = 1..N, j = 9..N {\n w[j] += w[j-9] + w[j-5]\n}":                            5,
		"for i = 1..N, j = N-9..1 step -1 {\n w[j] += w[j+9]\n}":                           9,
		"for i = 1..N, j = 6..N {\n b[i,j] = a[i,j-6]\n a[i,j] = x[i,j]\n}":                6,
		"for i = 1..N, j = 6..N-7 {\n a[i,j] = x[i,j]\n a[i,j+6] = 1\n}":                   6, // must overwrite what an earlier iteration writes later
		"for i = 1..N, j = 1..N-7 {\n b[i,j] = x[i,j]\n a[i,j] = b[i,j+7]\n}":              7, // reads what a later iteration overwrites earlier
	} {
		g := decide(t, head+body)
		if got := g.rowsInOrder(); got != want {
			t.Errorf("rows are in order with vectors of at most %d iterations, want %d:\n%s", got, want, body)
		}
	}
}

// decide compiles a nest.
func decide(t *testing.T, text string) *generator {
	t.Helper()
	n, diags := frontend.Compile("order.loop", []byte(text))
	if diag.HasErrors(diags) {
		t.Fatalf("%s: %v", text, diags)
	}
	l, p, diags := transform.Lower(n)
	if diag.HasErrors(diags) {
		t.Fatalf("%s: %v", text, diags)
	}
	return decided(n, l, p)
}

// TestRowsOfRandomNests compares rowsInOrder with the order of all accesses. A vector executes each statement for all of its
// iterations before the next statement.
func TestRowsOfRandomNests(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	rows, backward, collecting, apart := 0, 0, 0, 0
	for range irtest.OfAll(800, 120) {
		text := irtest.RandomNest(rng)
		n, diags := frontend.Compile("random.loop", []byte(text))
		if diag.HasErrors(diags) {
			continue
		}
		l, lowered, diags := transform.Lower(n)
		if diag.HasErrors(diags) {
			continue
		}
		g := decided(n, l, lowered)
		p, err := plan.New(lowered, irtest.RandomParams(rng, n), plan.Options{Ranks: 1, CPUs: 1})
		if err != nil || p.Empty || g.rowsInOrder() == 1 {
			continue
		}
		lanes := min(16, g.rowsInOrder())
		if rows++; lanes < 16 {
			apart++
		}
		collects := func(s int) bool {
			_, ok := n.Body[s].(*ir.Assign)
			return ok && g.collects(s)
		}
		if s := g.front.shape; s != nil && s.Rows() {
			if n.Loops[len(n.Loops)-1].Backward {
				backward++
			}
			if slices.ContainsFunc(l.Values, collects) {
				collecting++
			}
		}
		last := len(n.Loops) - 1
		type event struct{ iteration, statement, write int }
		events, first := map[string][]event{}, map[string]int{}
		each := func(f func(loops []int, row string)) {
			eachPoint(p, func(at []int) {
				loops := make([]int, len(n.Loops))
				for k := range loops {
					for x, c := range l.Unskew[k+g.shift] {
						loops[k] += c * at[x]
					}
				}
				f(loops, fmt.Sprint(loops[:last]))
			})
		}
		step := n.Loops[last].Step()
		each(func(loops []int, row string) {
			if at, ok := first[row]; !ok || step*loops[last] < at {
				first[row] = step * loops[last]
			}
		})
		each(func(loops []int, row string) {
			add := func(array int, subs []ir.Affine, statement, write int) {
				key := fmt.Sprint(row, array)
				for _, sub := range subs {
					key += fmt.Sprint(" ", sub.Eval(p.Params, loops))
				}
				events[key] = append(events[key], event{step*loops[last] - first[row], statement, write})
			}
			for k, s := range n.Body {
				if w, ok := s.(*ir.Assign); ok {
					add(w.Array, w.Subs, k, 1)
				}
			}
			for id, r := range n.Reads {
				if g.findLive()[n.ReadStmt[id]] && l.Reads[id].From != ir.FromLocal {
					add(r.Array, r.Subs, n.ReadStmt[id], 0)
				}
			}
		})
		for where, all := range events {
			for _, a := range all {
				for _, b := range all {
					before := a.iteration < b.iteration || a.iteration == b.iteration && (a.statement < b.statement || a.statement == b.statement && a.write < b.write)
					if !before || a.write+b.write == 0 || a.statement == b.statement && collects(a.statement) {
						continue
					}
					if collects(a.statement) || collects(b.statement) {
						t.Fatalf("%s: %v and %v are of a cell that collects:\n%s", where, a, b, text)
					}
					if u, v := a.iteration/lanes, b.iteration/lanes; u == v && (a.statement > b.statement || a.statement == b.statement && a.write > b.write) {
						t.Fatalf("%s: %v must precede %v:\n%s", where, a, b, text)
					}
				}
			}
		}
	}
	t.Logf("the rows of %d nests are in order, %d only in short vectors, %d kernels run backward, %d collect", rows, apart, backward, collecting)
	if rows < irtest.OfAll(100, 30) || apart < irtest.OfAll(4, 1) || backward < irtest.OfAll(20, 3) || collecting < irtest.OfAll(4, 1) {
		t.Errorf("too few nests: the test proves nothing")
	}
}
