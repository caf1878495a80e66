package calibrate

import (
	"fmt"

	"loopc/transform/plan"
)

// mostOff is the error beyond which figures are not to be relied upon, if more
// than one run in ten has it. On a machine that does nothing else, nine of ten
// runs are explained to 5 or 10 %.
const mostOff = 0.25

// Doubt says why the figures of m, which were fitted to the samples, are not to
// be relied upon; "" if nothing speaks against it.
func Doubt(m *plan.Machine, samples []*Sample) string {
	s := newTable(rowsOf(samples, m)).Summary
	if s.Most90 <= mostOff {
		return ""
	}
	return fmt.Sprintf("one run in ten differs by more than %s from what the figures say, so that the machine must have been busy", share(s.Most90))
}
