package calibrate

import (
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"

	"loopc/transform/plan/cost"
)

// times are two durations of a run, in seconds: of the whole run, and of its workers in tiles.
type times [2]float64

// Indices of times.
const (
	inRun = iota
	inTiles
)

// predict returns the times that m predicts for a run of s.
func (s *Sample) predict(m *cost.Machine) times {
	p := s.predictor.Predict(m, s.Link)
	return times{inRun: p.Seconds, inTiles: p.Work}
}

// measured returns the typical times of the runs of s.
func (s *Sample) measured() times { return times{inRun: s.Typical(), inTiles: s.TypicalWork()} }

// tilesTrust is how much a residual of the time in tiles counts, relative to a residual of the
// time of the run.
const tilesTrust = 0.7

// weights returns the weights of the relative errors of both times.
func (s *Sample) weights() times { return times{inRun: s.trust(), inTiles: tilesTrust * s.trust()} }

// inParallel calls f for every sample, on all CPUs.
func inParallel(samples []*Sample, f func(i int, s *Sample)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range next {
				f(i, samples[i])
			}
		})
	}
	for i := range samples {
		next <- i
	}
	close(next)
	all.Wait()
}

// copyOf returns a machine that can be changed without changing m.
func copyOf(m *cost.Machine) *cost.Machine {
	c := *m
	c.Kernels, c.Links = maps.Clone(m.Kernels), maps.Clone(m.Links)
	return &c
}

// A figure is an unknown, and the field of cost.Machine that it sets.
type figure struct {
	unknown
	set func(m *cost.Machine, v float64)
}

// fit sets the figures of m so that m predicts the samples best.
func fit(m *cost.Machine, figures []figure, samples []*Sample) {
	if len(samples) == 0 {
		return
	}
	var unknowns []unknown
	for _, f := range figures {
		unknowns = append(unknowns, f.unknown)
	}
	x := leastSquares(unknowns, 2*len(samples), func(x, out []float64) {
		try := copyOf(m)
		for j, f := range figures {
			f.set(try, x[j])
		}
		inParallel(samples, func(i int, s *Sample) {
			predicted, measured, weights := s.predict(try), s.measured(), s.weights()
			for t := range predicted {
				out[2*i+t] = weights[t] * (predicted[t]/measured[t] - 1)
			}
		})
	})
	for j, f := range figures {
		f.set(m, x[j])
	}
}

// fitLinear does what fit does, for figures in which predictions are linear, such as the costs of a
// single worker's tiles: one prediction per figure and run suffices. With several workers
// only the time in tiles is linear, so only that is fitted.
func fitLinear(m *cost.Machine, figures []figure, samples []*Sample) {
	if len(samples) == 0 {
		return
	}
	var unknowns []unknown
	zero := copyOf(m)
	for _, f := range figures {
		unknowns = append(unknowns, f.unknown)
		f.set(zero, 0)
	}
	rows, rest := make([][]float64, 2*len(samples)), make([]float64, 2*len(samples))
	inParallel(samples, func(i int, s *Sample) {
		base, measured, weights := s.predict(zero), s.measured(), s.weights()
		if product(s.Plan.Grid)*product(s.Plan.Mesh) > 1 {
			weights[inRun] = 0
		}
		for t := range weights {
			weights[t] /= measured[t]
			rest[2*i+t] = weights[t] * (measured[t] - base[t])
			rows[2*i+t] = make([]float64, len(figures))
		}
		for j, f := range figures {
			unit := copyOf(zero)
			f.set(unit, f.Scale)
			predicted := s.predict(unit)
			for t := range weights {
				rows[2*i+t][j] = weights[t] * (predicted[t] - base[t]) / f.Scale
			}
		}
	})
	x := linearLeastSquares(unknowns, rows, rest)
	for j, f := range figures {
		f.set(m, x[j])
	}
}

// footprints at which the time of an iteration is fitted, in bytes: below, at and above
// usual cache sizes.
var footprints = []int{16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20}

