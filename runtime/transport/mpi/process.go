//go:build mpi && cgo && unix

package mpi

// #cgo CFLAGS: -std=gnu11 -Wall
// #include "shim.h"
import "C"

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"

	"loopc/runtime/transport"
	"loopc/runtime/transport/rma"
)

// Built returns nil: this program was built with MPI.
func Built() error { return nil }

// process is the state of MPI in this process.
var process struct {
	begin      sync.Once
	rank, size int
	err        error
	end        chan chan error // to the thread that called MPI_Init
}

// Init initializes MPI, once in a process, and returns the number of this process and the
// number of processes, which is 1 without mpiexec.
func Init() (rank, size int, err error) {
	process.begin.Do(func() {
		// Open MPI's handlers of SIGSEGV and similar signals would conflict with Go's.
		if _, set := os.LookupEnv("OMPI_MCA_opal_signal"); !set {
			_ = os.Setenv("OMPI_MCA_opal_signal", "")
		}
		process.end = make(chan chan error)
		begun := make(chan error)
		go thread(begun)
		process.err = <-begun
	})
	return process.rank, process.size, process.err
}

// thread initializes MPI, and finalizes it on request. MPI requires one OS thread for both.
func thread(begun chan<- error) {
	runtime.LockOSThread()
	var rank, size, level C.int
	status := C.loopc_mpi_init(&rank, &size, &level)
	process.rank, process.size = int(rank), int(size)
	switch {
	case status != 0:
		begun <- fmt.Errorf("%w: MPI_Init_thread: %w", ErrUnavailable, failure(status))
		return
	case level == 0:
		begun <- fmt.Errorf("%w: this MPI may not be called by several threads in turn (MPI_THREAD_SERIALIZED)", ErrUnavailable)
		return
	}
	begun <- nil
	(<-process.end) <- failure(C.loopc_mpi_finalize())
}

// Finalize finalizes MPI, if it is initialized. It waits until all processes have called it: it
// must not be called after a process has failed.
func Finalize() error {
	if process.end == nil || process.err != nil {
		return nil
	}
	over := make(chan error)
	process.end <- over
	return <-over
}

// failure returns the error for a status, or nil.
func failure(status C.int) error {
	if status >= 0 {
		return nil
	}
	var text [512]byte
	C.loopc_mpi_text(-status, (*C.char)(unsafe.Pointer(&text[0])), C.int(len(text)))
	return errors.New(transport.OneLine(C.GoString((*C.char)(unsafe.Pointer(&text[0]))), len(text)))
}

func broadcast(b []byte) error {
	if err := failure(C.loopc_mpi_broadcast(unsafe.Pointer(&b[0]), C.int(len(b)))); err != nil {
		return fmt.Errorf("MPI_Bcast: %w", err)
	}
	return nil
}

// An endpoint implements rma.Fabric.
type endpoint struct {
	c      *C.struct_loopc_mpi
	number int
	woken  chan struct{}
}

// open opens an endpoint.
func open() (rma.Fabric, error) {
	if _, _, err := Init(); err != nil {
		return nil, err
	}
	e := &endpoint{woken: make(chan struct{}, 1)}
	var number C.int
	if err := failure(C.loopc_mpi_open(&e.c, &number)); err != nil {
		return nil, fmt.Errorf("an endpoint of MPI: %w", err)
	}
	e.number = int(number)
	return e, nil
}

// Provider implements rma.Fabric. It is equal for ranks of the same MPI installation.
func (e *endpoint) Provider() string {
	var text [128]byte
	C.loopc_mpi_version((*C.char)(unsafe.Pointer(&text[0])), C.int(len(text)))
	name, _, _ := strings.Cut(C.GoString((*C.char)(unsafe.Pointer(&text[0]))), ",")
	if name, _, _ = strings.Cut(name, "\n"); strings.HasPrefix(name, "MPICH") {
		name = "MPICH"
	}
	return "mpi (" + transport.OneLine(name, 40) + ")"
}

// addressBytes is the length of an address: rank, then number of the endpoint.
const addressBytes = 8

// Address implements rma.Fabric.
func (e *endpoint) Address() []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(process.rank))
	return binary.LittleEndian.AppendUint32(b, uint32(e.number))
}

// Connect implements rma.Fabric.
func (e *endpoint) Connect(address []byte) (uint64, error) {
	if len(address) != addressBytes {
		return 0, fmt.Errorf("%w: an address of %d bytes", transport.ErrProtocol, len(address))
	}
	to := binary.LittleEndian.Uint64(address)
	if rank := uint32(to); int64(rank) >= int64(process.size) {
		return 0, fmt.Errorf("%w: process %d of %d", transport.ErrProtocol, rank, process.size)
	}
	return to, nil
}

// Most implements rma.Fabric. MPI's counts have type int.
func (e *endpoint) Most() int { return 1 << 30 }

// Register implements rma.Fabric.
func (e *endpoint) Register(n int) (rma.Region, error) {
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // never fails
	var memory unsafe.Pointer
	var key C.uint64_t
	if err := failure(C.loopc_mpi_register(e.c, C.uint64_t(binary.LittleEndian.Uint64(seed[:])), C.size_t(n), &memory, &key)); err != nil {
		return rma.Region{}, fmt.Errorf("memory of %d bytes: %w", n, err)
	}
	return rma.Region{Memory: unsafe.Slice((*byte)(memory), n), Key: uint64(key)}, nil
}

// Unregister implements rma.Fabric.
func (e *endpoint) Unregister(r rma.Region, unmap bool) {
	var gone C.int
	if unmap {
		gone = 1
	}
	C.loopc_mpi_unregister(e.c, C.uint64_t(r.Key), gone)
}

// Write implements rma.Fabric.
func (e *endpoint) Write(w *rma.Write) error {
	var quick C.int
	if w.Quick {
		quick = 1
	}
	status := C.loopc_mpi_write(e.c, C.int(uint32(w.To)), C.int(w.To>>32), unsafe.Pointer(unsafe.SliceData(w.Memory)), C.size_t(len(w.Memory)),
		C.uint64_t(w.Address), C.uint64_t(w.Key), C.uint32_t(w.Immediate), C.uint32_t(w.Tag), quick)
	if status == C.LOOPC_MPI_AGAIN {
		return rma.ErrAgain
	}
	return failure(status)
}

// Poll implements rma.Fabric.
func (e *endpoint) Poll(events []rma.Event, d time.Duration) (int, error) {
	n := C.loopc_mpi_poll(e.c, (*C.struct_loopc_mpi_event)(unsafe.Pointer(unsafe.SliceData(events))), C.int(len(events)), C.int(d))
	return int(max(n, 0)), failure(n)
}

// Wait implements rma.Fabric. It sleeps, because MPI cannot wake a waiting thread.
func (e *endpoint) Wait(d time.Duration, _ bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-e.woken:
	case <-timer.C:
	}
}

// Wakes implements rma.Fabric.
func (e *endpoint) Wakes() bool { return false }

// Wake implements rma.Fabric.
func (e *endpoint) Wake() {
	select {
	case e.woken <- struct{}{}:
	default:
	}
}

// Failure implements rma.Fabric.
func (e *endpoint) Failure(status int32) error { return failure(C.int(status)) }

// Close implements rma.Fabric.
func (e *endpoint) Close() { C.loopc_mpi_close(e.c) }
