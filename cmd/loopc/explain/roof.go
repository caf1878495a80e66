package explain

import (
	"fmt"
	"math"

	"loopc/ir"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A Roof compares the run with the memory bandwidth of the machine: an iteration takes at
// least the time to move its bytes from and to memory.
type Roof struct {
	Flops int `json:"flops_per_point"` // operations of the body, without conversions
	// Bytes that an iteration moves to and from memory: input arrays are read once and
	// results are written once. If the live levels of a tile exceed the caches, each value
	// is read and written once more for every Together levels. With skewed storage, if all
	// levels together exceed the caches but a tile does not, each value is read and written
	// once more wherever one tile, of Together levels, follows another.
	Bytes     float64 `json:"bytes_per_point"`
	Together  int     `json:"levels_together"` // levels that one pass computes: the lanes of temporal vectorization, or 1; or the levels of a tile with skewed storage
	Footprint int     `json:"footprint"`       // of a tile, in bytes: live levels of all values
	Cached    bool    `json:"cached"`          // whether Footprint fits the largest cache of a core
	Stream    float64 `json:"stream"`          // bytes/s of one core to and from memory; 0: unknown
	// Core seconds per iteration: the least that Stream allows, 0 if all arrays fit the largest cache
	// of a core, and the predicted compute time. Both exclude waiting, and the time in which other CPUs
	// have the core (see Sharing).
	Least     float64 `json:"least_seconds_per_point"`
	Predicted float64 `json:"predicted_seconds_per_point"`
	Fraction  float64 `json:"fraction"` // Least / Predicted
}

// roofOf computes the roof of a run.
func roofOf(s *Subject, r *Report) Roof {
	p := s.Plan
	roof := Roof{Footprint: p.Footprint(), Cached: true, Together: 1}
	for _, stmt := range s.Nest.Body {
		roof.Flops += flops(ir.Value(stmt))
		if _, ok := stmt.(*ir.Reduce); ok {
			roof.Flops++
		}
	}
	if r.Points == 0 {
		return roof
	}
	points := float64(r.Points)
	one := p.At(p.Params) // of a repeat, one repetition
	for k := range p.Nest.Arrays {
		roof.Bytes += float64(p.Nest.Arrays[k].Size) * touched(one, k) / points
	}
	all := roof.Bytes * points
	if s.Machine == nil {
		return roof
	}
	if k := s.Machine.KernelFor(p); k.Across == plan.AcrossLevels && k.Rows > 0 {
		roof.Together = max(1, k.Lanes)
	}
	if n := len(s.Machine.Cache); n > 0 {
		roof.Cached = roof.Footprint <= s.Machine.Cache[n-1]
		times := 0.0 // additional reads and writes of an iteration's values
		switch {
		case !roof.Cached:
			times = 1 / float64(roof.Together)
		case p.KeepsWhole() && cost.MemoryOf(p, 0, math.MaxInt64).Levels > int64(s.Machine.Cache[n-1]):
			roof.Together = p.Side[0]
			times = float64(p.Tiles[0]-1) / float64(p.Hi[0]-p.Lo[0]+1)
		}
		for v := range p.Nest.Values {
			roof.Bytes += 2 * times * float64(p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		}
	}
	roof.Stream = s.Machine.Stream
	n := len(s.Machine.Cache)
	if inCache := n > 0 && roof.Cached && all <= float64(s.Machine.Cache[n-1]); roof.Stream > 0 && !inCache {
		roof.Least = roof.Bytes / roof.Stream
	}
	roof.Predicted = r.Prediction.Core / points
	if roof.Predicted > 0 {
		roof.Fraction = roof.Least / roof.Predicted
	}
	return roof
}

// touched is the number of cells of an array that the ranks read as given, plus the number that they write as
// results. A cell counts once for each rank that reads it.
func touched(p *plan.Plan, array int) float64 {
	n := 0.0
	add := func(lo, hi []int, ok bool) {
		if !ok {
			return
		}
		cells := 1.0
		for k := range lo {
			cells *= float64(hi[k] - lo[k] + 1)
		}
		n += cells
	}
	for rank := range p.Ranks {
		add(p.GivenBox(rank, array))
		add(p.ResultBox(rank, array))
	}
	return n
}

// flops counts the operations of an expression: arithmetic, comparisons, selections and
// functions.
func flops(e ir.Expr) int {
	n := 0
	ir.Walk(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Unary, *ir.Binary, *ir.Select:
			n++
		case *ir.Call:
			n += max(1, len(e.Args)-1)
		}
	})
	return n
}

// text says what an iteration needs. If tiled, it says how close to the roof the run in tiles comes.
func (r *Roof) text(tiled bool) string {
	predicted, fraction := "", ""
	if tiled {
		predicted, fraction = fmt.Sprintf("; predicted %s of a core, without waiting", seconds(r.Predicted)), fmt.Sprintf(": %s of the roof", percent(r.Fraction))
		if r.Fraction > 1 {
			fraction = ": this is the time to compute, and memory may take more"
		}
	}
	if r.Stream == 0 {
		return fmt.Sprintf("%d operations and %s per iteration; the machine's memory bandwidth is unknown", r.Flops, number(r.Bytes, "B"))
	}
	if r.Least == 0 {
		return fmt.Sprintf("%d operations per iteration; its arrays fit the cache, so that memory is no limit%s", r.Flops, predicted)
	}
	return fmt.Sprintf("%d operations and %s per iteration; a core moves %s/s: at least %s%s%s",
		r.Flops, number(r.Bytes, "B"), number(r.Stream, "B"), seconds(r.Least), predicted, fraction)
}

// Sharing says how many CPUs of the run share how many cores.
type Sharing struct {
	CPUs  int `json:"cpus"`  // of the run's ranks on one node; without a described cluster, all ranks
	Cores int `json:"cores"` // of a node; 0: unknown
}

// sharingOf counts CPUs and cores as the planner does.
func sharingOf(s *Subject) Sharing {
	if s.Machine == nil {
		return Sharing{}
	}
	ranks := product(s.Plan.Grid)
	if s.Machine.Node > 0 {
		ranks = min(ranks, s.Machine.Node)
	}
	return Sharing{ranks * product(s.Plan.Mesh), s.Machine.Cores}
}

// turns is the number of the run's CPUs for each core, at least 1: so many take turns on a core.
func (s Sharing) turns() float64 {
	if s.Cores == 0 {
		return 1
	}
	return max(1, float64(s.CPUs)/float64(s.Cores))
}

// sharing says that CPUs take turns, "" if each has a core.
func (r *Report) sharing() string {
	if r.Sharing.turns() == 1 {
		return ""
	}
	scope := "of this machine"
	if r.Sharing.CPUs < product(r.Grid)*product(r.Mesh) {
		scope = "of a node"
	}
	text := fmt.Sprintf("%s on %s %s: they take turns", plural(int64(r.Sharing.CPUs), "CPU"), plural(int64(r.Sharing.Cores), "core"), scope)
	if ranks := product(r.Grid); ranks > 1 {
		text += fmt.Sprintf("; `loopc simulate --nodes %d` describes a cluster", ranks)
	}
	return text
}

// computing says which fraction of the CPUs' time is computation. That is an efficiency
// only if each CPU has a core: a CPU that shares its core computes for longer.
func (r *Report) computing() string {
	if r.Sharing.turns() > 1 {
		return "computing " + percent(r.Prediction.Efficiency)
	}
	return "efficiency " + percent(r.Prediction.Efficiency)
}
