package frontend

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
)

// A bodyWriter writes random bodies: loops in loops, with statements before, between and behind them.
type bodyWriter struct {
	*rand.Rand
	text  strings.Builder
	loops []string // around
	vars  []string // that can be assigned to
	lets  []string
	made  int // names so far
	size  int // statements so far
	timed bool
}

func (w *bodyWriter) linef(format string, args ...any) {
	w.text.WriteString(strings.Repeat("\t", len(w.loops)))
	fmt.Fprintf(&w.text, format+"\n", args...)
}

// loop writes a for, and what is in it.
func (w *bodyWriter) loop(depth int) {
	w.made++
	name := fmt.Sprintf("l%d", w.made)
	lo, hi := "1", "N"
	if len(w.loops) > 0 && w.Intn(4) == 0 {
		hi = w.loops[w.Intn(len(w.loops))]
	}
	if w.Intn(5) == 0 {
		w.linef("for %s = %s..%s step -1 {", name, hi, lo)
	} else {
		w.linef("for %s = %s..%s {", name, lo, hi)
	}
	vars, lets := len(w.vars), len(w.lets)
	w.loops = append(w.loops, name)
	for n := 1 + w.Intn(3); n > 0; n-- {
		if depth > 1 && w.Intn(2) == 0 {
			w.loop(depth - 1)
		} else {
			w.statement()
		}
	}
	w.loops = w.loops[:len(w.loops)-1]
	w.vars, w.lets = w.vars[:vars], w.lets[:lets]
	w.linef("}")
}

func (w *bodyWriter) statement() {
	w.size++
	switch w.Intn(8) {
	case 7:
		w.choice()
		return
	case 0:
		w.made++
		name := fmt.Sprintf("v%d", w.made)
		w.linef("var %s float64 = %s", name, w.value())
		w.vars = append(w.vars, name)
		return
	case 1:
		w.made++
		name := fmt.Sprintf("x%d", w.made)
		w.linef("let %s = 0.5*%s", name, w.cell(false))
		w.lets = append(w.lets, name)
		return
	case 2:
		if len(w.vars) > 0 {
			w.linef("%s %s %s", w.vars[w.Intn(len(w.vars))], w.sign(), w.value())
			return
		}
	}
	w.linef("%s %s %s", w.cell(true), w.sign(), w.value())
}

// choice writes an if, with an else or two.
func (w *bodyWriter) choice() {
	block := func(header string) {
		vars, lets := len(w.vars), len(w.lets)
		w.linef("%s {", header)
		for n := 1 + w.Intn(2); n > 0; n-- {
			if w.Intn(9) == 0 {
				w.loop(1)
			} else {
				w.statement()
			}
		}
		w.vars, w.lets = w.vars[:vars], w.lets[:lets]
		w.text.WriteString("}")
	}
	block("if " + w.value() + " > 0.75")
	if w.Intn(4) == 0 {
		block(" else if " + w.cell(false) + " < 1 || " + w.cell(false) + " > 1.2")
	}
	if w.Intn(2) == 0 {
		block(" else")
	}
	w.text.WriteString("\n")
}

func (w *bodyWriter) sign() string { return []string{"=", "+=", "-="}[w.Intn(3)] }

// cell returns a cell of an array. Each array has one shape of subscripts, mostly, so that distances are
// uniform within a nest.
func (w *bodyWriter) cell(written bool) string {
	loops := w.loops
	if w.timed && len(loops) > 1 { // the outermost loop stands in no subscript
		loops = loops[1:]
	}
	first, last := loops[0], loops[len(loops)-1]
	if w.Intn(12) == 0 {
		first, last = last, first
	}
	if !written || w.Intn(6) == 0 {
		first += []string{"", "", "-1", "+1"}[w.Intn(4)]
		last += []string{"", "", "-1", "+1"}[w.Intn(4)]
	}
	name := string("abcghpdef"[w.Intn(9)])
	if written {
		name = string("abcghp"[w.Intn(6)])
	}
	switch {
	case name > "f":
		return name + "[" + first + "]"
	case len(loops) > 1 && !written && w.Intn(16) == 0: // a loop in two subscripts: only the number of a repeat may be that
		return name + "[" + loops[0] + "," + loops[0] + "]"
	case len(loops) > 1:
		return name + "[" + first + "," + last + "]"
	case w.timed:
		return name + "[" + first + ",1]"
	}
	return name + "[" + first + "," + first + "]"
}

func (w *bodyWriter) value() string {
	atom := func() string {
		switch n := w.Intn(6); {
		case n == 0 && len(w.vars) > 0:
			return w.vars[w.Intn(len(w.vars))]
		case n == 1 && len(w.lets) > 0:
			return w.lets[w.Intn(len(w.lets))]
		case n == 2:
			return "0.75"
		}
		return w.cell(false)
	}
	return atom() + []string{" + 0.5*", " - 0.25*", "*"}[w.Intn(3)] + atom()
}

