package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// A link is the network of an emulated cluster: every node has one interface of
// that rate, full duplex, to a switch.
type link struct {
	rate    float64 // bit/s
	latency float64 // s that a frame takes beside its own length
	mtu     int
}

// An emulated is a cluster: nodes, each a network namespace and a host name of its
// own, and the switch between them. All of it goes when this process ends.
type emulated struct {
	link  link
	nodes []*node
}

// A node is a thread in namespaces of its own. Processes that the thread starts are in
// the same namespaces.
type node struct {
	number   int
	net, uts *os.File // its namespaces
	tap      int
	work     chan func()
}

// address is the node's address.
func (n *node) address() string { return fmt.Sprintf("10.77.0.%d", n.number+1) }

// name is its host name.
func (n *node) name() string { return fmt.Sprintf("lab%d", n.number) }

// errCannot is wrapped by errors that say that this system or user cannot emulate a
// cluster.
var errCannot = errors.New("no cluster can be emulated here")

// emulate builds a cluster of the given number of nodes.
func emulate(count int, l link) (*emulated, error) {
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("%w: network namespaces take root", errCannot)
	}
	for _, tool := range []string{"ip", "tc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%w: %w (Debian: iproute2)", errCannot, err)
		}
	}
	c := &emulated{link: l}
	between := &fabric{latency: seconds(l.latency), rate: l.rate / 8}
	for k := range count {
		n, err := newNode(k, l)
		if err != nil {
			return nil, fmt.Errorf("%w: node %d: %w", errCannot, k, err)
		}
		c.nodes = append(c.nodes, n)
		between.add(n.tap)
	}
	between.start()
	return c, nil
}

// newNode makes a node with its end of a cable; emulate connects the other end.
func newNode(number int, l link) (*node, error) {
	n := &node{number: number, work: make(chan func())}
	made := make(chan error)
	go func() {
		// This thread never serves anything else, and ends with the goroutine.
		runtime.LockOSThread()
		made <- n.enter(l)
		for f := range n.work {
			f()
		}
	}()
	return n, <-made
}

// enter moves the calling thread to namespaces of its own and sets up what is in
// them.
func (n *node) enter(l link) (err error) {
	if err := syscall.Unshare(syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS); err != nil {
		return fmt.Errorf("namespaces: %w", err)
	}
	if err := syscall.Sethostname([]byte(n.name())); err != nil {
		return err
	}
	if n.net, err = os.Open("/proc/thread-self/ns/net"); err != nil {
		return err
	}
	if n.uts, err = os.Open("/proc/thread-self/ns/uts"); err != nil {
		return err
	}
	if n.tap, err = openTap("eth0"); err != nil {
		return err
	}
	if err := os.WriteFile("/proc/sys/net/ipv6/conf/all/disable_ipv6", []byte("1"), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	mac := macOf(n.number)
	commands := []string{
		"ip link set lo up",
		fmt.Sprintf("ip link set eth0 address %02x:%02x:%02x:%02x:%02x:%02x mtu %d txqueuelen 4096 gso_max_segs 1 up", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5], l.mtu),
		"ip addr add " + n.address() + "/24 dev eth0",
		// A burst is no more than a frame and a bit: bursts of tens of kilobytes would
		// make short messages faster than the link is.
		fmt.Sprintf("tc qdisc add dev eth0 root tbf rate %.0fbit burst %d limit 64mb", l.rate, l.mtu+1500),
	}
	for name, value := range settings {
		if err := os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0); err != nil {
			return err
		}
	}
	for _, c := range commands {
		words := strings.Fields(c)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", c, err, out)
		}
	}
	return nil
}

// settings are those of a node's TCP. Buffers are larger than any message from the
// beginning, as administrators of clusters have them. Reno sends what the window
// allows; others, such as BBR, pace by what they believe the link to have.
var settings = map[string]string{
	"tcp_congestion_control": "reno",
	"tcp_rmem":               "4096 2097152 8388608",
	"tcp_wmem":               "4096 2097152 8388608",
	"tcp_limit_output_bytes": "4096",
}

// start starts a command on the node. It dies with this process.
func (n *node) start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan error)
	n.work <- func() { started <- cmd.Start() }
	return <-started
}
