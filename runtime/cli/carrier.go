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

// A carrier is a way in which faces travel between ranks that are processes: job.Carrier. All
// ranks coordinate by TCP. Without a carrier, ranks of one host share memory and all others use
// TCP.
type carrier struct {
	name  string       // the value of --transport
	what  string       // for usage
	link  string       // of a cost.Machine
	ready func() error // returns why it cannot be used, nil if it can
	tried bool         // verify tries it, if it can be used
	// over returns the transport of a rank that coordinates over tr.
	over func(ctx context.Context, j *job, cfg tcp.Config, tr transport.Transport) (transport.Transport, error)

	takesProvider bool // --provider chooses its network
	// start calls the launcher that belongs to the transport. join prepares a process that this launcher
	// has started, before the ranks meet. Both are nil for a transport without a launcher.
	start func(c *command, ctx context.Context) error
	join  func(from *launch.Starter) error
}

const (
	byTCP = "tcp" // TCP for all
	bySHM = "shm" // shared memory for all
)

// inProcess is the transport of ranks that are one process.
const inProcess = "inproc"

func never() error { return nil }

// allCarriers are the ways of --transport, besides inProcess.
var allCarriers = [...]carrier{
	{name: bySHM, what: "shared memory", link: cost.LinkSHM, ready: shm.Supported, tried: true, over: overSHM},
	{name: byTCP, what: "TCP (of several: shm within a host, tcp between)", link: cost.LinkTCP, ready: never, tried: true, over: overTCP},
	{name: "ofi", what: "RDMA through libfabric, by --provider or the first that can", link: cost.LinkTCP, ready: ofi.Built, over: overOFI, takesProvider: true},
	{name: "mpi", what: "MPI, under the mpiexec that has started the ranks", link: cost.LinkTCP, ready: mpi.Built, over: overMPI, start: (*command).mpiexec, join: joinMPI},
}

// launched returns the carrier whose own launcher starts the ranks, nil if there is none.
func (s *settings) launched() *carrier {
	if by := carrierNamed(s.carrier); by != nil && by.start != nil {
		return by
	}
	return nil
}

// carrierNamed returns the carrier of that name, nil if there is none.
func carrierNamed(name string) *carrier {
	for k := range allCarriers {
		if allCarriers[k].name == name {
			return &allCarriers[k]
		}
	}
	return nil
}

// transportNames are the values of --transport, and transportUsage what they mean.
func transportNames() []string {
	names := []string{inProcess}
	for _, c := range allCarriers {
		names = append(names, c.name)
	}
	return names
}

func transportUsage() string {
	text := "what is between ranks: nothing but this process"
	for _, c := range allCarriers {
		text += ", " + c.what
	}
	return text
}

// setTransport takes the value of --transport; name is "" if the flag is not given.
func (s *settings) setTransport(name string) error {
	switch c := carrierNamed(name); {
	case name == inProcess:
		s.inproc = true
	case c != nil:
		if err := c.ready(); err != nil {
			return usagef("--transport %s: %w", name, err)
		}
		s.tcp, s.carrier = true, name
	case name == "":
		s.tcp = s.options.Ranks > 1 || s.options.Ranks == 0 && len(s.options.Grid) > 0 && slices.Max(s.options.Grid) > 1
		if s.security.TLS || s.security.Cert != "" || s.security.MAC == "on" {
			s.carrier = byTCP // protected data must not pass through memory that the host shares
		}
		if s.verify {
			s.tcp, s.carrier = false, "" // verify tries several transports
		}
	default:
		names := transportNames()
		return usagef("no such transport: %q%s; %s or %s", name, suggest(name, names, ""),
			strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
	}
	if by := carrierNamed(s.carrier); s.provider != "" && (by == nil || !by.takesProvider) {
		return usagef("--provider names a provider of libfabric, for --transport ofi")
	}
	return nil
}

// link names the link of a cost.Machine by which the plan expects ranks to communicate: TCP if
// any two of them may be on different hosts.
func (c *command) link() string {
	switch by := carrierNamed(c.settings.carrier); {
	case !c.settings.tcp:
		return cost.LinkInproc
	case by != nil:
		return by.link
	case c.fleet != nil || c.crew.spans() || shm.Supported() != nil:
		return cost.LinkTCP
	}
	return cost.LinkSHM
}

// how names the way in which the ranks communicate: the transports that carried their faces if sum
// has them, else the link that the plan expects.
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
	if by := carrierNamed(j.Carrier); by != nil {
		return by.over(ctx, j, cfg, tr)
	}
	return tr, nil
}

func overTCP(_ context.Context, _ *job, _ tcp.Config, tr transport.Transport) (transport.Transport, error) {
	return tr, nil
}

func overOFI(ctx context.Context, j *job, cfg tcp.Config, tr transport.Transport) (transport.Transport, error) {
	over := rma.Config{Control: tr, Peers: cfg.Peers}
	return ofi.New(ctx, ofi.Config{Config: over, Provider: j.Provider, Address: j.interfaceOf(cfg)})
}

func overMPI(ctx context.Context, _ *job, cfg tcp.Config, tr transport.Transport) (transport.Transport, error) {
	return mpi.New(ctx, rma.Config{Control: tr, Peers: cfg.Peers})
}

// overSHM refuses ranks that do not share memory: package tcp uses it, see local.
func overSHM(_ context.Context, _ *job, cfg tcp.Config, tr transport.Transport) (transport.Transport, error) {
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
