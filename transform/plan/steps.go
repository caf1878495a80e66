package plan

import "fmt"

// StepOf is the time step, counted from that of tile 0 of the first worker, in
// which a worker runs tile k of its columns: tiles are grouped along hyperplanes
// over the CPUs of a rank, and a rank's group runs in one step [P1] (2), (3).
//
//	overlap    k + Σ w_x + Σ ⌊w_x/m_x⌋     Π^G = (1, 1, .., 1)
//	blocking   k + Σ w_x                   Π^G = (1, 0, .., 0)
//
// Here w is the worker's place in the mesh of all CPUs. Between ranks an
// overlapped face takes a step of its own, hence the further term.
func (p *Plan) StepOf(col []int, k int) int {
	step := k
	for x := range col {
		if x == p.Map {
			continue
		}
		w := col[x] / p.Block[x]
		step += w
		if p.Comm == Overlap {
			step += w / p.Mesh[x]
		}
	}
	return step
}

// Steps is the makespan in steps, walked over the tiles that have iterations.
// A worker with several columns runs one tile of each in a step.
func (p *Plan) Steps() int {
	if p.Empty {
		return 0
	}
	n := len(p.Tiles)
	col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
	least, most := unbounded, -1
	for c := range p.Columns() {
		p.ColumnAt(c, col)
		first, last := p.Active(col, lo, hi)
		if first > last {
			continue
		}
		least = min(least, p.StepOf(col, first))
		most = max(most, p.StepOf(col, last))
	}
	if most < 0 {
		return 0
	}
	return most - least + 1
}

// Volume counts the messages between ranks and their bytes, over the whole run.
func (p *Plan) Volume() (messages, bytes int64) {
	n := len(p.Tiles)
	from, to := make([]int, n), make([]int, n)
	lo, hi := make([]int, n), make([]int, n)
	for _, e := range p.Edges() {
		if e.Rank[0] == e.Rank[1] {
			continue
		}
		p.ColumnAt(e.From, from)
		p.ColumnAt(e.To, to)
		first, last := p.Active(to, lo, hi)
		for k := first; k <= last; k++ {
			if b, ok := p.Sends(from, k, &p.dirs[e.Dir], first, last, lo, hi); ok {
				messages++
				bytes += int64(b)
			}
		}
	}
	return messages, bytes
}

// CheckCredits executes the credit graph of the plan: workers run their tiles
// in order, a tile needs every face that is sent to it, and a face needs one
// of the edge's slots. It returns an error if they come to a halt before the
// end, which names a worker that waits. slots says how many slots an edge has; nil
// stands for Slots everywhere.
func (p *Plan) CheckCredits(slots func(e EdgeOf) int) error {
	if p.Empty {
		return nil
	}
	if slots == nil {
		slots = func(EdgeOf) int { return Slots }
	}
	n := len(p.Tiles)
	lo, hi := make([]int, n), make([]int, n)
	type column struct {
		at          []int
		first, last int
		in, out     []int // edges
	}
	edges := p.Edges()
	cols := make([]column, p.Columns())
	for c := range cols {
		at := make([]int, n)
		p.ColumnAt(c, at)
		first, last := p.Active(at, lo, hi)
		cols[c] = column{at: at, first: first, last: last}
	}
	for i, e := range edges {
		cols[e.From].out = append(cols[e.From].out, i)
		cols[e.To].in = append(cols[e.To].in, i)
	}
	posted, released := make([]int, len(edges)), make([]int, len(edges))
	type worker struct {
		rank, cpu int
		tiles     [][2]int // column, tile
		next      int
	}
	var workers []worker
	for r := range product(p.Grid) {
		for c := range product(p.Mesh) {
			w := worker{rank: r, cpu: c}
			mine := p.WorkerColumns(r, c)
			for k := range p.Tiles[p.Map] {
				for _, col := range mine {
					if k >= cols[col].first && k <= cols[col].last {
						w.tiles = append(w.tiles, [2]int{col, k})
					}
				}
			}
			workers = append(workers, w)
		}
	}
	sends := func(i, k int) bool {
		e := edges[i]
		_, ok := p.Sends(cols[e.From].at, k, &p.dirs[e.Dir], cols[e.To].first, cols[e.To].last, lo, hi)
		return ok
	}
	for {
		progress, done := false, true
		for i := range workers {
			w := &workers[i]
		run:
			for w.next < len(w.tiles) {
				col, k := w.tiles[w.next][0], w.tiles[w.next][1]
				for _, e := range cols[col].in {
					if sends(e, k) && posted[e] == released[e] {
						break run
					}
				}
				for _, e := range cols[col].out {
					if sends(e, k) && posted[e]-released[e] >= slots(edges[e]) {
						break run
					}
				}
				for _, e := range cols[col].in {
					if sends(e, k) {
						released[e]++
					}
				}
				for _, e := range cols[col].out {
					if sends(e, k) {
						posted[e]++
					}
				}
				w.next++
				progress = true
			}
			done = done && w.next == len(w.tiles)
		}
		if done {
			return nil
		}
		if !progress {
			for _, w := range workers {
				if w.next < len(w.tiles) {
					return fmt.Errorf("the credits of the plan form a cycle: rank %d, CPU %d waits for ever at tile %d of column %d", w.rank, w.cpu, w.tiles[w.next][1], w.tiles[w.next][0])
				}
			}
		}
	}
}
