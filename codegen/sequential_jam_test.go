package codegen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform"
	"loopc/transform/plan"
)

// TestGroupsOfRows names nests whose rows are computed together, and others whose rows wait for one another.
func TestGroupsOfRows(t *testing.T) {
	const head = "param N = 40\narray x[0..N+1, 0..N+1] float64 in\narray s[0..N+1] float64 inout\narray q[0..N+1] float64 inout\narray a[0..N+1, 0..N+1] float64 inout\n"
	for body, want := range map[string]int{
		"for i = 1..N, j = 1..N {\n s[i] += x[i,j]\n}":                           4,
		"for i = 1..N, j = 1..N {\n s[j] += x[i,j]\n q[i] += x[i,j]*q[i]\n}":     4,
		"for i = 1..N, j = 1..i {\n s[i] += x[i,j]\n}":                           4,
		"for i = N..1 step -1, j = i..1 step -1 {\n s[i] += x[i,j]\n}":           4,
		"for i = 1..N, j = 1..N {\n s[i] += x[i,j]*x[i-1,j]*x[j,i]\n}":           4,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j-1] + x[i,j]\n}":               4,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j-1] + a[i-1,j+1]\n}":           0,
		"for i = 1..N, j = 1..N {\n s[j] += x[i,j]\n}":                           0, // nothing waits
		"for t = 1..N, i = 1..N, j = 1..N {\n a[i,j] = a[i-1,j+1] + a[i,j-1]\n}": 0,
	} {
		n, diags := frontend.Compile("rows.loop", []byte(head+body))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		rows := 0
		if w := writerOf(t, n); w != nil && w.jam != nil {
			rows = w.jam.rows
		}
		if rows != want {
			t.Errorf("%d rows together, want %d:\n%s", rows, want, body)
		}
	}
}

// TestExtremes names rows whose greatest or least value is found several values at a time, and others.
func TestExtremes(t *testing.T) {
	const head = "param N = 40\narray x[0..N, 0..N] float32 in\narray m[0..N] float32 inout\narray k[0..N] int32 inout\n"
	for body, want := range map[string]bool{
		"for j = 1..N {\n m[0] = max(m[0], x[0,j])\n}":                 true,
		"for j = 1..N {\n m[0] = min(x[0,j], m[0], x[j,0])\n}":         true,
		"for j = 1..N {\n k[0] = max(k[0], int32(x[0,j]))\n}":          true,
		"for j = 1..N {\n m[0] = max(m[0], x[0,j]) + 1\n}":             false,
		"for j = 1..N {\n m[0] = max(m[0], x[0,j]*m[0])\n}":            false, // the value waits, too
		"for j = 1..N {\n m[j] = max(m[j-1], x[0,j])\n}":               false, // each one is stored
		"for j = 1..N {\n m[0] = max(m[0], x[0,j])\n k[j] = k[j]+j\n}": false,
	} {
		n, diags := frontend.Compile("rows.loop", []byte(head+body))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		w := writerOf(t, n)
		if x, _ := w.extreme(); (x != nil) != want {
			t.Errorf("several values at a time: %v, want %v:\n%s", x != nil, want, body)
		}
	}
}

// TestUnrolled names rows of which the loop computes several iterations at a time, and others.
func TestUnrolled(t *testing.T) {
	const head = "param N = 40\narray x[0..N, 0..N] float64 in\narray s[0..N] float64 inout\narray q[0..N] float64 inout\n"
	for body, want := range map[string]bool{
		"for j = 1..N {\n s[0] += x[0,j]\n}":                                                         true,
		"for j = 1..N {\n s[j] = 0.5*s[j-1] + x[0,j]\n}":                                             true,
		"for j = 1..N {\n let a = x[0,j]*x[j,0]\n s[0] -= a\n}":                                      true,
		"for j = 1..N {\n s[j] = x[0,j]\n}":                                                          false, // nothing waits
		"for j = 1..N {\n s[0] += j*x[0,j]\n}":                                                       false, // it needs j
		"for j = N..1 step -1 {\n s[j-1] = 0.5*s[j] + x[0,j]\n}":                                     false,
		"for j = 1..N {\n s[j] = 0.5*s[j-1] + x[0,j]*x[1,j]*x[2,j]*x[3,j]\n q[j] = q[j-1] + s[j]\n}": false, // long
	} {
		n, diags := frontend.Compile("rows.loop", []byte(head+body))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		w := writerOf(t, n)
		if w.statements(); w.unrolls() != want {
			t.Errorf("unrolled: %v, want %v:\n%s", !want, want, body)
		}
	}
}

