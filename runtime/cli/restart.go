package cli

import (
	"context"
	"errors"
	"fmt"

	"loopc/runtime/checkpoint"
)

// restarts reports whether all ranks start again, for the n-th time, after the run has failed with
// err: if a rank is lost, and the user has not ended the run.
func (c *command) restarts(ctx context.Context, n int, err error) bool {
	var lost lostError
	if !errors.As(err, &lost) || ctx.Err() != nil || c.saving.ending() {
		return false
	}
	fmt.Fprintf(c.stderr, "%s: warning: %v; all ranks start again, restart %d of at most %d\n", c.prog.Nest.Name, err, n, c.settings.restarts)
	return true
}

// ending reports whether the user has asked for the end of the run.
func (w *saving) ending() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ends
}

// prepareRestart prepares another run of all ranks, from the newest checkpoint of this run. If there is none
// yet, the run begins as before. Lost ranks that come back cannot disturb the new run: it has a new
// secret, and its folder for parts has a new name.
func (c *command) prepareRestart(ctx context.Context) error {
	s := &c.settings.checkpointing
	c.saving.discard()
	m, at, damaged, err := checkpoint.Find(s.dir)
	for _, err := range damaged {
		c.saving.warn(fmt.Sprintf("%v; the one before it is used", err))
	}
	if err == nil && m != nil && m.Differs(&c.saving.run) == nil {
		c.continues(m, at, damaged)
	} else if s.from != nil {
		c.continues(s.from, s.at, s.damaged)
	}
	if err := c.makePlans(ctx); err != nil {
		return err
	}
	return c.saving.begin(c)
}
