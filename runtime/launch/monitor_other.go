//go:build !linux

package launch

// LetMonitorWait does nothing here.
func LetMonitorWait() {}

func interrupts() {}
