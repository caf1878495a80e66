package cost

// A Prediction is what a plan is expected to take on a machine: see
// Plan.Predict.
type Prediction struct {
	Seconds float64 `json:"seconds"` // of the run

	// The run of the worker that finishes last, split; the parts add up to
	// Seconds.
	Fill    float64 `json:"fill"`    // before its first tile
	Compute float64 `json:"compute"` // of its tiles, ghost cells and carried results included
	Pack    float64 `json:"pack"`    // packing, unpacking, and the CPU's part in messages
	Waiting float64 `json:"waiting"` // for faces, slots and acknowledgements, its first tile's apart
	Drain   float64 `json:"drain"`   // after its last tile, until the run ends

	// All adds the same over all workers, idle ones included: it adds up to
	// Seconds times the number of workers.
	All Split `json:"all"`

	// Work is the time of all workers in tiles, packing included: what Summary has
	// as compute_seconds and pack_seconds. Messages themselves are no part of it.
	Work float64 `json:"work"`
	// Core is the time of cores that tiles take: less than All.Compute where CPUs
	// take turns on a core.
	Core float64 `json:"core"`
	// Efficiency is the part of the time of all workers in which they compute.
	Efficiency float64 `json:"efficiency"`
	Workers    int     `json:"workers"`
	// Estimated tells that the run has too many tiles to be simulated.
	Estimated bool  `json:"estimated,omitempty"`
	Steps     int   `json:"steps"`    // Plan.Steps
	Tiles     int64 `json:"tiles"`    // run by all workers
	Messages  int64 `json:"messages"` // between ranks
	Bytes     int64 `json:"bytes"`    // of these
}

// A Split is how workers spend their time, in seconds; see Prediction.
type Split struct {
	Fill    float64 `json:"fill"`
	Compute float64 `json:"compute"`
	Pack    float64 `json:"pack"`
	Waiting float64 `json:"waiting"`
	Drain   float64 `json:"drain"`
}

// A SpanKind says what a worker, or the interface of its rank, does in a Span.
type SpanKind uint8

// SpanCompute: a tile. SpanPack: unpacking its faces and packing those that it
// sends, and the CPU's part in sending. SpanWaitData, SpanWaitCredit, SpanSync:
// waiting for a face, for a slot, for the acknowledgement of a blocking send.
// SpanSend: a message between ranks on its way, beside what the CPU does.
const (
	SpanCompute SpanKind = iota
	SpanPack
	SpanWaitData
	SpanWaitCredit
	SpanSync
	SpanSend
)

var spanNames = []string{"compute", "pack", "wait-data", "wait-credit", "sync", "send"}

// String returns the kind in a word.
func (k SpanKind) String() string { return spanNames[k] }

// A Span is one bar of a Gantt chart.
type Span struct {
	Kind   SpanKind
	Rank   int
	CPU    int
	Step   int // StepOf the tile
	Column int // of tiles, as in ColumnAt
	Tile   int // along the mapping dimension
	Begin  float64
	End    float64 // s from the start of the run
	// Of a SpanSend: the rank it goes to, and its length. Else 0.
	Peer  int
	Bytes int
}
