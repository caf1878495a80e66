package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"loopc/runtime/sched"
)

// TestVirtual runs four workers that wait instead of computing. Each must take the time of its
// iterations, however many CPUs there are; the messages must be those of a real run.
func TestVirtual(t *testing.T) {
	// 8·8·400 iterations on four workers, and two tiles until the last one begins.
	const iterations = 8*8*400/4 + 2*4*4*20
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
		// Waiting takes several times as long as computing did, however busy this machine is,
		// so that a run that does not wait is told from one that does.
		perPoint := max(10e3, math.Ceil(3*real.Seconds*1e9/iterations)) // ns
		s := summary("--transport", transport, "--virtual", fmt.Sprint(perPoint))
		if s.Points != real.Points || s.Messages != real.Messages || s.Bytes != real.Bytes {
			t.Errorf("%s: %+v\nreal: %+v", transport, s, real)
		}
		// Each of the three workers that the last tile comes after may owe a short wait.
		least := perPoint*1e-9*iterations - 3*restLeast.Seconds()
		if s.Seconds < least {
			t.Errorf("%s: %g s, at least %g are waited for; %g s without", transport, s.Seconds, least, real.Seconds)
		}
	}
	// Vectors must wait, too.
	const levels, size, each = 29, 150, 200
	o := run(t, "seidel", t.TempDir(), "-p", fmt.Sprintf("T=%d,N=%d", levels, size), "-n", "1", "--cpus", "1", "--random", "1", "--summary", "-", "--virtual", fmt.Sprint(each))
	o.expect(t, 0, "")
	var s sched.Summary
	if err := json.Unmarshal([]byte(o.stdout[:strings.LastIndex(o.stdout, "}")+1]), &s); err != nil {
		t.Fatal(err)
	}
	if least := each*1e-9*float64(s.Points) - restLeast.Seconds(); s.Points < levels*(size-2)*(size-2) || s.Seconds < least {
		t.Errorf("one CPU: %d iterations in %g s, at least %g are waited for", s.Points, s.Seconds, least)
	}
	for _, wrong := range []string{"--check", "--out=A=A.npy", "--virtual=-1", "--virtual=NaN"} {
		run(t, "pipeline", t.TempDir(), "--virtual", "1", wrong).expect(t, exitUsage, "--virtual")
	}
}