// leastPart is the least fraction of a run's time that its iterations may take. It is asked of
// the run with the shortest time per iteration.
const leastPart = 0.1

// leastPoint is a lower bound for the time of an iteration, in seconds: see leastPart.
func leastPoint(samples []*Sample) float64 {
	least := math.Inf(1)
	for _, s := range samples {
		points, _ := s.Plan.Points()
		least = min(least, leastPart*s.Typical()/float64(max(1, points)))
	}
	return least
}

// fitKernel fits the costs of tiles in Machine.Kernels[key] to samples, mostly of a single
// worker. If the fit puts the time of an iteration at its lower bound for the smallest footprint,
// the samples do not determine it there: that footprint is dropped, and the fit repeated.
func fitKernel(m *cost.Machine, key string, samples []*Sample) {
	least := leastPoint(samples)
	points := footprintsOf(samples)
	for {
		m.Kernels[key] = cost.Kernel{Point: slices.Clone(points), Contention: []float64{1}, Rows: samples[0].rows, Lanes: samples[0].lanes, Across: samples[0].across, Lines: samples[0].lines}
		fitLinear(m, kernelFigures(key, len(points), least), samples)
		if len(points) == 1 || m.Kernels[key].Point[0].Seconds > 1.01*least {
			return
		}
		points = points[1:]
	}
}

// kernelFigures returns the figures of a nest's tiles: fixed costs, and then, for each footprint
// of Kernel.Point in ascending order, the time of an iteration. points is the number of these
// footprints, least a lower bound for the times, in seconds.
func kernelFigures(key string, points int, least float64) []figure {
	figures := []figure{
		kernelFigure(key, "open", 2e-4, 1e-4, func(k *cost.Kernel, v float64) { k.Open = v }),
		kernelFigure(key, "tile", 1e-6, 1e-6, func(k *cost.Kernel, v float64) { k.Tile = v }),
		kernelFigure(key, "level", 1e-7, 1e-7, func(k *cost.Kernel, v float64) { k.Level = v }),
		kernelFigure(key, "row", 2e-8, 1e-8, func(k *cost.Kernel, v float64) { k.Row = v }),
		kernelFigure(key, "byte", 1e-10, 1e-10, func(k *cost.Kernel, v float64) { k.Byte = v }),
		kernelFigure(key, "lone", 0, 1e-9, func(k *cost.Kernel, v float64) { k.Lone = v }),
		kernelFigure(key, "piece", 1e-8, 1e-8, func(k *cost.Kernel, v float64) { k.Piece = v }),
		kernelFigure(key, "run", 0, 1e-8, func(k *cost.Kernel, v float64) { k.Run = v }),
		kernelFigure(key, "mask", 0, 1e-9, func(k *cost.Kernel, v float64) { k.Mask = v }),
		kernelFigure(key, "scalar", 0, 1e-9, func(k *cost.Kernel, v float64) { k.Scalar = v }),
		kernelFigure(key, "check", 1e-7, 1e-7, func(k *cost.Kernel, v float64) { k.Check = v }),
		kernelFigure(key, "fill", 1e-9, 1e-9, func(k *cost.Kernel, v float64) { k.Fill = v }),
		kernelFigure(key, "store", 1e-9, 1e-9, func(k *cost.Kernel, v float64) { k.Store = v }),
		kernelFigure(key, "move", 0, 1e-11, func(k *cost.Kernel, v float64) { k.Move = v }),
	}
	for i := range points {
		figures = append(figures, pointFigure(key, i, least))
	}
	return figures
}

// kernelFigure is a figure in Machine.Kernels[key].
func kernelFigure(key, name string, start, scale float64, set func(k *cost.Kernel, v float64)) figure {
	return figure{unknown{Name: name, Start: start, Scale: scale}, func(m *cost.Machine, v float64) {
		k := m.Kernels[key]
		k.Point = slices.Clone(k.Point)
		set(&k, v)
		m.Kernels[key] = k
	}}
}

