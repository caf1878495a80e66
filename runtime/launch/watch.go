package launch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// envWatch makes a program that was copied to a host watch its standard input: a duration,
// a space, and the text to print.
const envWatch = "LOOPC_WATCH"

// Watch reports whether CopyTo has started this process. If so, it returns only when the
// launcher is gone: when stdin ends or is silent for too long, or ctx ends. The shell that
// has started the process then removes the program.
func Watch(ctx context.Context, stdin io.Reader, stdout io.Writer) bool {
	text, told := os.LookupEnv(envWatch)
	if !told {
		return false
	}
	wait, line, _ := strings.Cut(text, " ")
	silence, err := time.ParseDuration(wait)
	if err != nil {
		fmt.Fprintf(stdout, "%s: %v\n", envWatch, err)
		return true
	}
	if _, err := fmt.Fprintln(stdout, line); err != nil {
		return true // the launcher is gone
	}
	beats, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for b := make([]byte, 64); ; {
			if _, err := stdin.Read(b); err != nil {
				return
			}
			select {
			case beats <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	for timer := time.NewTimer(silence); ; timer.Reset(silence) {
		select {
		case <-beats:
		case <-ended:
			return true
		case <-timer.C:
			return true
		case <-ctx.Done():
			return true
		}
	}
}

// A watch is the launcher's side of Watch: an ssh with heartbeats on its standard input.
type watch struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	line chan string   // the line of output that begins with the prefix
	quit chan struct{} // closed to stop the heartbeats
	gone chan struct{} // closed when the ssh has ended, with err
	err  error
}

// openWatch starts the ssh, sends it the program, and then heartbeats. It keeps the line of
// output that begins with prefix.
func openWatch(cmd *exec.Cmd, program io.Reader, prefix string, wait patience) (*watch, error) {
	w := &watch{cmd: cmd, line: make(chan string, 1), quit: make(chan struct{}), gone: make(chan struct{})}
	out, written := io.Pipe()
	var complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = written, &complaints, time.Second
	var err error
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		w.listen(out, prefix)
	}()
	go func() {
		w.err = cmd.Wait()
		if text := oneLine(strings.TrimSpace(complaints.String())); w.err != nil && text != "" {
			w.err = fmt.Errorf("%w: %s", w.err, text)
		}
		_ = written.Close() // ends listen; never fails
		<-heard
		close(w.gone)
	}()
	go w.beat(program, wait)
	return w, nil
}

// listen reads the output of the host.
func (w *watch) listen(out io.Reader, prefix string) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) {
			w.line <- lines.Text()
			break
		}
	}
	_, _ = io.Copy(io.Discard, out) // otherwise the ssh would block
}

// beat sends the program and then heartbeats, until the watch or the ssh ends.
func (w *watch) beat(program io.Reader, wait patience) {
	defer w.in.Close()
	if _, err := io.Copy(w.in, program); err != nil {
		return
	}
	tick := time.NewTicker(wait.beat())
	defer tick.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-w.gone:
			return
		case <-tick.C:
			if _, err := w.in.Write([]byte{'\n'}); err != nil {
				return
			}
		}
	}
}

// begun waits for the line with the prefix.
func (w *watch) begun(ctx context.Context) (string, error) {
	select {
	case line := <-w.line:
		return line, nil
	case <-w.gone:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	select {
	case line := <-w.line: // printed before the ssh ended
		return line, nil
	default:
	}
	if w.err == nil {
		return "", errors.New("it does not say where the program is")
	}
	return "", w.err
}

// end ends the watch, kills the ssh if it does not end in time, and returns its error.
func (w *watch) end(within time.Duration) error {
	close(w.quit)
	_ = w.in.Close() // it may be closed already
	select {
	case <-w.gone:
	case <-time.After(within):
		_ = w.cmd.Process.Kill() // it may have ended meanwhile
		<-w.gone
	}
	return w.err
}
