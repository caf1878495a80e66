//go:build race

package tcp_test

// raceEnabled says that the race detector is on.
const raceEnabled = true
