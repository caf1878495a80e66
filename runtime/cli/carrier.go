package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/mpi"
	"loopc/runtime/transport/ofi"
	"loopc/runtime/transport/rma"
	"loopc/runtime/transport/shm"
	"loopc/runtime/transport/tcp"
	"loopc/transform/plan/cost"
)

// How faces travel between ranks that are processes: job.Carrier. Without a name, ranks of one
// host share memory and all others use TCP.
const (
	byTCP = "tcp" // TCP for all
	bySHM = "shm" // shared memory for all
	byOFI = "ofi" // RDMA through libfabric
	byMPI = "mpi" // the MPI that started the ranks
)

// transportNames are the values of --transport.
var transportNames = []string{"inproc", bySHM, byTCP, byOFI, byMPI}

// setTransport sets --transport, "" if it is not given.
func (s *settings) setTransport(name string) error {
	switch name {
	case "inproc":
		s.inproc = true
	case byTCP:
		s.tcp, s.carrier = true, name
	case bySHM:
		if err := shm.Supported(); err != nil {
			return usagef("--transport shm: %w", err)
		}
		s.tcp, s.carrier = true, name
	case byOFI:
		if err := ofi.Built(); err != nil {
			return usagef("--transport ofi: %w", err)
		}
		s.tcp, s.carrier = true, name
	case byMPI:
		if err := mpi.Built(); err != nil {
			return usagef("--transport mpi: %w", err)
		}
		s.tcp, s.carrier = true, name
	case "":
		s.tcp = s.options.Ranks > 1 || s.options.Ranks == 0 && len(s.options.Grid) > 0 && slices.Max(s.options.Grid) > 1
		if s.security.TLS || s.security.Cert != "" || s.security.MAC == "on" {
			s.carrier = byTCP // protected data must not pass through memory that the host shares
		}
		if s.verify {
			s.tcp, s.carrier = false, "" // it tries several
		}
	default:
		return usagef("no such transport: %q%s; %s or %s", name, suggest(name, transportNames, ""),
			strings.Join(transportNames[:len(transportNames)-1], ", "), transportNames[len(transportNames)-1])
	}
	if s.provider != "" && s.carrier != byOFI {
		return usagef("--provider names a provider of libfabric, for --transport ofi")
	}
	return nil
}

// link names the link of a cost.Machine by which the plan expects ranks to communicate: TCP if
// any two of them may be on different hosts.
func (c *command) link() string {
	s := c.settings
	switch {
	case !s.tcp:
		return cost.LinkInproc
	case s.carrier == bySHM:
		return cost.LinkSHM
	case s.carrier != "" || c.fleet != nil || c.crew.spans() || shm.Supported() != nil:
		return cost.LinkTCP
	}
	return cost.LinkSHM
}

// how says how the ranks communicate: by what their faces really used, if sum knows.
func (c *command) how(sum *sched.Summary) string {
	if sum != nil && len(sum.Carriers) > 0 {
		return strings.Join(sum.Carriers, "+")
	}
	return c.link()
}

// local lets the ranks of this host reach this one without the network. If that fails, TCP is
// used and the failure is logged, unless shared memory was demanded.
func (j *job) local(info launch.Info, stderr io.Writer) (tcp.Local, error) {
	if j.Carrier != "" && j.Carrier != bySHM {
		return nil, nil
	}
	local, err := shm.Listen(info.Rank, info.Secret)
	switch {
	case err == nil:
		return local, nil
	case j.Carrier == bySHM:
		return nil, err
	case !errors.Is(err, shm.ErrNeedsLinux):
		newLogger(stderr, j.Log).Warn("no shared memory between ranks, TCP is used", "rank", info.Rank, "err", err)
	}
	return nil, nil
}

// connect connects a rank to its peers, as the job says.
func (j *job) connect(ctx context.Context, cfg tcp.Config) (transport.Transport, error) {
	tr, err := tcp.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	over := rma.Config{Control: tr, Peers: cfg.Peers}
	switch j.Carrier {
	case byOFI:
		return ofi.New(ctx, ofi.Config{Config: over, Provider: j.Provider, Address: j.interfaceOf(cfg)})
	case byMPI:
		return mpi.New(ctx, over)
	case bySHM:
	default:
		return tr, nil
	}
	for _, peer := range cfg.Peers {
		if by := tr.(transport.Carrier).Carrier(peer); by != bySHM {
			err := fmt.Errorf("--transport shm: ranks %d and %d do not share a host, a user and a network namespace; without --transport, TCP is used between them", min(cfg.Rank, peer), max(cfg.Rank, peer))
			return nil, errors.Join(err, tr.Close(err))
		}
	}
	return tr, nil
}

// interfaceOf returns the address of the interface at which the rank listens. Its fabric uses
// the same interface, if that has addresses of the fabric's kind.
func (j *job) interfaceOf(cfg tcp.Config) string {
	if cfg.Listener == nil {
		return ""
	}
	host, _, err := net.SplitHostPort(cfg.Listener.Addr().String())
	if err != nil || net.ParseIP(host).IsUnspecified() {
		return ""
	}
	return host
}

// carriers names the transports that carry the faces of tr to these peers, each once.
func carriers(tr transport.Transport, peers []int) (names []string) {
	c, ok := tr.(transport.Carrier)
	if !ok {
		return nil
	}
	if peers == nil {
		for rank := range tr.Size() {
			peers = append(peers, rank)
		}
	}
	for _, peer := range peers {
		if peer != tr.Rank() {
			names = append(names, c.Carrier(peer))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
