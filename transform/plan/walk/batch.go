package walk

import (
	"slices"

	"loopc/transform/plan"
)

// If the iterations of a row wait for one another, the kernel computes up to RaggedMost rows together, even if each row begins and ends at
// its own column. It does so for the columns that all of them have, if these are RaggedLeast or more.
const (
	RaggedMost  = 24
	RaggedLeast = 8
)

// A batch is a run of rows that differ only in the last but one coordinate, and that are computed as one box.
//
// If the iterations of a row wait for one another, the kernel computes several rows together, so that their latencies overlap. In a space
// that is skewed by rows, each row begins and ends at its own column. The columns that all rows share are then one box. The columns before
// it are computed first, row by row, and the columns behind it last: flow distances are not negative, so a row never reads columns of the
// rows above beyond its own.
type batch struct {
	lo, hi []int  // the columns that all rows share
	spans  []Span // columns of each row, at most RaggedMost rows
	any    bool
	ragged bool // spans differ
	waits  bool // iterations of a row wait for one another
}

func newBatch(p *plan.Plan) batch {
	n := len(p.Side)
	waits := func(d []int) bool { return n > 2 && slices.Max(d[:n-1]) == 0 }
	return batch{lo: make([]int, n), hi: make([]int, n), spans: make([]Span, 0, RaggedMost),
		waits: slices.ContainsFunc(p.Nest.Distances(), waits)}
}

// joins reports whether the iterations from..to of row q can join the batch, and if so prepares the batch for them.
func (b *batch) joins(q []int, from, to int) bool {
	n := len(q)
	if !b.any || n == 2 || b.hi[n-2]+1 != q[n-2] || !slices.Equal(b.lo[1:n-2], q[1:n-2]) {
		return false
	}
	if !b.ragged && b.lo[n-1] == from && b.hi[n-1] == to {
		return true
	}
	lo, hi := max(b.lo[n-1], from), min(b.hi[n-1], to)
	if !b.waits || len(b.spans) == RaggedMost || hi-lo+1 < RaggedLeast {
		return false
	}
	b.lo[n-1], b.hi[n-1], b.ragged = lo, hi, true
	return true
}

// batchRow adds the iterations from..to of row q to the batch, which it computes first if they cannot join.
func (w *Levels) batchRow(q []int, from, to int) {
	b, n := &w.rows, len(q)
	if b.joins(q, from, to) {
		b.hi[n-2]++
	} else {
		w.flush()
		copy(b.lo, q)
		copy(b.hi, q)
		b.lo[n-1], b.hi[n-1], b.any, b.ragged, b.spans = from, to, true, false, b.spans[:0]
	}
	if len(b.spans) < RaggedMost {
		b.spans = append(b.spans, Span{from, to})
	}
}

// flush emits the batch.
func (w *Levels) flush() {
	b := &w.rows
	if !b.any {
		return
	}
	b.any = false
	if !b.ragged {
		w.emit(Op{Kind: Compute}, b.lo, b.hi)
		return
	}
	n := len(b.lo)
	top, bottom, lo, hi := b.lo[n-2], b.hi[n-2], b.lo[n-1], b.hi[n-1]
	box := func(row, last, from, to int) {
		if from <= to {
			b.lo[n-2], b.hi[n-2], b.lo[n-1], b.hi[n-1] = row, last, from, to
			w.emit(Op{Kind: Compute}, b.lo, b.hi)
		}
	}
	for k, s := range b.spans {
		box(top+k, top+k, s.Lo, lo-1)
	}
	box(top, bottom, lo, hi)
	for k, s := range b.spans {
		box(top+k, top+k, hi+1, s.Hi)
	}
}
