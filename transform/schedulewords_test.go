package transform

import (
	"slices"
	"testing"

	"loopc/ir"
	"loopc/transform/plan"
)

// TestScheduleWords: the words of a schedule block must be the planner's words.
func TestScheduleWords(t *testing.T) {
	for entry, of := range map[string]func(word uint8) ([]byte, error){
		"group":  func(word uint8) ([]byte, error) { return plan.Group(word).MarshalText() },
		"assign": func(word uint8) ([]byte, error) { return plan.Assign(word).MarshalText() },
		"comm":   func(word uint8) ([]byte, error) { return plan.Comm(word).MarshalText() },
		"shape":  func(word uint8) ([]byte, error) { return plan.Shape(word).MarshalText() },
	} {
		var want []string
		for k := uint8(1); ; k++ {
			word, err := of(k)
			if err != nil {
				break
			}
			want = append(want, string(word))
		}
		if got := ir.ScheduleWords(entry); len(want) < 2 || !slices.Equal(got, want) {
			t.Errorf("%s: a schedule has the words %v, the planner %v", entry, got, want)
		}
	}
}
