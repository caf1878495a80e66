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
	role := one(rng, "inout", "out", "")
	text := fmt.Sprintf("param B, N = %d, %d\narray len[0..B] %s in\narray size[0..B] int64 in\n", rng.IntN(6), 3+rng.IntN(14), one(rng, "int8", "int32", "int64", "uint8"))
	names := "x, y, z"[:3*depth+1]
	text += fmt.Sprintf("array f[0..B%s] %s in\narray u[0..B%s] %s %s\narray best[0..B] %s out\n", dims, elem, dims, elem, role, elem)
	if role != "inout" {
		text += fmt.Sprintf("init u[%s] = %s\n", names, one(rng, "2 - x", "x + 3*y", "1"))
	}
	text += fmt.Sprintf("init best[x] = %s\n", one(rng, "x", "-1"))
	lookups := rng.IntN(3) == 0
	if lookups {
		text += fmt.Sprintf("array key[0..B, -2..N+2] %s in\narray table[0..B, 0..7] %s in\n", one(rng, "uint8", "int32"), elem)
	}
	text += fmt.Sprintf("batch %s = %s, M = len[%[1]s], K = size[%[1]s] {\n", number, one(rng, "0..B", "1..B", "1..B-1"))
	end, again := "", rng.IntN(3) == 0
	column := "" // the loop of the repetitions, as a subscript; "": none
	for k := range 1 + rng.IntN(3) {
		if again && k == 0 {
			text, end = text+"repeat t = 1.."+one(rng, "2", "min(2, M)", "M", "min(M, N)")+" {\n", "}\n"
			column = "t"
		}
		var loops, subs []string
		cell := func(at, by int) string {
			shifted := append([]string{number}, subs...)
			if by != 0 {
				shifted[1+at] += fmt.Sprintf("%+d", by)
			}
			return "[" + strings.Join(shifted, ",") + "]"
		}
		first := 1
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
		at := rng.IntN(depth)
		value := fmt.Sprintf("%s*u%s %s %s", one(rng, "2", "3"), cell(at, -first), one(rng, "+", "-"), one(rng, "f"+cell(at, one(rng, -1, 0, 1)), "u"+cell(at, one(rng, -1, 1)), "u"+cell(0, 0)))
		if lookups && rng.IntN(2) == 0 {
			value += " - table[" + number + ", key[" + number + "," + one(rng, subs...) + "]&7]"
		}
		if column != "" && rng.IntN(2) == 0 {
			value += " + f[" + strings.Join(append([]string{number, column}, subs[1:]...), ",") + "]"
		}
		if rng.IntN(2) == 0 {
			value += " " + one(rng, "+", "-") + " " + one(rng, "M", "K", number, "1")
			if strings.HasPrefix(elem, "int") {
				value = elem + "(" + value + ")"
			}
		}
		text += fmt.Sprintf("reduce r%d = %s(u%s)\nfor %s {\nu%[3]s = %[5]s\n}\n", k, one(rng, "max", "min", "sum"), cell(0, 0), strings.Join(loops, ", "), value)
		text += end
		if column = ""; end != "" {
			end = ""
			continue
		}
		if last := strings.Repeat(", M", depth); again || rng.IntN(2) == 0 {
			text += fmt.Sprintf("for k = 1..1 {\nbest[%s] = u[%[1]s%s]\n}\n", number, one(rng, last, strings.Repeat(", 1", depth)))
		} else {
			text += fmt.Sprintf("for k = 1..%s {\nbest[%s] = r%d\n}\n", one(rng, "1", "min(M, 1)"), number, k)
		}
	}
	return text + "}\n"
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
			a.Ints[k] = int64(lo + rng.IntN(max(1, min(hi-lo+1, 20))))
		}
	}
}
