package cli

import (
	"syscall"
	"time"
)

// setTimerSlack is PR_SET_TIMERSLACK of prctl.
const setTimerSlack = 29

// rest sleeps for d, within a few microseconds: the thread asks for the least
// slack of its timers first, where 50 us are usual. (time.Sleep rounds up to a
// millisecond.) The thread is whichever runs the goroutine now; asking costs
// less than keeping one.
func rest(d time.Duration) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0) // refused, waits are a little longer
	left := syscall.NsecToTimespec(int64(d))
	for {
		if err := syscall.Nanosleep(&left, &left); err != syscall.EINTR {
			return
		}
	}
}