// TestAsItStands compares random imperfect nests with their statements as they stand.
func TestAsItStands(t *testing.T) {
	accepted, several, apart := 0, 0, 0
	for seed := range int64(40) {
		w := &bodyWriter{Rand: rand.New(rand.NewSource(seed)), timed: seed%2 == 0}
		w.text.WriteString(`param N = 4
array a[0..N+1, 0..N+1] float64 inout
array b[0..N+1, 0..N+1] float64 inout
array c[0..N+1, 0..N+1] float64 inout
array d[0..N+1, 0..N+1] float64 in
array e[0..N+1, 0..N+1] float64 in
array f[0..N+1, 0..N+1] float64 in
array g[0..N+1] float64 inout
array h[0..N+1] float64 inout
array p[0..N+1] float64
init p[i] = 0.5*i
`)
		for w.loop(3); w.size < 3; {
			w.loop(3)
		}
		p, _ := sameAsStands(t, fmt.Sprintf("seed%d.loop", seed), w.text.String())
		if t.Failed() {
			return
		}
		if p != nil {
			accepted++
			if len(p.Nests) > 1 {
				several++
			}
			if w.timed && keepsTimes(t, seed, p) {
				apart++
			}
		}
	}
	t.Logf("%d are accepted, %d of them as several nests; %d keep lets in arrays", accepted, several, apart)
	if accepted < 8 || several < 6 || apart < 4 {
		t.Errorf("too few nests are accepted: %d, %d as several, %d that keep lets in arrays", accepted, several, apart)
	}
}

// keepsTimes reports whether arrays stand for lets or vars of a program. If its outermost loop writes the same cells in each of
// its iterations, then the arrays that nests read must not have a dimension for it.
func keepsTimes(t *testing.T, seed int64, p *ir.Program) (keeps bool) {
	read, written, overwrites := map[int]bool{}, map[int]bool{}, true
	for _, n := range p.Nests {
		for _, r := range n.Reads {
			read[r.Array] = true
		}
		for _, s := range n.Body {
			w, ok := s.(*ir.Assign)
			if !ok {
				continue
			}
			timed := slices.ContainsFunc(w.Subs, func(f ir.Affine) bool {
				k := slices.IndexFunc(n.Loops, func(l ir.Loop) bool { return l.Name == "l1" })
				return k >= 0 && f.Iter(k) != 0
			})
			if made := strings.HasSuffix(n.Arrays[w.Array].Name, "_"); made {
				keeps, written[w.Array] = true, written[w.Array] || timed
			} else if timed {
				overwrites = false
			}
		}
	}
	for a := range written {
		if overwrites && read[a] && written[a] {
			t.Errorf("seed %d: %s has a dimension for l1", seed, p.Arrays[a].Name)
		}
	}
	return keeps
}

// carriedChoice writes a for whose outermost loop becomes a repeat, since a row and a column of the array that it
// computes are copied; an if in it assigns to that array and to others, which no repetition reads again.
func (w *bodyWriter) carriedChoice() string {
	pick := func(list ...string) string { return list[w.Intn(len(list))] }
	w.linef("for k = 1..N {")
	w.linef("\tfor j = 1..N {\n\t\tg[j] = a[k,j]\n\t\th[j] = a[j,k]\n\t}")
	w.linef("\tfor i = 1..N, j = %s {", pick("1..N", "1..i", "i..N", "N..1 step -1"))
	via := pick("g[j]*h[i]", "h[i] + g[j]", "g[j] - 0.5*h[i]")
	if w.Intn(2) == 0 {
		w.linef("\t\tlet via = %s", via)
		via = "via"
	}
	w.linef("\t\tif %s < a[i,j] {", via)
	block := []string{"a[i,j] " + pick("=", "+=") + " " + via, "b[i,j] " + pick("=", "-=") + " " + pick("k", via, "a[i,j]")}
	if w.Intn(2) == 0 {
		block = append(block, "p[i] = "+pick("k", "j", "0.5*"+via))
	}
	w.Shuffle(len(block), func(x, y int) { block[x], block[y] = block[y], block[x] })
	for k, s := range block {
		if w.linef("\t\t\t%s", s); k == 0 && w.Intn(3) == 0 {
			w.linef("\t\t} else {")
		}
	}
	w.linef("\t\t}\n\t}\n}")
	return w.text.String()
}

