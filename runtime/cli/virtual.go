package cli

import (
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
)

// restLeast is the shortest wait of a virtual CPU. Shorter waits are accumulated, because the
// system adds a few microseconds to each.
const restLeast = 50 * time.Microsecond

// virtual returns prog with virtual CPUs: instead of computing an iteration, a worker waits for
// perPoint nanoseconds. Messages are real: they have their lengths, and travel and arrive, but
// their content is meaningless. So more workers than CPUs can run at full speed, which measures
// schedules for many CPUs on few.
func virtual(prog *sched.Program, perPoint float64) *sched.Program {
	return prog.Wrap(func(v kernel.Version) kernel.Version {
		v.Temporal = nil
		return v.Wrap(func(k kernel.Kernel) kernel.Kernel {
			loops := &virtualLoops{Loops: k.Loops, perPoint: perPoint}
			return kernel.Kernel{Loops: loops, Idle: loops.idle, Traits: k.Traits}
		})
	})
}

// virtualLoops wait instead of computing.
type virtualLoops struct {
	kernel.Loops
	perPoint float64       // ns
	owed     time.Duration // time still to wait; negative: waited in advance
}

// Box implements kernel.Loops: see idle.
func (v *virtualLoops) Box(lo, hi []int) {}

// idle waits once for all levels of the tile, because nobody observes earlier levels. It subtracts
// the time that the tile has already taken: virtual CPUs share real ones, and would otherwise delay
// one another. If a wait takes too long, the next one is shortened, so that the mean is exact.
func (v *virtualLoops) idle(points int, began time.Time) {
	v.owed += time.Duration(float64(points) * v.perPoint)
	if left := v.owed - time.Since(began); left >= restLeast {
		rest(left)
	}
	v.owed -= time.Since(began)
}
