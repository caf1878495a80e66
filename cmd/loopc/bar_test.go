package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A screen is a terminal that remembers everything.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// visible returns what a terminal finally shows of a text: moving the cursor up erases the last
// lines.
func visible(text string) string {
	var lines []string
	for {
		before, rest, found := strings.Cut(text, "\x1b[")
		lines = append(lines, strings.SplitAfter(before, "\n")...)
		lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
		if !found {
			return strings.Join(lines, "")
		}
		count, after, ok := strings.Cut(rest, "A\x1b[J")
		up, err := strconv.Atoi(count)
		if !ok || err != nil || up > len(lines) {
			return fmt.Sprintf("unknown sequence in %q", rest)
		}
		lines, text = lines[:len(lines)-up], after
	}
}

// TestProgressBar checks that progress becomes a bar, that everything else is
// shown whole and once, and that the bar of a program that ends early is erased.
func TestProgressBar(t *testing.T) {
	for _, c := range []struct {
		name    string
		errors  []string // pieces, as they are written
		results string
		bar     bool
		rest    bool // the bar stays when the program has ended
	}{
		{"complete", []string{`{"done":50,"total":100,`, "\"seconds\":1}\n", "rank 1: slow\n" + `{"done":100,"total":100,"seconds":2}` + "\n"}, "100 points\n", true, true},
		{"estimated", []string{`{"done":50,"total":100,"seconds":1}` + "\n" + `{"done":80,"total":80,"seconds":2}` + "\n"}, "80 points\n", true, true},
		{"early", []string{`{"done":50,"total":100,"seconds":1}` + "\n", "rank 1: gone"}, "", true, false},
		{"interrupted", []string{`{"done":50,"total":100,"seconds":1}` + "\n", "heat: interrupted\n"}, "", true, false},
		{"none", []string{"no such flag\n", `{"other":1}` + "\n", `{"done":"x"}` + "\n"}, "usage\nmore", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &screen{}
			b := newProgressBar(s)
			errors, results := b.stream(), b.stream()
			for _, piece := range c.errors {
				if n, err := errors.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Errorf("Write returns %d, %v", n, err)
				}
			}
			results.Write([]byte(c.results))
			results.end()
			errors.end()
			done := make(chan struct{})
			go func() { b.close(); close(done) }()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("the bar does not end")
			}
			got := s.text.String()
			for line := range strings.Lines(strings.Join(c.errors, "") + c.results) {
				line = strings.TrimSuffix(line, "\n")
				want := 1
				if strings.HasPrefix(line, `{"done":`) && strings.HasSuffix(line, "}") && !strings.Contains(line, "x") {
					want = 0
				}
				if n := strings.Count(got, line); n != want {
					t.Errorf("%q is shown %d times, want %d:\n%q", line, n, want, got)
				}
			}
			if shown := strings.Contains(got, "GPts/s"); shown != c.bar {
				t.Errorf("a bar is shown: %t, want %t:\n%q", shown, c.bar, got)
			}
			if rest := strings.Contains(visible(got), "GPts/s"); rest != c.rest {
				t.Errorf("a bar is left: %t, want %t:\n%q\nis seen as\n%s", rest, c.rest, got, visible(got))
			}
		})
	}
}

func TestProgressNumbers(t *testing.T) {
	p := progress{Done: 25e8, Total: 100e8, Seconds: 5}
	if p.rate() != 0.5 || p.left() != 15*time.Second {
		t.Errorf("%v GPts/s, %v left; want 0.5 and 15s", p.rate(), p.left())
	}
	if p = (progress{Total: 5}); p.rate() != 0 || p.left() != 0 {
		t.Errorf("%v GPts/s, %v left at the start; want 0 and 0", p.rate(), p.left())
	}
}

// TestProgressOfContinued: if a run continues from a checkpoint, its rate and remaining time follow
// from its own iterations only.
func TestProgressOfContinued(t *testing.T) {
	p := progress{Done: 80e9, Total: 100e9, Before: 60e9, Seconds: 10}
	if p.rate() != 2 || p.left() != 10*time.Second {
		t.Errorf("%v GPts/s, %v left", p.rate(), p.left())
	}
}
