package tcp

import (
	"slices"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// resetPatience is how long to read from a connection after a write has failed: a peer that
// gave up has sent its cause before closing.
const resetPatience = 200 * time.Millisecond

// writeAll is the sender goroutine: it writes all due frames with one writev, again and
// again, until the peer fails or both sides have said goodbye.
func (p *peer) writeAll() {
	for {
		p.mu.Lock()
		for !p.due() && p.err == nil && !(p.byeSent && p.byeRead) {
			p.asleep = true
			p.mu.Unlock()
			<-p.wake
			p.mu.Lock()
		}
		if p.err != nil {
			farewell := p.farewell
			p.mu.Unlock()
			p.part(farewell)
			return
		}
		if !p.due() {
			p.mu.Unlock()
			p.halfClose()
			return
		}
		p.take()
		p.mu.Unlock()
		p.sign()
		p.writing = p.buffers
		if err := p.write(); err != nil {
			p.mu.Lock()
			p.writeErr = err
			if p.err == nil {
				// The reader goes on for a moment: the peer may have sent why it closes.
				_ = p.conn.SetReadDeadline(time.Now().Add(resetPatience))
			}
			p.mu.Unlock()
			return
		}
		p.writes.Add(1)
		for _, e := range p.faceEdges {
			e.taken.Advance(1)
		}
	}
}

// write writes p.writing to the connection.
func (p *peer) write() error {
	if p.file != nil {
		return p.writeFile()
	}
	if len(p.observed) == 0 {
		return p.put()
	}
	begin := time.Now()
	err := p.put()
	end := time.Now()
	for _, f := range p.observed {
		if err == nil {
			p.mesh.observer.Written(p.passage(f, begin, end))
		}
	}
	return err
}

// put writes p.writing: with one writev if the connection supports it, else in TLS records
// of up to 16 KiB.
func (p *peer) put() error {
	if p.records == nil {
		_, err := p.writing.WriteTo(p.conn)
		return err
	}
	for _, b := range p.writing {
		if _, err := p.records.Write(b); err != nil {
			return err
		}
	}
	return p.records.Flush()
}

// passage describes the transfer of a face to or from the peer.
func (p *peer) passage(f frame, begin, end time.Time) transport.Passage {
	return transport.Passage{Peer: p.rank, Edge: int(f.edge), Sequence: f.sequence, Bytes: int(f.length), Begin: begin, End: end}
}

// due reports whether there is something to write. The caller holds p.mu.
func (p *peer) due() bool {
	return p.beat || len(p.queue) > 0 || len(p.credits) > 0 || len(p.acks) > 0
}

// take moves all due frames into p.buffers. The caller holds p.mu.
func (p *peer) take() {
	need := (len(p.queue) + len(p.credits) + len(p.acks) + 1) * (headerBytes + 2*p.sealBytes)
	if cap(p.headers) < need {
		// A buffer must not move while p.buffers points into it.
		p.headers = make([]byte, 0, 2*need)
	}
	p.headers, p.signed, p.buffers, p.observed = p.headers[:0], p.signed[:0], p.buffers[:0], p.observed[:0]
	p.faceEdges = p.faceEdges[:0]
	begun := 0 // headers before this are in p.buffers

	for _, e := range p.credits {
		e.creditDue = false
		p.header(frame{kind: kindCredit, edge: uint32(e.size.ID), sequence: e.released}, nil)
	}
	for _, e := range p.acks {
		e.ackDue = false
		p.header(frame{kind: kindAck, edge: uint32(e.size.ID), sequence: e.arrived}, nil)
	}
	written := 0
	for p.file == nil && written < len(p.queue) {
		out := &p.queue[written]
		written++
		p.file = out.file // the next write passes this descriptor, too: the loop ends here
		p.header(out.frame, out.payload)
		switch out.frame.kind {
		case kindFace:
			out.from.written = out.frame.sequence + 1
			p.faceEdges = append(p.faceEdges, out.from)
			if p.mesh.observer.Written != nil {
				p.observed = append(p.observed, out.frame)
			}
		case kindGoodbye:
			p.byeSent = true
		}
		if len(out.payload) > 0 {
			p.buffers = append(p.buffers, p.headers[begun:], out.payload)
			begun = len(p.headers)
			p.headers = append(p.headers, p.blank()...)
		}
		out.payload, out.file = nil, nil
	}
	if p.beat && len(p.headers) == 0 {
		p.header(frame{kind: kindHeartbeat}, nil)
	}
	if begun < len(p.headers) {
		p.buffers = append(p.buffers, p.headers[begun:])
	}
	p.beat = false
	p.queue = slices.Delete(p.queue, 0, written)
	p.credits, p.acks = p.credits[:0], p.acks[:0]
}

// header appends the header of f to p.headers, with room for its seal; payload will follow.
func (p *peer) header(f frame, payload []byte) {
	p.headers = append(f.append(p.headers), p.blank()...)
	p.signed = append(p.signed, payload)
}

// room is the placeholder for a seal.
var room [auth.TagBytes]byte

// blank returns a placeholder with the length of a seal.
func (p *peer) blank() []byte { return room[:p.sealBytes] }

// sign fills in the seals of all frames in p.buffers, in order. take does not compute them,
// because it holds p.mu and faces are long.
func (p *peer) sign() {
	at := 0
	seal := func(data []byte) {
		p.signs.Append(p.headers[at:at], data)
		at += p.sealBytes
	}
	for k, payload := range p.signed {
		at += headerBytes
		seal(p.headers[at-headerBytes : at])
		if len(payload) > 0 {
			seal(payload)
		}
		p.signed[k] = nil
	}
}

// part writes the last frame of a failed connection, if any, and half-closes the
// connection.
func (p *peer) part(farewell *transport.GiveUp) {
	if farewell == nil {
		return
	}
	text := transport.OneLine(farewell.Text, maxAbortBytes)
	b := frame{kind: kindAbort, edge: uint32(farewell.Rank), length: uint64(len(text))}.append(nil)
	b = append(p.signs.Append(b, b), text...)
	if len(text) > 0 {
		b = p.signs.Append(b, []byte(text))
	}
	if _, err := p.conn.Write(b); err == nil {
		p.halfClose()
	}
}

// halfClose closes the connection for writing.
func (p *peer) halfClose() {
	if c, ok := p.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite() // the peer may be gone
		return
	}
	_ = p.conn.Close()
}
