package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"loopc/frontend"
)

// A fmtCommand prints nests in the canonical layout.
type fmtCommand struct {
	Files []string `arg:"" optional:"" name:"file" help:"The .loop files; standard input if there is none."`
	Write bool     `short:"w" xor:"how" help:"Write the result to the file."`
	Diff  bool     `short:"d" xor:"how" help:"Print what would change. If anything would, exit with status 1."`
}

// Run formats every file, also after a faulty one.
func (c *fmtCommand) Run(a *app) error {
	if len(c.Files) == 0 {
		if c.Write {
			return usagef("fmt -w needs a file")
		}
		text, err := io.ReadAll(a.stdin)
		if err != nil {
			return err
		}
		return c.format(a, &source{path: "<stdin>", text: text})
	}
	status := exitDone
	for _, file := range c.Files {
		s, err := readSource(file)
		if err == nil {
			err = c.format(a, s)
		}
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

// format formats one source.
func (c *fmtCommand) format(a *app, s *source) error {
	a.pass = "format"
	formatted, diags := frontend.Format(s.path, s.text)
	a.pass = "command"
	if err := a.report(s, diags, false); err != nil {
		return err
	}
	switch {
	case c.Diff && bytes.Equal(s.text, formatted):
		return nil
	case c.Diff:
		name := filepath.ToSlash(s.path)
		if _, err := a.stdout.Write(diff.Diff(name+".orig", s.text, name, formatted)); err != nil {
			return err
		}
		return exitStatus(exitFailed)
	case c.Write:
		path, err := filepath.EvalSymlinks(s.path)
		if err != nil {
			return err
		}
		return writeFile(path, formatted)
	}
	_, err := a.stdout.Write(formatted)
	return err
}
