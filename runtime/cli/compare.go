package cli

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// difference returns the offset of the first cell that differs between two views of the
// same box, -1 if none does. All NaNs are equal; every other value is compared bit by
// bit.
func difference(a, b array.View) int {
	if bytes.Equal(a.Data, b.Data) {
		return -1
	}
	for k := range a.Cells() {
		x, y := a.Data[k*a.Size:(k+1)*a.Size], b.Data[k*a.Size:(k+1)*a.Size]
		if !bytes.Equal(x, y) && !(isNaN(a, k) && isNaN(b, k)) {
			return k
		}
	}
	return -1
}

func isNaN(v array.View, k int) bool { return math.IsNaN(v.Cell(k).F) }

// cellText returns the text of the content of cell k, and the bits of a float.
func cellText(v array.View, k int) string {
	x, t := v.Cell(k), element.Named(v.Elem)
	switch text := t.Text(x); {
	case !t.Float:
		return text
	case t.Size == 4:
		return fmt.Sprintf("%s (%#08x)", text, math.Float32bits(float32(x.F)))
	default:
		return fmt.Sprintf("%s (%#016x)", text, math.Float64bits(x.F))
	}
}

// differs names the first cell of array arr in which two results differ and the iteration that
// wrote it, "" if the results are the same.
func differs(p *planned, arr int, got, want array.View) string {
	k := difference(got, want)
	if k < 0 {
		return ""
	}
	a := &p.prog.Nest.Arrays[arr]
	index := make([]int, len(got.Lo)) // of the result
	rest := k
	for x := range index {
		index[x] = got.Lo[x] + rest/got.Stride[x]
		rest %= got.Stride[x]
	}
	var cell []int // of the array, with the dimensions that the slice drops
	for m, kept := 0, 0; m < len(a.Lo); m++ {
		if a.Slice != nil && a.Slice[m] != nil {
			cell = append(cell, a.Slice[m].Eval(p.params(), nil))
			continue
		}
		cell = append(cell, index[kept])
		kept++
	}
	text := fmt.Sprintf("%s[%s] is %s, but the sequential loops give %s", a.Name, list(cell), cellText(got, k), cellText(want, k))
	var writers []*plan.Plan
	for _, one := range p.plans {
		if one.Nest.Arrays[arr].Returned() {
			writers = append(writers, one)
		}
	}
	if len(writers) != 1 {
		return text
	}
	w, ok := writers[0].Writer(arr, cell)
	if !ok {
		return text + "; no iteration writes it"
	}
	return fmt.Sprintf("%s; tile (%s) of rank %d, CPU %d, writes it", text, list(userPart(writers[0].Nest, w.Tile)), w.Rank, w.CPU)
}

// differsReduced says how the result of a reduction differs from that of the
// sequential loops, "" if it is the same.
func differsReduced(r *sched.Reduction, want array.View) string {
	got := r.Result()
	if difference(got, want) < 0 {
		return ""
	}
	return fmt.Sprintf("reduction %s is %s, but the sequential loops give %s", r.Name, cellText(got, 0), cellText(want, 0))
}

// userPart returns v without its first entry, if that is of the level that the compiler has added to the user's loops.
func userPart(nest *plan.Nest, v []int) []int {
	if nest.Levelled {
		return v[1:]
	}
	return v
}

func list(v []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(v)), ", "), "[]")
}
