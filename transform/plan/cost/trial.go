package cost

import (
	"errors"
	"fmt"
	"slices"

	"loopc/transform/plan"
)

// A Trial is a plan that was run as a whole, and timed, with these parameters and
// workers: `loopc calibrate --try`. Where there are trials of what is asked for,
// Choose goes by them, not by predictions.
type Trial struct {
	Nest    string       `json:"nest"` // Nest.Digest
	Params  []int        `json:"params"`
	Options plan.Options `json:"options"` // that leave nothing open: Plan.Options
	Link    string       `json:"link"`    // between ranks; of no account for a single one
	Seconds float64      `json:"seconds"` // median of the runs
}

// Concerns reports whether the trial is one of such a run.
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

// SetTrials replaces what m has of trials of the same run as these, which are of
// one.
func (m *Machine) SetTrials(nest *plan.Nest, params []int, ranks, cpus int, link string, trials []Trial) {
	m.Trials = slices.DeleteFunc(slices.Clone(m.Trials), func(t Trial) bool {
		return t.Concerns(nest, params, link) && max(1, t.Options.Ranks) == ranks && max(1, t.Options.CPUs) == cpus
	})
	m.Trials = append(m.Trials, trials...)
}
