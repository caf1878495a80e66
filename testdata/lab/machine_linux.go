package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"loopc/frontend"
	"loopc/transform"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// seconds makes a duration of a time in seconds.
func seconds(s float64) time.Duration { return time.Duration(s * 1e9) }

// Bytes of a frame that are none of the message's: the header of Ethernet, which the
// shaper counts, and those of IP and TCP with time stamps.
const ethernetHeader, tcpHeader = 14, 52

// nestOf reads a nest of the lab, as loopc plan would.
func nestOf(name string) *plan.Nest {
	file := filepath.Join(sources, name+".loop")
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	n, diags := frontend.Compile(file, text)
	if n == nil {
		panic(diags[0].Message)
	}
	_, nest, _ := transform.Lower(n)
	return nest
}

// figures are what messages cost, as far as it does not follow from the link: the
// variables of the fit, in seconds.
type figures struct {
	Open    float64 `json:"open"`
	Message float64 `json:"message"` // of the CPU, at either end
	Latency float64 `json:"latency"`
	Credit  float64 `json:"credit"`
	Sync    float64 `json:"sync"`
	Rate    float64 `json:"rate"`  // part of the link's rate, less headers, that TCP uses: no time, but a factor
	Local   float64 `json:"local"` // until a CPU wakes up that waits for another of its node
}

// firstFigures returns the figures with which the fit begins: those of the idle network.
func firstFigures(p networkTimes) figures {
	return figures{Open: 5e-3, Message: 20e-6, Latency: p.Trip + 50e-6, Credit: p.Trip + 50e-6, Sync: p.Trip + 50e-6, Rate: 1, Local: 50e-6}
}

// machine returns the figures of the emulated cluster for a cell: a virtual CPU takes
// what it waits for an iteration, a link has its rate less headers.
func (c *cell) machine(nest *plan.Nest, l link, f figures) *cost.Machine {
	m := cost.DefaultMachine()
	m.Name = "emulated cluster"
	m.Cores, m.Node = 64, 1 // no two virtual CPUs share a core
	m.Kernel = cost.Kernel{Point: []cost.Rate{{Bytes: 1, Seconds: c.point / float64(len(nest.Values))}}}
	m.Links[cost.LinkTCP] = cost.Link{
		Open: f.Open, Start: f.Message, Receive: f.Message, Latency: f.Latency, Credit: f.Credit, Sync: f.Sync,
		Bandwidth: f.Rate * l.rate / 8 * float64(l.mtu-tcpHeader) / float64(l.mtu+ethernetHeader), Overlap: 1,
	}
	m.Links[cost.LinkLocal] = cost.Link{Wakeup: f.Local, Overlap: 1, Complete: true} // time only passes there
	return m
}

// planned makes the plan of a cell.
func (c *cell) planned(nest *plan.Nest) (*plan.Plan, error) {
	return plan.New(nest, c.params, c.options())
}

// A fitted cell is one whose time is known.
type fitted struct {
	cell
	nest    *plan.Nest
	run     *cost.Predictor
	seconds float64
}

// fit finds the figures with which predictions come nearest to known times: the
// least sum of squared logarithms of their ratios, one figure after the other, in
// steps that become smaller.
func fit(known []fitted, l link, start figures) (best figures, off float64) {
	miss := func(f figures) float64 {
		sum := 0.0
		for k := range known {
			x := &known[k]
			d := math.Log(x.run.Predict(x.machine(x.nest, l, f), cost.LinkTCP).Seconds / x.seconds)
			sum += d * d
		}
		// Figures that no run tells apart stay where they were.
		for k, v := range first(&f) {
			d := math.Log(*v / *first(&start)[k])
			sum += 1e-6 * d * d
		}
		return sum
	}
	best = start
	least := miss(best)
	for step := 1.0; step > 0.02; {
		better := false
		for k := range first(&start) {
			for _, factor := range []float64{math.Exp(step), math.Exp(-step)} {
				try := best
				*first(&try)[k] *= factor
				if m := miss(try); m < least {
					best, least, better = try, m, true
				}
			}
		}
		if !better {
			step /= 2
		}
	}
	return best, math.Sqrt(least / float64(max(1, len(known))))
}

// first lists the variables of a fit.
func first(f *figures) []*float64 {
	return []*float64{&f.Open, &f.Message, &f.Latency, &f.Credit, &f.Sync, &f.Rate, &f.Local}
}

// heights are those that are tried where a cell leaves its own open.
var heights = []int{16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512}

// choose gives a cell the height with which it is predicted to be fastest.
func (c *cell) choose(nest *plan.Nest, l link, f figures) error {
	least := math.Inf(1)
	at := 0
	for _, h := range heights {
		try := *c
		try.tile = slices.Clone(c.tile)
		try.tile[0] = h
		p, err := try.planned(nest)
		if err != nil {
			return err
		}
		if s := cost.NewPredictor(p).Predict(c.machine(nest, l, f), cost.LinkTCP).Seconds; s < least {
			least, at = s, h
		}
	}
	c.tile = slices.Clone(c.tile)
	c.tile[0] = at
	return nil
}
