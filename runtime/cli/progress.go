package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"loopc/runtime/checkpoint"
)

// progressModes are the ways to show progress. Here auto means lines; loopc run, which draws a bar,
// asks for json.
var progressModes = []string{"auto", "json", "lines", "none"}

const (
	progressEvery = 200 * time.Millisecond // between looks at the counters
	lineEvery     = time.Second            // between lines for people
)

// A meter shows the progress of a run on a writer.
type meter struct {
	out    io.Writer
	mode   string
	before int64 // iterations before the state with which the run begins
	total  int64 // iterations with these, perhaps estimated
	began  time.Time
	call   func(done int64) // with mode "call": the function to call instead

	mu   sync.Mutex
	last time.Time // when the last line was written
}

// newMeter returns the meter of the run that begins.
func (c *command) newMeter() *meter {
	now := time.Now()
	m := &meter{out: c.stderr, mode: c.settings.progress, began: now, last: now}
	var at *checkpoint.Place
	if from := c.settings.from; from != nil {
		at = from.At
	}
	m.before, m.total = c.prog.PointsFrom(c.plans, at)
	return m
}

// tell reports the number of iterations that are done.
func (m *meter) tell(done int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	seconds := now.Sub(m.began).Seconds()
	switch m.mode {
	case "call":
		m.call(done)
	case "json":
		m.json(done, seconds)
	case "auto", "lines":
		if now.Sub(m.last) < lineEvery {
			return
		}
		m.last = now
		part := 0.0
		if m.total > 0 {
			part = min(1, float64(m.before+done)/float64(m.total))
		}
		text := fmt.Sprintf("%.0f%%  %.3g GPts/s", 100*part, float64(done)/seconds/1e9)
		if done > 0 {
			text += "  " + duration(seconds*max(0, float64(m.total-m.before)/float64(done)-1)) + " left"
		}
		fmt.Fprintln(m.out, text)
	}
}

// json prints a line for programs. Only a run that continues has iterations before it.
func (m *meter) json(done int64, seconds float64) {
	before := ""
	if m.before > 0 {
		before = fmt.Sprintf("\"before\":%d,", m.before)
	}
	fmt.Fprintf(m.out, "{\"done\":%d,\"total\":%d,%s\"seconds\":%.3f}\n", m.before+done, m.total, before, seconds)
}

// finish reports the end of a run, with the number of its iterations. Lines for people have no
// last line, because the result follows.
func (m *meter) finish(done int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mode == "json" {
		m.total = m.before + done
		m.json(done, time.Since(m.began).Seconds())
	}
}

// follow regularly reports what done returns, until the returned function is called.
func (m *meter) follow(done func() int64) (stop func()) {
	if m.mode == "none" {
		return func() {}
	}
	return regularly(progressEvery, func() { m.tell(done()) })
}

// regularly calls f at this interval, until the returned function is called; f then does not run any more.
func regularly(every time.Duration, f func()) (stop func()) {
	quit, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				f()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-over
	}
}

// duration formats seconds for people: "8 s", "3 min 20 s", "2 h 5 min".
func duration(seconds float64) string {
	s := int64(seconds + 0.5)
	switch {
	case s < 100:
		return fmt.Sprintf("%d s", s)
	case s < 6000:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}
