package nestrun

import (
	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
	"loopc/runtime/transport/transporttest"
)

// handedOn is the number of the edges on which the nests of a program hand arrays on;
// see runtime/sched.
const handedOn = 0

// meddling is inproc.Mesh with the fault of that name between ranks and transport; ""
// is none.
func meddling(fault string) sched.Mesh {
	if fault == "" {
		return inproc.Mesh
	}
	faults := transporttest.Faults{
		Arrived: func(e transport.Edge, _ int, face []byte) error {
			if fault == "face" || fault == "handed on" && e.ID == handedOn {
				clear(face[max(0, len(face)-8):]) // cells have eight bytes at most
			}
			return nil
		},
		Release: func(transport.Edge, int) int {
			if fault == "twice" {
				return 2
			}
			return 1
		},
	}
	return func(size int, run string) ([]transport.Transport, error) {
		all, err := inproc.Mesh(size, run)
		for k := range all {
			all[k] = transporttest.Inject(all[k], faults)
		}
		return all, err
	}
}
