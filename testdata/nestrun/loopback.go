package nestrun

import (
	"context"
	"crypto/sha256"

	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
)

// loopback returns a mesh of ranks in this process that reach one another by TCP
// connections over the loopback interface.
func loopback(ctx context.Context) sched.Mesh {
	return func(size int, run string) ([]transport.Transport, error) {
		cfgs, err := tcp.Loopback(size, auth.NewSecret())
		if err != nil {
			return nil, err
		}
		return tcp.Together(cfgs, func(cfg tcp.Config) (transport.Transport, error) {
			cfg.Digest = sha256.Sum256([]byte(run))
			return tcp.New(ctx, cfg)
		})
	}
}
