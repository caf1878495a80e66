package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/signal"

	"loopc/cmd/loopc/calibrate"
	"loopc/transform/plan/cost"
)

// An accuracyCommand compares predictions with measurements.
type accuracyCommand struct {
	measureFlags
	JSON     bool    `name:"json" xor:"format" help:"Print everything as JSON."`
	Markdown bool    `xor:"format" help:"Print a page in Markdown."`
	Out      string  `short:"o" placeholder:"FILE" help:"Where to write it; standard output by default."`
	Samples  string  `placeholder:"FILE" help:"Also write the measurements to FILE, in JSON."`
	Limit    float64 `placeholder:"PERCENT" help:"Fail if the median error is above PERCENT, also when measured once more."`
}

// Run measures and prints the report.
func (c *accuracyCommand) Run(a *app) error {
	for _, file := range []string{c.Out, c.Samples} {
		if err := writable(file); err != nil {
			return err
		}
	}
	job, err := c.job(a, "loopc accuracy")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), shutdownSignals()...)
	defer stop()
	base := cost.DefaultMachine()
	base.Kernels = map[string]cost.Kernel{}
	r, err := calibrate.Validate(ctx, job, base)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	tooFar := func() bool { return c.Limit > 0 && r.Table.Summary.Median > c.Limit/100 }
	if tooFar() {
		fmt.Fprintf(a.stderr, "loopc: the median error is %.1f %%, above %g %%: measured again\n", 100*r.Table.Summary.Median, c.Limit)
		if r, err = calibrate.Validate(ctx, job, base); err != nil {
			return err
		}
	}
	if err := writeSamples(c.Samples, r.Samples); err != nil {
		return err
	}
	var text bytes.Buffer
	if c.JSON {
		e := json.NewEncoder(&text)
		e.SetIndent("", "\t")
		err = e.Encode(r)
	} else {
		err = r.Write(&text, c.Markdown)
	}
	switch {
	case err != nil:
	case c.Out != "":
		err = writeFile(c.Out, text.Bytes())
	default:
		_, err = a.stdout.Write(text.Bytes())
	}
	if err == nil && tooFar() {
		return fmt.Errorf("the median error of predictions is %.1f %%, above %g %%", 100*r.Table.Summary.Median, c.Limit)
	}
	return err
}
