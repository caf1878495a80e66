package irtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/eval"
)

// RandomBatch returns the text of a random .loop file with a batch, whose items have bounds of their own. The compiler
// refuses some of these files.
func RandomBatch(rng *rand.Rand) string {
	w := &batchWriter{rng: rng}
	w.elemType = one(rng, ir.Float64, ir.Float32, ir.Int32, ir.Int64)
	w.elem = w.elemType.String()
	w.depth = 1 + rng.IntN(2)
	w.item = one(rng, "b", "w")
	w.declare()
	w.linef("batch %s = %s, M = len[%[1]s], K = size[%[1]s] {", w.item, one(rng, "0..B", "1..B", "1..B-1"))
	w.repeats = rng.IntN(3) == 0 && !w.alone
	for k := range one(rng, 1, 2, 3) {
		if w.alone && k > 0 {
			break
		}
		repeated := w.repeats && k == 0
		if repeated {
			w.linef("repeat t = 1..%s {", one(rng, "2", "min(2, M)", "M", "min(M, N)"))
		}
		w.nest(k, repeated)
		if repeated {
			w.linef("}")
		} else {
			w.best(k)
		}
	}
	w.linef("}")
	return strings.Join(append(w.decls, w.text.String()), "\n")
}

// A batchWriter writes a file with a batch. Its parameters are B, the last item, and N; those of an item are M and K.
type batchWriter struct {
	rng      *rand.Rand
	elem     string // type of the arrays
	elemType ir.Type
	depth    int    // of the nests
	item     string // name of the number of an item
	alone    bool   // there is one nest only, and array u is internal: kernels in entire arrays may store a few of its rows
	lookups  bool   // there are arrays key, table and line
	repeats  bool   // a repeat is around the first nest
	ends     bool   // nests read array u beyond its bounds
	decls    []string
	text     strings.Builder
}

