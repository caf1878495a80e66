package sched

import (
	"context"
	"fmt"

	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// polls are the edges between rank 0 and every other rank, over which the ranks agree on what
// comes next. At the end of a repeat, the others send their parts of the reduction, and rank 0
// answers.
type polls struct {
	out, in         map[int]transportEdge
	messages, bytes int64
}

// A transportEdge is one end of an edge: send or recv is set.
type transportEdge struct {
	send transport.SendEdge
	recv transport.RecvEdge
}

// pollBytes suffices for a part of any reduction.
const pollBytes = 1 << 10

// open opens the edges of this rank, all with number id.
func (p *polls) open(tr transport.Transport, id int) error {
	p.out, p.in = map[int]transportEdge{}, map[int]transportEdge{}
	for peer := range tr.Size() {
		if peer == tr.Rank() || peer != 0 && tr.Rank() != 0 {
			continue
		}
		e := transport.Edge{Peer: peer, ID: id, Capacity: pollBytes, Slots: 2}
		send, err := tr.OpenSend(e)
		if err != nil {
			return err
		}
		recv, err := tr.OpenRecv(e)
		if err != nil {
			return err
		}
		p.out[peer], p.in[peer] = transportEdge{send: send}, transportEdge{recv: recv}
	}
	return tr.Flush()
}

// ended reports whether a repeat ends. mine is this rank's part of the reduction.
func (p *polls) ended(ctx context.Context, tr transport.Transport, until *Until, mine Reduction) (bool, error) {
	if tr.Rank() > 0 {
		if err := p.post(ctx, tr, 0, mine.State); err != nil {
			return false, err
		}
		answer, err := p.arrived(ctx, tr, 0)
		return len(answer) == 1 && answer[0] == 1, err
	}
	like := &plan.Nest{Reduces: []plan.Reduce{{Name: mine.Name, Op: mine.Op, Elem: mine.Type}}}
	all := newReduced(like)[0]
	for r := range tr.Size() {
		state := mine.State
		if r > 0 {
			var err error
			if state, err = p.arrived(ctx, tr, r); err != nil {
				return false, err
			}
		}
		part := newReduced(like)[0]
		if err := decode(part, state); err != nil {
			return false, fmt.Errorf("rank %d: reduction %s: %w", r, mine.Name, err)
		}
		merge(mine.Op, all, part)
	}
	finish(all)
	end := until.holds(all.Value)
	answer := []byte{0}
	if end {
		answer[0] = 1
	}
	for r := 1; r < tr.Size(); r++ {
		if err := p.post(ctx, tr, r, answer); err != nil {
			return false, err
		}
	}
	return end, nil
}

// post sends a message to a peer.
func (p *polls) post(ctx context.Context, tr transport.Transport, peer int, message []byte) error {
	edge := p.out[peer].send
	slot, err := edge.Acquire(ctx)
	if err != nil {
		return err
	}
	if err := edge.Post(copy(slot, message)); err != nil {
		return err
	}
	p.messages++
	p.bytes += int64(len(message))
	return tr.Flush()
}

// arrived receives a message from a peer.
func (p *polls) arrived(ctx context.Context, tr transport.Transport, peer int) ([]byte, error) {
	edge := p.in[peer].recv
	slot, err := edge.Arrived(ctx)
	if err != nil {
		return nil, err
	}
	message := append([]byte(nil), slot...)
	if err := edge.Release(); err != nil {
		return nil, err
	}
	return message, tr.Flush()
}

// holds reports whether the condition holds for a result of the reduction.
func (u *Until) holds(v array.View) bool {
	x := v.Cell(0)
	if element.Named(v.Elem).Float {
		return compared(x.F, u.Float, u.Op)
	}
	return compared(x.I, u.Int, u.Op)
}

// compared returns x op y.
func compared[T int64 | float64](x, y T, op string) bool {
	switch op {
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}
