package sched

import (
	"cmp"
	"slices"

	"loopc/transform/plan/cost"
)

// Summary is what a rank, or an entire run, did.
type Summary struct {
	Rank    int     `json:"rank"`            // -1 for an entire run
	Kernel  string  `json:"kernel"`          // its name: see Program.KernelName; kernel.AsWritten if several nests ran as written
	Rows    int     `json:"rows"`            // kernel.Traits.Rows
	Lanes   int     `json:"lanes"`           // kernel.Traits.Lanes
	Across  int     `json:"across"`          // kernel.Traits.Across
	Lines   bool    `json:"lines,omitempty"` // results were streamed while they were computed: see cost.Kernel
	Points  int64   `json:"points"`
	Seconds float64 `json:"seconds"`
	GPts    float64 `json:"gpts_per_second"`
	// Prepare is the part of Seconds before a rank's first tile; for an entire run, that of the rank where it took longest. Mostly, the rank
	// waits until the system supplies memory.
	Prepare float64 `json:"prepare_seconds"`
	// Hold is the part of Prepare in Watch.Begin; for an entire run, that of the rank where it took longest.
	Hold     float64 `json:"hold_seconds,omitempty"`
	Steps    int     `json:"steps"`
	Tiles    int64   `json:"tiles"`
	Messages int64   `json:"messages"` // between ranks
	Bytes    int64   `json:"bytes"`
	// Times, summed over the workers: of computing tiles; of packing, which is a part of Compute and estimated; and of waiting.
	Compute    float64     `json:"compute_seconds"`
	Pack       float64     `json:"pack_seconds"`
	WaitData   float64     `json:"wait_data_seconds"`   // for faces
	WaitCredit float64     `json:"wait_credit_seconds"` // for free slots
	WaitSync   float64     `json:"wait_sync_seconds"`   // for the ends of sends, unless they overlap
	Reductions []Reduction `json:"reductions,omitempty"`
	// Moved and MovedMessages are the parts of Bytes and Messages that moved arrays from nest to nest.
	MovedMessages int64 `json:"moved_messages,omitempty"`
	Moved         int64 `json:"moved_bytes,omitempty"`
	// Runs is, per nest of the program, how often it ran; Repeats is, per repeat, the repetitions of its last run.
	Runs    []int `json:"nest_runs,omitempty"`
	Repeats []int `json:"repeats,omitempty"`
	// NestKernels is, for each of several nests, what computed the nest: see Program.KernelName. "" if the nest did not run in tiles.
	NestKernels []string `json:"nest_kernels,omitempty"`
	// NestSeconds is, per nest, the time of all its runs, of several ranks the longest. Where loops run as they are written, it is
	// measured only if Watch.Times is set, and leaves out batches and runs of a few microseconds.
	NestSeconds []float64 `json:"nest_seconds,omitempty"`
	// Carriers names the transports that carried faces between processes, each once: tcp, shm.
	Carriers []string `json:"carriers,omitempty"`
	// Needs is the memory that the plan needs; it is set for a rank with a process of its own, in a program of one nest. Peak is the most
	// memory, in bytes, that a rank's process used at any time; for an entire run, the sum over all processes; 0: unknown.
	Needs *cost.Memory `json:"needs,omitempty"`
	Peak  int64        `json:"peak_memory_bytes,omitempty"`
	// Stopped is the number of levels after which the run ended early, with a checkpoint and without results; 0: it did not.
	Stopped int `json:"stopped_after_levels,omitempty"`
	// Ranks are the parts of an entire run.
	Ranks []Summary `json:"ranks,omitempty"`
}

// add adds what another worker or rank did.
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
	s.Stopped = max(s.Stopped, o.Stopped)
	s.Peak += o.Peak
}

// Merge combines the summaries of the ranks into that of the run. It removes the partial reductions of the ranks.
func Merge(ranks []Summary) (Summary, error) {
	s := Summary{Rank: -1, Ranks: ranks}
	var err error
	s.Reductions, err = reduceRanks(ranks)
	for _, r := range ranks {
		s.add(r)
		s.computedBy(&r)
		s.Runs, s.Repeats = r.Runs, r.Repeats // the same for all ranks
		s.Carriers = append(s.Carriers, r.Carriers...)
		for k, t := range r.NestSeconds {
			if k == len(s.NestSeconds) {
				s.NestSeconds = append(s.NestSeconds, 0)
			}
			s.NestSeconds[k] = max(s.NestSeconds[k], t)
		}
		for k, name := range r.NestKernels {
			if k == len(s.NestKernels) {
				s.NestKernels = append(s.NestKernels, "")
			}
			s.NestKernels[k] = cmp.Or(s.NestKernels[k], name)
		}
	}
	slices.Sort(s.Carriers)
	s.Carriers = slices.Compact(s.Carriers)
	s.rate()
	return s, err
}

// computedBy copies the kernel's name and traits from part o, if o computed anything or is the first part.
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
