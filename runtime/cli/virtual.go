package cli

import (
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
)

// restLeast is the shortest wait of a virtual CPU. Shorter ones are saved up:
// the system adds a few microseconds to each.
const restLeast = 50 * time.Microsecond

// virtual returns prog with CPUs that are only imagined: instead of computing an
// iteration, a worker waits for perPoint nanoseconds. Messages are real: they have
// their lengths, travel and arrive, but what they hold means nothing. More
// workers than there are CPUs can thus run at their full speed, which is how
// schedules for many CPUs are measured on few.
func virtual(prog *sched.Program, perPoint float64) *sched.Program {
	v := *prog
	v.Nests = nil
	for _, part := range prog.Nests {
		v.Nests = append(v.Nests, virtual(part, perPoint))
	}
	v.Kernel.Temporal = nil
	v.Kernel = v.Kernel.Wrap(func(k kernel.Kernel) kernel.Kernel {
		loops := &virtualLoops{Loops: k.Loops, perPoint: perPoint}
		return kernel.Kernel{Loops: loops, Idle: loops.idle, Traits: k.Traits}
	})
	return &v
}

// virtualLoops wait instead of computing.
type virtualLoops struct {
	kernel.Loops
	perPoint float64       // ns
	owed     time.Duration // what is still to be waited for; negative: waited in advance
}

// Box implements kernel.Loops: see idle.
func (v *virtualLoops) Box(lo, hi []int) {}

// idle waits, once for all levels of the tile, since
// nobody sees anything of it before. The time that the tile has taken already counts:
// virtual CPUs share real ones, which would slow one another down. What a wait takes
// too long is taken off the next one, so that the mean is exact.
func (v *virtualLoops) idle(points int, began time.Time) {
	v.owed += time.Duration(float64(points) * v.perPoint)
	if left := v.owed - time.Since(began); left >= restLeast {
		rest(left)
	}
	v.owed -= time.Since(began)
}
