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
// iteration, a worker waits for perPoint nanoseconds. Everything else is real:
// faces are packed, travel and arrive, but what they hold means nothing. More
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

// Box implements halo.Kernel.
func (v *virtualKernel) Box(lo, hi []int) {
	points := 1
	for k := range lo {
		points *= hi[k] - lo[k] + 1
	}
	v.owed += time.Duration(float64(points) * v.perPoint)
}

// EndTile implements sched.TileEnder: it waits, once for all levels of the tile,
// since nobody sees anything of it before. The time that the tile has taken already,
// for ghost cells and faces, counts: real CPUs are shared by more virtual ones, whose
// work they would slow down. What a wait takes too long is taken off the next one,
// so that the mean is exact.
func (v *virtualKernel) EndTile(began time.Time) {
	if left := v.owed - time.Since(began); left >= restLeast {
		rest(left)
	}
	v.owed -= time.Since(began)
}
