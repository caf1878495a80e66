package ir

import "slices"

// scheduleWords are the values of the entries of a schedule that take one of a few words. They are
// those of transform/plan.
var scheduleWords = map[string][]string{
	"group":  {"hyperplane", "vertical"},
	"assign": {"retile", "cluster", "cyclic", "mirror"},
	"comm":   {"overlap", "blocking", "buffered"},
	"shape":  {"model", "communication", "scheduling"},
}

// ScheduleWords returns the words that an entry of a schedule may be set to, nil if it takes
// something else.
func ScheduleWords(entry string) []string { return slices.Clone(scheduleWords[entry]) }
