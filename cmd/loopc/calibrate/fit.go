package calibrate

import (
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Fit sets the figures of m by least squares of the relative errors of its predictions for
// the samples: the costs of tiles first, from runs of a single worker, then the costs of
// shared memory and of each link.
func Fit(m *cost.Machine, samples []*Sample) {
	complete(m)
	f := &fitter{m: m, samples: samples, keys: keysOf(samples), alone: map[string]bool{}}
	f.fitTiles()
	if nests := nestsOf(samples); len(nests) > 0 {
		// The general kernel is for nests that are not measured: each of their assignments
		// costs as much as an assignment of the first nest measured.
		m.Kernel = scaled(m.KernelFor(samples[0].Plan), 1/float64(max(1, len(nests[0].Values))))
	}
	figures, shared := f.sharedMemory()
	fit(m, figures, shared)
	// Now runs on several CPUs refine the costs of tiles too, and better costs of tiles
	// give better costs of messages.
	for _, key := range f.keys {
		fitShapes(m, key, allLinks, f.of(key, noLink, cost.LinkLocal, cost.LinkInproc))
	}
	fit(m, figures, shared)
	fit(m, linkFigures(cost.LinkTCP), f.of(allKernels, cost.LinkTCP))
	for _, key := range f.keys {
		fitShapes(m, key, cost.LinkTCP, f.of(key, cost.LinkTCP))
	}
}

// complete gives m the kernels and the links that it lacks.
func complete(m *cost.Machine) {
	if m.Kernels == nil {
		m.Kernels = map[string]cost.Kernel{}
	}
	if m.Links == nil {
		m.Links = map[string]cost.Link{}
	}
	for name, l := range cost.DefaultMachine().Links {
		if _, ok := m.Links[name]; !ok {
			m.Links[name] = l
		}
	}
}

// A fitter fits figures of m to samples.
type fitter struct {
	m       *cost.Machine
	samples []*Sample
	keys    []string        // of Machine.Kernels
	alone   map[string]bool // keys of kernels that have runs with a single worker: see fitTiles
}

const (
	// noLink is the link of runs with one worker; see linkOf.
	noLink = "single"
	// allKernels and allLinks stand for any key and any link.
	allKernels, allLinks = "", ""
)

// of returns the undisturbed samples of a kernel on the links, link by link.
func (f *fitter) of(key string, links ...string) (all []*Sample) {
	for _, link := range links {
		var samples []*Sample
		for _, s := range f.samples {
			if (key == allKernels || cost.KernelKey(s.Plan) == key) && linkOf(s.Plan, s.Link) == link {
				samples = append(samples, s)
			}
		}
		all = append(all, undisturbed(samples)...)
	}
	return all
}

// fitTiles fits the costs of tiles of each kernel to runs of a single worker. A kernel that has
// none is fitted to runs of several ranks: only these have its tiles.
func (f *fitter) fitTiles() {
	for _, key := range f.keys {
		samples := f.of(key, noLink)
		if f.alone[key] = len(samples) > 0; !f.alone[key] {
			samples = f.of(key, cost.LinkInproc, cost.LinkTCP)
		}
		if len(samples) > 0 {
			fitKernel(f.m, key, samples)
			fitShapes(f.m, key, allLinks, samples)
		}
	}
}

// sharedMemory returns the figures of CPUs that share memory, and the samples that determine
// them. CPUs slow one another down whether they belong to one rank or to several, and messages
// through memory cost little. So both kinds of runs are fitted together.
func (f *fitter) sharedMemory() (figures []figure, samples []*Sample) {
	for _, link := range []string{cost.LinkLocal, cost.LinkInproc} {
		if runs := f.of(allKernels, link); len(runs) > 0 {
			figures, samples = append(figures, linkFigures(link)...), append(samples, runs...)
		}
	}
	for _, key := range keysOf(samples) {
		if f.alone[key] {
			figures = append(figures, busyFigure(key, f.m.Cores))
		}
	}
	return figures, samples
}

// undisturbed drops the samples that have only disturbed runs, unless these are more than a
// third of all.
func undisturbed(samples []*Sample) []*Sample {
	out := slices.DeleteFunc(slices.Clone(samples), func(s *Sample) bool { return s.Disturbed })
	if 3*len(out) < 2*len(samples) {
		return samples
	}
	return out
}

// linkOf is the link that determines the cost of messages in a run.
func linkOf(p *plan.Plan, link string) string {
	switch {
	case product(p.Grid) > 1:
		return link
	case product(p.Mesh) > 1:
		return cost.LinkLocal
	}
	return noLink
}

// scaled returns k with the time of an iteration multiplied by f.
func scaled(k cost.Kernel, f float64) cost.Kernel {
	k.Point = append([]cost.Rate(nil), k.Point...)
	for i := range k.Point {
		k.Point[i].Seconds *= f
	}
	return k
}
