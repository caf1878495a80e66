package rma

import (
	"errors"
	"time"
)

// ErrAgain: Write cannot start another write now.
var ErrAgain = errors.New("the provider has no room for another write")

// A Fabric is an endpoint of a network that can write into the memory of other ranks: of
// libfabric, of MPI, or a simulated one in tests. Its methods are safe for concurrent use,
// except Poll, which one goroutine at a time may call.
type Fabric interface {
	// Provider names the implementation of the fabric. Endpoints of different providers
	// cannot communicate.
	Provider() string
	// Address returns the address of the endpoint, at most 200 bytes. Connect returns a
	// number for the endpoint at an address.
	Address() []byte
	Connect(address []byte) (to uint64, err error)
	// Most returns the greatest length of a write, in bytes.
	Most() int

	// Register returns n bytes of page-aligned zero memory that writes can read and write.
	// Unregister ends the registration; with unmap it also unmaps the memory.
	Register(n int) (Region, error)
	Unregister(r Region, unmap bool)

	// Write starts a write. It returns ErrAgain if it cannot start one now.
	Write(w *Write) error
	// Poll gets up to len(events) completions. It polls until there is one, for about the
	// time d, at most a few microseconds.
	Poll(events []Event, d time.Duration) (n int, err error)
	// Wait sleeps for the time d or until Wake is called. If deaf is false and Wakes() is
	// true, completions end it too.
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
	Key    uint64  // key that a peer needs to write into the region
	Base   uint64  // address of the region for a peer
	Desc   uintptr // local descriptor, for writes from the region
	Handle any     // for the fabric
}

// A Write is an operation that writes a piece of registered memory into a peer's memory.
type Write struct {
	To        uint64  // the peer's endpoint
	Memory    []byte  // source
	Desc      uintptr // Region.Desc of Memory's region
	Address   uint64  // destination
	Key       uint64
	Immediate uint32
	Tag       uint32 // the peer's rank, for the completion event
	Quick     bool   // copy the (few) bytes, so that Memory can be reused at once; needs no event
}

// NoTag is the value of an event for a failed write, if the network does not say which
// write failed.
const NoTag = ^uint64(0)

// An Event is a completion.
type Event struct {
	Value  uint64 // remote: the immediate; else the tag of the completed write, or NoTag
	Status int32  // not 0: the write failed, see Fabric.Failure
	Remote uint32 // 1: a peer has written into this rank's memory
}
