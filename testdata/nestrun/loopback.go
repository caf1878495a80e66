package nestrun

import (
	"context"
	"crypto/sha256"
	"errors"
	"net"
	"sync"

	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
)

// loopback returns a mesh of ranks in this process that reach one another by TCP
// connections over the loopback interface.
func loopback(ctx context.Context) sched.Mesh {
	return func(size int, run string) ([]transport.Transport, error) {
		listeners, addrs := make([]net.Listener, size), make([]string, size)
		for r := range size {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				for _, l := range listeners[:r] {
					_ = l.Close() // the first error is the one to tell
				}
				return nil, err
			}
			listeners[r], addrs[r] = l, l.Addr().String()
		}
		secret := auth.NewSecret()
		all, errs := make([]transport.Transport, size), make([]error, size)
		var joined sync.WaitGroup
		for r := range size {
			joined.Go(func() {
				all[r], errs[r] = tcp.New(ctx, tcp.Config{
					Rank: r, Size: size, Listener: listeners[r], Addrs: addrs, Secret: secret, Digest: sha256.Sum256([]byte(run)),
				})
			})
		}
		joined.Wait()
		err := errors.Join(errs...)
		if err == nil {
			return all, nil
		}
		for _, tr := range all {
			if tr != nil {
				_ = tr.Close(err) // it is told why, and has nothing to add
			}
		}
		return nil, err
	}
}
