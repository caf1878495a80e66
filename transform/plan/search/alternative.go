package search

import "loopc/transform/plan"

// An Alternative is a plan that Choose considered.
type Alternative struct {
	Options plan.Options `json:"options"` // complete: Plan.Options
	Seconds float64      `json:"seconds"` // predicted
	// Estimated says that Seconds is an estimate, not a simulation. It is corrected by the error of the best plan's estimate.
	Estimated bool  `json:"estimated,omitempty"`
	Steps     int   `json:"steps"`
	Bytes     int64 `json:"bytes"` // between ranks
	// Memory is the memory in bytes of the rank that needs most; 0: not computed.
	Memory int64 `json:"memory,omitempty"`
	Chosen bool  `json:"chosen"`
	// Measured is the time of a trial, s; 0 if there was none. See Trial.
	Measured float64 `json:"measured,omitempty"`
	// What says how it differs from the chosen plan, such as "height 64", "grid 2x8", "cyclic", "blocking"; "" for the chosen plan itself.
	What string `json:"what"`
}
