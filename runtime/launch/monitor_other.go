//go:build !linux

package launch

// LetMonitorWait cannot ask for anything here.
func LetMonitorWait() {}

func interrupts() {}
