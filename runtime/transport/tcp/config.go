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

// Config says who a rank is and where the others are.
type Config struct {
	Rank, Size int

	// Listener is where ranks of higher number connect to; the transport
	// closes it, also where New fails for another reason than a wrong Config.
	// It may be nil if there are none among the peers.
	Listener net.Listener

	// Addrs has the address, as host:port, of every rank's Listener. Only
	// those of lower ranks are used.
	Addrs []string

	// Peers are the ranks to connect to: those with which edges are shared.
	// Both sides must name each other. Nil means all.
	Peers []int

	Secret auth.Secret // what the ranks of this run know, and nobody else; needed where there are peers
	Digest [32]byte    // of program and plan; ranks whose digests differ refuse each other

	MAC auth.MACs // whether frames carry MACs: unless both ranks are on this host, if zero
	TLS *auth.TLS // how connections are encrypted; nil if they are not

	// Timeout is how long a peer that says nothing is waited for, 5 s if zero. An outage
	// of half of it does no harm, see patience.go. The other two follow from it.
	Timeout   time.Duration
	Connect   time.Duration // how long New waits for the peers; 6 Timeouts if zero, 30 s at least
	Heartbeat time.Duration // a rank with nothing to say says so after this time; a tenth of Timeout if zero, 500 ms at most

	// Local connects ranks of one host past the network; nil for none. Who has no
	// Local, or cannot be reached by it, is reached by TCP.
	Local Local

	Logger *slog.Logger // strangers and refusals; nil for none
}

// complete checks cfg and fills in what was left out.
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

// setTimes gives the times that are zero their defaults.
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

// errTwice refuses an edge that is open already.
var errTwice = errors.New("edge is open already")
