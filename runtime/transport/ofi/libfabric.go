//go:build ofi && linux && cgo

package ofi

// #cgo CFLAGS: -std=gnu11 -Wall
// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"loopc/runtime/transport"
	"loopc/runtime/transport/rma"
)

// Built returns nil: this program was built with libfabric. If the library is not
// installed, New fails.
func Built() error { return nil }

// mostNameBytes bounds the address of an endpoint.
const mostNameBytes = 200

// An endpoint implements rma.Fabric through libfabric. The shim (shim.h) does the work.
type endpoint struct {
	c      *C.struct_loopc_fabric
	name   []byte
	shared bool // counted in inside
}

// inside counts the open endpoints of the provider shm in this process. An endpoint writes
// directly into the memory of another endpoint of its process, and would crash if that
// memory were unmapped. In a failed run, ranks do not wait for one another, so memory is
// unmapped only when the last endpoint closes.
var inside struct {
	sync.Mutex
	open   int
	closed []*endpoint
}

// open opens the named provider, see Config.
func open(provider, node string) (rma.Fabric, error) {
	removeStale(shmFolder)
	raiseLockLimit()
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // never fails
	cProvider, cNode := C.CString(provider), C.CString(node)
	defer C.free(unsafe.Pointer(cProvider))
	defer C.free(unsafe.Pointer(cNode))
	e := &endpoint{}
	var why C.struct_loopc_why
	if C.loopc_open(cProvider, cNode, C.uint64_t(binary.LittleEndian.Uint64(seed[:])), &e.c, &why) != 0 {
		return nil, fmt.Errorf("%w: %s", ErrUnavailable, C.GoString(&why.text[0]))
	}
	if e.shared = C.GoString(C.loopc_provider(e.c)) == "shm"; e.shared {
		inside.Lock()
		inside.open++
		inside.Unlock()
	}
	name := make([]byte, mostNameBytes)
	n := C.size_t(len(name))
	if C.loopc_name(e.c, unsafe.Pointer(&name[0]), &n, &why) != 0 {
		e.Close()
		return nil, errors.New(C.GoString(&why.text[0]))
	}
	e.name = name[:n]
	return e, nil
}

func (e *endpoint) Provider() string { return "ofi (" + C.GoString(C.loopc_provider(e.c)) + ")" }
func (e *endpoint) Address() []byte  { return e.name }
func (e *endpoint) Wakes() bool      { return false }
func (e *endpoint) Wake()            { C.loopc_wake(e.c) }

// Close implements rma.Fabric.
func (e *endpoint) Close() {
	if !e.shared {
		C.loopc_close(e.c)
		return
	}
	inside.Lock()
	defer inside.Unlock()
	inside.closed = append(inside.closed, e)
	if inside.open--; inside.open > 0 {
		return
	}
	for _, e := range inside.closed {
		C.loopc_close(e.c)
	}
	inside.closed = nil
}

// Most implements rma.Fabric. Some providers know no limit.
func (e *endpoint) Most() int {
	return int(min(uint64(C.loopc_max_message(e.c)), 1<<30))
}

// Connect implements rma.Fabric.
func (e *endpoint) Connect(address []byte) (uint64, error) {
	if len(address) == 0 || len(address) > mostNameBytes {
		return 0, fmt.Errorf("%w: an address of %d bytes", transport.ErrProtocol, len(address))
	}
	name := make([]byte, mostNameBytes+1) // zero-terminated, because some addresses are text
	copy(name, address)
	var to C.uint64_t
	var why C.struct_loopc_why
	if C.loopc_connect(e.c, unsafe.Pointer(&name[0]), C.size_t(len(address)), &to, &why) != 0 {
		return 0, errors.New(C.GoString(&why.text[0]))
	}
	return uint64(to), nil
}

// Register implements rma.Fabric.
func (e *endpoint) Register(n int) (rma.Region, error) {
	c := new(C.struct_loopc_region)
	var why C.struct_loopc_why
	if C.loopc_register(e.c, C.size_t(n), c, &why) != 0 {
		return rma.Region{}, errors.New(C.GoString(&why.text[0]))
	}
	return rma.Region{
		Memory: unsafe.Slice((*byte)(c.memory), n),
		Key:    uint64(c.key),
		Base:   uint64(c.base),
		Desc:   uintptr(c.desc),
		Handle: c,
	}, nil
}

// Unregister implements rma.Fabric.
func (e *endpoint) Unregister(r rma.Region, unmap bool) {
	var gone C.int
	if unmap {
		gone = 1
	}
	C.loopc_unregister(r.Handle.(*C.struct_loopc_region), gone)
}

// Write implements rma.Fabric.
func (e *endpoint) Write(w *rma.Write) error {
	var quick C.int
	if w.Quick {
		quick = 1
	}
	status := C.loopc_write(e.c, C.uint64_t(w.To), unsafe.Pointer(unsafe.SliceData(w.Memory)), C.size_t(len(w.Memory)), C.uintptr_t(w.Desc),
		C.uint64_t(w.Address), C.uint64_t(w.Key), C.uint32_t(w.Immediate), C.uint32_t(w.Tag), quick)
	switch status {
	case 0:
		return nil
	case C.LOOPC_EAGAIN:
		return rma.ErrAgain
	}
	return e.Failure(int32(status))
}

// Poll implements rma.Fabric.
func (e *endpoint) Poll(events []rma.Event, d time.Duration) (int, error) {
	n := C.loopc_poll(e.c, (*C.struct_loopc_event)(unsafe.Pointer(unsafe.SliceData(events))), C.int(len(events)), C.int(d))
	if n < 0 {
		return 0, e.Failure(int32(n))
	}
	return int(n), nil
}

// Wait implements rma.Fabric. Only Wake ends it early: see open_cq.
func (e *endpoint) Wait(d time.Duration, _ bool) { C.loopc_wait(e.c, C.int(d/time.Microsecond)) }

// Failure implements rma.Fabric.
func (e *endpoint) Failure(status int32) error {
	return errors.New("libfabric: " + C.GoString(C.loopc_error(e.c, C.int(status))))
}
