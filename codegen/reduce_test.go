package codegen

import (
	"strings"
	"testing"

	"loopc/ir"
	"loopc/transform/plan"
)

// TestPlacedReduction: where a place is asked for, the comparison that offers an iteration decides, too, whether its value is
// combined with the best one, in the tiles and in the sequential loops, so that other iterations wait for no min or max. The sequential
// loops have iterations in order, so that variables are their places. A reduction without a place has no comparison.
func TestPlacedReduction(t *testing.T) {
	const head = "param N = 40\narray a[0..N, 0..N] float32 in\narray b[0..N, 0..N] float32 inout\n"
	for _, c := range []struct {
		reduce string
		inside int
	}{
		{"reduce best, bi = max(b[i,j]) at (i)", 6}, // of a tile, of a row, and of four iterations of a row at a time
		{"reduce best = max(b[i,j])", 0},
	} {
		g := decide(t, head+c.reduce+"\nfor i = 1..N, j = 1..N {\n b[i,j] = a[i,j] + b[i,j-1]\n}\n")
		files, err := Generate(ir.Alone(g.n), []*ir.Lowered{g.l}, []*plan.Nest{g.plan}, g.plan, Options{Package: "main"})
		if err != nil {
			t.Fatal(err)
		}
		inside, combines, offers := 0, 0, 0
		for _, f := range files {
			before := ""
			_, loops, _ := strings.Cut(string(f.Text), "func sequential")
			offers += strings.Count(loops, "arith.Offer(")
			for line := range strings.Lines(string(f.Text)) {
				if strings.HasPrefix(strings.TrimSpace(line), "best = max(best,") {
					if combines++; strings.HasPrefix(strings.TrimSpace(before), "arith.Offer(") || strings.TrimSpace(before) == "}" {
						inside++
					}
				}
				before = line
			}
		}
		if combines < 2 || inside != c.inside || offers > 0 {
			t.Errorf("%s: %d combinations, %d of them where the iteration is offered; the sequential loops offer %d", c.reduce, combines, inside, offers)
		}
	}
}

// TestReached: the sequential loops give initial content to what a band reads and writes of a level, and to all cells of the level
// that is given back, if one is; if every level is given back in part, to all cells.
func TestReached(t *testing.T) {
	const band, strip = "max(1, i-w)..min(N, i+w)", "w..N-w"
	for _, want := range []struct {
		slice, loop string
		reached     bool
		text        string
	}{
		{"", band, true, "for cell1 := max("},
		{"out D[N, *]", band, true, "!= N { // the level is not given back"},
		{"out D[*, N]", band, false, "for cell1 := 0; cell1 <= N; cell1++ {"},
		{"out D[*, N]", strip, false, "for cell1 := 0; cell1 <= N; cell1++ {"}, // no loop reaches what is given back
	} {
		text := "param N, w = 40, 3\narray x[1..N] int32 in\narray D[0..N, 0..N] int32\ninit D[i, j] = 7\n" + want.slice + "\n"
		if want.slice == "" {
			text += "reduce best = min(D[i,j])\n"
		}
		g := decide(t, text+"for i = 1..N, j = "+want.loop+" {\n D[i,j] = x[i] + min(D[i-1,j-1], D[i,j-1])\n}\n")
		files, err := Generate(ir.Alone(g.n), []*ir.Lowered{g.l}, []*plan.Nest{g.plan}, g.plan, Options{Package: "main"})
		if err != nil {
			t.Fatal(err)
		}
		loops := AsLoops(g.n, g.l, g.plan, func(string) bool { return false })
		if all := string(files[0].Text); (len(loops.Reached) > 0) != want.reached || strings.Contains(all, "Reached: ") != want.reached || !strings.Contains(all, want.text) {
			t.Errorf("%q, j = %s: reached %v, in the text: %v", want.slice, want.loop, loops.Reached, strings.Contains(all, "Reached: "))
		}
	}
}

// TestOwnLevels: the levels of a lattice read what iterations write; those of a stencil also the cells beside its own.
func TestOwnLevels(t *testing.T) {
	for loops, want := range map[string]bool{
		"for t = N-1..0 step -1, i = 0..t {\n v[t,i] = 0.5*(v[t+1,i] + v[t+1,i+1])\n}": true,
		"for t = 1..N-1, i = 0..N-t {\n v[t,i] = 0.5*(v[t-1,i] + v[t-1,i+1])\n}":       true,
		"for t = N-1..0 step -1, i = 1..t {\n v[t,i] = 0.5*(v[t+1,i] + v[t+1,i-1])\n}": false,
		"for t = 1..N-1, i = 1..N-1 {\n v[t,i] = 0.5*(v[t-1,i-1] + v[t-1,i+1])\n}":     false,
	} {
		g := decide(t, "param N = 40\narray v[0..N, 0..N] float64\ninit v[t, i] = i\nout v[1, *]\n"+loops+"\n")
		if got := g.ownLevels(); got != want {
			t.Errorf("%s\nreads only its own levels: %v", loops, got)
		}
	}
}
