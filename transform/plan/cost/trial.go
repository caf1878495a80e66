package cost

import (
	"errors"
	"fmt"
	"slices"

	"loopc/transform/plan"
)

// A Trial is the time of a complete run of a plan with these parameters and workers, measured by `loopc calibrate --try`. If there are
// trials of the requested run, Choose compares their times instead of predictions.
type Trial struct {
	Nest    string       `json:"nest"` // Nest.Digest
	Params  []int        `json:"params"`
	Options plan.Options `json:"options"` // complete: Plan.Options
	Link    string       `json:"link"`    // between ranks; ignored for a single rank
	Seconds float64      `json:"seconds"` // median of the runs
}

// Concerns reports whether the trial is of a run of this nest with these parameters and, between several ranks, this link.
func (t *Trial) Concerns(nest *plan.Nest, params []int, link string) bool {
	return t.Nest == nest.Digest && slices.Equal(t.Params, params) && (t.Link == link || max(1, t.Options.Ranks) == 1)
}

func (t *Trial) check(field string) error {
	err := amount(field+".seconds", t.Seconds)
	if t.Seconds == 0 {
		err = errors.Join(err, fmt.Errorf("%s.seconds is 0: a run takes some time", field))
	}
	return err
}

// SetTrials replaces m's trials of a run by the given ones, which are all of this run.
func (m *Machine) SetTrials(nest *plan.Nest, params []int, ranks, cpus int, link string, trials []Trial) {
	m.Trials = slices.DeleteFunc(slices.Clone(m.Trials), func(t Trial) bool {
		return t.Concerns(nest, params, link) && max(1, t.Options.Ranks) == ranks && max(1, t.Options.CPUs) == cpus
	})
	m.Trials = append(m.Trials, trials...)
}
