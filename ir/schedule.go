package ir

import "slices"

// scheduleWords are, by entry of a schedule, the words that transform/plan knows for it.
var scheduleWords = map[string][]string{
	"group":  {"hyperplane", "vertical"},
	"assign": {"retile", "cluster", "cyclic", "mirror"},
	"comm":   {"overlap", "blocking", "buffered"},
	"shape":  {"model", "communication", "scheduling"},
}

// ScheduleWords returns the words that an entry of a schedule may have as its value; nil if its value
// is not one of a few words.
func ScheduleWords(entry string) []string { return slices.Clone(scheduleWords[entry]) }
