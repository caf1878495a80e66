package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"loopc/runtime/trace"
)

// TestTraceOfKilledRank kills a rank. The trace must still have the events of the other ranks.
func TestTraceOfKilledRank(t *testing.T) {
	t.Parallel() // it does little but wait
	dir := t.TempDir()
	p := start(t, "slow", dir, append(long(3, "tcp"), "--trace", "t.json")...)
	pids := p.children(t, 3)
	if err := syscall.Kill(pids[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	o := p.wait(t)
	o.expect(t, 1, `(?m)^diffusion: .*rank \d.*killed`)
	o.expect(t, 1, `(?m)^diffusion: note: the trace in t.json lacks all or some of rank \d$`)
	expectGone(t, pids)
	expectFiles(t, dir, "t.json")
	events, facts := readTrace(t, dir, "t.json")
	ranks := map[int]bool{}
	for _, e := range events {
		ranks[e.Rank] = true
	}
	if len(ranks) == 0 || len(ranks) > 2 || !regexp.MustCompile(`^\d$`).MatchString(facts.Missing) {
		t.Errorf("%d events of ranks %v in a trace about %+v", len(events), ranks, facts)
	}
}

// TestTraceOfInterrupt interrupts a run, which leaves its trace until then.
func TestTraceOfInterrupt(t *testing.T) {
	t.Parallel() // it does little but wait
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := start(t, "slow", dir, append(long(2, transport), "--trace", "t.json")...)
			p.computing(t)
			if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			o := p.wait(t)
			o.expect(t, 1, `(?m)^diffusion: interrupted$`)
			o.expect(t, 1, `(?m)^diffusion: note: the trace in t.json shows the run until it failed$`)
			expectFiles(t, dir, "t.json")
			events, facts := readTrace(t, dir, "t.json")
			if count(events, trace.Compute) == 0 || facts.Failure != "interrupted" {
				t.Errorf("%s: %d tiles in a trace about %+v", transport, count(events, trace.Compute), facts)
			}
		})
	}
}

// TestTraceOnFullDisk limits the size of files. If the limit is so small that the full disk is
// noticed at the start, nothing runs. Otherwise the results must exist although the run fails, and
// an incomplete trace must not look complete.
func TestTraceOnFullDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	limited := func(blocks, dir, transport string) outcome {
		return startCommand(t, "diffusion", dir, append([]string{"sh", "-c", `ulimit -f ` + blocks + ` && exec "$@"`, "sh", self},
			"-n", "2", "--cpus", "1", "-p", "T=40,N=40", "--tile", "4x4x4", "--random", "1", "--transport", transport, "--out", "u=u.npy", "--trace", "t.json")).wait(t)
	}
	for _, transport := range transports {
		dir := t.TempDir()
		o := limited("40", dir, transport) // blocks of 512 bytes in some shells, of 1024 in others
		o.expect(t, 1, `^diffusion: trace: .*file too large\n$`)
		expectFiles(t, dir)
		o = limited("160", dir, transport)
		o.expect(t, 1, `rank \d: trace: .*file too large`)
		o.expect(t, 1, `(?m)^diffusion: (trace: .*file too large|the trace in t.json lacks all or some of .*)$`)
		if _, err := os.Stat(filepath.Join(dir, "u.npy")); err != nil {
			t.Errorf("%s: the result is lost: %v", transport, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "t.json")); err == nil {
			if _, facts := readTrace(t, dir, "t.json"); facts.Missing == "" {
				t.Errorf("%s: the trace looks whole: %+v", transport, facts)
			}
		}
	}
}
