package halo

import (
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A laneRoom is the size of the memory that slabs of a tile need: for rows of planes, of the buffer, and for current rows.
type laneRoom struct {
	depth   int // planes, the levels right below a slab: as many as the longest flow distance along dimension 0
	ghosts  int // ghost cells before the first column of a row
	history int // steps reserved in a row before its first cell

	planeRow, planeLow      int // cells of a row of a plane; cells of that row before the tile's first column
	planeRows               int // rows of a plane, with halo
	bufferRow, currentRow   int // cells of a row
	bufferRows, bufferInner int // rows of the buffer; rows for each value of coordinate 1
	slots                   int // number of values of coordinate 1 that the buffer holds

	streams int // streams with memory: only one, if tiles have a single slab that streams do not share; else all

	// shared: the streams compute rows of one slab, one below the other, in one circular buffer. Each stream is lag steps behind the one
	// before, and the last is lead steps behind the first.
	shared    bool
	lag, lead int
	below     int // steps of a stream with a slab of its own behind the slab below
	offset    int // steps between rows whose last columns are kept: see offsetOf
}

// roomOf returns the room for the tiles of p.
func roomOf(p *plan.Plan, l *kernel.Temporal) laneRoom {
	last := len(p.Side) - 1
	r := laneRoom{depth: p.HaloWidth[0], ghosts: p.HaloWidth[last]}
	// Columns begin ghosts cells before the tile. The first step of a row moves a cell from the lowest plane into the lanes, Skew·depth
	// steps earlier, and reads back from there by the longest distance, at most ghosts + Skew·depth steps.
	r.history = r.ghosts + 2*l.Skew*r.depth + 1
	width := p.Side[last]
	r.streams = l.Streams
	s := walk.StreamsOf(p, l.Streams, l.Count, l.InPlace > 0 && len(l.Rows) == 2 && l.Rows[l.InPlace][0] == 1)
	if r.shared = s.Shared; r.shared {
		r.lag, r.lead = s.Lag, s.Lead
		r.history += r.lead
	} else if p.Side[0] <= l.Count {
		r.streams = 1
	}
	steps := r.history + r.ghosts + width + l.Skew*(l.Count-1) + 1 + r.lead
	steps += l.Count // which simd.Interleaver.Stream may read
	r.bufferRow, r.currentRow = apart(steps*l.Buffered*l.Count, l.Size), apart(steps*l.Current*l.Count, l.Size)
	r.bufferInner, r.planeRows = 1, 1
	for x := 1; x < last; x++ {
		if x > 1 {
			r.bufferInner *= p.Side[x] + p.HaloWidth[x]
		}
		r.planeRows *= p.Side[x] + p.HaloWidth[x]
	}
	r.slots = 1
	for _, d := range l.Rows {
		if last > 1 {
			r.slots = max(r.slots, d[0]+1)
		}
	}
	if l.InPlace > 0 {
		r.slots--
	}
	r.bufferRows = r.bufferInner * r.slots
	if r.shared {
		r.bufferRows = l.Streams + 2 // two more than streams: the row above the first stream's may begin anywhere (layRows), and so lie across two places
		r.offset = r.offsetOf(l)
	}
	r.below = s.Below
	r.planeLow, r.planeRow = s.PlaneLow, s.PlaneRow
	return r
}

// suits reports whether l, if not nil, can compute the levels of p's nest together, and p's tiles suit slabs.
func suits(l *kernel.Temporal, p *plan.Plan) bool {
	if l == nil || !p.Nest.InitialOnly() || !walk.Slabs(p, l.Count) {
		return false
	}
	for x := range p.Lo {
		if p.Lo[x] < -farthest/4 || p.Hi[x] > farthest/4 {
			return false
		}
	}
	return true
}

// hasPlanes reports whether value v has planes between slabs.
func hasPlanes(l *kernel.Temporal, p *plan.Plan, v int) bool {
	return l.Values[v].At >= 0 && p.Nest.Values[v].Levels() > 1
}

// givenCells returns the number n of cells that a row of Given[k] holds, the number of such rows,
// and the number flat of cells that are copied before they are interleaved.
func givenCells(l *kernel.Temporal, p *plan.Plan, room laneRoom, k int) (n, rows, flat int) {
	g := &l.Given[k]
	steps := p.Side[len(p.Side)-1] + room.ghosts + room.history + 3*l.Count + room.lead
	switch {
	case g.OneCell():
		return 1, room.streams, 0
	case g.Kind == kernel.Same, g.Kind == kernel.Window:
		return steps, room.streams + 1, 0
	case g.Kind == kernel.Interleaved:
		if gathers(g, p) {
			flat = (l.Count + 1) * (steps + 4*l.Count*l.Count) // see copiedRows
		}
		return steps * l.Count, room.streams, flat
	}
	return l.Count, room.streams, 0
}

// gathers reports whether the cells of g are copied before they are interleaved: their type is not that
// of lanes, or a row does not run through the array's cells one by one, up or down.
func gathers(g *kernel.LaneGiven, p *plan.Plan) bool {
	if p.Nest.Arrays[g.Array].Elem != g.Elem {
		return true
	}
	row := len(g.Subs) - 1 - p.Nest.Arrays[g.Array].RowDim
	for m, sub := range g.Subs {
		if along := sub.Iters[len(sub.Iters)-1]; m == row && along != 1 && along != -1 || m != row && along != 0 {
			return true
		}
	}
	return false
}

// LaneBytes is the memory that a worker of p allocates, beside its live levels, to compute levels together: buffers and other rows of
// lanes, and planes. It is 0 if l is nil or does not suit p.
func LaneBytes(p *plan.Plan, l *kernel.Temporal) int {
	if !suits(l, p) {
		return 0
	}
	room := roomOf(p, l)
	cells := room.planeRow // planes.spare
	for v := range p.Nest.Values {
		if hasPlanes(l, p, v) {
			cells += room.depth * room.planeRows * room.planeRow
		}
		cells += narrowCells(l, p, v)
	}
	buffers := room.streams * spreadStride(room.streams, room.bufferRows*room.bufferRow, l.Size)
	if room.shared {
		buffers = room.bufferRows * room.bufferRow
	}
	cells += buffers + room.streams*room.currentRow + l.Streams*2*l.Count
	for k := range l.Given {
		n, rows, flat := givenCells(l, p, room, k)
		cells += n*rows + flat
	}
	return cells * l.Size
}

// spreadStride returns the distance, in cells of size bytes, between the buffers of neighboring streams, of n cells each. The distance is
// not a multiple of 4096 bytes: streams that advance together store and load at the same places of their buffers, and a load waits for a
// preceding store a multiple of 4096 bytes away.
func spreadStride(streams, n, size int) int {
	const page, vector = 4096, 64
	apart := (page/streams/vector*vector + vector) / size
	return (n*size+page-1)/page*page/size + apart
}