func (w *batchWriter) linef(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// declare writes the parameters and arrays, and decides which arrays there are.
func (w *batchWriter) declare() {
	rng := w.rng
	role := one(rng, "inout", "out", "")
	w.alone = rng.IntN(4) == 0
	sizes := one(rng, 3, 3, 3, 40)
	if w.alone {
		role, sizes = "", one(rng, 3, 40)
	}
	w.ends = !w.alone && rng.IntN(4) == 0
	dims := strings.Repeat(", -2..N+2", w.depth)
	dimsOfU := dims
	if w.ends {
		dimsOfU = strings.Repeat(", 1..N", w.depth)
	}
	w.linef("param B, N = %d, %d", rng.IntN(6), sizes+rng.IntN(14))
	w.linef("array len[0..B] %s in\narray size[0..B] int64 in", one(rng, "int8", "int32", "int64", "uint8"))
	w.linef("array f[0..B%[1]s] %[2]s in\narray u[0..B%[3]s] %[2]s %[4]s", dims, w.elem, dimsOfU, role)
	if w.ends {
		w.linef("boundary u[*%s]", strings.Repeat(", "+one(rng, "copied", "periodic", "reflecting", "symmetric"), w.depth))
	}
	w.linef("array best[0..B] %s out", w.elem)
	if role != "inout" {
		indices := "x, y, z"[:3*w.depth+1] // one more than loops, for the item
		w.linef("init u[%s] = %s", indices, one(rng, "2 - x", "x + 3*y", "1"))
	}
	w.linef("init best[x] = %s", one(rng, "x", "-1"))
	if w.lookups = rng.IntN(3) == 0; w.lookups {
		w.linef("array key[0..B, -2..N+2] %s in\narray table[0..B, 0..7] %s in\narray line[0..7] %[2]s in", one(rng, "uint8", "int32"), w.elem)
	}
}

// nest writes the nest with the given number, and its reduction.
func (w *batchWriter) nest(number int, repeated bool) {
	var headers, loops []string
	back := make([]bool, w.depth)
	before := -1 // offset of the cell that the previous iteration writes, along any loop; 1 if some loop runs backward
	for d := range w.depth {
		loops = append(loops, string(rune('i'+d)))
		bounds := w.bounds(d)
		if w.rng.IntN(5) == 0 {
			lo, hi, _ := strings.Cut(bounds, "..")
			bounds = hi + ".." + lo + " step -1"
			before, back[d] = 1, true
		}
		headers = append(headers, loops[d]+" = "+bounds)
	}
	value := w.value(loops, before, repeated)
	here := w.cell(loops, 0, 0)
	if w.rng.IntN(4) == 0 {
		var places []string
		for _, l := range loops {
			places = append(places, fmt.Sprintf("p%s%d", l, number))
		}
		w.linef("reduce r%[1]d, %[2]s = %[3]s(u%[4]s) at (%[5]s)", number, strings.Join(places, ", "), one(w.rng, "max", "min"), here, strings.Join(loops, ", "))
	} else {
		w.linef("reduce r%d = %s(u%s)", number, one(w.rng, "max", "min", "sum"), here)
	}
	statements := []string{"u" + here + " = " + value}
	if w.rng.IntN(3) == 0 {
		c := &cellLoop{rng: w.rng, tag: strconv.Itoa(number), elem: w.elemType, item: w.item, loops: loops, back: back, bounds: "-2..N+2",
			value:     func() string { return one(w.rng, "u", "f") + here },
			condition: func() string { return "f" + here + one(w.rng, " > 1", " <= 2") }}
		decls, loop := c.text()
		w.decls = append(w.decls, decls...)
		statements = slices.Insert(statements, w.rng.IntN(2), loop)
	}
	w.linef("for %s {\n%s\n}", strings.Join(headers, ", "), strings.Join(statements, "\n"))
}

// bounds returns the bounds of loop d of a nest.
func (w *batchWriter) bounds(d int) string {
	bounds := one(w.rng, "1..M", "1..M", "1..M-1", "0..min(M, N)", "K..N", "max(1, K)..M", "K..M", "1..N", "2..M")
	if w.ends {
		bounds = one(w.rng, "1..M", "1..M-1", "1..N", "2..M", "max(2, K)..M")
	}
	if d > 0 && w.rng.IntN(4) == 0 {
		bounds = one(w.rng, "max(1, i-2)..min(M, i+2)", "max(1, i-1)..min(N, i+3)", "i..M", "1..min(M, i)")
	}
	return bounds
}

// value returns an expression for an iteration; before is the offset, along any loop, of the cell that the previous iteration writes.
func (w *batchWriter) value(loops []string, before int, repeated bool) string {
	rng, d := w.rng, w.rng.IntN(w.depth)
	value := fmt.Sprintf("%s*u%s %s %s", one(rng, "2", "3"), w.cell(loops, d, before), one(rng, "+", "-"),
		one(rng, "f"+w.cell(loops, d, one(rng, -1, 0, 1)), "u"+w.cell(loops, d, one(rng, -1, 1)), "u"+w.cell(loops, 0, 0)))
	if w.lookups && rng.IntN(2) == 0 {
		mask := one(rng, 7, 7, 7, 7, 7, 7, 7, 7, 8) // 8: a subscript that is wrong
		value += fmt.Sprintf(" - %s key[%s,%s]&%d]", one(rng, "table["+w.item+",", "line["), w.item, one(rng, loops...), mask)
	}
	if repeated && rng.IntN(2) == 0 { // the number of the repetition is a subscript
		value += " + f[" + strings.Join(append([]string{w.item, "t"}, loops[1:]...), ",") + "]"
	}
	if w.depth == 2 && rng.IntN(2) == 0 {
		value += fmt.Sprintf(" + u[%s,i%s,j%s]", w.item, one(rng, "-1", "-1", "-2"), one(rng, "-1", "", "+1", "-2"))
	}
	if rng.IntN(2) == 0 {
		value += " " + one(rng, "+", "-") + " " + one(rng, "M", "K", w.item, "1")
		if strings.HasPrefix(w.elem, "int") {
			value = w.elem + "(" + value + ")"
		}
	}
	return value
}

// cell returns the subscripts of the iteration's cell of the item, moved by an offset along loop d.
func (w *batchWriter) cell(loops []string, d, offset int) string {
	subs := append([]string{w.item}, loops...)
	if offset != 0 {
		subs[1+d] += fmt.Sprintf("%+d", offset)
	}
	return "[" + strings.Join(subs, ",") + "]"
}

// best writes a nest that stores a result of the item: a cell, or the reduction of the nest with the given number.
func (w *batchWriter) best(number int) {
	rng := w.rng
	if last := strings.Repeat(", M", w.depth); !w.alone && (w.repeats || rng.IntN(2) == 0) {
		w.linef("for k = 1..1 {\nbest[%s] = u[%[1]s%s]\n}", w.item, one(rng, last, strings.Repeat(", 1", w.depth)))
	} else {
		w.linef("for k = 1..%s {\nbest[%s] = r%d\n}", one(rng, "1", "min(M, 1)"), w.item, number)
	}
}

// ItemInputs draws the cells of those given arrays that hold the parameters of items. It keeps the parameters within their bounds, so
// that subscripts that contain them are within the bounds of arrays.
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
