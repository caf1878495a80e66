package transport

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// maxGiveUpBytes bounds the text of a GiveUp.
const maxGiveUpBytes = 1024

// A GiveUp is the reason why a rank closed its transport, as sent to the other ranks. A rank that gives up because of a GiveUp passes it on
// unchanged, so that all ranks report the first reason and its rank.
type GiveUp struct {
	Rank int    // the first rank that gave up
	Text string // its cause: one line, at most 1 KiB
}

// Error reads "rank 2 gave up: <cause>".
func (g *GiveUp) Error() string { return fmt.Sprintf("rank %d gave up: %s", g.Rank, g.Text) }

// NewGiveUp returns the message to the peers of rank when it closes with cause.
func NewGiveUp(rank int, cause error) *GiveUp {
	var first *GiveUp
	if errors.As(cause, &first) {
		return first
	}
	return &GiveUp{Rank: rank, Text: OneLine(cause.Error(), maxGiveUpBytes)}
}

// Gone wraps cause as the reason why a peer is gone: errors.Is finds both ErrGone and cause.
func Gone(cause error) error {
	if errors.Is(cause, ErrGone) {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrGone, cause)
}

// OneLine sanitizes text for a line of a log: valid UTF-8 without control characters, at most limit bytes.
func OneLine(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return text
}
