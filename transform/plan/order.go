package plan

import (
	"errors"
	"fmt"
	"slices"
)

// A moment is the time at which a tile runs: its step and, with vertical grouping, its place in the wavefront inside the step.
type moment struct{ step, sub int }

func (p *Plan) moment(col []int, k int) moment {
	return moment{p.StepOf(col, k), p.SubStep(col, k)}
}

func (m moment) before(o moment) bool {
	return m.step < o.step || m.step == o.step && m.sub < o.sub
}

// Check proves that the plan comes to its end, whatever the speed of workers: see checkOrder and checkCredits.
func (p *Plan) Check() error {
	return errors.Join(p.checkOrder(nil), p.checkCredits(nil))
}

// checkOrder proves that tiles and messages can run in the order of the plan's steps, or returns
// an error that says what contradicts that order:
//
//   - a worker runs its tiles in the order of InOrder, at increasing moments; only tiles of one
//     block of neighboring columns share a moment;
//   - a tile that reads a message runs after the tiles that pack it: across ranks a step later,
//     or two steps if communication is overlapped, because the message takes the step between;
//   - a tile that packs a message runs after the tile that frees its slot.
//
// A tile waits only for earlier moments or, on its own worker, for tiles earlier in InOrder. So the graph of waiting (tiles, messages and
// credits) has no cycle. The function slots gives the number of slots of an edge; if it is nil, edges have the planned numbers.
func (p *Plan) checkOrder(slots func(e EdgeOf) int) error {
	if p.Empty {
		return nil
	}
	if slots == nil {
		slots = plannedSlots
	}
	c := &orderCheck{p: p, slots: slots, places: map[[2]int]int{}}
	for rank := range Product(p.Grid) {
		for cpu := range Product(p.Mesh) {
			if err := c.worker(rank, cpu); err != nil {
				return err
			}
		}
	}
	for _, e := range p.Edges() {
		if s, ok := p.Stream(&e); ok {
			if err := c.edge(e, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func plannedSlots(e EdgeOf) int { return e.Slots }

// An orderCheck is one run of checkOrder.
type orderCheck struct {
	p      *Plan
	slots  func(e EdgeOf) int
	places map[[2]int]int // column and tile to the place in the order of the worker
}

// worker checks that the steps of a worker's tiles do not go back.
func (c *orderCheck) worker(rank, cpu int) error {
	p, at := c.p, make([]int, len(c.p.Tiles))
	var last moment
	var block []int
	ran := 0
	for column, k := range p.tilesOf(rank, cpu) {
		p.ColumnAt(column, at)
		now := p.moment(at, k)
		here := make([]int, len(at))
		for x := range here {
			here[x] = at[x] / p.Block[x]
		}
		same := now == last && slices.Equal(here, block)
		if ran > 0 && !same && !last.before(now) {
			return fmt.Errorf("rank %d, CPU %d runs tile %d of column %d at step %d.%d, though it was at step %d.%d before", rank, cpu, k, column, now.step, now.sub, last.step, last.sub)
		}
		last, block = now, here
		c.places[[2]int{column, k}] = ran
		ran++
	}
	return nil
}

// edge checks that the messages of an edge are packed before they are read, and into free slots.
func (c *orderCheck) edge(e EdgeOf, s *Stream) error {
	p, to := c.p, make([]int, len(c.p.Tiles))
	p.ColumnAt(e.To, to)
	own := e.Rank[0] == e.Rank[1] && e.CPU[0] == e.CPU[1]
	before := func(column, k, other, l int) bool { return c.places[[2]int{column, k}] < c.places[[2]int{other, l}] }
	var begin int
	var freed []int // per message so far: the tile that finishes reading it, and so frees its slot
	for k := s.first; k <= s.last; k++ {
		face := s.Face(k)
		if face.Begins {
			begin = k
			if m := len(freed) - c.slots(e); m >= len(freed) {
				return fmt.Errorf("tile %d of column %d packs a message, but the edge has no slots", k, e.From)
			} else if m >= 0 {
				now, then := p.moment(s.From, k), p.moment(to, freed[m])
				if own && !before(e.To, freed[m], e.From, k) || !own && !then.before(now) {
					return fmt.Errorf("tile %d of column %d packs a message at step %d.%d into a slot that is read until step %d.%d", k, e.From, now.step, now.sub, then.step, then.sub)
				}
			}
		}
		if !face.Ends {
			continue
		}
		packed, read := p.moment(s.From, k), p.moment(to, begin)
		switch {
		case own && !before(e.From, k, e.To, begin):
			return fmt.Errorf("tile %d of column %d runs before that of column %d, which it reads", k, e.To, e.From)
		case !own && (read.step < packed.step+p.apart(&e) || !packed.before(read)):
			return fmt.Errorf("tile %d of column %d reads at step %d.%d what column %d packs at step %d.%d", begin, e.To, read.step, read.sub, e.From, packed.step, packed.sub)
		}
		freed = append(freed, k)
	}
	return nil
}

// apart is the least number of steps from the packing of a message to its reading.
func (p *Plan) apart(e *EdgeOf) int {
	switch {
	case !e.Remote():
		return 0
	case p.Comm == Overlap:
		return 2
	}
	return 1
}
