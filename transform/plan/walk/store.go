package walk

// storing is a level of a value whose results are being stored row by row: those of the box Lo..Hi.
type storing struct {
	Lo, Hi []int
	v      int
	q      []int
	box    bool // every location is an iteration
}

// Stores begins to store the results of value v in a level, and reports whether some may be final: see StoreRow.
func (w *Levels) Stores(v, level int) (some bool) {
	if !w.MayBe(v, level, level) {
		return false
	}
	s := &w.Store
	copy(s.Lo, w.Lo)
	copy(s.Hi, w.Hi)
	s.v, s.box = v, false
	if w.skewed {
		if some, s.box = w.Edge.Own(level, s.Lo, s.Hi); s.box && !some {
			return false
		} else if !s.box {
			copy(s.Lo, w.Lo)
			copy(s.Hi, w.Hi)
		}
	}
	s.Lo[0], s.Hi[0] = level, level
	if !s.box {
		if !w.p.Space.Shrink(s.Lo, s.Hi) {
			return false
		}
		s.box = w.p.Space.BoxInside(s.Lo, s.Hi)
	}
	w.narrow(v, s.Lo, s.Hi)
	copy(s.q, s.Lo)
	return true
}

// StoreAt emits row q of results alone, out of order.
func (w *Levels) StoreAt(q []int) {
	w.reset()
	copy(w.Store.q, q)
	w.storeRow()
}

// storeRow emits a row of results.
func (w *Levels) storeRow() {
	s := &w.Store
	if !w.RowMayBe(s.v, s.q, s.q[0], s.q[0]) {
		return
	}
	last := len(s.q) - 1
	lo, hi := s.Lo[last], s.Hi[last]
	if !s.box {
		lo, hi = w.p.Space.Span(s.q, lo, hi)
	}
	for _, span := range w.Final(s.v, s.q, lo, hi) {
		w.emitRow(Store, s.v, s.q, span.Lo, span.Hi)
	}
}

// StoreRow emits the next row of results, or all rows at once as a box. It returns false if these are the last ones.
func (w *Levels) StoreRow() (more bool) {
	w.reset()
	s := &w.Store
	if s.box && w.allFinal(s.v, s.Lo) {
		w.emit(Op{Kind: Store, Form: Box, Value: s.v}, s.Lo, s.Hi)
		return false
	}
	w.storeRow()
	last := len(s.q) - 1
	for x := last - 1; x >= 1; x-- {
		if s.q[x]++; s.q[x] <= s.Hi[x] {
			return true
		}
		s.q[x] = s.Lo[x]
	}
	return false
}
