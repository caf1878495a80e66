package launch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// leaveTime is how long the process of rank 0 waits for the others to end their
// parts after a run.
const leaveTime = 5 * time.Second

// explainTime is how long the end of a rank may be noticed after the end of this
// process was asked for.
const explainTime = 500 * time.Millisecond

// MostPlaced bounds the ranks that are placed by what they exchange, which takes
// time and memory with their square. More keep the order of their launcher.
const MostPlaced = 1024

// Lead gives the processes that another launcher has started, which Members has
// returned, their job, and waits for their results, which it returns by rank. They
// are placed by traffic, see Place, which is called if there are not too many of
// them. Results is for the caller to judge: Proceed tells the ranks.
//
// On an error, a *Failure or the cause of ctx's end, the run is canceled.
func (r *Root) Lead(ctx context.Context, members []Member, traffic func() [][]int64, job json.RawMessage, files Files, clock func() int64) ([]json.RawMessage, error) {
	places := make([]int, len(members))
	for k := range places {
		places[k] = k
	}
	if len(members) <= MostPlaced {
		places = Place(members, traffic())
	}
	r.Brief(places, slices.Repeat([]json.RawMessage{job}, len(places)), files, clock)
	said, err := r.Results(ctx)
	if err == nil {
		return said, nil
	}
	if ctx.Err() != nil {
		err = r.explain(err)
	}
	r.Cancel(err)
	r.Drain() // they may have something to write down
	return nil, err
}

// Drain waits until the ranks have ended their parts, for some time.
func (r *Root) Drain() {
	select {
	case <-r.Empty():
	case <-time.After(leaveTime):
	}
}

// explain returns why the run really ends when this process is told to end: many
// launchers tell all ranks if one has failed.
func (r *Root) explain(err error) error {
	select {
	case <-r.Failed():
	case <-time.After(explainTime):
	}
	var failure *Failure
	if errors.As(r.Failure(), &failure) && failure.Text != ErrInterrupted.Error() {
		return failure
	}
	return err
}

// Spans reports whether the members are on several hosts.
func Spans(members []Member) bool {
	return slices.ContainsFunc(members, func(m Member) bool { return !m.SameHost(&members[0]) })
}
