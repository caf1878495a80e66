package rma

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// A dialog is two ranks that answer one another over an edge each way.
type dialog struct {
	ranks []transport.Transport
	send  [2]transport.SendEdge
	recv  [2]transport.RecvEdge
}

func newDialog(t *testing.T, n *network) *dialog {
	t.Helper()
	d := &dialog{ranks: connectOn(t, n, 2)}
	for k, r := range d.ranks {
		var err error
		if d.send[k], err = r.OpenSend(transport.Edge{Peer: 1 - k, ID: k, Capacity: 8, Slots: 3}); err != nil {
			t.Fatal(err)
		}
		if d.recv[k], err = r.OpenRecv(transport.Edge{Peer: 1 - k, ID: 1 - k, Capacity: 8, Slots: 3}); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// talk has the ranks send one another faces in turn; faces is their number. It returns the first
// error.
func (d *dialog) talk(ctx context.Context, faces int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, 2)
	var both sync.WaitGroup
	for k := range d.ranks {
		both.Go(func() {
			post := func() error {
				if _, err := d.send[k].Acquire(ctx); err != nil {
					return err
				}
				return errors.Join(d.send[k].Post(8), d.ranks[k].Flush())
			}
			take := func() error {
				if _, err := d.recv[k].Arrived(ctx); err != nil {
					return err
				}
				return d.recv[k].Release()
			}
			steps := []func() error{post, take}
			if k == 1 {
				slices.Reverse(steps)
			}
			for range faces {
				for _, step := range steps {
					if errs[k] = step(); errs[k] != nil {
						cancel()
						return
					}
				}
			}
		})
	}
	both.Wait()
	return errors.Join(errs...)
}

// TestFacesCarryCredits: a face carries the credits for the faces of the other direction, so that there are no
// more writes than faces.
func TestFacesCarryCredits(t *testing.T) {
	const faces = 1000
	n := newNetwork(1)
	d := newDialog(t, n)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := d.talk(ctx, faces); err != nil {
		t.Fatal(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	// Who serves the completion queue may be faster now and then.
	if n.writes > 2*faces*5/4 {
		t.Errorf("%d writes for %d faces", n.writes, 2*faces)
	}
}

// TestForgedCredits forges the credits in the headers of faces: the connection must fail with ErrProtocol, and
// no edge may get them.
func TestForgedCredits(t *testing.T) {
	for name, forged := range map[string]immediate{
		"too many":           newImmediate(kindCredit, 0, 4),
		"of no end":          newImmediate(kindCredit, 77, 1),
		"of a receiver":      newImmediate(kindCredit, 1, 1),
		"an acknowledgement": newImmediate(kindAck, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(1)
			d := newDialog(t, n)
			n.mu.Lock()
			n.touch = func(w *Write) bool {
				if len(w.Memory) == headerBytes+8 {
					w.Memory = slices.Clone(w.Memory)
					binary.LittleEndian.PutUint32(w.Memory[headerBytes-4:], uint32(forged))
				}
				return true
			}
			n.mu.Unlock()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if err := d.talk(ctx, 1); !errors.Is(err, transport.ErrProtocol) {
				t.Errorf("%v", err)
			}
		})
	}
}
