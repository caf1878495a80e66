package transporttest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"loopc/runtime/transport"
)

// What two processes send one another in Measure.
const (
	PairTrips    = 2000 // round trips of 8 bytes
	PairMessages = 200  // of each longer size
	PairTimes    = 11   // all of it, of which the best counts
	pairWindow   = 4    // messages of the longer sizes that are not released, at most
)

// HalfTrip is the name of the figure for half a round trip of 8 bytes.
const HalfTrip = "half-round-trip-8B"

// Figures are what Measure finds: half a round trip in microseconds, bandwidths in
// MB/s, by the names that testdata/ofi/pingpong.c prints them with.
type Figures map[string]float64

// Better keeps, of each figure, the better one of f and other: machines are disturbed,
// never helped.
func (f Figures) Better(other Figures) {
	for name, value := range other {
		old, ok := f[name]
		if !ok || name == HalfTrip && value < old || name != HalfTrip && value > old {
			f[name] = value
		}
	}
}

// Measure does the part of t's rank in a measurement of two ranks, which should be
// processes of their own: what Benchmark does within one. Both ranks return
// figures; those of rank 0 count.
func Measure(ctx context.Context, t transport.Transport) (Figures, error) {
	m := &meter{ctx: ctx, t: t, first: t.Rank() == 0, found: Figures{}}
	if err := m.trips(); err != nil {
		return nil, err
	}
	for _, n := range []int{64 << 10, 1 << 20} {
		if err := m.stream(n); err != nil {
			return nil, err
		}
	}
	return m.found, nil
}

// A meter is one rank of a measurement.
type meter struct {
	ctx   context.Context
	t     transport.Transport
	first bool
	edges int
	found Figures
}

// open opens this rank's end of the next edge, from rank 0 to rank 1 if forth.
func (m *meter) open(bytes int, forth bool) (send transport.SendEdge, recv transport.RecvEdge, err error) {
	m.edges++
	e := transport.Edge{Peer: 1 - m.t.Rank(), ID: m.edges, Capacity: bytes, Slots: pairWindow}
	if m.first == forth {
		send, err = m.t.OpenSend(e)
	} else {
		recv, err = m.t.OpenRecv(e)
	}
	return send, recv, err
}

// trips sends 8 bytes back and forth.
func (m *meter) trips() error {
	there, atPeer, err := m.open(8, true)
	if err != nil {
		return err
	}
	back, atHome, err := m.open(8, false)
	if err != nil {
		return err
	}
	send, recv := there, atHome
	if !m.first {
		send, recv = back, atPeer
	}
	pass := func() error {
		_, err := send.Acquire(m.ctx)
		if err == nil {
			err = send.Post(8)
		}
		return errors.Join(err, m.t.Flush())
	}
	take := func() error {
		_, err := recv.Arrived(m.ctx)
		if err == nil {
			err = recv.Release()
		}
		return err
	}
	if !m.first {
		pass, take = take, pass
	}
	for range PairTimes {
		begun := time.Now()
		for range PairTrips {
			if err := pass(); err != nil {
				return err
			}
			if err := take(); err != nil {
				return err
			}
		}
		m.found.Better(Figures{HalfTrip: time.Since(begun).Seconds() / (2 * PairTrips) * 1e6})
	}
	return nil
}

// copyRows copies as faces are packed and unpacked, row by row. A single copy of 1 MiB
// goes past the caches in Go, and not in C, and whoever sends the copy then has to get
// it from memory.
func copyRows(to, from []byte) {
	const row = 8 << 10
	for len(from) > 0 {
		n := copy(to, from[:min(row, len(from))])
		to, from = to[n:], from[n:]
	}
}

// stream sends messages of n bytes one way, each copied into its slot and out of it.
func (m *meter) stream(n int) error {
	send, recv, err := m.open(n, true)
	if err != nil {
		return err
	}
	other := make([]byte, n)
	one := func() error {
		if m.first {
			slot, err := send.Acquire(m.ctx)
			if err == nil {
				copyRows(slot, other)
				err = send.Post(n)
			}
			return errors.Join(err, m.t.Flush())
		}
		face, err := recv.Arrived(m.ctx)
		if err == nil {
			copyRows(other, face)
			err = recv.Release()
		}
		return errors.Join(err, m.t.Flush()) // the end of a step
	}
	for range PairTimes {
		begun := time.Now()
		for range PairMessages {
			if err := one(); err != nil {
				return err
			}
		}
		if m.first {
			if err := send.Sync(m.ctx); err != nil {
				return err
			}
		}
		m.found.Better(Figures{fmt.Sprintf("bandwidth-%dKiB", n>>10): float64(n) * PairMessages / time.Since(begun).Seconds() / 1e6})
	}
	return nil
}
