package ranks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/trace"
	"loopc/runtime/transport/shm"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A job is the message of the leading process to all processes, in JSON.
type job struct {
	Params   []int          `json:"params"`
	Floats   []float64      `json:"floats,omitempty"`
	Steps    []plan.Options `json:"steps"`    // of each nest
	Digest   string         `json:"digest"`   // of the program and its plans
	Supplied []bool         `json:"supplied"` // by array: every rank supplies its part
	Received []bool         `json:"received"` // by array: every rank receives its part
	Every    int            `json:"every"`    // levels after which code of the caller is called; 0: there is none
	Next     string         `json:"next"`     // the port of the next run's rendezvous
}

// lead runs the part of the leading process, and the part of its rank.
func (s *session) lead(ctx context.Context, prog *sched.Program, params []int, blocks *Blocks, o Options) (sched.Summary, error) {
	root, info := s.root, s.info // copies, because the rank changes them
	defer root.Close()
	own, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mine error
	done := make(chan struct{})
	go func() {
		defer close(done)
		whole := sched.WholeStore(blocks.fields)
		_, mine = s.member(own, prog, params, blocks, o, &whole)
	}()
	sum, next, err := s.conduct(ctx, info, root, prog, params, blocks, o)
	if err != nil {
		root.Cancel(err)
	}
	root.Drain()
	stop(err)
	<-done
	s.root = next
	var elsewhere *canceled
	if err != nil && mine != nil && !errors.As(mine, &elsewhere) && !errors.Is(mine, err) && strings.Contains(err.Error(), mine.Error()) {
		err = mine // the original error, not only its text
	}
	return sum, err
}

// conduct plans the run and coordinates all ranks. It returns the rendezvous of the next
// run, or nil if the run failed before.
func (s *session) conduct(ctx context.Context, info launch.Info, root *launch.Root, prog *sched.Program, params []int, blocks *Blocks, o Options) (sched.Summary, *launch.Root, error) {
	none := sched.Summary{Rank: -1}
	members, err := root.Members(ctx, info.Meeting)
	if err != nil {
		return none, nil, tidy(err)
	}
	// From here on, errors can be reported to the other processes.
	if o.Ranks != 0 && o.Ranks != s.from.Size {
		return none, nil, fmt.Errorf("the options say %d ranks, but %s has started %d", o.Ranks, s.from.Name, s.from.Size)
	}
	if err := blocks.bindWhole(); err != nil {
		return none, nil, err
	}
	o.Ranks = s.from.Size
	link := cost.LinkTCP
	if o.sharesMemory() && shm.Supported() == nil && !launch.Spans(members) {
		link = cost.LinkSHM
	}
	plans, err := sched.MakePlans(ctx, prog, params, o.Options, link, launch.CPUs(members))
	if err != nil {
		return none, nil, err
	}
	next, port, err := another(info, root)
	if err != nil {
		return none, nil, err
	}
	j := job{Params: params, Floats: prog.Floats(), Digest: sched.PlansDigest(prog, plans), Next: port, Every: o.every()}
	busiest, most := plans[0], int64(-1)
	for _, p := range plans {
		j.Steps = append(j.Steps, p.Options())
		if _, bytes, _ := cost.Volume(p); bytes > most {
			busiest, most = p, bytes
		}
	}
	for k := range blocks.arrays {
		j.Supplied = append(j.Supplied, blocks.arrays[k].supply != nil)
		j.Received = append(j.Received, blocks.arrays[k].receive != nil)
	}
	text, err := json.Marshal(j)
	if err != nil {
		return none, next, err
	}
	said, err := root.Lead(ctx, members, func() [][]int64 { return cost.Traffic(busiest) }, text, files{blocks}, trace.Origin)
	if err != nil {
		return none, next, tidy(err)
	}
	ranks := make([]sched.Summary, len(said))
	for k, text := range said {
		if err := json.Unmarshal(text, &ranks[k]); err != nil {
			return none, next, fmt.Errorf("rank %d: its summary cannot be read: %w", k, err)
		}
	}
	sum, err := sched.Merge(ranks)
	if err != nil {
		return none, next, err
	}
	outcome, err := json.Marshal(sched.Told(&sum))
	if err != nil {
		return none, next, err
	}
	root.Proceed(outcome)
	return sum, next, nil
}

// another opens the rendezvous of the next run, at the address by which the others reach
// this process now.
func another(info launch.Info, root *launch.Root) (*launch.Root, string, error) {
	host, _, err := net.SplitHostPort(root.Addr().String())
	if err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, "", err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err == nil {
		var next *launch.Root
		info.Secret = info.Secret.Next()
		if next, err = serve(listener, info); err == nil {
			return next, port, nil
		}
	}
	return nil, "", errors.Join(err, listener.Close())
}

// tidy removes a duplicate rank from the text of an error.
func tidy(err error) error {
	var failure *launch.Failure
	if errors.As(err, &failure) && strings.HasPrefix(failure.Text, "rank ") {
		return errors.New(failure.Text)
	}
	return err
}

// files are the complete arrays of the leading process, which the others read and write:
// array k is file 2k as input, and 2k+1 as output.
type files struct{ blocks *Blocks }

// file returns the content of a file.
func (f files) file(number int) ([]byte, error) {
	k := number / 2
	if k < len(f.blocks.arrays) {
		a := &f.blocks.arrays[k]
		switch {
		case number%2 == 0 && a.supply == nil:
			return f.blocks.fields.Given[k].Data, nil
		case number%2 == 1 && a.receive == nil:
			return f.blocks.fields.Result[k].Data, nil
		}
	}
	return nil, fmt.Errorf("there is no file %d", number)
}

// Size implements launch.Files.
func (f files) Size(number int) (int64, error) {
	data, err := f.file(number)
	return int64(len(data)), err
}

// ReadAt implements launch.Files.
func (f files) ReadAt(number int, b []byte, offset int64) (int, error) {
	data, err := f.file(number)
	if err != nil || offset >= int64(len(data)) {
		return 0, errors.Join(err, io.EOF)
	}
	return copy(b, data[offset:]), nil
}

// WriteAt implements launch.Files. Only results are written.
func (f files) WriteAt(number int, b []byte, offset int64) (int, error) {
	data, err := f.file(number)
	switch {
	case err != nil:
		return 0, err
	case number%2 == 0 || offset > int64(len(data))-int64(len(b)):
		return 0, fmt.Errorf("%d bytes at %d of file %d: %w", len(b), offset, number, io.ErrShortWrite)
	}
	return copy(data[offset:], b), nil
}
