package ranks

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/transport/shm"
	"loopc/runtime/transport/tcp"
	"loopc/transform/plan"
)

// member runs the part of this process's rank. whole has the arrays without functions; nil:
// they are in the leading process.
func (s *session) member(ctx context.Context, prog *sched.Program, params []int, blocks *Blocks, o Options, whole *sched.Store) (sched.Summary, error) {
	e := s.next
	defer e.close()
	if err := e.wait(ctx); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("rank %d: %w", s.from.Rank, err)
		}
		return sched.Summary{Rank: s.from.Rank}, understood(err)
	}
	m := &member{prog: prog, params: params, blocks: blocks, o: o, info: s.info, far: e.far}
	m.info.Rank, m.info.Meeting = e.rank, 0 // the rendezvous is open, or has been
	none := sched.Summary{Rank: e.rank}
	if whole != nil {
		m.whole = *whole
	} else {
		lead := farStore{e.far, prog.Nest, params}
		m.whole = sched.Store{Fill: lead.read, Keep: lead.write}
	}
	if err := m.prepare(e.job); err != nil {
		err = m.named(err)
		e.far.Fail(err)
		return none, err
	}
	host, _, err := net.SplitHostPort(s.info.Root)
	if err != nil {
		return none, err
	}
	s.info.Root, s.info.Secret = net.JoinHostPort(host, m.job.Next), s.info.Secret.Next()
	s.next = enlist(s.info)
	sum, err := m.run(ctx)
	return sum, understood(err)
}

// A member is a rank in one run.
type member struct {
	prog   *sched.Program
	params []int
	blocks *Blocks
	o      Options
	whole  sched.Store // of the arrays without functions
	info   launch.Info
	far    *launch.Service
	job    job
	plans  []*plan.Plan
	digest [32]byte
}

// named prefixes an error with the rank.
func (m *member) named(err error) error { return fmt.Errorf("rank %d: %w", m.info.Rank, err) }

// prepare reads the job and makes the same plans as the leading process. It fails if this
// process has made another call.
func (m *member) prepare(text json.RawMessage) error {
	j := &m.job
	if err := json.Unmarshal(text, j); err != nil {
		return fmt.Errorf("the job cannot be read: %w", err)
	}
	if len(j.Supplied) != len(m.blocks.arrays) || len(j.Received) != len(m.blocks.arrays) || len(j.Params) != len(m.params) || len(j.Floats) != len(m.prog.Floats()) {
		return errors.New("runs another program than rank 0")
	}
	if mine := m.prog.Floats(); !slices.Equal(j.Params, m.params) || !slices.Equal(j.Floats, mine) {
		return fmt.Errorf("has %s, but rank 0 has %s", named(m.prog.Nest, m.params, mine), named(m.prog.Nest, j.Params, j.Floats))
	}
	for k, a := range m.blocks.arrays {
		for _, f := range []struct {
			name       string
			mine, lead bool
		}{{"Supply", a.supply != nil, j.Supplied[k]}, {"Receive", a.receive != nil, j.Received[k]}} {
			switch {
			case f.mine && !f.lead:
				return fmt.Errorf("has %s%s, but rank 0 has the whole of the array", f.name, a.field)
			case !f.mine && f.lead:
				return fmt.Errorf("lacks %s%s, which rank 0 has", f.name, a.field)
			}
		}
	}
	if mine := m.o.every(); mine != j.Every {
		return fmt.Errorf("calls the caller's code after each %d levels, and rank 0 after each %d (0: never)", mine, j.Every)
	}
	var err error
	m.plans, err = m.prog.PlanSteps(m.params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		if k >= len(j.Steps) {
			return nil, errors.New("runs another program than rank 0")
		}
		return plan.New(nest, params, j.Steps[k])
	})
	if err != nil {
		return err
	}
	digest, err := hex.DecodeString(sched.PlansDigest(m.prog, m.plans))
	if err != nil || len(digest) != len(m.digest) {
		panic("BUG: the digest of a plan is not a SHA-256 in hexadecimal")
	}
	if hex.EncodeToString(digest) != j.Digest {
		return errors.New("runs another program than rank 0: it plans otherwise")
	}
	copy(m.digest[:], digest)
	return nil
}

// run joins the other ranks, computes, waits until all ranks have computed, delivers the
// results, and waits until all ranks have delivered theirs.
func (m *member) run(ctx context.Context) (sched.Summary, error) {
	none := sched.Summary{Rank: m.info.Rank}
	listener, err := m.o.Security.Open(m.far.Here())
	if err != nil {
		err = m.named(err)
		m.far.Fail(err)
		return none, err
	}
	local := m.local() // before others learn this rank's address
	control, err := launch.Join(ctx, m.info, listener.Addr().String(), m.digest)
	if err != nil {
		if local != nil {
			_ = local.Listener().Close() // unused
		}
		if _, gone := m.far.Clock(); errors.Is(gone, launch.ErrLauncherGone) {
			err = gone // the reason why the join failed
		}
		return none, errors.Join(err, listener.Close())
	}
	defer control.Close()
	control.Releases(m.far)
	sum, err := m.part(control, listener, local)
	if err == nil {
		err = context.Cause(ctx) // before the others proceed: so the run fails in every rank
	}
	if err == nil {
		err = control.Result(sum)
	}
	if err == nil {
		err = control.Proceed(ctx)
	}
	if err != nil {
		return none, m.fail(ctx, control, err)
	}
	var told []sched.Reduction
	if err := json.Unmarshal(control.Outcome(), &told); err != nil {
		return none, m.named(err)
	}
	return sum, sched.Hear(&sum, told)
}

