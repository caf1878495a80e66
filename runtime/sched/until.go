package sched

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"loopc/runtime/array"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// polls are the edges between rank 0 and every other rank, over which the ranks agree on what comes next. At the end of a repeat, and
// before a nest that reads results of earlier ones, the others send their parts of the reductions, and rank 0 answers.
type polls struct {
	out, in         map[int]transportEdge
	messages, bytes int64
}

// A transportEdge is one end of an edge: send or recv is set.
type transportEdge struct {
	send transport.SendEdge
	recv transport.RecvEdge
}

// pollBytes suffices for a part of any reduction, and for the results that a nest reads.
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

// ended reports whether a repeat ends. mine are this rank's parts of the reductions. Rank 0 calls holds with the results over all ranks.
func (p *polls) ended(ctx context.Context, tr transport.Transport, mine []Reduction, holds func([]array.View) bool) (bool, error) {
	answer, err := p.agree(ctx, tr, mine, func(all []array.View) []byte {
		if holds(all) {
			return []byte{1}
		}
		return []byte{0}
	})
	return len(answer) == 1 && answer[0] == 1, err
}

// results returns the results over all ranks of reductions, of which mine are this rank's parts.
func (p *polls) results(ctx context.Context, tr transport.Transport, mine []Reduction) ([]float64, error) {
	answer, err := p.agree(ctx, tr, mine, func(all []array.View) (answer []byte) {
		for _, v := range all {
			answer = binary.LittleEndian.AppendUint64(answer, math.Float64bits(resultOf(v)))
		}
		return answer
	})
	if err == nil && len(answer) != 8*len(mine) {
		err = fmt.Errorf("rank 0 answers %d results by %d bytes", len(mine), len(answer))
	}
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(mine))
	for k := range out {
		out[k] = math.Float64frombits(binary.LittleEndian.Uint64(answer[8*k:]))
	}
	return out, nil
}

// agree returns on every rank what rank 0 answers to the results of reductions over all ranks. mine are this rank's parts.
func (p *polls) agree(ctx context.Context, tr transport.Transport, mine []Reduction, answers func([]array.View) []byte) ([]byte, error) {
	if tr.Rank() > 0 {
		for _, r := range mine {
			if err := p.post(ctx, tr, 0, r.State); err != nil {
				return nil, err
			}
		}
		return p.arrived(ctx, tr, 0)
	}
	var all []array.View
	for _, r := range mine {
		v, err := p.result(ctx, tr, r)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	answer := answers(all)
	for r := 1; r < tr.Size(); r++ {
		if err := p.post(ctx, tr, r, answer); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// partsOf returns this rank's parts of reductions. A nest that has not run yet has had no iterations.
func (r *Rank) partsOf(places []ReducePlace) (mine []Reduction, err error) {
	for _, at := range places {
		all := r.reduced[at.Nest]
		if all == nil {
			if all, err = partial(r.plans[at.Nest].Nest, nil); err != nil {
				return nil, err
			}
		}
		mine = append(mine, all[at.Reduce])
	}
	return mine, nil
}

// learn gives the program of nest k the results of earlier nests that it reads.
func (r *Rank) learn(ctx context.Context, k int) error {
	prog := r.nests[k]
	if prog.Earlier == nil {
		return nil
	}
	mine, err := r.partsOf(prog.Earlier)
	if err != nil {
		return err
	}
	results, err := r.polls.results(ctx, r.tr, mine)
	if err != nil {
		return err
	}
	learned := *prog
	learned.results = results
	r.nests[k] = &learned
	return nil
}

// result combines the parts of all ranks to the result of a reduction, on rank 0, whose part is mine.
func (p *polls) result(ctx context.Context, tr transport.Transport, mine Reduction) (array.View, error) {
	like := &plan.Nest{Reduces: []plan.Reduce{{Name: mine.Name, Op: mine.Op, Elem: mine.Type}}}
	all := newReduced(like)[0]
	for r := range tr.Size() {
		state := mine.State
		if r > 0 {
			var err error
			if state, err = p.arrived(ctx, tr, r); err != nil {
				return all.Value, err
			}
		}
		part := newReduced(like)[0]
		if err := decode(part, state); err != nil {
			return all.Value, fmt.Errorf("rank %d: reduction %s: %w", r, mine.Name, err)
		}
		merge(mine.Op, all, part)
	}
	finish(all)
	return all.Value, nil
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
