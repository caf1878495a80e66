package transporttest

import (
	"os"
	"os/signal"
	"syscall"
)

// HeedHangups lets a hangup end what this process starts, also where this process was
// started to outlive one, as by nohup: children ignore what their parent ignores, and take
// the default for what it handles.
func HeedHangups() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}
