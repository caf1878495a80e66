package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"loopc/runtime/sched"
)

// TestVirtual runs four workers that wait instead of computing: each takes the
// time of its iterations, however many CPUs there are, and messages are those of
// a real run.
func TestVirtual(t *testing.T) {
	const perPoint = 10000 // ns, many times what an iteration takes with race detectors, too
	summary := func(args ...string) (s sched.Summary) {
		o := run(t, "pipeline", t.TempDir(), append([]string{"-p", "X=8,Y=8,Z=400", "-n", "4", "--cpus", "1", "--tile", "4x4x20", "--summary", "-"}, args...)...)
		o.expect(t, 0, "")
		if err := json.Unmarshal([]byte(o.stdout[:strings.LastIndex(o.stdout, "}")+1]), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, transport := range []string{"inproc", "tcp"} {
		real := summary("--transport", transport)
		s := summary("--transport", transport, "--virtual", fmt.Sprint(perPoint))
		if s.Points != real.Points || s.Messages != real.Messages || s.Bytes != real.Bytes {
			t.Errorf("%s: %+v\nreal: %+v", transport, s, real)
		}
		// 8·8·400 iterations on four workers, and two tiles until the last one begins.
		least := perPoint * 1e-9 * (8*8*400/4 + 2*4*4*20)
		if s.Seconds < least || real.Seconds > least {
			t.Errorf("%s: %g s, at least %g are waited for; %g s in fact", transport, s.Seconds, least, real.Seconds)
		}
	}
	for _, wrong := range []string{"--check", "--out=A=A.npy", "--virtual=-1", "--virtual=NaN"} {
		run(t, "pipeline", t.TempDir(), "--virtual", "1", wrong).expect(t, exitUsage, "--virtual")
	}
}
