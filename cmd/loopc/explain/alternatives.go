package explain

import (
	"fmt"
	"slices"
)

// tried adds the measured time to the description of every plan that a race has measured. If the
// chosen plan is the fastest of them, tried returns a phrase that says so, and sets Chosen.Next and
// Chosen.Margin. If it is the only one, the phrase has its time. Otherwise tried returns "".
func (r *Report) tried() string {
	var first, second *Alternative
	count := 0
	for k := range r.Alternatives {
		x := &r.Alternatives[k]
		switch {
		case x.Measured == 0:
			continue
		case x.Chosen:
			first = x
		case second == nil || x.Measured < second.Measured:
			second = x
		}
		x.What += ", tried: " + seconds(x.Measured)
		count++
	}
	switch {
	case first == nil || second != nil && second.Measured < first.Measured:
		return "" // there was no race, or the user's options exclude the plan that was fastest in it
	case second == nil:
		return "was tried with these parameters, and takes " + seconds(first.Measured)
	}
	r.Chosen.Next, r.Chosen.Margin = second.What, second.Measured/first.Measured-1
	return fmt.Sprintf("is the fastest of %d that were tried with these parameters, whatever is predicted: the next takes %s more", count, percent(r.Chosen.Margin))
}

// about returns the text of the time of an alternative, with ~ if it is estimated.
func (a *Alternative) about() string {
	if a.Estimated {
		return "~" + seconds(a.Seconds)
	}
	return seconds(a.Seconds)
}

// foremost returns the first few alternatives, always with the chosen one, and the number
// of the rest.
func (r *Report) foremost(most int) (shown []Alternative, rest int) {
	all := r.Alternatives
	if len(all) <= most {
		return all, 0
	}
	shown = slices.Clone(all[:most])
	for _, a := range all[most:] {
		if a.Chosen {
			shown[most-1] = a
		}
	}
	return shown, len(all) - most
}
