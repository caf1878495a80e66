package sched

import (
	"slices"

	"loopc/transform/plan/cost"
)

// Summary is what a rank, or a whole run, did.
type Summary struct {
	Rank    int     `json:"rank"`            // -1 for a whole run
	Kernel  string  `json:"kernel"`          // that computed: see Program.Choose
	Rows    int     `json:"rows"`            // that it computes together, 0: rows do not matter
	Lanes   int     `json:"lanes"`           // rows of the rest that it computes together
	Across  int     `json:"across"`          // whether these are rows: see kernel.Traits
	Lines   bool    `json:"lines,omitempty"` // results are streamed meanwhile: cost.Kernel's
	Points  int64   `json:"points"`
	Seconds float64 `json:"seconds"`
	GPts    float64 `json:"gpts_per_second"`
	// Prepare is the part of Seconds that a rank takes before its first tile, the
	// most of all ranks: mostly for the memory of its own, which the system supplies.
	Prepare float64 `json:"prepare_seconds"`
	// Hold is the part of Prepare that Watch.Begin takes; of several ranks the longest, as of
	// Prepare.
	Hold     float64 `json:"hold_seconds,omitempty"`
	Steps    int     `json:"steps"`
	Tiles    int64   `json:"tiles"`
	Messages int64   `json:"messages"` // between ranks
	Bytes    int64   `json:"bytes"`
	// Time that workers spent with their tiles, of which packing is estimated: copying
	// cells into and out of faces. Then time that they spent waiting; all of it summed
	// over the workers.
	Compute    float64     `json:"compute_seconds"`
	Pack       float64     `json:"pack_seconds"`
	WaitData   float64     `json:"wait_data_seconds"`
	WaitCredit float64     `json:"wait_credit_seconds"`
	WaitSync   float64     `json:"wait_sync_seconds"` // blocking sends
	Reductions []Reduction `json:"reductions,omitempty"`
	// Moved is the part of Bytes, and MovedMessages that of Messages, that went from
	// the distribution of one nest to that of the next.
	MovedMessages int64 `json:"moved_messages,omitempty"`
	Moved         int64 `json:"moved_bytes,omitempty"`
	// Runs has, for each nest of the program, how often it was run, and Repeats, for
	// each repeat, how many repetitions it had, the last time.
	Runs    []int `json:"nest_runs,omitempty"`
	Repeats []int `json:"repeats,omitempty"`
	// Carriers names, each once, what carried faces between processes: tcp, shm.
	Carriers []string `json:"carriers,omitempty"`
	// Needs is what the plan of a rank with a process of its own needs, of one nest.
	// Peak is the most memory, in bytes, that this process, or that of a whole run, has
	// had: 0 where the system does not tell.
	Needs *cost.Memory `json:"needs,omitempty"`
	Peak  int64        `json:"peak_memory_bytes,omitempty"`
	// Ranks are the parts of a whole run.
	Ranks []Summary `json:"ranks,omitempty"`
}

// add counts what another worker or rank did.
func (s *Summary) add(o Summary) {
	s.Points += o.Points
	s.Tiles += o.Tiles
	s.Messages += o.Messages
	s.Bytes += o.Bytes
	s.Compute += o.Compute
	s.Pack += o.Pack
	s.MovedMessages += o.MovedMessages
	s.Moved += o.Moved
	s.WaitData += o.WaitData
	s.WaitCredit += o.WaitCredit
	s.WaitSync += o.WaitSync
	s.Seconds = max(s.Seconds, o.Seconds)
	s.Prepare = max(s.Prepare, o.Prepare)
	s.Hold = max(s.Hold, o.Hold)
	s.Steps = max(s.Steps, o.Steps)
}

// Merge returns the summary of a run from those of its ranks, which no longer have
// their parts of the reductions then.
func Merge(ranks []Summary) (Summary, error) {
	s := Summary{Rank: -1, Ranks: ranks}
	var err error
	s.Reductions, err = reduceRanks(ranks)
	for _, r := range ranks {
		s.add(r)
		s.computedBy(&r)
		s.Runs, s.Repeats = r.Runs, r.Repeats // all have the same
		s.Carriers = append(s.Carriers, r.Carriers...)
	}
	slices.Sort(s.Carriers)
	s.Carriers = slices.Compact(s.Carriers)
	s.rate()
	return s, err
}

// computedBy takes the kernel of a part, if that computed anything or is the first.
func (s *Summary) computedBy(o *Summary) {
	if s.Kernel == "" || o.Points > 0 {
		s.Kernel, s.Rows, s.Lanes, s.Across, s.Lines = o.Kernel, o.Rows, o.Lanes, o.Across, o.Lines
	}
}

func (s *Summary) rate() {
	if s.Seconds > 0 {
		s.GPts = float64(s.Points) / s.Seconds / 1e9
	}
}
