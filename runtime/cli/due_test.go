package cli

import (
	"context"
	"errors"
	"testing"
	"time"

	"loopc/runtime/checkpoint"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
)

// TestHeldBack: while a checkpoint is not settled, a run may compute one further interval, but is held
// back before it begins the second. Intervals are given by levels or by time.
func TestHeldBack(t *testing.T) {
	late := errors.New("late")
	for name, j := range map[string]*jobKeep{"levels": {Keep: true, Levels: 10}, "time": {Keep: true, Every: time.Nanosecond}} {
		var asked launch.Asks
		d := dueNext{jobKeep: j, asked: &asked, began: time.Now()}
		held := func() bool {
			ctx, stop := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, late)
			defer stop()
			return errors.Is(d.hold(ctx), late)
		}
		for done := 10; done <= 40; done += 10 {
			if due := d.due(sched.Cut{Done: done, Ends: true, State: done}); due != sched.Keep {
				t.Fatalf("%s: after %d levels %v is due", name, done, due)
			}
			if h := held(); h != (done > 10) {
				t.Fatalf("%s: after %d levels, held back: %v", name, done, h)
			}
			asked.Settle(done - 10) // of what was open
			if held() {
				t.Fatalf("%s: after %d levels, held back by what is settled", name, done)
			}
		}
		waits := make(chan error)
		d.due(sched.Cut{Done: 50, Ends: true, State: 50})
		go func() { waits <- d.hold(t.Context()) }()
		asked.Settle(40)
		if err := <-waits; err != nil {
			t.Error(err)
		}
	}
}

// TestNearestCut writes a checkpoint after the epoch that ends nearest to the time at which it is due.
func TestNearestCut(t *testing.T) {
	for every, want := range map[time.Duration]sched.Due{5500 * time.Millisecond: sched.Keep, 6500 * time.Millisecond: 0} {
		now := time.Now()
		d := dueNext{jobKeep: &jobKeep{Keep: true, Every: every}, asked: &launch.Asks{}, began: now.Add(-3 * time.Second), epoch: now.Add(-2 * time.Second)}
		if due := d.due(sched.Cut{Done: 10, Ends: true, State: 10}); due != want { // after 5 s; the next one is after 7
			t.Errorf("every %v: %v is due after 5 s", every, due)
		}
	}
}

// TestEpochLengths: epochs take at most about longestEpoch, by the time that a level has taken; they end where a
// checkpoint or a snapshot is due by levels; and a run that is asked to end does so after a short one.
func TestEpochLengths(t *testing.T) {
	for _, c := range []struct {
		name  string
		keep  jobKeep
		pace  float64 // seconds of a level before; 0: not known
		since time.Duration
		end   bool // the user asks
		in    sched.Room
		want  int
	}{
		{name: "first", keep: jobKeep{Keep: true, Every: time.Minute}, in: sched.Room{Left: 1e6, Least: 1, Most: 800, Unit: 8}, want: 96},
		{name: "5 s", keep: jobKeep{Keep: true, Every: 10 * time.Minute}, pace: 0.05, in: sched.Room{Done: 96, Left: 1e6, Least: 1, Most: 800, Unit: 8}, want: 96},
		{name: "due after 4 s", keep: jobKeep{Keep: true, Every: 6 * time.Second}, since: 2 * time.Second, pace: 0.01, in: sched.Room{Done: 96, Left: 1e6, Least: 1, Most: 800, Unit: 8}, want: 392},
		{name: "slow", keep: jobKeep{Keep: true, Every: time.Second}, pace: 9, in: sched.Room{Done: 96, Left: 1e6, Least: 2, Most: 800, Unit: 8}, want: 2},
		{name: "fast", keep: jobKeep{Keep: true, Every: time.Hour}, pace: 1e-5, in: sched.Room{Done: 96, Left: 1e6, Least: 2, Most: 800, Unit: 8}, want: 800},
		{name: "the rest", keep: jobKeep{Keep: true, Every: time.Hour}, pace: 0.01, in: sched.Room{Done: 96, Left: 600, Least: 2, Most: 800, Unit: 8}, want: 600},
		{name: "asked", keep: jobKeep{Keep: true, Every: time.Hour}, pace: 0.01, end: true, in: sched.Room{Done: 96, Left: 6000, Least: 2, Most: 800, Unit: 8}, want: 8},
		{name: "levels", keep: jobKeep{Keep: true, Levels: 1000}, pace: 0.01, in: sched.Room{Done: 97, Left: 6000, Least: 2, Most: 800, Unit: 8}, want: 452},
		{name: "shown", keep: jobKeep{ShowEvery: 50}, in: sched.Room{Done: 100, Left: 6000, Least: 20, Most: 25, Unit: 8}, want: 25},
		{name: "shown rest", keep: jobKeep{ShowEvery: 50}, in: sched.Room{Done: 125, Left: 6000, Least: 20, Most: 25, Unit: 8}, want: 25},
	} {
		d := dueNext{jobKeep: &c.keep, asked: &launch.Asks{}, began: time.Now().Add(-c.since), pace: c.pace}
		if c.end {
			d.asked.Ask(true)
		}
		if got := d.next(c.in); got != c.want {
			t.Errorf("%s: an epoch of %d levels, not %d", c.name, got, c.want)
		}
	}
}

// TestSettled settles a checkpoint when the parts of all ranks have arrived, also if one could not be
// written.
func TestSettled(t *testing.T) {
	dir := t.TempDir()
	warned := ""
	w := &saving{collector: checkpoint.NewCollector(dir, dir, checkpoint.Run{}, 2, nil, nil), warn: func(text string) { warned = text }, failed: map[int]error{}, parts: map[int]int{}, places: map[int]*checkpoint.Place{}}
	w.to.Ranks, w.ranks = 2, keeper{w.asked.Ask, w.asked.Settle}
	w.add(&checkpoint.StoredPart{Done: 7, Keep: true, Rank: 1, Error: "no space"})
	if w.asked.IsSettled(7) {
		t.Error("settled after one part of two")
	}
	w.add(&checkpoint.StoredPart{Done: 7, Keep: true, Rank: 0})
	if !w.asked.IsSettled(7) || warned == "" {
		t.Errorf("not settled after all parts, or no warning: %q", warned)
	}
}
