package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A progress is one line of the output of --progress json: how many iterations are done,
// after how many seconds; some of them were done before the run began.
type progress struct {
	Done    int64   `json:"done"`
	Total   int64   `json:"total"`
	Before  int64   `json:"before"`
	Seconds float64 `json:"seconds"`
}

// rate is the throughput so far, in billions of iterations a second.
func (p progress) rate() float64 {
	if p.Seconds <= 0 {
		return 0
	}
	return float64(p.Done-p.Before) / p.Seconds / 1e9
}

// left is the time that the remaining iterations take at this rate.
func (p progress) left() time.Duration {
	if p.Done <= p.Before {
		return 0
	}
	seconds := p.Seconds * float64(p.Total-p.Done) / float64(p.Done-p.Before)
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}

// A progressBar shows the progress of a program that runs with --progress json
// as a bar on a terminal, and everything else that the program writes above it.
type progressBar struct {
	terminal io.Writer
	last     atomic.Pointer[progress] // what the bar shows

	mu    sync.Mutex // guards what follows
	group *mpb.Progress
	bar   *mpb.Bar // nil before the first progress
}

// newProgressBar returns a bar on a terminal. It shows nothing before the first
// line of progress.
func newProgressBar(terminal io.Writer) *progressBar { return &progressBar{terminal: terminal} }

// A lineStream is standard output or standard error of the program. It hands complete lines
// to the bar.
type lineStream struct {
	bar     *progressBar
	partial []byte // an incomplete line
}

// stream returns a new output that goes to b.
func (b *progressBar) stream() *lineStream { return &lineStream{bar: b} }

// Write takes what the program wrote. It never fails.
func (s *lineStream) Write(text []byte) (int, error) {
	s.partial = append(s.partial, text...)
	for {
		line, rest, whole := bytes.Cut(s.partial, []byte("\n"))
		if !whole {
			return len(text), nil
		}
		s.bar.line(line)
		s.partial = bytes.Clone(rest)
	}
}

// end hands over a last line without a newline.
func (s *lineStream) end() {
	if len(s.partial) > 0 {
		s.bar.line(s.partial)
	}
}

// line shows one line of the program.
func (b *progressBar) line(line []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var p progress
	if bytes.HasPrefix(line, []byte(`{"done":`)) && json.Unmarshal(line, &p) == nil {
		b.last.Store(&p)
		if b.bar == nil {
			b.start()
		}
		// The total may be an estimate before the end.
		b.bar.SetTotal(p.Total, false)
		b.bar.SetCurrent(p.Done)
		b.bar.SetTotal(p.Total, p.Done >= p.Total)
		return
	}
	line = append(bytes.Clone(line), '\n')
	if b.group != nil {
		if _, err := b.group.Write(line); err == nil {
			return
		}
	}
	b.terminal.Write(line)
}

// start shows the bar.
func (b *progressBar) start() {
	b.group = mpb.New(mpb.WithOutput(b.terminal), mpb.WithWidth(64), mpb.WithAutoRefresh())
	b.bar = b.group.AddBar(0,
		mpb.PrependDecorators(decor.Percentage(decor.WC{W: 5})),
		mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
			p := b.last.Load()
			if s.Completed {
				return fmt.Sprintf("%.3g GPts/s, %.3g s", p.rate(), p.Seconds)
			}
			return fmt.Sprintf("%.3g GPts/s, %v left", p.rate(), p.left())
		})),
	)
}

// close ends the bar after the program and its outputs have ended. If the program was interrupted or failed, the bar is erased:
// only a complete run leaves its bar on the screen.
func (b *progressBar) close() {
	if b.bar != nil {
		b.bar.Abort(true) // without effect on a bar that is complete
		b.group.Wait()
	}
}
