package transporttest

import (
	"os"
	"os/signal"
	"syscall"
)

// HeedHangups makes SIGHUP end the children of this process, even if this process ignores
// SIGHUP (nohup). Children inherit ignored signals, but get the default for handled ones,
// so this process handles SIGHUP.
func HeedHangups() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}
