//go:build race

package cli

// race reports whether the race detector is on.
const race = true
