package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
)

// remote runs every rank as a process of its own; see carrier for how they communicate.
func (c *command) remote(ctx context.Context, givens []*given, files *results) (sched.Summary, error) {
	var none sched.Summary
	if c.settings.hold {
		return none, usagef("--hold: the ranks must be in this process")
	}
	if c.settings.atLeast > 0 {
		return none, usagef("--at-least: the ranks must be in this process")
	}
	j, err := c.newJob(givens, files)
	if err != nil {
		return none, err
	}
	if c.crew == nil && c.fleet == nil {
		if err := c.checkRanksFit(); err != nil {
			return none, err
		}
	}
	if err := c.prefill(ctx, givens, files); err != nil {
		return none, err
	}
	if j.Far = c.fleet != nil; j.Far || c.crew.spans() {
		j.Security.Listen = "" // an address of this host, not of the hosts of the ranks
	}
	if c.crew != nil || c.fleet != nil {
		j.Boot = launch.Self(os.Getenv).Boot
	}
	text, err := json.Marshal(j)
	if err != nil {
		return none, err
	}
	m := c.newMeter()
	progress := summed(c.ranks(), m.tell)
	var said []json.RawMessage
	far := &shared{givens: givens, results: files, trace: c.trace, saving: c.saving, arrays: len(c.prog.Nest.Arrays)}
	switch {
	case c.crew != nil:
		c.saving.tells(c.crew.root)
		said, err = c.crew.run(ctx, c.busiest(), text, far, progress, c.metrics.hear, c.saving.hear)
	case c.fleet != nil:
		said, err = c.startFleet(ctx, text, far, progress)
	default:
		said, err = c.startRanks(ctx, text, progress)
	}
	if err != nil {
		return none, tidy(err)
	}
	all, err := mergeSummaries(said)
	if err != nil {
		return none, err
	}
	if all.Stopped > 0 {
		return all, c.saving.stopped(all.Stopped)
	}
	m.finish(all.Points)
	if !c.settings.check {
		return all, nil
	}
	return all, c.checkAgainst(ctx, givens, all, func(k int) (array.View, error) { return files.of(k).read() })
}

// checkRanksFit refuses ranks that together need more memory than this host has.
func (c *command) checkRanksFit() error {
	need := c.memories()
	if limit := sched.HostMemory(); limit > 0 && need > limit {
		return fmt.Errorf("the ranks need %d MiB for their tiles and arrays, but the limit here is %d MiB; use smaller tiles, or smaller parameters", need>>20, limit>>20)
	}
	return nil
}

// summed returns a function that adds up the progress of the ranks: it takes the progress of
// one rank, and calls tell with the sum over all ranks.
func summed(ranks int, tell func(sum int64)) (progress func(rank int, done, total int64)) {
	perRank, sum := make([]int64, ranks), int64(0)
	return func(rank int, done, _ int64) {
		sum += done - perRank[rank]
		perRank[rank] = done
		tell(sum)
	}
}

// mergeSummaries merges the summaries that the ranks have sent.
func mergeSummaries(said []json.RawMessage) (sched.Summary, error) {
	ranks := make([]sched.Summary, len(said))
	for k, s := range said {
		if err := json.Unmarshal(s, &ranks[k]); err != nil {
			return sched.Summary{}, fmt.Errorf("rank %d: its summary cannot be read: %w", k, err)
		}
	}
	return sched.Merge(ranks)
}

// startRanks starts the ranks as processes of this host, with the job text, and returns their
// final reports.
func (c *command) startRanks(ctx context.Context, text []byte, progress func(rank int, done, total int64)) ([]json.RawMessage, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	encryption, err := c.settings.security.Encryption()
	if err != nil {
		return nil, err
	}
	return launch.Local(ctx, launch.LocalConfig{
		Size:     c.ranks(),
		Listen:   func() (net.Listener, error) { return c.settings.security.Open("127.0.0.1") },
		TLS:      encryption,
		Grace:    c.trace.grace(),
		Patience: c.settings.patience,
		Logger:   newLogger(c.stderr, c.settings.log),
		Start: func(_ int, env []string) (*exec.Cmd, error) {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), env...)
			cmd.Stdin, cmd.Stderr = bytes.NewReader(text), c.stderr
			cmd.WaitDelay = time.Second
			return cmd, nil
		},
		Progress: progress,
		Stats:    c.metrics.hear,
		Part:     c.saving.hear,
		Opened:   func(root *launch.Root) { c.saving.tells(root) },
	})
}

// tidy removes repeated names of ranks from the text of an error, and recognizes bugs of ranks.
func tidy(err error) error {
	var failure *launch.Failure
	if !errors.As(err, &failure) {
		return err
	}
	wrap := errors.New
	if failure.Lost {
		wrap = func(text string) error { return lostError(text) }
	}
	text := failure.Text
	if !strings.HasPrefix(text, "rank ") {
		text = err.Error()
	}
	if strings.HasPrefix(failure.Text, "BUG: ") {
		return fmt.Errorf("%w: %s", errBug, strings.TrimPrefix(failure.Text, "BUG: "))
	}
	if failure.Text == fmt.Sprintf("exit status %d", exitBug) {
		return fmt.Errorf("%w: %s", errBug, err)
	}
	return wrap(text)
}

// A lostError says that a rank is lost.
type lostError string

// Error implements error.
func (e lostError) Error() string { return string(e) }
