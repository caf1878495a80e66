package cli

import (
	"context"
	"math"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// A dueNext decides on rank 0 how long epochs are, and what is due between them, or between nests. A lost run repeats at
// most one interval: the levels, repetitions or time that the user gives. So a checkpoint begins before the interval ends,
// and the run computes the rest of the interval while the checkpoint is written.
type dueNext struct {
	*jobKeep
	asked *launch.Asks

	begun []*begun // the newest settled checkpoint, or the beginning of the run; then later checkpoints, settled or not, in order

	wrote time.Duration // how long the newest settled checkpoint was written; 0: there is none

	cut, step int           // levels, or repetitions, that were done at the last cut, and how many of them since the cut before it
	epoch     time.Time     // when the epoch or nest at hand began
	took      time.Duration // how long the epoch or nest before it took

	keep, end bool    // the user asks for a checkpoint, and for the end of the run
	levels    int     // of the epoch at hand; 0: as many as of the one before
	least     int     // of an epoch
	pace      float64 // seconds of a level of the epoch before; 0: not known
}

// A begun is a checkpoint that has begun, or the beginning of a run.
type begun struct {
	state int       // see sched.Cut
	done  int       // levels, or repetitions
	at    time.Time // when they were computed, about

	writes time.Time // when rank 0 began to write its part
}

// While a checkpoint is written, a run computes at most 1/aheadPart of an interval. If the interval is a time and the last
// checkpoint took less time, it computes less, but at least 1/leastPart.
const (
	aheadPart = 4
	leastPart = 16
)

// newDue returns the decisions of a run that begins now.
func (j *jobKeep) newDue(asked *launch.Asks) *dueNext {
	return &dueNext{jobKeep: j, asked: asked, begun: []*begun{{done: j.done(), at: time.Now()}}, cut: j.done()}
}

// ahead is how many levels of an interval of levels a run computes while a checkpoint is written.
func (j *jobKeep) ahead() int { return plan.CeilDiv(j.Levels, aheadPart) }

// ask notes what the user asks for.
func (d *dueNext) ask() {
	keep, end := d.asked.Take()
	d.keep, d.end = d.keep || keep, d.end || end
}

// aheadTime does what ahead does, for an interval of time: it is three times as long as the last checkpoint took, within bounds.
func (d *dueNext) aheadTime() time.Duration {
	if d.wrote == 0 {
		return d.Every / aheadPart
	}
	return min(max(3*d.wrote, d.Every/leastPart), d.Every/aheadPart)
}

// settle notes which checkpoints are settled, and corrects times in the future to now: the levels of all are computed.
func (d *dueNext) settle(now time.Time) {
	for len(d.begun) > 1 && d.asked.IsSettled(d.begun[1].state) {
		d.begun = d.begun[1:]
		d.wrote = max(1, d.asked.SettledAt().Sub(d.begun[0].writes))
	}
	for _, b := range d.begun {
		if b.at.After(now) { // the epoch before was predicted to take longer
			b.at = now
		}
	}
}

// last is the last checkpoint that has begun.
func (d *dueNext) last() *begun { return d.begun[len(d.begun)-1] }

// next is sched.Checkpoints.Levels. It divides the time to the next checkpoint into equal epochs of about longestEpoch, by
// the time that a level took last. While a checkpoint is written, the epochs end with the interval. If something is due
// after some level, an epoch ends there. If the user asks for a checkpoint, the epoch is short.
func (d *dueNext) next(in sched.Room) int {
	d.ask()
	now := time.Now()
	d.settle(now)
	if d.levels > 0 && !d.epoch.IsZero() {
		d.pace = now.Sub(d.epoch).Seconds() / float64(d.levels)
	}
	d.least = in.Least
	until := longestEpoch
	if d.Keep && d.Levels == 0 {
		until = max(d.Every-d.aheadTime()-now.Sub(d.last().at), d.Every/8)
		if len(d.begun) > 1 {
			rest := d.begun[0].at.Add(d.Every).Sub(now) * 7 / 8 // a level may take longer than before
			until = min(until, max(rest, d.Every/leastPart/2))
		}
	}
	seconds := until.Seconds() / math.Round(max(1, float64(until)/float64(longestEpoch))) // of an epoch
	n := in.Most / firstEpoch                                                             // the prediction may be wrong
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

// rest is the number of levels until a checkpoint or a snapshot is due, or until the interval ends during which a checkpoint
// is written, whichever comes first; 0: none of this comes.
func (d *dueNext) rest(in sched.Room) int {
	rest := in.Left
	if d.Keep && d.Levels > 0 {
		to := d.last().done + d.Levels - d.ahead()
		if len(d.begun) > 1 {
			to = min(to, d.begun[0].done+d.Levels)
		}
		rest = min(rest, max(in.Least, to-in.Done))
	}
	if d.ShowEvery > 0 {
		rest = min(rest, d.ShowEvery-in.Done%d.ShowEvery)
	}
	if rest == in.Left {
		return 0
	}
	return rest
}

// takes is how long the epoch that begins now takes, about: as long as the one before, if lengths do not vary.
func (d *dueNext) takes(now time.Time) time.Duration {
	switch {
	case d.levels > 0:
		return d.timeOf(d.levels)
	case d.epoch.IsZero():
		return 0
	}
	return now.Sub(d.epoch)
}

// timeOf is how long so many levels take, at the pace of the epoch before.
func (d *dueNext) timeOf(levels int) time.Duration {
	return time.Duration(d.pace * float64(levels) * float64(time.Second))
}

// due is sched.Checkpoints.Due.
func (d *dueNext) due(at sched.Cut) sched.Due {
	var due sched.Due
	now := time.Now()
	d.took, d.epoch = d.takes(now), now
	if at.Done > d.cut {
		d.cut, d.step = at.Done, at.Done-d.cut
	}
	if d.ShowEvery > 0 && at.Ends && at.Done%d.ShowEvery == 0 {
		due = sched.Show
	}
	d.ask()
	keep, end := d.keep || d.ends(at, now), d.end
	d.keep = false
	if !d.Keep || !keep && !end {
		return due
	}
	d.begun = append(d.begun, &begun{state: at.State, done: at.Done, at: now.Add(d.took)})
	if end {
		due |= sched.End
	}
	return due | sched.Keep
}

// ends reports whether a checkpoint must begin at a cut so that it is written before the interval ends. If epochs have a
// fixed length, it must begin at the last cut from which a whole epoch remains of the interval.
func (d *dueNext) ends(at sched.Cut, now time.Time) bool {
	fixed := d.levels == 0
	if d.Levels > 0 {
		ahead := d.ahead()
		if fixed {
			ahead = max(ahead, 2*d.step-1)
		}
		return at.Ends && at.Done-d.last().done+ahead >= d.Levels
	}
	ahead, shortest := d.aheadTime(), d.took
	if !fixed {
		ahead += d.took * 7 / 8 // else the next cut is too late
		shortest = d.timeOf(d.least)
	}
	ahead = max(ahead, shortest*5/2) // the next two epochs may take longer
	return now.Sub(d.last().at)+d.took+ahead >= d.Every
}

// hold is sched.Checkpoints.Hold. If the disk is slow, the run waits here for a checkpoint to be settled, rather than compute
// more than one interval beyond the newest settled one.
func (d *dueNext) hold(ctx context.Context, end int) error {
	began := time.Now()
	took := d.takes(began)
	if d.levels == 0 {
		took = max(took, d.took) // a nest begins after due
	}
	d.settle(began)
	for len(d.begun) > 1 && d.isBeyond(end, began.Add(took)) {
		if err := d.asked.Settled(ctx, d.begun[1].state); err != nil {
			return err
		}
		d.settle(began)
	}
	d.waited(time.Since(began))
	return nil
}

// waited notes that rank 0 has waited for the disk: no level took this time, and no lost run repeats it.
func (d *dueNext) waited(long time.Duration) {
	if !d.epoch.IsZero() {
		d.epoch = d.epoch.Add(long)
	}
	for _, b := range d.begun {
		b.at = b.at.Add(long)
	}
}

// isBeyond reports whether the interval after the newest settled checkpoint ends before so many levels, or before a time.
func (d *dueNext) isBeyond(levels int, at time.Time) bool {
	if d.Levels > 0 {
		return levels > d.begun[0].done+d.Levels
	}
	return at.After(d.begun[0].at.Add(d.Every))
}
