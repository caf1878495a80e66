package redist

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"loopc/runtime/array"
	"loopc/runtime/transport"
)

// A Move is one rank's part in the redistribution of one array. Need and Have are the same on all ranks.
type Move struct {
	Size  int           // bytes of a cell
	Need  []Box         // by rank: the cells that it needs
	Have  [][]Box       // by rank: boxes that contain every cell that it owns
	Owned []*array.View // the cells that this rank owns
	Into  *array.View   // the cells Need[rank], in C order; nil if there are none
}

// meets reports whether the first rank may own cells that the second needs.
func (m *Move) meets(from, to int) bool {
	for _, b := range m.Have[from] {
		if cells, _ := b.common(m.Need[to]); cells > 0 {
			return true
		}
	}
	return false
}

// The layout of a message: a flag that is set in the last message of a transfer, then segments. A segment has a position in the box that
// the receiver needs (in cells, C order), a number of cells, and the content of these cells, padded to a multiple of 8 bytes. Numbers have
// 8 bytes, little-endian.
const (
	headBytes    = 8
	segmentBytes = 16
)

// slotBytes bounds a message; longer transfers take several.
const slotBytes = 256 << 10

// Capacity is the length of the longest message of m from one rank to another, 0 without messages.
func (m *Move) Capacity(from, to int) int {
	bytes := 0
	for _, b := range m.Have[from] {
		cells, rows := b.common(m.Need[to])
		bytes += cells*m.Size + rows*(segmentBytes+8)
	}
	if bytes == 0 {
		return 0
	}
	return min(slotBytes, headBytes+segmentBytes+(bytes+7)&^7)
}

// An Exchange has the edges over which one rank exchanges cells with others. It is not safe for concurrent use.
type Exchange struct {
	tr       transport.Transport
	out      map[int]transport.SendEdge // by peer
	in       map[int]transport.RecvEdge
	messages atomic.Int64
	bytes    atomic.Int64
}

// Open opens the edges of this rank, all with number id. capacity returns the length of the longest message from one rank to another, 0
// without messages; it must be the same on all ranks.
func Open(tr transport.Transport, id int, capacity func(from, to int) int) (*Exchange, error) {
	x := &Exchange{tr: tr, out: map[int]transport.SendEdge{}, in: map[int]transport.RecvEdge{}}
	me := tr.Rank()
	for peer := range tr.Size() {
		if peer == me {
			continue
		}
		var err error
		if c := capacity(me, peer); c > 0 {
			if x.out[peer], err = tr.OpenSend(transport.Edge{Peer: peer, ID: id, Capacity: c, Slots: 2}); err != nil {
				return nil, err
			}
		}
		if c := capacity(peer, me); c > 0 {
			if x.in[peer], err = tr.OpenRecv(transport.Edge{Peer: peer, ID: id, Capacity: c, Slots: 2}); err != nil {
				return nil, err
			}
		}
	}
	return x, tr.Flush()
}

// Stats returns the messages that this rank has sent, and their bytes.
func (x *Exchange) Stats() transport.Stats {
	return transport.Stats{Messages: x.messages.Load(), Bytes: x.bytes.Load()}
}

// Run executes the moves: it fills Into of each move with the cells that ranks own, this rank included, and returns when all messages are
// sent and received. Cells without an owner keep their content.
//
// Errors: *transport.Error; context.Cause(ctx).
func (x *Exchange) Run(ctx context.Context, moves []Move) error {
	me := x.tr.Rank()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	start := func(f func() error) {
		all.Go(func() {
			if err := f(); err != nil {
				stop(err) // the first cause counts
			}
		})
	}
	for peer, edge := range x.out {
		start(func() error { return x.send(ctx, moves, me, peer, edge) })
	}
	for peer, edge := range x.in {
		start(func() error { return x.receive(ctx, moves, me, peer, edge) })
	}
	for k := range moves {
		if m := &moves[k]; m.Into != nil {
			for _, v := range m.Owned {
				CopyOwned(m.Into, v)
			}
		}
	}
	all.Wait()
	return context.Cause(ctx)
}

