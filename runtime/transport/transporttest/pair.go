package transporttest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"loopc/runtime/transport"
)

// The messages of Measure.
const (
	PairTrips    = 2000 // round trips of 8 bytes
	PairMessages = 200  // of each longer size
	PairTimes    = 11   // repetitions, of which the best counts
	pairWindow   = 4    // greatest number of unreleased longer messages
)

// HalfTrip is the name of the figure for half a round trip of 8 bytes.
const HalfTrip = "half-round-trip-8B"

// Figures are the results of Measure: half a round trip in microseconds and bandwidths in
// MB/s, with the names that testdata/ofi/pingpong.c prints.
type Figures map[string]float64

// Better returns the better value of each figure: disturbances only make figures worse.
func (f Figures) Better(other Figures) {
	for name, value := range other {
		old, ok := f[name]
		if !ok || name == HalfTrip && value < old || name != HalfTrip && value > old {
			f[name] = value
		}
	}
}

// Measure runs t's rank of a measurement with two ranks, which should be separate
// processes. It measures the same as Benchmark, which runs within one process. Both ranks
// return figures; the figures of rank 0 count.
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

// open opens this rank's end of the next edge, which leads from rank 0 to rank 1 if forth is true.
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

// copyRows copies row by row, as faces are packed and unpacked. A single copy of 1 MiB
// would use streaming stores in Go but not in C, and the sender would have to read the copy
// from memory.
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
