package cost

import (
	"loopc/transform/plan"
)

// A sampleOf is a place that stands for several.
type sampleOf struct {
	at     int
	weight float64
}

// middleSamples is how many places stand for those of an axis that are far from
// its ends. Counts are nearly linear there.
const middleSamples = 6

// sample chooses the places along dimension x that stand for lo..hi, of which so many are the
// first ones.
func (w *edgeCounter) sample(x, lo, hi, first int) {
	w.axes[x] = w.axes[x][:0]
	n := hi - lo + 1
	most := w.sampled
	switch {
	case x == 1 && most > 0:
		most = plan.CeilDiv(most, len(w.axes[0]))
	case x > 1 && most > 0:
		most = 1
	}
	if w.sampled == 0 || n <= most {
		w.axes[x] = samples(w.axes[x], lo, hi, first, w.ends[x])
		w.summed = w.summed || len(w.axes[x]) < n
		return
	}
	w.rough = true
	w.shift += goldenRatio // elsewhere on each level, and in each tile
	w.shift -= float64(int(w.shift))
	for k := range most {
		a, b := n*k/most, n*(k+1)/most
		w.axes[x] = append(w.axes[x], sampleOf{lo + a + int(w.shift*float64(b-a)), float64(b - a)})
	}
}

// goldenRatio spreads places evenly: multiples of it, without what is before the point.
const goldenRatio = 0.6180339887498949

// samples appends places that stand for lo..hi: so many first and last ones stand for
// themselves, for ghost cells and final results are there; of the rest the midpoints of equal
// parts.
func samples(out []sampleOf, lo, hi, first, ends int) []sampleOf {
	middle := hi - lo + 1 - first - ends
	parts := min(middle, middleSamples)
	if parts < middleSamples {
		first, ends, parts = hi-lo+1, 0, 0
	}
	for at := lo; at < lo+first; at++ {
		out = append(out, sampleOf{at, 1})
	}
	for k := range parts {
		a, b := middle*k/parts, middle*(k+1)/parts
		out = append(out, sampleOf{lo + first + (a+b)/2, float64(b - a)})
	}
	for at := hi - ends + 1; at <= hi; at++ {
		out = append(out, sampleOf{at, 1})
	}
	return out
}

// rows adds the work of the rows of w.q's level along dimension x and beyond; if filled,
// nothing is left to fill there.
func (w *edgeCounter) rows(x int, times float64, own, filled, stores, boxed bool, sum *edgeWork) {
	p := w.p
	last := len(p.Side) - 1
	if x < last {
		for _, s := range w.axes[x] {
			w.q[x] = s.at
			w.rows(x+1, times*s.weight, own && s.at >= w.first[x], filled, stores, boxed, sum)
		}
		return
	}
	p.Space.Row(w.q, w.row)
	w.looked += 2
	ghost := w.from[last]
	a, b := p.Space.RowSpan(w.row, nil, ghost, w.last[last])
	if !filled && (own || w.needs) {
		w.exterior(a, b, times, sum)
	}
	from := max(a, w.first[last])
	if !own || from > b {
		return
	}
	if w.late > 0 && !filled {
		sum.filled += times * float64(w.refilled(from, b))
	}
	if !boxed && !w.joins(a, b, ghost) {
		sum.scalar += times * float64(w.alone(a, b, ghost))
		sum.runs += times
	}
	if stores {
		sum.stored += times * float64(w.stored(from, b))
	}
}

// exterior adds the work of row w.q outside the space, of which a..b are iterations.
func (w *edgeCounter) exterior(a, b int, times float64, sum *edgeWork) {
	last := len(w.q) - 1
	ghost := w.from[last]
	cut := a != ghost || b != w.last[last]
	if cut || !w.inSlab(w.q[0]) {
		sum.checked += times
	}
	if cut && w.needs {
		sum.filled += times * w.filled(a, b, ghost)
	}
}

// joins reports whether row w.q, of which a..b are iterations, is computed
// together with the next one: they are equally long, and no cell beside it must
// be filled after it.
func (w *edgeCounter) joins(a, b, ghost int) bool {
	p := w.p
	last := len(p.Side) - 1
	if a == ghost && b == w.last[last] {
		return true
	}
	if w.needs && w.fallbacks {
		return false
	}
	next, end := p.Space.RowSpan(w.row, w.below, ghost, w.last[last])
	return max(next, w.first[last]) == max(a, w.first[last]) && end == b
}

// alone counts the iterations of row w.q, of which a..b are some, that are computed by
// themselves where rows do not join. The next row is as far from this one as those
// behind it are from one another.
func (w *edgeCounter) alone(a, b, ghost int) int {
	p := w.p
	last := len(p.Side) - 1
	from := max(a, w.first[last])
	width := b - from + 1
	if !w.waits || w.needs && w.fallbacks {
		return width
	}
	next, end := p.Space.RowSpan(w.row, w.below, ghost, w.last[last])
	next = max(next, w.first[last])
	begins, ends := max(next-from, from-next), max(end-b, b-end)
	shift := max(begins, ends)
	if next > end || width-shift < plan.RaggedLeast {
		return width
	}
	rows := min(plan.RaggedMost, w.last[last-1]-w.first[last-1]+1, (width-plan.RaggedLeast)/shift+1)
	return (begins + ends) * (rows - 1) / 2
}
