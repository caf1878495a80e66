package plan

import "fmt"

// checkCredits executes the credit graph of the plan: workers run their tiles in order, a tile needs every message that begins with a face
// for it, and a message needs a slot of the edge from its first face on. If the workers come to a halt before the end, it returns an error
// that names a waiting worker. The function slots gives the number of slots of an edge; if it is nil, edges have the planned numbers.
func (p *Plan) checkCredits(slots func(e EdgeOf) int) error {
	if p.Empty {
		return nil
	}
	if slots == nil {
		slots = plannedSlots
	}
	in, out := make([][]*creditEdge, p.Columns()), make([][]*creditEdge, p.Columns())
	for _, e := range p.Edges() {
		if send, ok := p.Stream(&e); ok { // each end has a Stream of its own, which caches the message that this end asked for last
			receive, _ := p.Stream(&e)
			edge := &creditEdge{send: send, receive: receive, slots: slots(e)}
			out[e.From], in[e.To] = append(out[e.From], edge), append(in[e.To], edge)
		}
	}
	var workers []*creditWorker
	for r := range Product(p.Grid) {
		for c := range Product(p.Mesh) {
			w := &creditWorker{rank: r, cpu: c}
			for column, k := range p.tilesOf(r, c) {
				w.tiles = append(w.tiles, creditTile{column, k, in[column], out[column]})
			}
			workers = append(workers, w)
		}
	}
	for {
		progress := false
		var waits *creditWorker
		for _, w := range workers {
			for len(w.tiles) > 0 && w.tiles[0].run() {
				w.tiles, progress = w.tiles[1:], true
			}
			if len(w.tiles) > 0 && waits == nil {
				waits = w
			}
		}
		if waits == nil {
			return nil
		}
		if !progress {
			return fmt.Errorf("the credits of the plan form a cycle: rank %d, CPU %d waits for ever at tile %d of column %d", waits.rank, waits.cpu, waits.tiles[0].k, waits.tiles[0].column)
		}
	}
}

// A creditEdge is an edge of the credit graph: how many messages have slots, have been posted, and have been read.
type creditEdge struct {
	send, receive              *Stream
	slots                      int
	acquired, posted, released int
}

// A creditWorker has tiles to run, in their order.
type creditWorker struct {
	rank, cpu int
	tiles     []creditTile
}

// A creditTile is a tile with the edges into and out of its column.
type creditTile struct {
	column, k int
	in, out   []*creditEdge
}

// run runs the tile if no message and no slot is missing, and reports whether it did.
func (t *creditTile) run() bool {
	for _, e := range t.in {
		if e.receive.Face(t.k).Begins && e.posted == e.released {
			return false
		}
	}
	for _, e := range t.out {
		if e.send.Face(t.k).Begins && e.acquired-e.released >= e.slots {
			return false
		}
	}
	for _, e := range t.in {
		if e.receive.Face(t.k).Ends {
			e.released++
		}
	}
	for _, e := range t.out {
		f := e.send.Face(t.k)
		if f.Begins {
			e.acquired++
		}
		if f.Ends {
			e.posted++
		}
	}
	return true
}
