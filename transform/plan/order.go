package plan

import "fmt"

// A moment is the time at which a tile runs: its step and, with vertical grouping, its place in
// the wavefront inside the step.
type moment struct{ step, sub int }

func (p *Plan) moment(col []int, k int) moment {
	return moment{p.StepOf(col, k), p.SubStep(col, k)}
}

func (m moment) before(o moment) bool {
	return m.step < o.step || m.step == o.step && m.sub < o.sub
}

// CheckOrder proves that the steps of the plan are an order in which everything
// can happen, or says what contradicts it:
//
//   - a worker runs at most one tile at a time, of a block of neighboring columns
//     one tile of each, and in the order of InOrder;
//   - a tile that reads a message runs after those that pack it, across ranks a
//     step later, two steps if communication is overlapped, for the message takes
//     the step between;
//   - a tile that packs a message runs after the one that frees its slot.
//
// All that a tile waits for lies in earlier steps, so that the graph of waiting
// (tiles, messages and credits) has no cycle. slots says how many slots an edge
// has; nil stands for those of the plan.
func (p *Plan) CheckOrder(slots func(e EdgeOf) int) error {
	if slots == nil {
		slots = func(e EdgeOf) int { return e.Slots }
	}
	if p.Empty {
		return nil
	}
	n := len(p.Tiles)
	lo, hi, at := make([]int, n), make([]int, n), make([]int, n)
	type tile struct{ column, k int }
	turns := map[tile]int{} // places in the order of the worker
	for rank := range Product(p.Grid) {
		for cpu := range Product(p.Mesh) {
			mine := p.WorkerColumns(rank, cpu)
			active := func(i int) (int, int) {
				p.ColumnAt(mine[i], at)
				return p.Active(at, lo, hi)
			}
			var last moment
			var block []int
			ran := 0
			for turn := range p.InOrder(len(mine), active) {
				p.ColumnAt(mine[turn.Column], at)
				now := p.moment(at, turn.Tile)
				here := make([]int, n)
				for x := range here {
					here[x] = at[x] / p.Block[x]
				}
				same := ran > 0 && now == last && equal(here, block)
				if ran > 0 && !same && !last.before(now) {
					return fmt.Errorf("rank %d, CPU %d runs tile %d of column %d at step %d.%d, though it was at step %d.%d before", rank, cpu, turn.Tile, mine[turn.Column], now.step, now.sub, last.step, last.sub)
				}
				last, block = now, here
				turns[tile{mine[turn.Column], turn.Tile}] = ran
				ran++
			}
		}
	}
	from, to := make([]int, n), make([]int, n)
	for _, e := range p.Edges() {
		s, ok := p.Stream(&e)
		if !ok {
			continue
		}
		p.ColumnAt(e.From, from)
		p.ColumnAt(e.To, to)
		apart := 1
		if e.Remote() && p.Comm == Overlap {
			apart = 2
		}
		own := e.Rank[0] == e.Rank[1] && e.CPU[0] == e.CPU[1]
		var begin int
		var freed []int // tiles that read the messages so far to their ends
		for k := s.first; k <= s.last; k++ {
			face := s.Face(k)
			if face.Begins {
				begin = k
				if m := len(freed) - slots(e); m >= 0 {
					if m >= len(freed) {
						return fmt.Errorf("tile %d of column %d packs a message, but the edge has no slots", k, e.From)
					}
					now, then := p.moment(from, k), p.moment(to, freed[m])
					if free := then.before(now); own && turns[tile{e.To, freed[m]}] >= turns[tile{e.From, k}] || !own && !free {
						return fmt.Errorf("tile %d of column %d packs a message at step %d.%d into a slot that is read until step %d.%d", k, e.From, now.step, now.sub, then.step, then.sub)
					}
				}
			}
			if !face.Ends {
				continue
			}
			packed, read := p.moment(from, k), p.moment(to, begin)
			switch {
			case own:
				if turns[tile{e.From, k}] >= turns[tile{e.To, begin}] {
					return fmt.Errorf("tile %d of column %d runs before that of column %d, which it reads", k, e.To, e.From)
				}
			case e.Remote() && read.step < packed.step+apart, !packed.before(read):
				return fmt.Errorf("tile %d of column %d reads at step %d.%d what column %d packs at step %d.%d", begin, e.To, read.step, read.sub, e.From, packed.step, packed.sub)
			}
			freed = append(freed, k)
		}
	}
	return nil
}

func equal(a, b []int) bool {
	for x := range a {
		if a[x] != b[x] {
			return false
		}
	}
	return len(a) == len(b)
}
