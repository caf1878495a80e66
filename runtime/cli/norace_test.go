//go:build !race

package cli

// raceEnabled says that the race detector is on.
const raceEnabled = false
