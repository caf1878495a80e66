package transform

import (
	"fmt"
	"slices"
	"testing"

	"loopc/ir"
	"loopc/transform/plan"
)

// TestScheduleWords: the words of a schedule block must be the planner's words.
func TestScheduleWords(t *testing.T) {
	for entry, want := range map[string][]string{
		"group": words(plan.Group(plan.Any).All()), "assign": words(plan.Assign(plan.Any).All()),
		"comm": words(plan.Comm(plan.Any).All()), "shape": words(plan.Shape(plan.Any).All()),
	} {
		if got := ir.ScheduleWords(entry); len(want) < 2 || !slices.Equal(got, want) {
			t.Errorf("%s: a schedule has the words %v, the planner %v", entry, got, want)
		}
	}
}

func words[C fmt.Stringer](choices []C) (all []string) {
	for _, c := range choices {
		all = append(all, c.String())
	}
	return all
}
