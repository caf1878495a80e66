package sched

// Rows of different columns are computed in groups by a kernel with lanes across rows: in every group, first the columns
// before those that all of its rows have, then the common columns, then those behind them. Results stay the same if no
// iteration depends on one of an earlier row at a later column: see kernel.Front.

// unevenRows are the least and the greatest columns of the rows of a group.
type unevenRows struct{ lo, hi []int }

// uneven computes the rows lo..hi, values of coordinate x, the last but one.
func (b *boxes) uneven(x, lo, hi int) error {
	for at := lo; at <= hi; at += b.front.Rows {
		n := min(b.front.Rows, hi-at+1)
		r := &b.rows
		r.lo, r.hi = r.lo[:0], r.hi[:0]
		first, last := 0, -1
		for k := range n {
			b.space.at[x] = at + k
			from, to := b.space.extent(x + 1)
			if from <= to && first <= last {
				first, last = min(first, from), max(last, to)
			} else if from <= to {
				first, last = from, to
			}
			r.lo, r.hi = append(r.lo, from), append(r.hi, to)
		}
		if err := b.columns(at, 0, n, first, last); err != nil {
			return err
		}
	}
	return nil
}

// columns computes those columns first..last that the rows from..to-1 of the group have. The group begins with row at.
func (b *boxes) columns(at, from, to, first, last int) error {
	lo, hi, some := first, last, false
	for k := from; k < to; k++ {
		l, h := max(first, b.rows.lo[k]), min(last, b.rows.hi[k])
		lo, hi, some = max(lo, l), min(hi, h), some || l <= h
	}
	switch {
	case !some:
		return nil
	case lo > hi:
		half := (from + to) / 2
		if err := b.columns(at, from, half, first, last); err != nil {
			return err
		}
		return b.columns(at, half, to, first, last)
	}
	if err := b.columns(at, from, to, first, lo-1); err != nil {
		return err
	}
	x := len(b.lo) - 2
	b.lo[x], b.hi[x], b.lo[x+1], b.hi[x+1] = at+from, at+to-1, lo, hi
	if err := b.box(); err != nil {
		return err
	}
	return b.columns(at, from, to, hi+1, last)
}
