package main

import "errors"

// A checkCommand reports what is wrong with nests.
type checkCommand struct {
	Files []string `arg:"" name:"file" help:"The .loop files."`
	tilingFlag
	Werror  bool `help:"Treat warnings as errors, except warnings of slow kernels."`
	Verbose bool `short:"v" help:"Print what was decided, to stderr."`
}

// Run checks every file, also after a faulty one.
func (c *checkCommand) Run(a *app) error {
	status := exitDone
	for _, file := range c.Files {
		err := c.one(a, file)
		var usage *usageError
		if errors.As(err, &usage) {
			return err
		}
		status = max(status, a.fail(err))
	}
	if status != exitDone {
		return exitStatus(status)
	}
	return nil
}

// one checks a file.
func (c *checkCommand) one(a *app, file string) error {
	s, err := c.read(file)
	if err != nil {
		return err
	}
	l, err := a.lower(s, c.Werror)
	if err == nil {
		err = a.slow(l)
	}
	if err == nil {
		err = a.stale(l, c.Werror)
	}
	if err == nil && c.Verbose {
		a.explain(l)
	}
	return err
}
