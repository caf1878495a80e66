package cli

import (
	"syscall"
	"time"
)

// setTimerSlack is PR_SET_TIMERSLACK of prctl.
const setTimerSlack = 29

// rest sleeps for d, within a few microseconds. It first sets the thread's timer slack to its
// minimum, because the default is much larger; time.Sleep rounds up to a millisecond. The
// thread is the one that runs the goroutine now: setting the slack costs less than reserving a
// thread.
func rest(d time.Duration) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0) // if refused, waits are a little longer
	left := syscall.NsecToTimespec(int64(d))
	for {
		if err := syscall.Nanosleep(&left, &left); err != syscall.EINTR {
			return
		}
	}
}
