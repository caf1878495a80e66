package inproc_test

import (
	"context"
	"fmt"
	"sync"

	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
)

// Rank 0 sends two faces to rank 1, through an edge with two slots.
func Example() {
	ctx := context.Background()
	ranks := inproc.NewMesh(2)
	var both sync.WaitGroup
	both.Go(func() {
		send, err := ranks[0].OpenSend(transport.Edge{Peer: 1, ID: 7, Capacity: 64, Slots: 2})
		if err != nil {
			panic(err)
		}
		for _, text := range []string{"left face", "right face"} {
			slot, err := send.Acquire(ctx)
			if err != nil {
				panic(err)
			}
			if err := send.Post(copy(slot, text)); err != nil {
				panic(err)
			}
		}
		if err := ranks[0].Flush(); err != nil {
			panic(err)
		}
		if err := ranks[0].Close(nil); err != nil {
			panic(err)
		}
	})
	both.Go(func() {
		recv, err := ranks[1].OpenRecv(transport.Edge{Peer: 0, ID: 7, Capacity: 64, Slots: 2})
		if err != nil {
			panic(err)
		}
		for range 2 {
			face, err := recv.Arrived(ctx)
			if err != nil {
				panic(err)
			}
			fmt.Printf("%s\n", face)
			if err := recv.Release(); err != nil {
				panic(err)
			}
		}
		if err := ranks[1].Close(nil); err != nil {
			panic(err)
		}
	})
	both.Wait()
	// Output:
	// left face
	// right face
}
