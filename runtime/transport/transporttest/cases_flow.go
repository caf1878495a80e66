package transporttest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"loopc/runtime/transport"
)

// checkBackground requires that faces and credits move while their owner computes without
// calling the transport, on both sides.
func checkBackground(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	const faces = 3
	l := w.link(0, 1, 4, 100000, faces)
	var computing atomic.Bool
	computing.Store(true)
	var receiver sync.WaitGroup
	started := make(chan struct{})
	receiver.Go(func() {
		close(started)
		for computing.Load() { // rank 1 computes
			continue
		}
		for k := range faces {
			if !l.get(k, 100000) || !l.release() {
				return
			}
		}
	})
	<-started
	for k := range faces {
		if !l.put(k, 100000) {
			break
		}
	}
	ctx, cancel := w.within(5 * time.Second)
	if err := l.send.Sync(ctx); err != nil {
		t.Errorf("faces do not arrive while the receiver computes: %v", err)
	}
	cancel()
	computing.Store(false)
	receiver.Wait()

	// Now rank 0 computes right after Flush, until rank 1 has received all faces.
	computing.Store(true)
	receiver.Go(func() {
		defer computing.Store(false)
		for k := range faces {
			ctx, cancel := w.within(5 * time.Second)
			face, err := l.recv.Arrived(ctx)
			cancel()
			if err != nil {
				t.Errorf("faces do not leave while the sender computes: %v", err)
				return
			}
			l.same(face, faces+k, 100000)
		}
	})
	for k := range faces {
		if !l.put(faces+k, 100000) {
			break
		}
	}
	for computing.Load() {
		continue
	}
	receiver.Wait()
}

// checkBigFace sends faces of 10 MB.
func checkBigFace(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	const n = 10 << 20
	l := w.link(1, 0, 4, n, 1)
	var sending sync.WaitGroup
	sending.Go(func() {
		for k := range 3 {
			if !l.put(k, n-k) {
				return
			}
		}
	})
	for k := range 3 {
		if !l.get(k, n-k) || !l.release() {
			break
		}
	}
	sending.Wait()
}

// checkManyEdges uses many edges concurrently, with the same numbers in both directions and
// separate goroutines for each end.
func checkManyEdges(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	var all sync.WaitGroup
	for id := range 40 {
		for from := range 2 {
			l := w.link(from, 1-from, id, 700, 1+id%3)
			all.Go(func() {
				for k := range 30 {
					if !l.put(k, (k*131+id)%701) {
						return
					}
				}
			})
			all.Go(func() {
				for k := range 30 {
					if !l.get(k, (k*131+id)%701) || !l.release() {
						return
					}
				}
			})
		}
	}
	all.Wait()
}

// checkManyRanks has every rank send to every other.
func checkManyRanks(t testing.TB, connect Connect) {
	const size = 5
	w := newWorld(t, connect, size)
	defer w.close()
	var all sync.WaitGroup
	for from := range size {
		if w.ranks[from].Rank() != from || w.ranks[from].Size() != size {
			t.Errorf("rank %d of %d says it is rank %d of %d", from, size, w.ranks[from].Rank(), w.ranks[from].Size())
		}
		for to := range size {
			if from == to {
				continue
			}
			l := w.link(from, to, 100*from+to, 64, 2)
			all.Go(func() {
				for k := range 20 {
					if !l.put(k, 64) {
						return
					}
				}
			})
			all.Go(func() {
				for k := range 20 {
					if !l.get(k, 64) || !l.release() {
						return
					}
				}
			})
		}
	}
	all.Wait()
}

// checkStats counts faces and bytes, on the sender's side.
func checkStats(t testing.TB, connect Connect) {
	w := newWorld(t, connect, 2)
	defer w.close()
	l := w.link(0, 1, 4, 100, 3)
	for k := range 3 {
		if !l.put(k, 10*k) {
			return
		}
	}
	if got, want := w.ranks[0].Stats(), (transport.Stats{Messages: 3, Bytes: 30}); got != want {
		t.Errorf("after faces of 0, 10 and 20 bytes: %+v, want %+v", got, want)
	}
	if got := w.ranks[1].Stats(); got != (transport.Stats{}) {
		t.Errorf("rank 1 sent nothing and says %+v", got)
	}
}
