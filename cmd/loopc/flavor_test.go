package main

import (
	"io"
	"strings"
	"testing"

	"loopc/runtime/cli"
	"loopc/runtime/sched"
	"loopc/transform/plan/plantest"
)

// TestTransportsOfPrograms requires that emitted programs have the transports of loopc run, and no
// others.
func TestTransportsOfPrograms(t *testing.T) {
	prog := &sched.Program{Nest: plantest.BoxNest(plantest.Units(2), "i", "j")}
	var stderr strings.Builder
	cli.Run(t.Context(), prog, []string{"--transport", "none"}, strings.NewReader(""), io.Discard, &stderr)
	names := transportNames(false)
	last := len(names) - 1
	if want := strings.Join(names[:last], ", ") + " or " + names[last] + "\n"; !strings.HasSuffix(stderr.String(), "; "+want) {
		t.Errorf("programs say %q, want the transports %s", stderr.String(), want)
	}
}
