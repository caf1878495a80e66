//go:build unix

package bench

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script writes a program that acts as an emitted one.
func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestKernelKinds checks which kernel is asked for, and which one is named, for
// programs without and with a choice.
func TestKernelKinds(t *testing.T) {
	n := listedNest(t, peers, "sw_table") // 21 x 17 iterations
	const (
		noFlag = `case "$*" in *--kernel*) exit 2;; esac
echo '{"seconds":1,"points":357} and more'`
		flag = `case "$*" in *"--kernel avx512"*) exit 1;; esac
echo '{"seconds":1,"points":357}'`
		tells = `echo '{"seconds":1,"points":357,"kernel":"avx2"}'`
	)
	for _, c := range []struct {
		text, ask, wanted, kernel string
	}{
		{noFlag, "", "", "portable"},
		{noFlag, "portable", "", "portable"},
		{flag, "", "", "avx2 or slower"},
		{flag, "portable", "portable", "portable"},
		{tells, "", "", "avx2"},
	} {
		e, err := newEmitted(t.Context(), n, script(t, c.text), c.ask)
		if err != nil {
			t.Errorf("%s asked for %q: %v", c.text, c.ask, err)
		} else if e.wanted != c.wanted || e.kernel != c.kernel {
			t.Errorf("%s asked for %q runs with --kernel %q as %q, want %q and %q", c.text, c.ask, e.wanted, e.kernel, c.wanted, c.kernel)
		}
	}
	var usage *UsageError
	if _, err := newEmitted(t.Context(), n, script(t, noFlag), "avx2"); !errors.As(err, &usage) {
		t.Errorf("a kernel that there is not is %v", err)
	}
	if _, err := newEmitted(t.Context(), n, script(t, flag), "avx512"); err == nil {
		t.Error("a kernel that does not run is no error")
	}
}

// TestEmittedFails: the message of a failed run is passed on, and a run with another number of
// iterations than expected counts as failed.
func TestEmittedFails(t *testing.T) {
	n := listedNest(t, peers, "sw_table")
	for text, want := range map[string]string{
		"echo no memory >&2; exit 1":        "no memory",
		"echo nothing":                      "cannot be read",
		`echo '{"seconds":1,"points":356}'`: "356 iterations were run, not 357",
		"kill -KILL $$":                     "killed",
	} {
		if _, err := newEmitted(t.Context(), n, script(t, text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", text, err, want)
		}
	}
}

// TestMeeting: simultaneous single runs begin together. A run that fails before this beginning must
// not keep the others waiting.
func TestMeeting(t *testing.T) {
	n := listedNest(t, peers, "sw_table")
	log := filepath.Join(t.TempDir(), "log")
	e := &emitted{nest: n, path: script(t, `case "$*" in *--hold*) ;; *) exit 1;; esac
sleep 0.$(( $$ % 3 ))
echo ready >>`+log+`
echo '"ready"'
read line
echo begins >>`+log+`
echo '{"seconds":3,"prepare_seconds":1,"points":357}'`)}
	cpu := processors()[0]
	s, err := e.independent(n.sizes["tiny"], []int{cpu, cpu, cpu}).run(t.Context(), false)
	if err != nil || !near(s.perPoint(), 2e9/(3*357)) {
		t.Errorf("three runs at once took %g ns an iteration, %v", s.perPoint(), err)
	}
	text, err := os.ReadFile(log)
	if want := strings.Repeat("ready\n", 3) + strings.Repeat("begins\n", 3); err != nil || string(text) != want {
		t.Errorf("what happened is %q, %v", text, err)
	}
	e.path = script(t, `if mkdir `+log+`d 2>/dev/null; then echo no memory >&2; exit 1; fi
echo '"ready"'
read line
echo '{"seconds":1,"points":357}'`)
	if _, err := e.independent(n.sizes["tiny"], []int{cpu, cpu}).run(t.Context(), false); err == nil || !strings.Contains(err.Error(), "no memory") {
		t.Errorf("the error of the run that fails is %v", err)
	}
}

// TestShare: half of a nest, for one of two CPUs, has half of the iterations. It is cut along
// another loop than the one of time, T.
func TestShare(t *testing.T) {
	for _, n := range compiled(t, peers) {
		for _, size := range []string{"cache", "large"} {
			p := n.sizes[size]
			whole := p.String()
			part := n.share(p, 2)
			if q := n.points(part) / n.points(p); math.Abs(q-0.5) > 0.02 || n.cut == "T" {
				t.Errorf("%s: half of %s is %s", n.name, p, part)
			}
			if p.String() != whole {
				t.Errorf("%s: a share has changed the whole to %s", n.name, p)
			}
		}
	}
}
