//go:build ofi && linux && cgo

package ofi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"loopc/runtime/transport"
	"loopc/testdata/lacking"
)

const (
	copiesFace  = 1 << 20 // bytes of a face
	copiesFaces = 1000    // of each kind of run
	copiesSlots = 4
)

// A moved is what a rank found of its CPU while faces moved: samples by place, with
// faces that nobody copies, and with such as are packed and unpacked.
type moved struct {
	Alone, Copied samples
}

// move sends faces from rank 0 to rank 1 over t, under a profile. With copied, the
// one copies what it sends into the slot, and the other what has arrived out of it.
func move(ctx context.Context, t transport.Transport, id int, copied bool) (samples, error) {
	e := transport.Edge{Peer: 1 - t.Rank(), ID: id, Capacity: copiesFace, Slots: copiesSlots}
	other := make([]byte, copiesFace)
	var one func() error
	var last func() error
	if t.Rank() == 0 {
		send, err := t.OpenSend(e)
		if err != nil {
			return nil, err
		}
		one = func() error {
			slot, err := send.Acquire(ctx)
			if err == nil && copied {
				copy(slot, other)
			}
			if err == nil {
				err = send.Post(copiesFace)
			}
			return errors.Join(err, t.Flush())
		}
		last = func() error { return send.Sync(ctx) }
	} else {
		recv, err := t.OpenRecv(e)
		if err != nil {
			return nil, err
		}
		one = func() error {
			face, err := recv.Arrived(ctx)
			if err == nil && copied {
				copy(other, face)
			}
			if err == nil {
				err = recv.Release()
			}
			return err
		}
		last = func() error { return nil }
	}
	for range 2 * copiesSlots { // connections are made, and pages touched, by the first faces
		if err := one(); err != nil {
			return nil, err
		}
	}
	p, err := startProfile()
	if err != nil {
		return nil, err
	}
	for range copiesFaces {
		if err := one(); err != nil {
			return nil, err
		}
	}
	if err := last(); err != nil {
		return nil, err
	}
	return p.stop()
}

// moveBoth is both kinds of run.
func moveBoth(ctx context.Context, t transport.Transport) (m moved, err error) {
	if m.Alone, err = move(ctx, t, 1, false); err == nil {
		m.Copied, err = move(ctx, t, 2, true)
	}
	return m, err
}

// TestNoCopies has a profile of both processes show that a face goes from the slot
// where it was packed to that where it is read without a copy by either's CPU. What
// the system's kernel does in place of a network card is not theirs. How often a
// profile finds a copy of as many bytes is found in a second run, with one on either
// side.
func TestNoCopies(t *testing.T) {
	for provider := range strings.FieldsSeq(*providers) {
		t.Run(provider, func(t *testing.T) {
			var ranks [2]moved
			text, err := withPeer(t, "copies", provider, func(ctx context.Context, rank transport.Transport) (err error) {
				ranks[0], err = moveBoth(ctx, rank)
				return err
			})
			if errors.Is(err, errNoProfile) {
				lacking.Skip(t, "a profile of C libraries needs leave of the system: ", err)
			}
			if err == nil {
				err = json.Unmarshal(text, &ranks[1])
			}
			if err != nil {
				t.Fatal(err)
			}
			for k, r := range ranks {
				t.Logf("rank %d: %v", k, r.Alone)
				t.Logf("rank %d, with a copy of each face: %v", k, r.Copied)
				alone, copied := r.Alone[memoryCopy], r.Copied[memoryCopy]
				if copied < 100 {
					t.Errorf("rank %d: a copy of each of %d faces took %d samples: too few to tell", k, copiesFaces, copied)
				}
				if alone > copied/10 {
					t.Errorf("rank %d: copying memory took %d samples, and %d when each face was copied once", k, alone, copied)
				}
			}
		})
	}
}
