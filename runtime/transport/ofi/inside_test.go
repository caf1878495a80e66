//go:build ofi && linux && cgo

package ofi

import (
	"testing"

	"loopc/runtime/transport/rma"
)

// TestCloseInside closes an endpoint of the provider shm that another one of this process
// still writes to: the write may fail, but nothing crashes.
func TestCloseInside(t *testing.T) {
	var ends [2]rma.Fabric
	for k := range ends {
		e, err := open("shm", "127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		ends[k] = e
	}
	theirs, err := ends[0].Register(4096)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := ends[1].Register(4096)
	if err != nil {
		t.Fatal(err)
	}
	to, err := ends[1].Connect(ends[0].Address())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ends[0].Connect(ends[1].Address()); err != nil {
		t.Fatal(err)
	}
	w := &rma.Write{To: to, Memory: ours.Memory[:8], Desc: ours.Desc, Address: theirs.Base, Key: theirs.Key}
	if err := ends[1].Write(w); err != nil && err != rma.ErrAgain {
		t.Fatal(err)
	}
	ends[0].Unregister(theirs, true)
	ends[0].Close()
	_ = ends[1].Write(w) // to where nobody is
	ends[1].Unregister(ours, true)
	ends[1].Close()
	inside.Lock()
	defer inside.Unlock()
	if inside.open != 0 || len(inside.closed) != 0 {
		t.Errorf("%d endpoints are open and %d wait, want none", inside.open, len(inside.closed))
	}
}
