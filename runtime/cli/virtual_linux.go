package cli

import (
	"syscall"
	"time"
)

// setTimerSlack is PR_SET_TIMERSLACK of prctl.
const setTimerSlack = 29

// rest sleeps for d, within a few microseconds. It first asks for the least timer slack
// of the thread, because the default is much larger; time.Sleep rounds up to a
// millisecond. The thread is the one that runs the goroutine now: asking is cheaper than
// keeping a thread.
func rest(d time.Duration) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0) // refused, waits are a little longer
	left := syscall.NsecToTimespec(int64(d))
	for {
		if err := syscall.Nanosleep(&left, &left); err != syscall.EINTR {
			return
		}
	}
}
