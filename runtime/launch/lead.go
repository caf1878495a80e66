package launch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// leaveTime is how long rank 0 waits for the other ranks to finish after a run.
const leaveTime = 5 * time.Second

// explainTime is how long this process, when told to end, waits for the news that a rank
// has failed.
const explainTime = 500 * time.Millisecond

// MostPlaced is the number of ranks up to which Place is used; its time and memory grow
// quadratically. More ranks keep the order of their launcher.
const MostPlaced = 1024

// Lead gives jobs to the processes that another launcher has started (see Members), waits
// for their results, and returns the results by rank. The ranks are placed by traffic (see
// Place), unless there are more than MostPlaced. The caller judges the results and then
// calls Proceed.
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
	r.Expect()
	said, err := r.Results(ctx)
	if err == nil {
		return said, nil
	}
	if ctx.Err() != nil {
		err = r.explain(err)
	}
	r.Cancel(err)
	r.Drain() // the ranks may still write files
	return nil, err
}

// Drain waits until the ranks have finished, at most for leaveTime.
func (r *Root) Drain() {
	select {
	case <-r.Empty():
	case <-time.After(leaveTime):
	}
}

// explain returns the true reason when this process is told to end: many launchers signal
// all ranks if one has failed.
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
