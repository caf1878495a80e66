package calibrate

import (
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"

	"loopc/transform/plan/cost"
)

// predict returns the predictions of m for a run of s: its time, and the time of its
// workers in tiles.
func (s *Sample) predict(m *cost.Machine) (seconds, work float64) {
	p := s.predictor.Predict(m, s.Link)
	return p.Seconds, p.Work
}

// workTrust is how much a residual of the time in tiles counts, relative to a residual of the
// time of the run.
const workTrust = 0.7

// each calls f for every sample, in parallel.
func each(samples []*Sample, f func(i int, s *Sample)) {
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
		each(samples, func(i int, s *Sample) {
			seconds, work := s.predict(try)
			out[2*i] = s.trust() * (seconds/s.Typical() - 1)
			out[2*i+1] = workTrust * s.trust() * (work/s.TypicalWork() - 1)
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
	each(samples, func(i int, s *Sample) {
		all, work := s.trust()/s.Typical(), workTrust*s.trust()/s.TypicalWork()
		if product(s.Plan.Grid)*product(s.Plan.Mesh) > 1 {
			all = 0
		}
		seconds, inTiles := s.predict(zero)
		rest[2*i], rest[2*i+1] = all*(s.Typical()-seconds), work*(s.TypicalWork()-inTiles)
		rows[2*i], rows[2*i+1] = make([]float64, len(figures)), make([]float64, len(figures))
		for j, f := range figures {
			unit := copyOf(zero)
			f.set(unit, f.Scale)
			more, moreInTiles := s.predict(unit)
			rows[2*i][j], rows[2*i+1][j] = all*(more-seconds)/f.Scale, work*(moreInTiles-inTiles)/f.Scale
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

// leastPart is a lower bound for the part of a run that its iterations take, in the run with
// the shortest time per iteration.
const leastPart = 0.1

// leastPoint is a lower bound for the time of an iteration, in seconds, from the samples.
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
	points := enclosing(samples)
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
	of := func(name string, start, scale float64, set func(k *cost.Kernel, v float64)) figure {
		return figure{unknown{Name: name, Start: start, Scale: scale}, func(m *cost.Machine, v float64) {
			k := m.Kernels[key]
			k.Point = append([]cost.Rate(nil), k.Point...)
			set(&k, v)
			m.Kernels[key] = k
		}}
	}
	figures := []figure{
		of("open", 2e-4, 1e-4, func(k *cost.Kernel, v float64) { k.Open = v }),
		of("tile", 1e-6, 1e-6, func(k *cost.Kernel, v float64) { k.Tile = v }),
		of("level", 1e-7, 1e-7, func(k *cost.Kernel, v float64) { k.Level = v }),
		of("row", 2e-8, 1e-8, func(k *cost.Kernel, v float64) { k.Row = v }),
		of("byte", 1e-10, 1e-10, func(k *cost.Kernel, v float64) { k.Byte = v }),
		of("lone", 0, 1e-9, func(k *cost.Kernel, v float64) { k.Lone = v }),
		of("piece", 1e-8, 1e-8, func(k *cost.Kernel, v float64) { k.Piece = v }),
		of("run", 0, 1e-8, func(k *cost.Kernel, v float64) { k.Run = v }),
		of("mask", 0, 1e-9, func(k *cost.Kernel, v float64) { k.Mask = v }),
		of("scalar", 0, 1e-9, func(k *cost.Kernel, v float64) { k.Scalar = v }),
		of("check", 1e-7, 1e-7, func(k *cost.Kernel, v float64) { k.Check = v }),
		of("fill", 1e-9, 1e-9, func(k *cost.Kernel, v float64) { k.Fill = v }),
		of("store", 1e-9, 1e-9, func(k *cost.Kernel, v float64) { k.Store = v }),
		of("move", 0, 1e-11, func(k *cost.Kernel, v float64) { k.Move = v }),
	}
	// Larger footprints are not faster: the unknowns are the first time and the nonnegative
	// increments.
	for i := range points {
		start := 2e-9
		if i > 0 {
			start = 0
		}
		f := of("point", start, 1e-9, func(k *cost.Kernel, v float64) {
			add := v - k.Point[i].Seconds
			if i > 0 {
				add += k.Point[i-1].Seconds
			}
			for n := i; n < len(k.Point); n++ {
				k.Point[n].Seconds += add
			}
		})
		if i == 0 {
			f.Least = least
		}
		figures = append(figures, f)
	}
	return figures
}

// enclosing returns the footprints from the last one below all samples to the first one above
// all samples, as far as there are such, without times.
func enclosing(samples []*Sample) []cost.Rate {
	least, most := samples[0].Plan.Footprint(), 0
	for _, s := range samples {
		least, most = min(least, s.Plan.Footprint()), max(most, s.Plan.Footprint())
	}
	var r []cost.Rate
	for i, f := range footprints {
		below := i+1 < len(footprints) && footprints[i+1] <= least
		if !below && (len(r) == 0 || footprints[i-1] < most) {
			r = append(r, cost.Rate{Bytes: f})
		}
	}
	return r
}

// linkFigure is a figure of a link.
func linkFigure(link, name string, start, scale float64, set func(l *cost.Link, v float64)) figure {
	return figure{unknown{Name: name, Start: start, Scale: scale}, func(m *cost.Machine, v float64) {
		l := m.Links[link]
		set(&l, v)
		m.Links[link] = l
	}}
}

// busyFigure returns the figure v of a kernel that n CPUs slow down: Kernel.Contention rises
// linearly from 1 for one busy CPU to 1+v for n.
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
	}
	figures = append(figures, linkFigure(link, "byte", 1e-10, 1e-10, func(l *cost.Link, v float64) { l.Byte = v }))
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
