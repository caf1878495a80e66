package rma

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
)

// A mortal is a control whose peers are gone once dead is closed, as if they had been
// killed: nothing is said any more, no cause either.
type mortal struct {
	transport.Transport
	dead chan struct{}
}

func (m mortal) OpenRecv(e transport.Edge) (transport.RecvEdge, error) {
	recv, err := m.Transport.OpenRecv(e)
	return mortalRecv{recv, m.dead}, err
}

type mortalRecv struct {
	transport.RecvEdge
	dead chan struct{}
}

func (r mortalRecv) Arrived(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-r.dead:
			cancel(transport.Gone(errors.New("it was killed")))
		case <-over:
		}
	}()
	return r.RecvEdge.Arrived(ctx)
}

// pair connects two ranks: rank k has endpoint k.
func pair(t *testing.T, n *network, controls []transport.Transport) []transport.Transport {
	t.Helper()
	endpoints := []*fakeEndpoint{n.endpoint(), n.endpoint()}
	return connectMeshes(t, controls, func(rank int) (Fabric, error) { return endpoints[rank], nil })
}

// oneWay opens an edge from rank 0 to rank 1.
func oneWay(t *testing.T, ranks []transport.Transport) (transport.SendEdge, transport.RecvEdge) {
	t.Helper()
	send, err := ranks[0].OpenSend(transport.Edge{Peer: 1, ID: 5, Capacity: 8, Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	recv, err := ranks[1].OpenRecv(transport.Edge{Peer: 0, ID: 5, Capacity: 8, Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	return send, recv
}

// post sends a face.
func post(ctx context.Context, send transport.SendEdge) error {
	_, err := send.Acquire(ctx)
	if err == nil {
		err = send.Post(8)
	}
	return err
}

// meddle has touch look at all writes from now on.
func (n *network) meddle(touch func(w *Write) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.touch = touch
}

// closeAll closes the ranks, with a cause, and what is closing.
func closeAll(ranks []transport.Transport, closing *sync.WaitGroup) {
	for _, r := range ranks {
		_ = r.Close(errors.New("the test is over"))
	}
	closing.Wait()
}

// A peer that is killed after its goodbye gives no answer to who still waits for one:
// the end of its control was taken for one in good order.
func TestKilledAfterGoodbye(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	n, controls, dead := newNetwork(1), inproc.NewMesh(2), make(chan struct{})
	controls[0] = mortal{controls[0], dead}
	ranks := pair(t, n, controls)
	send, recv := oneWay(t, ranks)
	n.meddle(func(w *Write) bool { return w.To != 0 }) // nothing that rank 1 says arrives
	err := post(ctx, send)
	if err == nil {
		_, err = recv.Arrived(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	var closing sync.WaitGroup
	closing.Go(func() { _ = ranks[1].Close(nil) })
	defer closeAll(ranks, &closing)
	<-ranks[0].(*mesh).peers[1].parted
	time.AfterFunc(20*time.Millisecond, func() { close(dead) })
	if err := send.Sync(ctx); !errors.Is(err, transport.ErrGone) {
		t.Errorf("Sync with a peer that was killed after its goodbye: %v, want ErrGone", err)
	}
}

// A rank that has said goodbye, and then finds out that it cannot answer any more,
// tells the peers that wait for it: they waited for one another.
func TestFailureWhileClosing(t *testing.T) {
	for name, touch := range map[string]func(w *Write) bool{
		"an immediate for nobody": func(w *Write) bool {
			w.Immediate |= handleMask << sequenceBits
			return true
		},
		"an answer that cannot be written": func(w *Write) bool {
			if w.To == 0 {
				w.Key ^= 1
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			n := newNetwork(1)
			ranks := pair(t, n, inproc.NewMesh(2))
			send, _ := oneWay(t, ranks)
			var closing sync.WaitGroup
			var closed error
			closing.Go(func() { closed = ranks[1].Close(nil) })
			<-ranks[0].(*mesh).peers[1].parted
			n.meddle(touch)
			err := post(ctx, send)
			if err == nil {
				err = send.Sync(ctx)
			}
			var giveUp *transport.GiveUp
			if !errors.As(err, &giveUp) || giveUp.Rank != 1 {
				t.Errorf("Sync with a peer that fails while it closes: %v, want what it says", err)
			}
			closeAll(ranks, &closing)
			if closed == nil {
				t.Error("Close of the peer had no error")
			}
		})
	}
}

// A write that fails, and the network does not say to whom, fails the edges; not so
// when all has arrived and the peer may have gone.
func TestStrayFailure(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprintf("late=%v", late), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			n := newNetwork(1)
			ranks := pair(t, n, inproc.NewMesh(2))
			_, recv := oneWay(t, ranks)
			var closing sync.WaitGroup
			var closed error
			if late {
				closing.Go(func() { closed = ranks[1].Close(nil) })
				<-ranks[0].(*mesh).peers[1].parted
			}
			n.mu.Lock()
			n.endpoints[1].outbox = append(n.endpoints[1].outbox, Event{Value: NoTag, Status: 5})
			n.endpoints[1].signal()
			n.mu.Unlock()
			if late {
				time.Sleep(causeTime + 100*time.Millisecond)
				if err := ranks[0].Close(nil); err != nil {
					t.Error(err)
				}
				if closing.Wait(); closed != nil {
					t.Error(closed)
				}
				return
			}
			if _, err := recv.Arrived(ctx); !errors.Is(err, transport.ErrGone) {
				t.Errorf("Arrived after a write had failed: %v, want ErrGone", err)
			}
			closeAll(ranks, &closing)
		})
	}
}

// The end of the context ends New also where the peer has not begun to listen.
func TestNewInterrupted(t *testing.T) {
	cause := errors.New("interrupted")
	ctx, interrupt := context.WithCancelCause(t.Context())
	controls := inproc.NewMesh(2)
	time.AfterFunc(20*time.Millisecond, func() { interrupt(cause) })
	stuck := time.AfterFunc(10*time.Second, func() { _ = controls[1].Close(errors.New("it waits for the peer")) })
	defer stuck.Stop()
	_, err := New(ctx, Config{Control: controls[0]}, func() (Fabric, error) { return newNetwork(1).endpoint(), nil })
	if !errors.Is(err, cause) {
		t.Errorf("New when the context ends: %v, want its cause", err)
	}
}

// A peer that opens an end twice is refused: it would give more credits than there
// are slots.
func TestOpenedTwice(t *testing.T) {
	for _, say := range []byte{sayOffer, sayGrant} {
		for _, before := range []bool{false, true} { // we have opened our end
			t.Run(fmt.Sprintf("%d/%v", say, before), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				ranks := connectOn(t, newNetwork(1), 2)
				defer closeAll(ranks, &sync.WaitGroup{})
				e := transport.Edge{Peer: 1, ID: 5, Capacity: 8, Slots: 1}
				var err error
				if before && say == sayOffer {
					_, err = ranks[0].OpenRecv(e)
				} else if before {
					_, err = ranks[0].OpenSend(e)
				}
				wait, failed := ranks[0].OpenRecv(transport.Edge{Peer: 1, ID: 6, Capacity: 8, Slots: 1})
				deceiver := ranks[1].(*mesh).peers[0]
				for range 2 {
					err = errors.Join(err, failed, deceiver.tell(ctx, opening{edge: e}.append(nil, say)))
				}
				if err != nil {
					t.Fatal(err)
				}
				if _, err := wait.Arrived(ctx); !errors.Is(err, transport.ErrProtocol) {
					t.Errorf("%v, want ErrProtocol", err)
				}
			})
		}
	}
}
