package rma

import (
	"errors"
	"time"
)

// ErrAgain is what Write returns when there is no room for another one now.
var ErrAgain = errors.New("the provider has no room for another write")

// A Fabric is an endpoint of a network that can write into the memory of others:
// libfabric's, one made of MPI, or in tests one made up. Its methods may be called
// from several goroutines, Poll from one at a time.
type Fabric interface {
	// Provider names what is behind the fabric. Endpoints of different
	// providers do not understand each other.
	Provider() string
	// Address returns where others find the endpoint, at most 200 bytes; Connect
	// returns a number for the endpoint at an address.
	Address() []byte
	Connect(address []byte) (to uint64, err error)
	// Most returns how many bytes a write has at most.
	Most() int

	// Register returns zero memory, n bytes and aligned to a page, for writes
	// from it and into it. Unregister ends that; with unmap the memory is gone.
	Register(n int) (Region, error)
	Unregister(r Region, unmap bool)

	// Write starts a write, and returns ErrAgain if it cannot now.
	Write(w *Write) error
	// Poll gets up to len(events) completions. As long as there are none it looks
	// again, for about so long: a few microseconds at most.
	Poll(events []Event, d time.Duration) (n int, err error)
	// Wait sleeps for a time, or until Wake is called, or, if it is not deaf and
	// Wakes() is true, until there are completions.
	Wait(d time.Duration, deaf bool)
	Wakes() bool
	Wake()
	// Failure returns the error of an event with a status other than 0.
	Failure(status int32) error
	Close()
}

// A Region is registered memory.
type Region struct {
	Memory []byte
	Key    uint64  // what a peer shows to write into it
	Base   uint64  // what a peer adds an offset to
	Desc   uintptr // what a write from it shows
	Handle any     // the fabric's
}

// A Write is a piece of registered memory to be written into that of a peer.
type Write struct {
	To        uint64  // the peer's endpoint
	Memory    []byte  // from here
	Desc      uintptr // of the region that Memory is in
	Address   uint64  // to there
	Key       uint64
	Immediate uint32
	Tag       uint32 // the peer's rank: of the event that says that it is done
	Quick     bool   // a few bytes that may be overwritten at once; no event follows if that can be
}

// NoTag is the value of an event that says that a write has failed, where the network
// does not say which.
const NoTag = ^uint64(0)

// An Event is a completion.
type Event struct {
	Value  uint64 // remote: the immediate; else the tag of the write that is done, or NoTag
	Status int32  // other than 0: why the write failed, see Fabric.Failure
	Remote uint32 // 1: a peer has written here
}
