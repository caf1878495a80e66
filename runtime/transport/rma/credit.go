package rma

import (
	"encoding/binary"
	"fmt"

	"loopc/runtime/transport"
)

// owe notes that the receiver of e has released a face and owes the sender a credit. The
// credit may wait for the next face to the same peer, whose header carries it; this saves a
// write and a completion. Other credits are sent by the next Flush, when a worker waits, or
// by the progress goroutine.
func (m *mesh) owe(e *recvEdge) {
	m.owes.Lock()
	defer m.owes.Unlock()
	if e.due == 0 {
		m.owing = append(m.owing, e)
	}
	e.due++
	m.debts.Store(true)
}

// carry moves credits owed to p into the header of a face to p, as many as fit.
func (m *mesh) carry(p *peer, room []byte) {
	clear(room)
	if !m.debts.Load() {
		return
	}
	m.owes.Lock()
	defer m.owes.Unlock()
	left := m.owing[:0]
	for _, e := range m.owing {
		if e.peer == p && len(room) > 0 {
			if handle, ok := e.sender(); ok {
				binary.LittleEndian.PutUint32(room, uint32(newImmediate(kindCredit, handle, e.due)))
				room = room[4:]
				e.due = 0
				continue
			}
		}
		left = append(left, e)
	}
	m.owing = left
	m.debts.Store(len(left) > 0)
}

// pay sends the owed credits.
func (m *mesh) pay() {
	if !m.debts.Load() {
		return
	}
	m.owes.Lock()
	defer m.owes.Unlock()
	m.debts.Store(false)
	for _, e := range m.owing {
		e.tell(kindCredit, e.due)
		e.due = 0
	}
	m.owing = m.owing[:0]
}

// credited accepts the credits in the header of a face from p. The goroutine that serves
// the completion queue calls it.
func (p *peer) credited(room []byte) error {
	for ; len(room) > 0; room = room[4:] {
		i := immediate(binary.LittleEndian.Uint32(room))
		if i == 0 {
			continue
		}
		e, _ := p.mesh.end(i.handle()).(*sendEdge)
		if e == nil || e.peer != p || i.kind() != kindCredit {
			return fmt.Errorf("%w: its header has %v, which is for no sender to rank %d", transport.ErrProtocol, i, p.rank)
		}
		if err := e.told(i); err != nil {
			return err
		}
	}
	return nil
}