// send sends a peer its transfers, in the order of the moves.
func (x *Exchange) send(ctx context.Context, moves []Move, me, peer int, edge transport.SendEdge) error {
	for k := range moves {
		m := &moves[k]
		if !m.meets(me, peer) {
			continue
		}
		p := packer{x: x, ctx: ctx, edge: edge}
		need := m.Need[peer]
		for _, v := range m.Owned {
			if err := Owned(v, need, func(cell []int, n int) error { return p.put(need.offset(cell), v, v.Offset(cell), n) }); err != nil {
				return err
			}
		}
		if err := p.post(true); err != nil {
			return err
		}
	}
	return nil
}

// A packer packs one transfer into messages.
type packer struct {
	x    *Exchange
	ctx  context.Context
	edge transport.SendEdge
	slot []byte // nil: no message is being packed
	n    int    // bytes of slot that are packed
}

// put packs n cells of v. The first cell has position start in v, and position place in the box that the receiver needs.
func (p *packer) put(place int, v *array.View, start, n int) error {
	for n > 0 {
		if err := p.begin(); err != nil {
			return err
		}
		fit := min(n, (len(p.slot)-p.n-segmentBytes)/8*8/v.Size)
		if fit <= 0 {
			if err := p.post(false); err != nil {
				return err
			}
			continue
		}
		binary.LittleEndian.PutUint64(p.slot[p.n:], uint64(place))
		binary.LittleEndian.PutUint64(p.slot[p.n+8:], uint64(fit))
		p.n += segmentBytes
		copy(p.slot[p.n:], v.Data[start*v.Size:(start+fit)*v.Size])
		p.n += (fit*v.Size + 7) &^ 7
		place, start, n = place+fit, start+fit, n-fit
	}
	return nil
}

// begin acquires a slot, unless one is in use.
func (p *packer) begin() (err error) {
	if p.slot == nil {
		p.slot, err = p.edge.Acquire(p.ctx)
		p.n = headBytes
	}
	return err
}

// post sends the packed message.
func (p *packer) post(last bool) error {
	if err := p.begin(); err != nil {
		return err
	}
	flag := uint64(0)
	if last {
		flag = 1
	}
	binary.LittleEndian.PutUint64(p.slot, flag)
	if err := p.edge.Post(p.n); err != nil {
		return err
	}
	p.x.messages.Add(1)
	p.x.bytes.Add(int64(p.n))
	p.slot = nil
	return p.x.tr.Flush()
}

// receive receives the transfers of a peer.
func (x *Exchange) receive(ctx context.Context, moves []Move, me, peer int, edge transport.RecvEdge) error {
	for k := range moves {
		m := &moves[k]
		if !m.meets(peer, me) {
			continue
		}
		for last := false; !last; {
			message, err := edge.Arrived(ctx)
			if err != nil {
				return err
			}
			if last, err = unpack(m.Into, message); err != nil {
				return fmt.Errorf("rank %d: redistribution from rank %d: %w", me, peer, err)
			}
			if err := edge.Release(); err != nil {
				return err
			}
			if err := x.tr.Flush(); err != nil { // sends the credit
				return err
			}
		}
	}
	return nil
}

// unpack stores the cells of a message in dst. last reports that it is the last message of a transfer.
func unpack(dst *array.View, message []byte) (last bool, err error) {
	if len(message) < headBytes {
		return false, fmt.Errorf("%w: message of %d bytes", transport.ErrProtocol, len(message))
	}
	last = binary.LittleEndian.Uint64(message) != 0
	for at := headBytes; at < len(message); {
		if len(message)-at < segmentBytes {
			return false, fmt.Errorf("%w: segment of %d bytes", transport.ErrProtocol, len(message)-at)
		}
		to, n := binary.LittleEndian.Uint64(message[at:]), binary.LittleEndian.Uint64(message[at+8:])
		at += segmentBytes
		cells := uint64(dst.Cells())
		if to > cells || n > cells-to || n*uint64(dst.Size) > uint64(len(message)-at) {
			return false, fmt.Errorf("%w: %d cells for place %d of %d", transport.ErrProtocol, n, to, cells)
		}
		copy(dst.Data[int(to)*dst.Size:], message[at:at+int(n)*dst.Size])
		at += (int(n)*dst.Size + 7) &^ 7
	}
	return last, nil
}
