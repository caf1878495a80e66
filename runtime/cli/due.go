package cli

import (
	"context"
	"math"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// A dueNext decides on rank 0 how long epochs are, and what is due between them, or between nests.
type dueNext struct {
	*jobKeep
	asked *launch.Asks

	last  int       // levels, or repetitions, of the last checkpoint, or of the beginning
	began time.Time // when they were computed, about
	epoch time.Time // when the epoch at hand began
	open  []int     // checkpoints (sched.Cut.State) that may still be on their way to the disk, in order

	keep, end bool    // the user asks for a checkpoint, and for the end of the run
	levels    int     // of the epoch at hand; 0: as many as of the one before
	pace      float64 // seconds of a level of the epoch before; 0: not known
}

// ask notes what the user asks for.
func (d *dueNext) ask() {
	keep, end := d.asked.Take()
	d.keep, d.end = d.keep || keep, d.end || end
}

// next is sched.Checkpoints.Levels: an epoch takes about as long as the greatest part of the time to the next checkpoint
// that is at most longestEpoch, by the time that a level has taken so far. Epochs end where something is due by levels. If
// the user asks for a checkpoint, the epoch is short.
func (d *dueNext) next(in sched.Room) int {
	d.ask()
	now := time.Now()
	if d.levels > 0 && !d.epoch.IsZero() {
		d.pace = now.Sub(d.epoch).Seconds() / float64(d.levels)
	}
	until := longestEpoch
	if d.Keep && d.Levels == 0 {
		until = max(d.Every-now.Sub(d.began), d.Every/8)
	}
	seconds := until.Seconds() / math.Round(max(1, float64(until)/float64(longestEpoch)))
	n := in.Most / firstEpoch // the prediction may be wrong
	switch {
	case !d.Keep:
		n = in.Most
	case d.keep || d.end:
		n = in.Unit
	case d.pace > 0:
		n = int(min(float64(in.Most), seconds/d.pace))
	}
	if n > in.Unit && n < in.Most {
		n -= n % in.Unit
	}
	n = max(n, in.Least)
	if rest := d.rest(in); rest > n {
		n = plan.CeilDiv(rest, max(1, min(plan.CeilDiv(rest, n), rest/in.Least))) // equal parts
	} else if rest > 0 {
		n = rest
	} else if in.Left-n < n/4 {
		n = in.Left
	}
	d.levels = max(in.Least, min(n, in.Most))
	return d.levels
}

// rest is the number of levels to the next level after which a checkpoint or a snapshot is due; 0: there is none.
func (d *dueNext) rest(in sched.Room) int {
	rest := in.Left
	if d.Keep && d.Levels > 0 {
		rest = min(rest, max(in.Least, d.last+d.Levels-in.Done))
	}
	if d.ShowEvery > 0 {
		rest = min(rest, d.ShowEvery-in.Done%d.ShowEvery)
	}
	if rest == in.Left {
		return 0
	}
	return rest
}

// due is sched.Checkpoints.Due.
func (d *dueNext) due(at sched.Cut) sched.Due {
	var due sched.Due
	now, took := time.Now(), time.Duration(0) // the epoch that begins takes about as long as the one before
	if !d.epoch.IsZero() {
		took = now.Sub(d.epoch)
	}
	if d.levels > 0 {
		took = time.Duration(d.pace * float64(d.levels) * float64(time.Second))
	}
	d.epoch = now
	if d.ShowEvery > 0 && at.Ends && at.Done%d.ShowEvery == 0 {
		due = sched.Show
	}
	d.ask()
	keep, end := d.keep, d.end
	d.keep = false
	if d.Levels > 0 {
		keep = keep || at.Ends && at.Done-d.last >= d.Levels
	} else {
		keep = keep || now.Sub(d.began)+took+took/2 >= d.Every // no later cut is nearer
	}
	if !d.Keep || !keep && !end {
		return due
	}
	d.last, d.began = at.Done, now.Add(took)
	d.open = append(d.open, at.State)
	if end {
		due |= sched.End
	}
	return due | sched.Keep
}

// hold is sched.Checkpoints.Hold. A lost run repeats what it has done since the newest complete
// checkpoint. So on a slow disk a run waits before it begins a second interval after that
// checkpoint.
func (d *dueNext) hold(ctx context.Context) error {
	for len(d.open) > 0 && d.asked.IsSettled(d.open[0]) {
		d.open = d.open[1:]
	}
	if len(d.open) < 2 {
		return nil
	}
	err := d.asked.Settled(ctx, d.open[len(d.open)-2])
	d.epoch = time.Time{} // what it waited is not what an epoch takes
	return err
}
