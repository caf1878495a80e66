// Package trace records who did what in which step of a run.
package trace

import (
	"sync"
	"time"
)

// Kind is what was done.
type Kind uint8

// Compute: a worker computed a tile. WaitData, WaitCredit: it waited for a face,
// for a slot. Send: a face was on its way: while a blocking worker waited, or
// while the transport wrote it.
const (
	Compute Kind = iota
	WaitData
	WaitCredit
	Send
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"compute", "wait for data", "wait for credit", "send"}[k]
}

// An Event is something that took from Begin to End.
type Event struct {
	Kind       Kind
	Rank       int
	Worker     int // CPU of the rank; -1 for its transport
	Step       int // -1 if no step is meant
	Begin, End time.Time
}

// A Recorder collects events. It may be used by several goroutines.
type Recorder struct {
	mu     sync.Mutex
	events []Event
}

// Add records e.
func (r *Recorder) Add(e Event) {
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
}

// Events returns what was recorded so far.
func (r *Recorder) Events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.events...)
}
