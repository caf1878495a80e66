// Package checkpoint keeps the state of a run between two epochs in files, so that a run that was
// ended continues where it was, on other numbers of ranks, CPUs and tiles.
//
// A checkpoint is a folder with a manifest in JSON and arrays as .npy files. A value's file holds
// its results of the last levels; the first axis is the level, and the others are the loops. A
// result's file holds the array as far as it is final, and a second file one bit for each of its
// cells: whether it is.
//
// # Invariants
//
// A checkpoint gets its name when all its files are synced; the two newest are kept. A file
// whose checksum is not that of the manifest is not used: then the checkpoint before is.
package checkpoint

import (
	"loopc/runtime/array"
)

// A State is what a run needs to continue after some levels.
type State struct {
	Done       int // levels that are computed
	Values     []Value
	Results    []Result
	Reductions []Reduction
}

// A Value has the results of one assignment in the last levels. A value that no later level reads
// has a view without cells.
type Value struct {
	Name string
	View array.View
}

// A Result is an array that the run gives back. Its marked cells are final.
type Result struct {
	Name string
	View array.View
}

// A Reduction is the part of a reduction that is done, not rounded.
type Reduction struct {
	Name  string `json:"name"`
	Op    string `json:"op"`
	Type  string `json:"type"`
	State []byte `json:"state"`
}

// A Run is what must be equal where a run continues.
type Run struct {
	Program    string           `json:"program"`
	Digest     string           `json:"digest"` // of the program's source and transformation
	Parameters map[string]int   `json:"parameters"`
	Inputs     map[string]Input `json:"inputs,omitempty"`
	Arch       string           `json:"architecture,omitempty"` // if functions may differ between processors
}

// An Input is a given array: where it came from, and its content.
type Input struct {
	From   string `json:"from"`
	SHA256 string `json:"sha256"`
}
