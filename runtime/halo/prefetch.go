package halo

// prefetch lists the memory that the next tile reads. The kernel requests it while it computes this tile, a little in each step.
func (r *skewedStorage) prefetch(c *Column) {
	w, p := r.w, r.w.plan
	r.prefetcher.Reset()
	for level := w.first[0]; level <= w.last[0]; level++ {
		// Of higher levels only the halo is listed: most other cells that the next tile reads are in the cache already.
		r.prefetchLevel(c, level-1, true, level == w.first[0])
		if level == w.first[0] && (level == p.Lo[0] || !p.Compressed()) {
			r.prefetchLevel(c, level, false, true) // the level that the next tile overwrites
		}
	}
	r.prefetcher.Spread((w.last[0] - w.first[0] + 1) * (w.last[2] - w.first[2] + 1))
}

// prefetchLevel lists cells of a level in the next tile. margin includes the halo below the tile; unless all, only the halo is listed.
func (r *skewedStorage) prefetchLevel(c *Column, level int, margin, all bool) {
	w, p, b := r.w, r.w.plan, c.block
	at, to := r.at, r.to
	for x := 1; x < len(at); x++ {
		at[x], to[x] = w.first[x], w.last[x]
		if margin {
			at[x] -= p.HaloWidth[x]
		}
		switch {
		case x == p.Map:
			at[x], to[x] = w.last[x]+1, w.last[x]+p.Side[x]
		case !all && x != len(at)-1:
			to[x] = w.first[x] - 1
		}
	}
	if some, _ := w.walk.Edge.Own(level, at, to); !some {
		return
	}
	for v, data := range b.Data {
		if data == nil {
			continue
		}
		size := p.Nest.Arrays[p.Nest.Values[v].Array].Size
		for i := at[1]; i <= to[1]; i++ {
			row := b.Row0(v, level) + i*b.Strides[1]
			from, end := (row+at[2]*b.Strides[2]+at[3])*size, (row+to[2]*b.Strides[2]+to[3])*size
			r.prefetcher.Add(data[from:end])
		}
	}
}
