package irtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"loopc/ir"
	"loopc/ir/eval"
)

// RandomBatch returns the text of a random .loop file with a batch, whose items have bounds of their own. Some are refused.
func RandomBatch(rng *rand.Rand) string {
	elem := one(rng, ir.Float64, ir.Float32, ir.Int32, ir.Int64).String()
	depth := 1 + rng.IntN(2)
	dims, number := strings.Repeat(", -2..N+2", depth), one(rng, "b", "w")
	role, alone := one(rng, "inout", "out", ""), rng.IntN(4) == 0
	sizes := one(rng, 3, 3, 3, 40)
	if alone { // one nest has the array, of which kernels in entire arrays store some rows
		role, sizes = "", one(rng, 3, 40)
	}
	text := fmt.Sprintf("param B, N = %d, %d\narray len[0..B] %s in\narray size[0..B] int64 in\n", rng.IntN(6), sizes+rng.IntN(14), one(rng, "int8", "int32", "int64", "uint8"))
	names := "x, y, z"[:3*depth+1]
	text += fmt.Sprintf("array f[0..B%s] %s in\narray u[0..B%s] %s %s\narray best[0..B] %s out\n", dims, elem, dims, elem, role, elem)
	if role != "inout" {
		text += fmt.Sprintf("init u[%s] = %s\n", names, one(rng, "2 - x", "x + 3*y", "1"))
	}
	text += fmt.Sprintf("init best[x] = %s\n", one(rng, "x", "-1"))
	lookups := rng.IntN(3) == 0
	if lookups {
		text += fmt.Sprintf("array key[0..B, -2..N+2] %s in\narray table[0..B, 0..7] %s in\narray line[0..7] %[2]s in\n", one(rng, "uint8", "int32"), elem)
	}
	text += fmt.Sprintf("batch %s = %s, M = len[%[1]s], K = size[%[1]s] {\n", number, one(rng, "0..B", "1..B", "1..B-1"))
	end, again := "", rng.IntN(3) == 0 && !alone
	column := "" // the loop of the repetitions, as a subscript; "": none
	for k := range one(rng, 1, 2, 3) {
		if alone && k > 0 {
			break
		}
		if again && k == 0 {
			text, end = text+"repeat t = 1.."+one(rng, "2", "min(2, M)", "M", "min(M, N)")+" {\n", "}\n"
			column = "t"
		}
		w := batchWriter{rng, elem, number, column, lookups}
		loops, subs, first := w.loops(depth)
		value := w.value(subs, first)
		text += fmt.Sprintf("reduce r%d = %s(u%s)\nfor %s {\nu%[3]s = %[5]s\n}\n", k, one(rng, "max", "min", "sum"), w.cell(subs, 0, 0), strings.Join(loops, ", "), value)
		text += end
		if column = ""; end != "" {
			end = ""
			continue
		}
		if last := strings.Repeat(", M", depth); !alone && (again || rng.IntN(2) == 0) {
			text += fmt.Sprintf("for k = 1..1 {\nbest[%s] = u[%[1]s%s]\n}\n", number, one(rng, last, strings.Repeat(", 1", depth)))
		} else {
			text += fmt.Sprintf("for k = 1..%s {\nbest[%s] = r%d\n}\n", one(rng, "1", "min(M, 1)"), number, k)
		}
	}
	return text + "}\n"
}

// A batchWriter writes a nest of a random batch.
type batchWriter struct {
	rng                  *rand.Rand
	elem, number, column string
	lookups              bool
}

// cell is the subscripts of a cell: that of the iteration, or by more along dimension at.
func (w *batchWriter) cell(subs []string, at, by int) string {
	shifted := append([]string{w.number}, subs...)
	if by != 0 {
		shifted[1+at] += fmt.Sprintf("%+d", by)
	}
	return "[" + strings.Join(shifted, ",") + "]"
}

// loops are the loops, and their names. Iterations come after those with subscripts that are first less.
func (w *batchWriter) loops(depth int) (loops, subs []string, first int) {
	rng := w.rng
	first = 1
	for d := range depth {
		subs = append(subs, string(rune('i'+d)))
		bounds := one(rng, "1..M", "1..M", "1..M-1", "0..min(M, N)", "K..N", "max(1, K)..M", "K..M", "1..N", "2..M")
		if d > 0 && rng.IntN(4) == 0 {
			bounds = one(rng, "max(1, i-2)..min(M, i+2)", "max(1, i-1)..min(N, i+3)", "i..M", "1..min(M, i)")
		}
		if rng.IntN(5) == 0 {
			lo, hi, _ := strings.Cut(bounds, "..")
			bounds = hi + ".." + lo + " step -1"
			first = -1
		}
		loops = append(loops, subs[d]+" = "+bounds)
	}
	return loops, subs, first
}

// value is what an iteration assigns.
func (w *batchWriter) value(subs []string, first int) string {
	rng := w.rng
	at := rng.IntN(len(subs))
	value := fmt.Sprintf("%s*u%s %s %s", one(rng, "2", "3"), w.cell(subs, at, -first), one(rng, "+", "-"), one(rng, "f"+w.cell(subs, at, one(rng, -1, 0, 1)), "u"+w.cell(subs, at, one(rng, -1, 1)), "u"+w.cell(subs, 0, 0)))
	if w.lookups && rng.IntN(2) == 0 {
		mask := one(rng, 7, 7, 7, 7, 7, 7, 7, 7, 8) // 8: a subscript that is wrong
		value += fmt.Sprintf(" - %s key[%s,%s]&%d]", one(rng, "table["+w.number+",", "line["), w.number, one(rng, subs...), mask)
	}
	if w.column != "" && rng.IntN(2) == 0 {
		value += " + f[" + strings.Join(append([]string{w.number, w.column}, subs[1:]...), ",") + "]"
	}
	if len(subs) == 2 && rng.IntN(2) == 0 {
		value += fmt.Sprintf(" + u[%s,i%s,j%s]", w.number, one(rng, "-1", "-1", "-2"), one(rng, "-1", "", "+1", "-2"))
	}
	if rng.IntN(2) == 0 {
		value += " " + one(rng, "+", "-") + " " + one(rng, "M", "K", w.number, "1")
		if strings.HasPrefix(w.elem, "int") {
			value = w.elem + "(" + value + ")"
		}
	}
	return value
}

// ItemInputs makes the parameters of items, which are cells of given arrays, such that subscripts are within their bounds.
func ItemInputs(rng *rand.Rand, p *ir.Program, params []int, given map[string]*eval.Array) {
	for _, r := range p.Repeats() {
		if r.Item == nil {
			continue
		}
		all := append(append([]int{}, params...), make([]int, len(p.Repeats()))...)
		lo, hi := eval.Bounds(&ir.Loop{Lo: r.Lo, Hi: r.Hi}, all, nil)
		a, cell := given[p.Arrays[r.Item.Array].Name], p.Arrays[r.Item.Array].Elem.Cell()
		lo, hi = max(lo, int(cell.Lo)), min(hi, int(cell.Hi))
		for k := range a.Ints {
			a.Ints[k] = int64(lo + rng.IntN(max(1, min(hi-lo+1, 60))))
		}
	}
}