// verdictTime is how long a rank waits for the reason after it has noticed that another
// rank failed.
const verdictTime = 2 * time.Second

// fail reports this rank's error to the leading process, and returns the reason why the run
// fails, which may be the failure of another rank.
func (m *member) fail(ctx context.Context, control *launch.Control, err error) error {
	var canceled *launch.CanceledError
	if errors.As(err, &canceled) || errors.Is(err, launch.ErrLauncherGone) {
		return err
	}
	if ctx.Err() != nil {
		err = m.named(err)
	}
	_ = control.Fail(err) // the leading process may be gone
	var peer interface{ PeerGone() bool }
	if !errors.As(err, &peer) || !peer.PeerGone() {
		return err
	}
	select {
	case <-control.Context().Done():
		return context.Cause(control.Context())
	case <-time.After(verdictTime):
		return err
	}
}

// local lets ranks of this host reach this rank through shared memory; nil if that is not
// possible, and TCP is used.
func (m *member) local() tcp.Local {
	if !m.o.sharesMemory() {
		return nil
	}
	local, err := shm.Listen(m.info.Rank, m.info.Secret)
	if err != nil {
		return nil
	}
	return local
}

// part computes and delivers the results. It closes the listeners.
func (m *member) part(control *launch.Control, listener net.Listener, local tcp.Local) (sched.Summary, error) {
	ctx := control.Context()
	none := sched.Summary{Rank: m.info.Rank}
	cpus := 0
	for _, p := range m.plans {
		cpus = max(cpus, p.CPUs)
	}
	defer launch.UseProcessors(cpus, 1)()
	macs, err := m.o.Security.MACs()
	if err != nil {
		err = m.named(err)
	}
	var rank *sched.Rank
	if err == nil {
		rank, err = sched.NewRank(ctx, m.prog, m.plans, m.info.Rank, m.blocks.store(m.info.Rank, m.whole), m.o.Watch)
	}
	if err != nil {
		if local != nil {
			_ = local.Listener().Close() // unused
		}
		return none, errors.Join(err, listener.Close())
	}
	tr, err := tcp.New(ctx, tcp.Config{
		Rank: m.info.Rank, Size: m.info.Size, Listener: listener, Addrs: control.Addrs(), Local: local,
		Peers:  sched.Peers(m.prog, m.plans, m.info.Rank, m.o.Watch),
		Secret: m.info.Secret, TLS: m.info.TLS, MAC: macs, Digest: m.digest, Timeout: m.info.Patience,
	})
	if err != nil {
		return none, err
	}
	watch := m.o.Watch
	if watch.Thread == nil && m.info.Size*cpus >= runtime.NumCPU() {
		watch.Thread = launch.ComputeThread // every CPU of the host runs a worker
	}
	sum, err := rank.Run(ctx, tr, watch)
	if err == nil {
		err = m.far.Ready(ctx)
	}
	if err == nil {
		err = rank.Deliver()
	}
	return sum, err
}

// A canceled is a failure of another rank.
type canceled struct{ reason string }

// Error names the rank.
func (c *canceled) Error() string { return c.reason }

// understood translates an error of package launch for the user of this process.
func understood(err error) error {
	var gone *launch.CanceledError
	switch {
	case errors.As(err, &gone):
		return &canceled{gone.Reason}
	case errors.Is(err, launch.ErrLauncherGone):
		return errors.New("the process that leads the run, rank 0 of its launcher, is gone")
	}
	return err
}

// A farStore accesses the complete arrays of the leading process from another process.
type farStore struct {
	far    *launch.Service
	nest   *plan.Nest
	params []int
}

// read is sched.Store's Fill.
func (t farStore) read(k int, v *array.View) error {
	lo, extent, err := t.nest.Arrays[k].Extent(t.params)
	if err != nil {
		return err
	}
	return spans(v, lo, top(lo, extent), func(at, in, n int) error {
		_, err := t.far.ReadAt(2*k, v.Data[at*v.Size:(at+n)*v.Size], int64(in)*int64(v.Size))
		return err
	})
}

// write is sched.Store's Keep.
func (t farStore) write(k int, v *array.View) error {
	lo, extent := t.nest.Arrays[k].SliceExtent(t.params)
	return spans(v, lo, top(lo, extent), func(at, in, n int) error {
		_, err := t.far.WriteAt(2*k+1, v.Data[at*v.Size:(at+n)*v.Size], int64(in)*int64(v.Size))
		return err
	})
}

// top returns the upper bounds for lower bounds and extents.
func top(lo, extent []int) []int {
	hi := make([]int, len(lo))
	for k := range lo {
		hi[k] = lo[k] + extent[k] - 1
	}
	return hi
}
