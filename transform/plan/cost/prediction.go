package cost

import "loopc/runtime/trace"

// A Prediction is the expected time of a plan on a machine, and its parts: see Predict.
type Prediction struct {
	Seconds float64 `json:"seconds"` // of the run

	// The time of the worker that finishes last; the parts add up to Seconds.
	Fill    float64 `json:"fill"`    // before its first tile
	Compute float64 `json:"compute"` // of its tiles, ghost cells and carried results included
	Pack    float64 `json:"pack"`    // packing, unpacking, and the CPU's share of messages
	Waiting float64 `json:"waiting"` // for faces, slots and acknowledgements, after its first tile began
	Drain   float64 `json:"drain"`   // after its last tile, until the run ends

	// All has the same parts, each summed over all workers, idle ones included. Together they are Seconds times the number of workers.
	All Split `json:"all"`

	// Work is the time that all workers spend in tiles, packing included and messages not: the
	// sum of compute_seconds and pack_seconds in the summary of a run.
	Work float64 `json:"work"`
	// Core is the time that cores, not CPUs, spend on tiles: less than All.Compute if CPUs share a core.
	Core float64 `json:"core"`
	// Efficiency is the fraction of all workers' time in which they compute.
	Efficiency float64 `json:"efficiency"`
	Workers    int     `json:"workers"`
	// Estimated says that the run was estimated, because it has too many tiles to simulate.
	Estimated bool  `json:"estimated,omitempty"`
	Steps     int   `json:"steps"`    // Plan.Steps
	Tiles     int64 `json:"tiles"`    // run by all workers
	Messages  int64 `json:"messages"` // between ranks
	Bytes     int64 `json:"bytes"`    // of these messages
}

// A Split is how workers spend their time, in seconds; see Prediction.
type Split struct {
	Fill    float64 `json:"fill"`
	Compute float64 `json:"compute"`
	Pack    float64 `json:"pack"`
	Waiting float64 `json:"waiting"`
	Drain   float64 `json:"drain"`
}

// A Span is one bar of a Gantt chart: what a worker does, or the travel of a message between ranks, during which the CPU does other work.
// The kinds are those of the events of a run.
type Span struct {
	Kind   trace.Kind
	Rank   int
	CPU    int
	Step   int // StepOf the tile
	Column int // of tiles, as in ColumnAt
	Tile   int // along the mapping dimension
	Begin  float64
	End    float64 // s from the start of the run
	// Of a Send: the receiving rank, and the length. Otherwise 0.
	Peer  int
	Bytes int
}
