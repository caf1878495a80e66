package cli

import (
	"time"

	"loopc/runtime/halo"
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
	for k, part := range prog.Nests {
		if k == 0 {
			v.Nests = nil
		}
		v.Nests = append(v.Nests, virtual(part, perPoint))
	}
	v.Kernel = func(params []int, fields halo.Fields) halo.Kernel {
		return &virtualKernel{Kernel: prog.Kernel(params, fields), perPoint: perPoint}
	}
	return &v
}

// A virtualKernel waits instead of computing.
type virtualKernel struct {
	halo.Kernel
	perPoint float64       // ns
	owed     time.Duration // what is still to be waited for; negative: waited in advance
}

// Box implements halo.Kernel: see Idle.
func (v *virtualKernel) Box(lo, hi []int) {}

// Idle implements sched.Idler: it waits, once for all levels of the tile, since
// nobody sees anything of it before. The time that the tile has taken already counts:
// virtual CPUs share real ones, which would slow one another down. What a wait takes
// too long is taken off the next one, so that the mean is exact.
func (v *virtualKernel) Idle(points int, began time.Time) {
	v.owed += time.Duration(float64(points) * v.perPoint)
	if left := v.owed - time.Since(began); left >= restLeast {
		rest(left)
	}
	v.owed -= time.Since(began)
}
