package calibrate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"loopc/transform/plan/cost"
)

// A Sample has the measurements of one Config.
type Sample struct {
	*Config
	Seconds   []float64 // of the undisturbed runs, in ascending order
	Disturbed bool      // all runs were disturbed, and Seconds has them
	Work      []float64 // cost.Prediction.Work of the same runs, in ascending order
	busy      []float64 // Seconds of disturbed runs
	busyWork  []float64
	rounds    []float64 // seconds of the last run in each round, disturbed or not
	predictor *cost.Predictor

	// Asked: predictions are tested with this sample, so calibration must not use it.
	Asked bool

	rows, lanes, across int // of cost.Kernel
	lines               bool
}

// Typical is the time, in seconds, with which a prediction is compared: the median, or if all
// runs were disturbed, the least.
func (s *Sample) Typical() float64 {
	if s.Disturbed {
		return s.Seconds[0]
	}
	return s.Median()
}

// TypicalWork is the same for Work, the time of all workers in tiles.
func (s *Sample) TypicalWork() float64 {
	if s.Disturbed {
		return s.Work[0]
	}
	return quantile(s.Work, 0.5)
}

// Median is the median of the runs, in seconds.
func (s *Sample) Median() float64 { return quantile(s.Seconds, 0.5) }

// Spread is the interquartile range of the runs, in seconds.
func (s *Sample) Spread() float64 { return quantile(s.Seconds, 0.75) - quantile(s.Seconds, 0.25) }

// trust is the weight of the sample, which decreases with its spread.
func (s *Sample) trust() float64 { return 1 / (1 + s.Spread()/s.Typical()/usualSpread) }

// usualSpread is about the interquartile range of undisturbed runs, relative to their time.
const usualSpread = 0.1

// quantile returns the q-quantile of the ascending values x, interpolated; 0 if x is empty.
func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	at := q * float64(len(x)-1)
	k := min(int(at), len(x)-1)
	next := min(k+1, len(x)-1)
	return x[k] + (at-float64(k))*(x[next]-x[k])
}

// A Series measures configurations round by round, one run of each per round, so that a
// passing disturbance affects all of them alike.
type Series struct {
	Rounds int           // how often each is measured
	Budget time.Duration // 0: unlimited; else no round after the second begins that would exceed Budget
	// Retries bounds how many disturbed runs are repeated, as a multiple of the number of
	// runs.
	Retries float64
	// Patience bounds the total time spent waiting for an idle machine.
	Patience time.Duration
	// Tell, unless nil, is called now and then with the progress.
	Tell func(done, all int)
}

// mostWait bounds the wait for an idle machine before one run.
const mostWait = 3 * time.Second

// awaitQuiet waits until the machine seems idle, and returns how long it waited.
func awaitQuiet(most time.Duration) time.Duration {
	const pause = 3 * time.Millisecond
	began := time.Now()
	for quiet := 0; quiet < 3 && time.Since(began) < most; quiet++ {
		if othersRun() {
			quiet = -1
		}
		time.Sleep(pause)
	}
	return time.Since(began)
}

// mostTries bounds how often a run is tried in a round, until it is undisturbed.
const mostTries = 4

// disturbed reports whether other programs used more than 15 ms plus a fiftieth of the time of all
// CPUs during a run. The 15 ms exceed the error of the system's figures, which count ticks.
func disturbed(others, run time.Duration) bool {
	return others > 15*time.Millisecond+run*time.Duration(runtime.NumCPU())/50
}

// Measure runs every configuration and returns their samples, in their order.
func (s *Series) Measure(ctx context.Context, configs []*Config) ([]*Sample, error) {
	samples := make([]*Sample, len(configs))
	for k, c := range configs {
		samples[k] = &Sample{Config: c, predictor: cost.NewPredictor(c.Plan)}
	}
	return samples, s.Repeat(ctx, samples)
}

// Repeat runs the configurations of samples again and adds the new runs to the samples.
func (s *Series) Repeat(ctx context.Context, samples []*Sample) error {
	for _, x := range samples {
		if x.Disturbed { // replace its disturbed runs, if new runs are undisturbed
			x.Seconds, x.Work, x.Disturbed = nil, nil, false
		}
	}
	order := rand.New(rand.NewPCG(1, uint64(len(samples))))
	began := time.Now()
	spare := int(s.Retries * float64(s.Rounds*len(samples)))
	for round := range s.Rounds {
		if s.Budget > 0 && round >= 2 && time.Since(began) > s.Budget*time.Duration(round)/time.Duration(round+1) {
			break
		}
		for i, k := range order.Perm(len(samples)) {
			if s.Tell != nil {
				s.Tell(round*len(samples)+i, s.Rounds*len(samples))
			}
			x := samples[k]
			x.rounds = append(x.rounds, 0)
			for range mostTries {
				s.Patience -= awaitQuiet(min(s.Patience, mostWait))
				again, err := samples[k].measure(ctx)
				if err != nil {
					return err
				}
				if !again || spare == 0 {
					break
				}
				spare--
				time.Sleep(50 * time.Millisecond) // the disturbance may end soon
			}
		}
	}
	for _, x := range samples {
		if len(x.Seconds) == 0 {
			x.Seconds, x.Work, x.Disturbed = slices.Clone(x.busy), slices.Clone(x.busyWork), true // better than nothing
		}
		slices.Sort(x.Seconds)
		slices.Sort(x.Work)
	}
	return nil
}

// measure adds a run to the sample. again reports that the run was disturbed.
func (s *Sample) measure(ctx context.Context) (again bool, err error) {
	before, known := cpuTime()
	began := time.Now()
	got, own, err := s.run(ctx)
	took := time.Since(began)
	if err != nil {
		return false, err
	}
	after, _ := cpuTime()
	if messages, bytes, exact := cost.Volume(s.Plan); exact && (got.Messages != messages || got.Bytes != bytes) {
		return false, fmt.Errorf("%s: %d messages of %d bytes, but the plan has %d of %d: the program runs another plan", s.Plan.Nest.Name, got.Messages, got.Bytes, messages, bytes)
	}
	s.rounds[len(s.rounds)-1] = got.Seconds
	s.rows, s.lanes, s.across, s.lines = got.Rows, got.Lanes, got.Across, got.Lines
	if known && disturbed(after-before-own, took) {
		s.busy, s.busyWork = append(s.busy, got.Seconds), append(s.busyWork, got.Compute+got.Pack)
		return true, nil
	}
	s.Seconds, s.Work = append(s.Seconds, got.Seconds), append(s.Work, got.Compute+got.Pack)
	return false, nil
}
