package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"loopc/runtime/sched"
)

// held is a run with --hold, in this process.
type held struct {
	stdin  *io.PipeWriter
	stdout *bufio.Reader
	code   chan int
	stderr strings.Builder
}

// hold starts a run and returns when it says that it is ready.
func hold(t *testing.T, ctx context.Context, args ...string) *held {
	t.Helper()
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	h := &held{stdin: stdin, stdout: bufio.NewReader(stdout), code: make(chan int, 1)}
	go func() {
		h.code <- Run(ctx, programs["pipeline"], append(args, "-p", "X=3,Y=3,Z=9", "--progress", "none", "--hold"), in, out, &h.stderr)
		out.Close()
	}()
	t.Cleanup(func() { stdin.Close() })
	if line, err := h.stdout.ReadString('\n'); err != nil || line != "\"ready\"\n" {
		go io.Copy(io.Discard, h.stdout)
		t.Fatalf("a run that is held says %q, %v: exit code %d, %s", line, err, <-h.code, &h.stderr)
	}
	return h
}

// TestHold requires that a run waits for a line when its workers are prepared, and
// that the clock of its iterations does not go on meanwhile.
func TestHold(t *testing.T) {
	const pause = 50 * time.Millisecond
	for _, ranks := range []string{"1", "3"} {
		h := hold(t, t.Context(), "-n", ranks, "--transport", "inproc", "--summary", "-")
		time.Sleep(pause)
		select {
		case code := <-h.code:
			t.Fatalf("%s ranks did not wait: exit code %d", ranks, code)
		default:
		}
		if _, err := io.WriteString(h.stdin, "\n"); err != nil {
			t.Fatal(err)
		}
		var sum sched.Summary
		if err := json.NewDecoder(h.stdout).Decode(&sum); err != nil {
			t.Fatal(err)
		}
		go io.Copy(io.Discard, h.stdout)
		if code := <-h.code; code != exitDone || sum.Hold < pause.Seconds() || sum.Prepare < sum.Hold || sum.Seconds < sum.Prepare {
			t.Errorf("%s ranks: exit code %d, %g s, of these %g to prepare and of these %g held", ranks, code, sum.Seconds, sum.Prepare, sum.Hold)
		}
	}
}

// TestHoldEnds ends runs that wait for a line.
func TestHoldEnds(t *testing.T) {
	h := hold(t, t.Context(), "-n", "2", "--transport", "inproc")
	h.stdin.Close() // counts as a line
	go io.Copy(io.Discard, h.stdout)
	if code := <-h.code; code != exitDone {
		t.Errorf("at the end of standard input the exit code is %d", code)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	h = hold(t, ctx, "-n", "2", "--transport", "inproc")
	stop(errors.New("enough"))
	go io.Copy(io.Discard, h.stdout)
	select {
	case code := <-h.code:
		if code != exitFailed {
			t.Errorf("an interrupted run's exit code is %d", code)
		}
	case <-time.After(limit):
		t.Error("an interrupted run goes on waiting")
	}
	var errs strings.Builder
	if code := Run(t.Context(), programs["pipeline"], []string{"-n", "2", "--transport", "tcp", "--hold", "-p", "X=3,Y=3,Z=9"}, nil, io.Discard, &errs); code != exitUsage || !strings.Contains(errs.String(), "--hold") {
		t.Errorf("ranks elsewhere: exit code %d, %q", code, errs.String())
	}
}

// TestAtLeast requires that a repeated run starts from the given content each time, and that
// its summary has the time of one run.
func TestAtLeast(t *testing.T) {
	once := summarized(t, "seidel", "-p", "T=5,N=27", "--check")
	for _, ranks := range []string{"1", "3"} {
		began := time.Now()
		sum := summarized(t, "seidel", "-p", "T=5,N=27", "-n", ranks, "--transport", "inproc", "--at-least", "60ms", "--check")
		if took := time.Since(began); took < 60*time.Millisecond || sum.Seconds-sum.Prepare > 0.03 || sum.Points != once.Points {
			t.Errorf("%s ranks: repeated for %v, it says that %d points took %g s", ranks, took, sum.Points, sum.Seconds)
		}
	}
	var errs strings.Builder
	if code := Run(t.Context(), programs["seidel"], []string{"-n", "2", "--transport", "tcp", "--at-least", "1ms", "-p", "T=5,N=27", "--random", "1"}, nil, io.Discard, &errs); code != exitUsage || !strings.Contains(errs.String(), "--at-least") {
		t.Errorf("ranks elsewhere: exit code %d, %q", code, errs.String())
	}
}

// summarized runs a program in this process and returns its summary.
func summarized(t *testing.T, program string, args ...string) (sum sched.Summary) {
	t.Helper()
	var out, errs strings.Builder
	args = append(args, "--random", "1", "--summary", "-", "--progress", "none")
	if code := Run(t.Context(), programs[program], args, nil, &out, &errs); code != exitDone {
		t.Fatalf("%v: exit code %d, %s", args, code, &errs)
	}
	if err := json.NewDecoder(strings.NewReader(out.String())).Decode(&sum); err != nil {
		t.Fatal(err)
	}
	return sum
}
