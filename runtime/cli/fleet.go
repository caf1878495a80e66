package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/trace"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A fleet is the hosts to which this program was copied and that run its ranks. The methods of
// a nil fleet do nothing.
type fleet struct {
	remotes []*launch.Remote
	places  []*launch.Remote // of the slots in use, in the order of the file
	on      []*launch.Remote // by rank, after planning
}

// readHosts reads the file of --hosts. The number of ranks is that of the slots, unless it is
// given.
func (s *settings) readHosts() ([]launch.Host, error) {
	file, err := os.Open(s.hosts)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	hosts, err := launch.ReadHosts(file)
	if err != nil {
		return nil, usagef("--hosts: %s: %w", s.hosts, err)
	}
	slots := 0
	for _, h := range hosts {
		slots += h.Slots
	}
	switch {
	case s.options.Ranks > slots:
		return nil, usagef("-n %d: the hosts of %s have %s", s.options.Ranks, s.hosts, plural(slots, "slot"))
	case s.options.Ranks == 0 && len(s.options.Grid) == 0:
		s.options.Ranks = slots
	}
	return hosts, nil
}

// newFleet copies this program to as many hosts as the ranks need. Unless the user gave the number
// of CPUs, it becomes the number that every host has for each of its ranks.
func newFleet(ctx context.Context, s *settings, hosts []launch.Host) (*fleet, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ranks := s.options.Ranks
	if ranks == 0 {
		ranks = 1
		for _, g := range s.options.Grid {
			ranks *= max(1, g)
		}
	}
	f := &fleet{}
	var used []launch.Host
	for _, h := range hosts {
		if h.Slots = min(h.Slots, ranks); h.Slots > 0 {
			used = append(used, h)
			ranks -= h.Slots
		}
	}
	if ranks > 0 {
		return nil, usagef("the hosts of %s lack %s", s.hosts, plural(ranks, "slot"))
	}
	f.remotes = make([]*launch.Remote, len(used))
	errs := make([]error, len(used))
	var all sync.WaitGroup
	for k, h := range used {
		all.Go(func() { f.remotes[k], errs[k] = launch.CopyTo(ctx, h, self, s.patience) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, f.remove())
	}
	cpus := 0
	for k, r := range f.remotes {
		for range used[k].Slots {
			f.places = append(f.places, r)
		}
		if each := max(1, r.CPUs/used[k].Slots); cpus == 0 || each < cpus {
			cpus = each
		}
	}
	if s.allCPUs {
		s.options.CPUs = cpus
	}
	return f, nil
}

// remove removes the program from the hosts.
func (f *fleet) remove() error {
	if f == nil {
		return nil
	}
	errs := make([]error, len(f.remotes))
	var all sync.WaitGroup
	for k, r := range f.remotes {
		if r != nil {
			all.Go(func() { errs[k] = r.Remove() })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// here is the address at which all of the hosts reach this host.
func (f *fleet) here() (string, error) {
	here := f.remotes[0].Here
	for _, r := range f.remotes {
		if r.Here != here {
			return "", usagef("%s sees this host as %s, %s as %s: --listen names the address that all reach", f.remotes[0].Host, here, r.Host, r.Here)
		}
	}
	return here, nil
}

// place decides which host runs which rank. Two names of one host count as one host, because its operating system
// has one boot identity.
func (f *fleet) place(p *plan.Plan) error {
	if p.Ranks > len(f.places) {
		return usagef("the hosts have %s for %s", plural(len(f.places), "slot"), plural(p.Ranks, "rank"))
	}
	members := make([]launch.Member, p.Ranks)
	rankAt := make([]int, p.Ranks) // by place
	for k := range rankAt {
		r := f.places[k]
		rankAt[k], members[k].Boot = k, r.Boot
		if r.Boot == "" { // the name of the host must do
			members[k].Host = r.Host.String()
		}
	}
	if p.Ranks <= launch.MostPlaced {
		rankAt = launch.Place(members, cost.Traffic(p))
	}
	f.on = make([]*launch.Remote, len(rankAt))
	for k, rank := range rankAt {
		f.on[rank] = f.places[k]
	}
	return nil
}

// startFleet starts the ranks on the hosts, with the job text, and returns their final reports.
func (c *command) startFleet(ctx context.Context, text []byte, files launch.Files, progress func(rank int, done, total int64)) ([]json.RawMessage, error) {
	encryption, err := c.settings.security.Encryption()
	if err == nil {
		err = c.fleet.place(c.busiest())
	}
	if err != nil {
		return nil, err
	}
	return launch.Local(ctx, launch.LocalConfig{
		Size: c.ranks(),
		Listen: func() (net.Listener, error) {
			if c.settings.security.Listen != "" {
				return c.settings.security.Open("")
			}
			here, err := c.fleet.here()
			if err != nil {
				return nil, err
			}
			listener, err := net.Listen("tcp", net.JoinHostPort(here, "0"))
			if err != nil {
				return nil, fmt.Errorf("the hosts see this one as %s, where it cannot accept connections (--listen names another address): %w", here, err)
			}
			return listener, nil
		},
		TLS:      encryption,
		Grace:    c.trace.grace(),
		Patience: c.settings.patience,
		Logger:   newLogger(c.stderr, c.settings.log),
		Start: func(rank int, env []string) (*exec.Cmd, error) {
			cmd, err := c.fleet.on[rank].Start(env)
			if err != nil {
				return nil, err
			}
			cmd.Stdin, cmd.Stderr = bytes.NewReader(text), c.stderr
			cmd.WaitDelay = time.Second
			return cmd, nil
		},
		Ended:    func(rank int, err error) error { return c.fleet.on[rank].Lost(err) },
		Files:    files,
		Clock:    trace.Origin,
		Progress: progress,
		Stats:    c.metrics.hear,
		Part:     c.saving.hear,
		Opened:   func(root *launch.Root) { c.saving.tells(root) },
	})
}

// bring copies the program to the hosts, if the command line names any. The caller removes the copies with leave.
func (c *command) bring(ctx context.Context) error {
	if c.settings.hosts == "" {
		return nil
	}
	hosts, err := c.settings.readHosts()
	if err != nil || c.settings.planOnly {
		return err
	}
	c.fleet, err = newFleet(ctx, c.settings, hosts)
	return err
}

// leave removes the program from the hosts. If it cannot, the run does not fail.
func (c *command) leave() {
	if err := c.fleet.remove(); err != nil {
		fmt.Fprintf(c.stderr, "%s: warning: %v\n", c.prog.Nest.Name, err)
	}
}
