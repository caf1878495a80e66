package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"loopc/runtime/npy"
)

// pipe is the name, for --in and --out, of standard input and standard output.
const pipe = "-"

// archive is the end of the name of an archive of arrays.
const archive = ".npz"

// A copied is a temporary file with a given array that has no file of its own: a member of an archive, or
// what standard input brings. Ranks read it like any other file.
type copied struct {
	dir  string
	hold *os.File // its lock
}

// member splits text of the form archive:member; ok is false if text has another form, or is the name of a file. If text
// names an archive only, the name of the member is that of the array.
func member(text, array string) (path, name string, ok bool) {
	if path, name, ok := strings.Cut(text, archive+":"); ok {
		_, err := os.Lstat(text)
		return path + archive, name, errors.Is(err, fs.ErrNotExist)
	}
	return text, array, filepath.Ext(text) == archive
}

// fileOf returns the name of the file that --in names.
func fileOf(text string) string {
	path, _, _ := member(text, "")
	return path
}

// A source is the open file of a given array.
type source struct {
	file   npy.Storage
	shown  string // in errors
	form   npy.Form
	copied *copied // nil: it is the user's file
}

// open opens the source text of array name: a file, or a temporary copy of what text names.
func (c *command) open(ctx context.Context, text, name string) (s source, err error) {
	var f *os.File
	if text == pipe {
		s.shown = "standard input"
		f, s.copied, err = copyArray(func(to io.Writer) error { return readPipe(ctx, to, c.stdin) })
		if err != nil {
			err = fmt.Errorf("%s: %w", s.shown, err)
		}
	} else if path, name, ok := member(text, name); ok {
		s.shown = path + ":" + name
		f, s.copied, err = copyArray(func(to io.Writer) error { return npy.CopyMember(to, path, name) })
	} else {
		s.shown, s.form = text, npy.FormOf(text)
		f, err = os.Open(text)
	}
	s.file = f
	return s, err
}

// copyArray makes a temporary file, which fill writes.
func copyArray(fill func(to io.Writer) error) (*os.File, *copied, error) {
	dir, lock, hold, err := newScratch()
	if err != nil {
		return nil, nil, err
	}
	made := &copied{dir: dir, hold: hold}
	f, err := os.Create(filepath.Join(dir, "given.npy"))
	if err = errors.Join(err, lock.Close()); err == nil {
		if err = fill(f); err == nil {
			return f, made, nil
		}
	}
	if f != nil {
		_ = f.Close() // the first error is the one to report
	}
	made.remove()
	return nil, nil, err
}

// remove removes the file.
func (of *copied) remove() {
	if of == nil || of.dir == "" {
		return
	}
	if of.hold != nil {
		_ = of.hold.Close() // nothing was written to it
	}
	_ = removeTemporary(of.dir, scratchLock) // if this fails, the next run that makes such a file removes it
	of.dir = ""
}

// readPipe copies an array from standard input. The end of ctx ends it.
func readPipe(ctx context.Context, to io.Writer, stdin io.Reader) error {
	if stdin == nil {
		return errors.New("there is none")
	}
	done := make(chan error, 1)
	go func() { done <- npy.CopyArray(to, stdin) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// checkPipes refuses results in archives and text files, and it refuses standard input and standard output for several purposes, or if
// another program starts the ranks, whose input and output are then no pipes of the user.
func (s *settings) checkPipes() error {
	for _, text := range s.out {
		if path, _, ok := member(text, ""); ok {
			return usagef("--out: %s is an archive, and results go to files .npy, one for each", path)
		}
		if end := strings.ToLower(filepath.Ext(text)); end == ".txt" || end == ".csv" {
			return usagef("--out: %s would be no text: results are NumPy files, .npy, or bare cells, .raw", text)
		}
	}
	in, out := s.pipes()
	if in+out == 0 {
		return nil
	}
	by := ""
	if ways := s.ways(); len(ways) > 0 {
		by = ways[0]
	} else if s.launched() != nil {
		by = "--transport " + s.carrier
	}
	switch {
	case in > 1:
		return usagef("--in: standard input is named for %d arrays", in)
	case out > 1 || out == 1 && s.summary == pipe:
		return usagef("standard output is named for two results, or for a result and the summary")
	case in > 0 && s.hold:
		return usagef("--hold waits for standard input, which --in names")
	case by != "":
		return usagef("with %s another program starts the ranks, and their input and output are no pipes: name files instead of -", by)
	}
	return nil
}

// pipes returns how many given arrays come from standard input, and how many results go to standard
// output.
func (s *settings) pipes() (in, out int) {
	for _, text := range s.in {
		if text == pipe {
			in++
		}
	}
	for _, text := range s.out {
		if text == pipe {
			out++
		}
	}
	return in, out
}

// writePipe writes the result that is named so to standard output.
func (r *results) writePipe(to io.Writer) error {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader that is gone is an error, and does not end the process
	for _, res := range r.files() {
		if res.path != pipe {
			continue
		}
		f, err := os.Open(res.temp)
		if err == nil {
			_, err = io.Copy(to, f)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return fmt.Errorf("result on standard output: %w", err)
		}
	}
	return nil
}
