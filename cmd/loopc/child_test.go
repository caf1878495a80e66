//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStatus: loopc exits with the exit status of its child, or with the status for the signal that
// ended it.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		script string
		want   exitStatus
		report string
	}{
		{"exit 0", exitDone, ""},
		{"exit 1", exitFailed, ""},
		{"exit 3", exitBug, ""},
		{"kill -KILL $$", 137, "ended by a signal: killed"},
	} {
		var out bytes.Buffer
		err := (&app{stderr: &out}).supervise(exec.Command("sh", "-c", c.script))
		var got exitStatus
		if !errors.As(err, &got) && err != nil {
			t.Errorf("%s: %v", c.script, err)
		}
		if got != c.want || !strings.Contains(out.String(), c.report) {
			t.Errorf("%s: exit status %d and %q, want %d and %q", c.script, got, out.String(), c.want, c.report)
		}
	}
}

// TestSignalOnce: a signal reaches the child once, and loopc then waits until the child ends.
func TestSignalOnce(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	child := exec.Command("sh", "-c", `n=0; trap 'n=$((n+1))' TERM; echo ready; while [ $n -eq 0 ]; do sleep 0.05; done; sleep 0.3; exit $((10+n))`)
	child.Stdout = in
	ended := make(chan error, 1)
	go func() { ended <- (&app{stderr: &bytes.Buffer{}}).supervise(child) }()
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != exitStatus(11) {
			t.Errorf("the child ended with %v, want exit status 11", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the child got no signal")
	}
}
