package tcp

import (
	"errors"
	"net"
	"sync"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// Loopback returns the configs of size ranks in this process, which listen on the loopback
// device and are all peers. New closes their listeners.
func Loopback(size int, secret auth.Secret) ([]Config, error) {
	cfgs, addrs := make([]Config, size), make([]string, size)
	for k := range cfgs {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			for _, cfg := range cfgs[:k] {
				_ = cfg.Listener.Close() // the first error is the one to report
			}
			return nil, err
		}
		addrs[k] = l.Addr().String()
		cfgs[k] = Config{Rank: k, Size: size, Listener: l, Addrs: addrs, Secret: secret}
	}
	return cfgs, nil
}

// Together calls connect, such as New, for all ranks concurrently and returns the
// transports. If one call fails, the other transports are closed.
func Together(cfgs []Config, connect func(Config) (transport.Transport, error)) ([]transport.Transport, error) {
	ranks, errs := make([]transport.Transport, len(cfgs)), make([]error, len(cfgs))
	var all sync.WaitGroup
	for k, cfg := range cfgs {
		all.Go(func() { ranks[k], errs[k] = connect(cfg) })
	}
	all.Wait()
	err := errors.Join(errs...)
	if err == nil {
		return ranks, nil
	}
	for _, r := range ranks {
		if r != nil {
			_ = r.Close(err) // its error adds nothing
		}
	}
	return nil, err
}