// TestWritesOut names rows whose iterations are written one after the other, and others.
func TestWritesOut(t *testing.T) {
	const head = "param N = 40\narray x[0..N, 0..N] float64 in\narray s[0..N, 0..40] float64 inout\n"
	for loops, want := range map[string]int{
		"for i = 1..N, j = 0..3":            4,
		"for i = 1..N, j = 2..3":            2,
		"for i = 1..N, j = 1..8":            8,
		"for i = 1..N, j = 1..9":            0, // many
		"for i = 1..N, j = 1..1":            0,
		"for i = 1..N, j = 3..0 step -1":    0,
		"for i = 1..N, j = 0..min(3, N)":    0,
		"for i = 1..N, j = 0..N-37":         0,
		"for i = 1..36, j = i..i+3":         4,
		"for i = 1..36, j = max(i, 3)..i+3": 0,
		"for i = 1..N, k = 0..5, j = 0..3":  4,
	} {
		n, diags := frontend.Compile("rows.loop", []byte(head+loops+" {\n s[i,j] = 0.5*s[i-1,j] + x[i,j]\n}"))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", loops, diags)
		}
		w := writerOf(t, n)
		if w.statements(); w.writesOut() != want {
			t.Errorf("%s: %d written out, want %d", loops, w.writesOut(), want)
		}
	}
}

// writerOf returns the writer of a nest's sequential loops; nil if the nest is refused.
func writerOf(t *testing.T, n *ir.Nest) *seqWriter {
	t.Helper()
	l, lowered, diags := transform.Lower(n)
	if diag.HasErrors(diags) {
		return nil
	}
	g := decided(n, l, lowered)
	g.nameAll()
	return newSeqWriter(g)
}

// TestGroupsKeepOrder checks the rows that may be computed together, in random nests, against all
// accesses. If two iterations of neighboring rows access a cell and one of them writes it, the
// iteration of the later row may not be in an earlier column.
func TestGroupsKeepOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	const most = 3
	jammed, apart := 0, 0
	for range 160 {
		text := irtest.RandomNest(rng)
		n, diags := frontend.Compile("random.loop", []byte(text))
		if diag.HasErrors(diags) || len(n.Loops) < 2 {
			continue
		}
		w := writerOf(t, n)
		if w == nil {
			continue
		}
		if !w.jammable(most) {
			apart++
			continue
		}
		p, err := plan.New(w.plan, irtest.RandomParams(rng, n), plan.Options{Ranks: 1, CPUs: 1})
		if err != nil || p.Empty {
			continue
		}
		jammed++
		type access struct {
			loops  []int
			writes bool
		}
		cells := map[string][]access{}
		eachPoint(p, func(at []int) {
			loops := make([]int, len(n.Loops))
			for k := range loops {
				for x, c := range w.l.Unskew[k+w.shift] {
					loops[k] += c * at[x]
				}
			}
			add := func(array int, subs []ir.Affine, writes bool) {
				where := append([]int{array}, loops[:len(loops)-2]...)
				for _, sub := range subs {
					where = append(where, sub.Eval(p.Params, loops))
				}
				cells[fmt.Sprint(where)] = append(cells[fmt.Sprint(where)], access{loops, writes})
			}
			for _, s := range n.Body {
				if a, ok := s.(*ir.Assign); ok {
					add(a.Array, a.Subs, true)
				}
			}
			for _, r := range n.Reads {
				if w.live[n.ReadStmt[r.ID]] {
					add(r.Array, r.Subs, false)
				}
			}
		})
		last := len(n.Loops) - 1
		for where, all := range cells {
			all = all[:min(len(all), 200)]
			for _, a := range all {
				for _, b := range all {
					far := n.Steps(difference(b.loops, a.loops))
					if (a.writes || b.writes) && far[last-1] > 0 && far[last-1] <= most && far[last] < 0 {
						t.Fatalf("cell %s is accessed by %v and then by %v, in an earlier column:\n%s", where, a.loops, b.loops, text)
					}
				}
			}
		}
	}
	t.Logf("rows of %d nests may be computed together, of %d not", jammed, apart)
	if jammed < 30 || apart < 30 {
		t.Errorf("too few nests: the test proves nothing")
	}
}

func difference(a, b []int) ir.Vec {
	out := make(ir.Vec, len(a))
	for k := range a {
		out[k] = a[k] - b[k]
	}
	return out
}
