package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loopc/runtime/checkpoint"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
)

// A paced is a run whose levels and checkpoints take known times.
type paced struct {
	job    jobKeep
	room   sched.Room // Most: the fixed length of epochs, if they do not vary; Left: all levels
	varies bool
	asks   bool // the user asks for checkpoints, too
	level  time.Duration
	write  time.Duration
}

// run computes all levels, with up to a tenth more or less time for each epoch. It returns the most levels, and the most
// time, that lay beyond a settled checkpoint, the number of checkpoints that the user did not ask for, and how long the run waited for the disk.
func (r *paced) run(random *rand.Rand) (levels int, beyond time.Duration, checkpoints int, waited time.Duration) {
	var asked launch.Asks
	d := r.job.newDue(&asked)
	var mu sync.Mutex
	var computed, safeAfter time.Duration
	safe := 0
	lost := func(done int) { // now
		mu.Lock()
		defer mu.Unlock()
		levels, beyond = max(levels, done-safe), max(beyond, computed-safeAfter)
	}
	var disk sync.WaitGroup
	defer disk.Wait()
	for in := r.room; in.Left > 0; {
		n := min(in.Most, in.Left)
		if r.varies {
			n = min(d.next(in), in.Left)
		}
		user := r.asks && random.IntN(40) == 0
		if user {
			asked.Ask(false)
		}
		end, began := in.Done+n, time.Now()
		if in.Done > 0 {
			_ = d.hold(context.Background(), end)
		}
		waited += time.Since(began)
		due := d.due(sched.Cut{Done: end, Ends: true, State: end})
		each := r.level - r.level/10 + time.Duration(random.Int64N(int64(r.level/5)))
		for k := range n {
			time.Sleep(each)
			computed += each
			lost(in.Done + k + 1)
		}
		if in.Done, in.Left = end, in.Left-n; due&sched.Keep != 0 {
			if !user {
				checkpoints++
			}
			began := time.Now()
			disk.Wait() // of parts of one rank, one is written at a time
			d.waited(time.Since(began))
			d.last().writes = time.Now()
			after := computed
			disk.Go(func() {
				time.Sleep(r.write)
				mu.Lock()
				safe, safeAfter = end, after
				mu.Unlock()
				asked.Settle(end)
			})
		}
	}
	return levels, beyond, checkpoints, waited
}

// TestIntervals: at no moment does a run have more than an interval to repeat; it does not wait for a disk that writes a
// checkpoint in less than a twelfth of an interval; and it begins at most twice as many checkpoints as there are intervals.
// If intervals are given in time and the disk is faster still, it begins at most a fifth more than there are.
func TestIntervals(t *testing.T) {
	const total = 2000
	for seed := range uint64(600) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			r := &paced{job: jobKeep{Keep: true}, varies: random.IntN(2) == 0, asks: random.IntN(2) == 0, level: time.Duration(1+random.IntN(900)) * time.Millisecond}
			levels := 1 + random.IntN(random.IntN(200)+1)
			every := time.Duration(levels) * r.level
			if random.IntN(2) == 0 {
				r.job.Levels = levels
			} else {
				r.job.Every = every
			}
			r.room = sched.Room{Left: total, Least: 1, Most: 1 + random.IntN(1+random.IntN(levels)), Unit: 1 + random.IntN(4)}
			r.write = time.Duration(float64(every) * random.Float64() / 12)
			slow := random.IntN(3) == 0
			if slow {
				r.write *= 24
			}
			most, beyond, checkpoints, waited := r.run(random)
			what := fmt.Sprintf("seed %d: %+v: %d levels and %v beyond, %d checkpoints, waited %v", seed, *r, most, beyond, checkpoints, waited)
			if r.job.Levels > 0 && most > levels {
				t.Errorf("%s: more than %d levels", what, levels)
			}
			longest := r.level * 11 / 10 * time.Duration(r.room.Most)
			if r.job.Levels == 0 && beyond > max(every, 2*longest)+longest/5+r.level { // an epoch may take a fifth longer than the one before, and of the first nothing is known
				t.Errorf("%s: more than %v", what, every)
			}
			if !slow && r.room.Most*5 <= levels && waited > total/100*r.level {
				t.Errorf("%s: the disk is fast", what)
			}
			if r.room.Most*5 <= levels && checkpoints > 2*total/levels+1 {
				t.Errorf("%s: too many checkpoints", what)
			}
			if r.job.Levels == 0 && r.varies && !r.asks && 48*r.write <= every && r.room.Most*20 <= levels && checkpoints > total*6/5/levels+2 {
				t.Errorf("%s: too many checkpoints for a fast disk", what)
			}
		})
	}
}

// TestLastCut begins a checkpoint at the last cut that leaves a quarter of the interval.
func TestLastCut(t *testing.T) {
	for every, want := range map[time.Duration]sched.Due{9 * time.Second: sched.Keep, 10500 * time.Millisecond: 0} {
		now := time.Now()
		d := (&jobKeep{Keep: true, Every: every}).newDue(&launch.Asks{})
		d.begun[0].at, d.epoch, d.levels, d.pace = now.Add(-4*time.Second), now.Add(-2*time.Second), 2, 1
		if due := d.due(sched.Cut{Done: 10, Ends: true, State: 10}); due != want { // after 6 s; the next one is after 8
			t.Errorf("every %v: %v is due after 6 s", every, due)
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
		{name: "due after 4 s", keep: jobKeep{Keep: true, Every: 8 * time.Second}, since: 2 * time.Second, pace: 0.01, in: sched.Room{Done: 96, Left: 1e6, Least: 1, Most: 800, Unit: 8}, want: 392},
		{name: "slow", keep: jobKeep{Keep: true, Every: time.Second}, pace: 9, in: sched.Room{Done: 96, Left: 1e6, Least: 2, Most: 800, Unit: 8}, want: 2},
		{name: "fast", keep: jobKeep{Keep: true, Every: time.Hour}, pace: 1e-5, in: sched.Room{Done: 96, Left: 1e6, Least: 2, Most: 800, Unit: 8}, want: 800},
		{name: "the rest", keep: jobKeep{Keep: true, Every: time.Hour}, pace: 0.01, in: sched.Room{Done: 96, Left: 600, Least: 2, Most: 800, Unit: 8}, want: 600},
		{name: "asked", keep: jobKeep{Keep: true, Every: time.Hour}, pace: 0.01, end: true, in: sched.Room{Done: 96, Left: 6000, Least: 2, Most: 800, Unit: 8}, want: 8},
		{name: "levels", keep: jobKeep{Keep: true, Levels: 1000}, pace: 0.01, in: sched.Room{Done: 97, Left: 6000, Least: 2, Most: 800, Unit: 8}, want: 327},
		{name: "shown", keep: jobKeep{ShowEvery: 50}, in: sched.Room{Done: 100, Left: 6000, Least: 20, Most: 25, Unit: 8}, want: 25},
		{name: "shown rest", keep: jobKeep{ShowEvery: 50}, in: sched.Room{Done: 125, Left: 6000, Least: 20, Most: 25, Unit: 8}, want: 25},
	} {
		d := c.keep.newDue(&launch.Asks{})
		d.begun[0].at, d.pace = d.begun[0].at.Add(-c.since), c.pace
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
