package cli

import (
	"context"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
)

// A dueNext decides on rank 0 what is due between epochs, or nests.
type dueNext struct {
	*jobKeep
	asked *launch.Asks

	last  int       // levels, or repetitions, of the last checkpoint, or of the beginning
	began time.Time // when they were computed, about
	epoch time.Time // when the epoch at hand began
	open  []int     // checkpoints (sched.Cut.State) that may still be on their way to the disk, in order
}

// due is sched.Checkpoints.Due.
func (d *dueNext) due(at sched.Cut) sched.Due {
	var due sched.Due
	now, took := time.Now(), time.Duration(0) // the epoch that begins takes about as long as the one before
	if !d.epoch.IsZero() {
		took = now.Sub(d.epoch)
	}
	d.epoch = now
	if d.ShowEvery > 0 && at.Ends && at.Done%d.ShowEvery == 0 {
		due = sched.Show
	}
	keep, end := d.asked.Take()
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
