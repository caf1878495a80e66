package search

import "loopc/transform/plan"

// An Alternative is a plan that Choose considered.
type Alternative struct {
	Options plan.Options `json:"options"` // fully determined: Plan.Options
	Seconds float64      `json:"seconds"` // predicted
	// Estimated tells that Seconds is no simulation but an estimate, corrected by
	// how much that of the best plan was off.
	Estimated bool  `json:"estimated,omitempty"`
	Steps     int   `json:"steps"`
	Bytes     int64 `json:"bytes"` // between ranks
	// Memory is what the rank needs that needs most, in bytes; 0: it was not looked at.
	Memory int64 `json:"memory,omitempty"`
	Chosen bool  `json:"chosen"`
	// Measured is the time of a trial, s; 0 if there was none. See Trial.
	Measured float64 `json:"measured,omitempty"`
	// What tells how it differs from the plan chosen, such as "height 64",
	// "grid 2x8", "cyclic", "blocking"; "" for the plan chosen itself.
	What string `json:"what"`
}
