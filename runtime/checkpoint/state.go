// Package checkpoint writes the state that a run has between two epochs to files. If the run ends
// early, another one continues from these files, perhaps with other ranks, CPUs and tiles.
//
// A checkpoint is a folder with a manifest in JSON, the checksum of the manifest, and arrays as .npy files. Each rank writes its own part:
// blocks of the values that it has computed in the last levels, blocks of results as far as they are final, and blocks of inout arrays that
// code of the caller may have changed between epochs. The first axis of a value is the level, and the others are the loops; the axes of a
// result are those of its array.
//
// The file of a block has its cells as an array of the block's shape. If only some cells of the block count, the file has these cells one
// after another, in C order, and a second file has one row for each run of successive ones: the position of its first cell in the block,
// and the number of its cells.
//
// NumPy reads block b of a checkpoint's manifest so:
//
//	cells = np.load(b["file"])
//	if "runs" in b:
//		block = np.zeros(np.subtract(b["last"], b["first"]) + 1, b["type"])
//		runs = np.load(b["runs"])
//		block.flat[np.concatenate([np.arange(at, at + n) for at, n in runs])] = cells
//
// # Invariants
//
// A checkpoint gets its name when all parts are complete and synced, and the two newest are kept. Names begin with a number that grows, so
// that no checkpoint replaces another one. A checkpoint with a file that does not have its checksum is not used: the one before it is. A
// given array that the run changes is beside the checkpoints, once for all of them (Input.File).
package checkpoint

import (
	"loopc/runtime/array"
)

// A State is what a run needs to continue after some levels: one part for each rank of the run that had it.
type State struct {
	Done  int    // levels that are computed, in a program of one nest; else nests that have run
	At    *Place // where a program of several nests is; nil: the program has one nest
	Parts []Part
}

// A Part is what one rank has of a state.
type Part struct {
	Done       int // see State
	At         *Place
	Keep, Show bool // the state goes to a checkpoint, and to a snapshot
	Rank       int
	Values     []Block // results of the last levels that later levels read
	Results    []Block // final cells of arrays that the run gives back; in a program of several nests, all cells that the rank owns
	Given      []Block // content of inout arrays, where code of the caller may have changed it
	Reductions []Reduction
	Release    func() // called when nobody reads the values any more; nil: nobody waits for that
}

// A Block is a box of cells of a value or of a result.
type Block struct {
	Name string
	// View has the cells. If it tracks writes, only marked cells belong to the state. Its Data is nil if the block is in a file.
	View array.View
	load func(lo, hi []int) (array.View, error)
}

// Load returns a view with the block's cells within lo..hi at least. It reads the block's file, if it has one.
func (b *Block) Load(lo, hi []int) (array.View, error) {
	if b.load == nil {
		return b.View, nil
	}
	return b.load(lo, hi)
}

// A Reduction is the part of a reduction that a rank has done, not rounded.
type Reduction struct {
	Name  string `json:"name"`
	Op    string `json:"op"`
	Type  string `json:"type"`
	State []byte `json:"state"`
}

// A Run identifies a run: a run continues only from checkpoints with an equal Run, or with a shorter one.
type Run struct {
	Program    string             `json:"program"`
	Digest     string             `json:"digest"` // of the program's source and transformation
	Parameters map[string]int     `json:"parameters"`
	Floats     map[string]float64 `json:"float_parameters,omitempty"`
	Inputs     map[string]Input   `json:"inputs,omitempty"`
	Arch       string             `json:"architecture,omitempty"` // if functions may differ between processors
	// Extends are the parameters of which a greater value only makes the run longer.
	Extends []string `json:"-"`
}

// An Input is a given array: where it came from, and its content.
type Input struct {
	From   string `json:"from"`
	SHA256 string `json:"sha256"`
	// File has the content, in the folder of the checkpoints; "": it is not kept.
	File string `json:"file,omitempty"`
}

// A Manifest describes a checkpoint.
type Manifest struct {
	Format int `json:"format"`
	Run
	Done  int          `json:"levels_done"` // see State
	At    *Place       `json:"at,omitempty"`
	Parts []StoredPart `json:"parts"` // by rank
}

// A StoredPart describes the files of a part.
type StoredPart struct {
	Done       int         `json:"levels_done"`
	At         *Place      `json:"at,omitempty"` // equal in all parts, so a manifest has it once
	Keep       bool        `json:"keep"`
	Show       bool        `json:"show,omitempty"`
	Rank       int         `json:"rank"`
	Values     []Entry     `json:"values,omitempty"`
	Results    []Entry     `json:"results,omitempty"`
	Given      []Entry     `json:"given,omitempty"`
	Reductions []Reduction `json:"reductions,omitempty"`
	Error      string      `json:"error,omitempty"` // why the part could not be written
}

// An Entry is a block in files.
type Entry struct {
	Name       string `json:"name"`
	Elem       string `json:"type"`
	First      []int  `json:"first"` // indices of the first cell
	Last       []int  `json:"last"`  // and of the last one
	File       string `json:"file"`
	CRC32C     string `json:"crc32c"`         // of the file
	Runs       string `json:"runs,omitempty"` // file of the runs of cells that count; "": all count
	RunsCRC32C string `json:"runs_crc32c,omitempty"`
}

// format is the version of the manifest.
const format = 3

const (
	manifestName = "manifest.json"
	checksumName = "manifest.sha256" // of the manifest, as the command sha256sum prints it
)
