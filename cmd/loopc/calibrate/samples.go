package calibrate

import (
	"encoding/json"
	"fmt"
	"io"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A record is a Sample in a file. It has what it takes to make the same plan again.
type record struct {
	Nest    string       `json:"nest"`
	Digest  string       `json:"digest"`
	Params  []int        `json:"params"`
	Options plan.Options `json:"options"`
	Link    string       `json:"link"`
	Virtual float64      `json:"virtual,omitempty"`
	Seconds []float64    `json:"seconds"`
	Work    []float64    `json:"work"`
	Rows    int          `json:"rows"` // of the kernel, see cost.Kernel
	Lanes   int          `json:"lanes"`
	Across  int          `json:"across,omitempty"`
	Lines   bool         `json:"lines,omitempty"`
	// Disturbed and Asked are the fields of Sample.
	Disturbed bool `json:"disturbed,omitempty"`
	Asked     bool `json:"asked,omitempty"`
}

func product(v []int) int {
	n := 1
	for _, x := range v {
		n *= x
	}
	return n
}

// WriteSamples writes samples as JSON, for ReadSamples.
func WriteSamples(w io.Writer, samples []*Sample) error {
	var all []record
	for _, s := range samples {
		all = append(all, record{s.Plan.Nest.Name, s.Plan.Nest.Digest, s.Plan.Params, s.Plan.Options(), s.Link, s.Virtual, s.Seconds, s.Work, s.rows, s.lanes, s.across, s.lines, s.Disturbed, s.Asked})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(all)
}

// ReadSamples reads the samples of these programs from a file of WriteSamples, and skips
// those of other programs.
func ReadSamples(r io.Reader, programs []*Program) ([]*Sample, error) {
	var all []record
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		return nil, fmt.Errorf("samples: %w", err)
	}
	var samples []*Sample
	for _, x := range all {
		for _, prog := range programs {
			if prog.Nest.Digest != x.Digest {
				continue
			}
			c, err := newConfig(prog, x.Params, x.Options, x.Link, x.Virtual)
			if err != nil {
				return nil, fmt.Errorf("samples: %w", err)
			}
			samples = append(samples, &Sample{Config: c, Seconds: x.Seconds, Work: x.Work, predictor: cost.NewPredictor(c.Plan), rows: x.Rows, lanes: x.Lanes, across: x.Across, lines: x.Lines, Disturbed: x.Disturbed, Asked: x.Asked})
		}
	}
	return samples, nil
}
