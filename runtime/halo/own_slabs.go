package halo

// runRows runs the slabs of a tile whose levels have several rows: each stream takes every
// Streams-th slab, and runs one row behind the stream of the slab below.
func (r *timeSlabs[T]) runRows(slabs int) {
	for next, busy := 0, 0; busy > 0 || next < slabs; {
		if c := &r.streams[next%r.lanes.Streams]; next < slabs && c.slab < 0 {
			r.begin(c, next)
			next++
			busy++
		}
		r.rowOfEach()
		for i := range r.streams {
			c := &r.streams[i]
			if c.slab < 0 {
				continue
			}
			if !c.spans.skip {
				r.finish(c)
			}
			c.number++
			r.nextRow(c.row)
			if c.number == r.tile.rows {
				c.slab = -1
				busy--
				r.tile.column.sent(c.level+c.count, 0) // slabs end in their order
			}
		}
	}
}

// nextRow moves coordinates 1 to n-2 of q to the next row of the tile and its halo.
func (r *timeSlabs[T]) nextRow(q []int) {
	for x := r.last - 1; x >= 1; x-- {
		if q[x]++; q[x] <= r.w.last[x] {
			return
		}
		q[x] = r.w.first[x] - r.p.HaloWidth[x]
	}
}

// rowOfEach computes the current row of each stream that has a slab.
func (r *timeSlabs[T]) rowOfEach() {
	steps, kept, busy, idle := noSteps, 1<<62, 0, 0
	for i := range r.streams {
		c := &r.streams[i]
		if c.slab < 0 {
			idle++
			continue
		}
		r.prepare(c)
		if !c.spans.skip {
			busy++
			steps.join(c.spans.rowSteps)
			kept = min(kept, r.neededFrom(c))
		}
	}
	if busy > 1 && busy+idle == r.lanes.Streams {
		// Interleaved streams take as long as one stream. Idle streams repeat the work of a busy one, so that Many can be called.
		for i := range r.streams {
			if c := &r.streams[i]; c.slab >= 0 {
				r.point(c, i, steps.first)
			} else {
				r.pointIdle(i, steps.first)
			}
		}
		r.calls.steps(r.lanes.Many, steps, kept)
		return
	}
	for i := range r.streams {
		if c := &r.streams[i]; c.slab >= 0 && !c.spans.skip {
			r.point(c, 0, c.spans.first)
			r.calls.steps(r.lanes.One, c.spans.rowSteps, kept)
		}
	}
}

// runColumns runs the slabs of a tile whose levels have one row: each stream takes every
// Streams-th slab, and runs some columns behind the stream of the slab below.
func (r *timeSlabs[T]) runColumns(slabs int) {
	next, ready, busy := 0, -1, 0 // ready: the slab that is prepared and waits for the slab below
	for next < slabs || busy > 0 {
		wait := 1 << 62 // steps until slab next can begin
		if c := &r.streams[next%r.lanes.Streams]; next < slabs && c.slab < 0 {
			if ready != next {
				r.begin(c, next)
				r.prepare(c)
				ready = next
			}
			if c.slab, wait = -1, r.stepsBehind(c, next); wait <= 0 {
				if !c.spans.skip {
					c.slab, c.next = next, c.spans.first
					busy++
				}
				next++
				continue
			}
		}
		busy -= r.columns(next, wait, busy == r.lanes.Streams && busy > 1)
		level := r.tile.lo + next*r.lanes.Count // all levels below this one are packed
		for i := range r.streams {
			if c := &r.streams[i]; c.slab >= 0 {
				level = min(level, c.level)
			}
		}
		r.tile.column.sent(min(level, r.tile.hi+1), 0)
	}
}

// stepsBehind returns how many more steps the slab below must compute before stream c, which is prepared, can begin a slab.
func (r *timeSlabs[T]) stepsBehind(c *stream[T], slab int) int {
	below := &r.streams[(slab+r.lanes.Streams-1)%r.lanes.Streams]
	if below.slab < 0 || below.slab != slab-1 || c.spans.skip {
		return 0
	}
	return r.room.below - (below.next - c.spans.first)
}

// columns computes at most n steps of all streams that have a slab, and no more than until the first one ends. It returns how many end. all
// says that every stream has a slab; next is the slab after the newest.
func (r *timeSlabs[T]) columns(next, n int, all bool) (ended int) {
	// In steps full0..full1 all lanes of all streams are active.
	steps, kept := noSteps, 1<<62
	for i := range r.streams {
		if c := &r.streams[i]; c.slab >= 0 {
			n = min(n, c.spans.end-c.next)
			steps.join(c.spans.later(-c.next))
			kept = min(kept, r.neededFrom(c)-c.next)
		}
	}
	if all {
		for i := range r.streams {
			r.point(&r.streams[i], i, r.streams[i].next)
		}
		steps.first, steps.end = 0, n
		r.calls.steps(r.lanes.Many, steps, kept)
	} else {
		for i := range r.lanes.Streams { // from the lowest slab on
			if c := &r.streams[(next+i)%r.lanes.Streams]; c.slab >= 0 {
				r.point(c, 0, c.next)
				steps = c.spans.later(-c.next)
				steps.first, steps.end = 0, n
				r.calls.steps(r.lanes.One, steps, r.neededFrom(c)-c.next)
			}
		}
	}
	for i := range r.streams {
		c := &r.streams[i]
		if c.slab < 0 {
			continue
		}
		if c.next += n; c.next == c.spans.end {
			r.finish(c)
			c.slab = -1
			ended++
		}
	}
	return ended
}
