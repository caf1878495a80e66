package sched

// Rows of different columns are computed in runs by a kernel with lanes across rows: the rows of a run begin, and end, at columns that
// move by the same numbers from each row to the next. Bounds of columns are the greatest or the least of some affine forms, so a triangle, a
// trapezoid or a band has few runs.

// uneven computes the rows lo..hi, values of coordinate x, the last but one.
func (b *boxes) uneven(x, lo, hi int) error {
	for at := lo; at <= hi; {
		first, last := b.columns(x, at)
		if first > last {
			at++
			continue
		}
		n, by := b.run(x, at, hi, first, last)
		if err := b.look(points(last-first+1, n, by)); err != nil {
			return err
		}
		b.lo[x], b.lo[x+1] = at, first
		b.front.group(b.lo, n, last, by)
		at += n
	}
	return nil
}

// columns returns the first and the last column of a row; last < first if it has none.
func (b *boxes) columns(x, row int) (first, last int) {
	b.space.at[x] = row
	return b.space.extent(x + 1)
}

// run returns how many rows from row at on, whose columns are first..last, are a run, and by how many columns each begins, and ends, after
// the row above. A run has all rows up to hi at most, or those between two looks at the context.
//
// The first column is a convex function of the row, the last one a concave one: see space.extent. Such a function that is the same as a
// linear one in two neighboring rows and in a later one is the same in all rows between.
func (b *boxes) run(x, at, hi, first, last int) (rows int, by [2]int) {
	straight := func(n int) bool {
		from, to := b.columns(x, at+n-1)
		return from <= to && from == first+by[0]*(n-1) && to == last+by[1]*(n-1)
	}
	if at == hi {
		return 1, by
	}
	from, to := b.columns(x, at+1)
	if from > to {
		return 1, by
	}
	by = [2]int{from - first, to - last}
	most := hi - at + 1
	for together := b.front.Rows; most > together && points(last-first+1, most, by) > lookAfter; {
		most = max(together, most/2/together*together)
	}
	if straight(most) {
		return most, by
	}
	rows = 2
	for most-rows > 1 { // rows are straight, most rows are not
		if half := (rows + most) / 2; straight(half) {
			rows = half
		} else {
			most = half
		}
	}
	return rows, by
}

// points is the number of iterations of some rows, the first of which has so many columns.
func points(columns, rows int, by [2]int) int {
	return rows*columns + (by[1]-by[0])*rows*(rows-1)/2
}
