//go:build !linux

package launch

// LetMonitorWait does nothing: only Linux has such a policy.
func LetMonitorWait() {}

func interrupts() {}