// pointFigure is the time of an iteration at the least footprint, which is at least least, or its
// increment from footprint i-1 to i. Increments are not negative: larger footprints are not faster.
func pointFigure(key string, i int, least float64) figure {
	if i == 0 {
		f := kernelFigure(key, "point", 2e-9, 1e-9, func(k *cost.Kernel, v float64) {
			raisePoints(k.Point, v-k.Point[0].Seconds)
		})
		f.Least = least
		return f
	}
	return kernelFigure(key, "point", 0, 1e-9, func(k *cost.Kernel, v float64) {
		raisePoints(k.Point[i:], v-(k.Point[i].Seconds-k.Point[i-1].Seconds))
	})
}

// raisePoints adds seconds to all times.
func raisePoints(points []cost.Rate, seconds float64) {
	for i := range points {
		points[i].Seconds += seconds
	}
}

// footprintsOf returns the footprints that enclose those of all samples, without times: from the
// last one that is not above any sample, to the first one that is not below any sample.
func footprintsOf(samples []*Sample) []cost.Rate {
	least, most := samples[0].Plan.Footprint(), 0
	for _, s := range samples {
		least, most = min(least, s.Plan.Footprint()), max(most, s.Plan.Footprint())
	}
	first := 0
	for first+1 < len(footprints) && footprints[first+1] <= least {
		first++
	}
	last := first
	for last+1 < len(footprints) && footprints[last] < most {
		last++
	}
	var rates []cost.Rate
	for _, f := range footprints[first : last+1] {
		rates = append(rates, cost.Rate{Bytes: f})
	}
	return rates
}

// linkFigure is a figure in Machine.Links[link].
func linkFigure(link, name string, start, scale float64, set func(l *cost.Link, v float64)) figure {
	return figure{unknown{Name: name, Start: start, Scale: scale}, func(m *cost.Machine, v float64) {
		l := m.Links[link]
		set(&l, v)
		m.Links[link] = l
	}}
}

// busyFigure is how much n busy CPUs slow a kernel down: Kernel.Contention rises linearly from 1
// for one busy CPU to 1 plus the figure for n.
func busyFigure(key string, n int) figure {
	return figure{unknown{Name: "busy", Start: 0.05, Scale: 0.05, Most: 3}, func(m *cost.Machine, v float64) {
		k := m.Kernels[key]
		busy := []float64{1}
		for i := 1; i < n; i++ {
			busy = append(busy, 1+v*float64(i)/float64(n-1))
		}
		k.Contention = busy
		m.Kernels[key] = k
	}}
}

// linkFigures are the costs of messages over a link: local, inproc or tcp. The samples
// determine only the sum of the CPU times of sender and receiver, so each gets half.
func linkFigures(link string) []figure {
	figures := []figure{
		linkFigure(link, "wakeup", 1e-5, 1e-5, func(l *cost.Link, v float64) { l.Wakeup = v }),
		linkFigure(link, "message", 1e-6, 1e-6, func(l *cost.Link, v float64) { l.Start, l.Receive = v, v }),
		linkFigure(link, "open", 2e-4, 1e-4, func(l *cost.Link, v float64) { l.Open = v }),
		linkFigure(link, "byte", 1e-10, 1e-10, func(l *cost.Link, v float64) { l.Byte = v }),
	}
	if link == cost.LinkLocal {
		return figures
	}
	figures = append(figures, linkFigure(link, "sync", 1e-5, 1e-5, func(l *cost.Link, v float64) { l.Sync = v }))
	if link == cost.LinkInproc {
		return figures
	}
	return append(figures,
		linkFigure(link, "latency", 2e-5, 1e-5, func(l *cost.Link, v float64) { l.Latency, l.Credit = v, v }),
		linkFigure(link, "transfer", 2e-10, 1e-10, func(l *cost.Link, v float64) {
			l.Bandwidth = 0
			if v > 1e-13 {
				l.Bandwidth = 1 / v
			}
		}),
	)
}
