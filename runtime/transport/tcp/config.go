package tcp

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"loopc/runtime/transport/auth"
)

// Config has the identity of a rank and the addresses of the others.
type Config struct {
	Rank, Size int

	// Listener accepts the connections of ranks with higher numbers. It may be nil if no
	// such rank is a peer. The transport closes it, and so does New when it fails, unless
	// the Config was invalid.
	Listener net.Listener

	// Addrs has the address, as host:port, of every rank's Listener. Only the addresses of
	// lower ranks are used.
	Addrs []string

	// Peers are the ranks with which this rank shares edges. Both sides must name each
	// other. Nil means all ranks.
	Peers []int

	Secret auth.Secret // shared by the ranks of this run; required if there are peers
	Digest [32]byte    // of program and plan; ranks whose digests differ refuse each other

	MAC auth.MACs // whether frames carry MACs; zero: between hosts only
	TLS *auth.TLS // nil: no encryption

	// Timeout is how long to wait for a silent peer, 5 s if zero. A network outage of half
	// this time does no harm, see patience.go. The defaults of Connect and Heartbeat follow
	// from it.
	Timeout   time.Duration
	Connect   time.Duration // how long New waits for the peers; if zero, 6 Timeouts, at least 30 s
	Heartbeat time.Duration // time between heartbeats to an otherwise idle peer; if zero, a tenth of Timeout, at most 500 ms

	// Local connects ranks of one host without the network; nil for none. Ranks that it
	// cannot reach are reached by TCP.
	Local Local

	Logger *slog.Logger // for refused connections; nil for no log
}

// complete checks cfg and fills in the defaults.
func (cfg *Config) complete() error {
	if cfg.Size < 1 || cfg.Rank < 0 || cfg.Rank >= cfg.Size {
		return fmt.Errorf("tcp: no rank %d among %d", cfg.Rank, cfg.Size)
	}
	if cfg.Peers == nil {
		for k := range cfg.Size {
			if k != cfg.Rank {
				cfg.Peers = append(cfg.Peers, k)
			}
		}
	}
	if err := cfg.checkPeers(); err != nil {
		return err
	}
	cfg.Peers = slices.Clone(cfg.Peers)
	slices.Sort(cfg.Peers)
	cfg.Peers = slices.Compact(cfg.Peers)
	cfg.setTimes()
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// checkPeers checks that every peer can be reached, or can reach this rank.
func (cfg *Config) checkPeers() error {
	for _, k := range cfg.Peers {
		switch {
		case k < 0 || k >= cfg.Size || k == cfg.Rank:
			return fmt.Errorf("tcp: rank %d of %d cannot have rank %d as a peer", cfg.Rank, cfg.Size, k)
		case k < cfg.Rank && k >= len(cfg.Addrs):
			return fmt.Errorf("tcp: address of rank %d is missing", k)
		case k > cfg.Rank && cfg.Listener == nil:
			return fmt.Errorf("tcp: rank %d has no listener for rank %d", cfg.Rank, k)
		}
	}
	if len(cfg.Peers) > 0 && cfg.Secret.IsZero() {
		return fmt.Errorf("tcp: rank %d has no secret to know its peers by", cfg.Rank)
	}
	return nil
}

// setTimes fills in the defaults of zero times.
func (cfg *Config) setTimes() {
	if cfg.Timeout <= 0 {
		cfg.Timeout = 5 * time.Second
	}
	if cfg.Connect <= 0 {
		cfg.Connect = max(30*time.Second, 6*cfg.Timeout)
	}
	if cfg.Heartbeat <= 0 {
		cfg.Heartbeat = min(500*time.Millisecond, cfg.Timeout/10)
	}
}

// errTwice: the edge is already open.
var errTwice = errors.New("edge is open already")