// TestCarriedChoice compares fors that become repeats with their statements as they stand: what one statement of a
// repetition hands to another is of that repetition.
func TestCarriedChoice(t *testing.T) {
	for seed := range int64(24) {
		w := &bodyWriter{Rand: rand.New(rand.NewSource(seed))}
		src := `param N = 4
array a[0..N+1, 0..N+1] float64 inout
array b[0..N+1, 0..N+1] float64 inout
array g[1..N] float64
array h[1..N] float64
array p[0..N+1] float64 inout
` + w.carriedChoice()
		if p, diags := sameAsStands(t, fmt.Sprintf("seed%d.loop", seed), src); p == nil {
			t.Errorf("seed %d is refused:\n%s\n%s", seed, src, rendered("x.loop", src, diags))
		}
	}
}

// TestInTime: cells that earlier repetitions write need no init; those that are read too early, or that no
// repetition writes, do.
func TestInTime(t *testing.T) {
	head := "param N = 5\narray A[1..N, 1..N] float64 in\narray b[1..N] float64 in\narray x[1..N] float64 out\n"
	for seed := range int64(24) {
		rng := rand.New(rand.NewSource(seed))
		pick := func(list ...string) string { return list[rng.Intn(len(list))] }
		up, before, after := rng.Intn(2) == 0, "1..i-1", "i+1..N"
		outer := "1..N"
		if !up {
			outer, before, after = "N..1 step -1", after, before
		}
		early := rng.Intn(3) == 0
		if early {
			before = pick(after, "1..N", strings.ReplaceAll(strings.ReplaceAll(before, "i-1", "i"), "i+1", "i"))
		}
		short := rng.Intn(4) == 0
		if short {
			outer = strings.ReplaceAll(outer, "N", "N-1")
		}
		src := head + "for i = " + outer + " {\n"
		if !early && rng.Intn(2) == 0 {
			src += "\tx[i] = b[i]\n\tfor j = " + before + " {\n\t\tx[i] -= A[i,j]*x[j]\n\t}\n\tx[i] = x[i]/A[i,i]\n}\n"
		} else {
			src += "\tvar s float64 = b[i]\n\tfor j = " + before + " {\n\t\ts -= A[i,j]*x[j]\n\t}\n\tx[i] = s/A[i,i]\n}\n"
		}
		p, diags := sameAsStands(t, fmt.Sprintf("seed%d.loop", seed), src)
		if told := len(diags) > 0 && diags[0].Code == diag.NotSupplied; (p != nil) == (early || short) || p == nil && !told {
			t.Errorf("seed %d, early %v, short %v:\n%s\n%s", seed, early, short, src, rendered("x.loop", src, diags))
		}
	}
}

// TestEliminations compares eliminations, which read the pivots that they have written: the loop in both subscripts of
// a pivot becomes a repeat.
func TestEliminations(t *testing.T) {
	for seed := range int64(24) {
		rng := rand.New(rand.NewSource(seed))
		pick := func(list ...string) string { return list[rng.Intn(len(list))] }
		src := "param N = 5\narray A[1..N, 1..N] float64 inout\narray b[1..N] float64 inout\n"
		switch rng.Intn(3) {
		case 0: // right-looking
			src += "for k = 1..N {\n" + pick("", "\tA[k,k] = sqrt(abs(A[k,k])) + 1\n") + "\tfor i = k+1..N {\n"
			src += pick("\t\tA[i,k] /= A[k,k] + 2\n", "\t\tA[i,k] = A[i,k]/(2 + abs(A[k,k]))\n\t\tb[i] -= A[i,k]*b[k]\n")
			src += "\t\tfor j = " + pick("k+1..N", "k+1..i", "i..N", "N..k+1 step -1") + " {\n\t\t\tA[i,j] -= A[i,k]*" + pick("A[k,j]", "A[k,k]", "A[j,k]") + "\n\t\t}\n\t}\n}\n"
		case 1: // left-looking
			src += "for i = 1..N {\n\tfor j = 1..i-1 {\n\t\tfor k = 1..j-1 {\n\t\t\tA[i,j] -= A[i,k]*" + pick("A[k,j]", "A[j,k]") + "\n\t\t}\n\t\tA[i,j] /= " + pick("A[j,j] + 2", "2 + abs(A[j,j])") + "\n\t}\n"
			src += pick("", "\tb[i] += A[i,i]\n", "\tfor k = 1..i-1 {\n\t\tA[i,i] -= A[i,k]*A[i,k]\n\t}\n\tA[i,i] = sqrt(abs(A[i,i])) + 1\n") + "}\n"
		default: // back substitution
			src += "for k = N..1 step -1 {\n\tb[k] /= 2 + abs(A[k,k])\n\tfor i = 1..k-1 {\n\t\tb[i] -= A[i,k]*b[k]\n\t\tA[i,k] = " + pick("b[i]", "A[k,k]*b[i]") + "\n\t}\n}\n"
		}
		if p, diags := sameAsStands(t, fmt.Sprintf("seed%d.loop", seed), src); p == nil {
			t.Errorf("seed %d is refused:\n%s\n%s", seed, src, rendered("x.loop", src, diags))
		}
	}
}
