package plan

import "fmt"

// A creditColumn is a column of tiles in the credit graph.
type creditColumn struct {
	first, last int   // active tiles
	in, out     []int // edges
}

// CheckCredits executes the credit graph of the plan: workers run their tiles in order, a tile
// needs every message that begins with a face for it, and a message needs a slot of the edge
// from its first face on. If the workers come to a halt before the end, it returns an error
// that names a waiting worker. slots returns the number of slots of an edge; nil: as planned.
func (p *Plan) CheckCredits(slots func(e EdgeOf) int) error {
	if p.Empty {
		return nil
	}
	if slots == nil {
		slots = func(e EdgeOf) int { return e.Slots }
	}
	n := len(p.Tiles)
	lo, hi := make([]int, n), make([]int, n)
	cols := make([]creditColumn, p.Columns())
	at := make([]int, n)
	for c := range cols {
		p.ColumnAt(c, at)
		cols[c].first, cols[c].last = p.Active(at, lo, hi)
	}
	edges := p.Edges()
	send, receive := make([]*Stream, len(edges)), make([]*Stream, len(edges))
	for i, e := range edges {
		s, ok := p.Stream(&e)
		if !ok {
			continue
		}
		send[i] = s
		receive[i], _ = p.Stream(&e)
		cols[e.From].out = append(cols[e.From].out, i)
		cols[e.To].in = append(cols[e.To].in, i)
	}
	acquired, posted, released := make([]int, len(edges)), make([]int, len(edges)), make([]int, len(edges))
	type worker struct {
		rank, cpu int
		tiles     [][2]int // column, tile
		next      int
	}
	var workers []worker
	for r := range Product(p.Grid) {
		for c := range Product(p.Mesh) {
			w := worker{rank: r, cpu: c}
			mine := p.WorkerColumns(r, c)
			for turn := range p.InOrder(len(mine), func(i int) (int, int) { return cols[mine[i]].first, cols[mine[i]].last }) {
				w.tiles = append(w.tiles, [2]int{mine[turn.Column], turn.Tile})
			}
			workers = append(workers, w)
		}
	}
	// run runs the next tile of a worker if nothing is missing.
	run := func(w *worker) bool {
		col, k := &cols[w.tiles[w.next][0]], w.tiles[w.next][1]
		for _, e := range col.in {
			if receive[e].Face(k).Begins && posted[e] == released[e] {
				return false
			}
		}
		for _, e := range col.out {
			if send[e].Face(k).Begins && acquired[e]-released[e] >= slots(edges[e]) {
				return false
			}
		}
		for _, e := range col.in {
			if receive[e].Face(k).Ends {
				released[e]++
			}
		}
		for _, e := range col.out {
			f := send[e].Face(k)
			if f.Begins {
				acquired[e]++
			}
			if f.Ends {
				posted[e]++
			}
		}
		w.next++
		return true
	}
	for {
		progress, done := false, true
		for i := range workers {
			w := &workers[i]
			for w.next < len(w.tiles) && run(w) {
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
