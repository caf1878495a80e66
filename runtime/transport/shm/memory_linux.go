package shm

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"loopc/runtime/transport"
)

// The layout of an edge's memory, in cache lines of 64 bytes, which each have one
// writer:
//
//	0               uint64: faces posted, by the sender
//	1               uint64: faces released, by the receiver
//	2               uint32: 1 while the receiver sleeps; a futex
//	3               uint32: 1 while the sender sleeps; a futex
//	4 ... 3+slots   uint64: length of the face in each slot, by the sender
//	4+slots ...     the slots
const (
	line      = 64
	headLines = 4
)

// Constants that package syscall lacks: a system call, and constants of linux/memfd.h and
// linux/fcntl.h.
var sysMemfdCreate = map[string]uintptr{"amd64": 319, "arm64": 279}[runtime.GOARCH]

const (
	memfdCloexec, memfdAllowSealing     = 1, 2
	addSeals, getSeals                  = 1033, 1034
	sealSeal, sealShrink, sealGrow  int = 1, 2, 4
	allSeals                            = sealSeal | sealShrink | sealGrow
)

// A shared is the memory of an edge, mapped by one of its ends.
type shared struct {
	mem              []byte
	capacity, stride int
	slots            int

	posted, released *atomic.Uint64
	receiver, sender *atomic.Uint32 // futexes
}

// sizeOf returns the bytes of an edge's memory. capacity and slots must have passed
// Edge.Check.
func sizeOf(capacity, slots int) (size, stride int, err error) {
	stride = (capacity + line - 1) / line * line
	if slots > (math.MaxInt-headLines*line)/(stride+line) {
		return 0, 0, fmt.Errorf("%d slots of %d bytes are more than memory can hold", slots, capacity)
	}
	return headLines*line + slots*(line+stride), stride, nil
}

// create makes memory for an edge, and returns its descriptor for the peer.
func create(capacity, slots int) (*shared, *os.File, error) {
	size, _, err := sizeOf(capacity, slots)
	if err != nil {
		return nil, nil, err
	}
	fd, err := memfd([]byte("loopc\x00"))
	if err != nil {
		return nil, nil, fmt.Errorf("memfd_create: %w", err)
	}
	file := os.NewFile(fd, "memory of an edge")
	// Allocate all pages now: if memory ran out later, touching a page would kill the
	// process.
	err = syscall.Fallocate(int(fd), 0, 0, int64(size))
	if err == nil {
		_, err = fcntl(fd, addSeals, allSeals)
	}
	var s *shared
	if err == nil {
		s, err = mapped(file, capacity, slots)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%d bytes of shared memory: %w", size, err), file.Close())
	}
	return s, file, nil
}

// memfd returns the descriptor of new, empty memory. The name, which ends with a zero,
// appears only in /proc.
func memfd(name []byte) (uintptr, error) {
	if sysMemfdCreate == 0 {
		return 0, errors.ErrUnsupported
	}
	fd, _, errno := syscall.Syscall(sysMemfdCreate, uintptr(unsafe.Pointer(&name[0])), memfdCloexec|memfdAllowSealing, 0)
	if errno != 0 {
		return 0, errno
	}
	return fd, nil
}

// mapped maps the memory of an edge, from the peer or from this rank. It checks that the
// memory has the size that the edge needs, and that the size is sealed.
func mapped(file *os.File, capacity, slots int) (*shared, error) {
	size, stride, err := sizeOf(capacity, slots)
	if err != nil {
		return nil, err
	}
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(file.Fd()), &stat); err != nil {
		return nil, err
	}
	seals, err := fcntl(file.Fd(), getSeals, 0)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: what the peer passed is no memory: %w", transport.ErrProtocol, err)
	case seals&allSeals != allSeals:
		return nil, fmt.Errorf("%w: the size of the peer's memory is not sealed", transport.ErrProtocol)
	case stat.Size != int64(size):
		return nil, fmt.Errorf("%w: the peer's memory has %d bytes, %d slots of %d need %d", transport.ErrProtocol, stat.Size, slots, capacity, size)
	}
	mem, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	s := &shared{
		mem: mem, capacity: capacity, stride: stride, slots: slots,
		posted:   (*atomic.Uint64)(unsafe.Pointer(&mem[0])),
		released: (*atomic.Uint64)(unsafe.Pointer(&mem[line])),
		receiver: (*atomic.Uint32)(unsafe.Pointer(&mem[2*line])),
		sender:   (*atomic.Uint32)(unsafe.Pointer(&mem[3*line])),
	}
	runtime.AddCleanup(s, func(mem []byte) { _ = syscall.Munmap(mem) }, mem) // cannot fail
	return s, nil
}

// length returns the variable with the length of the face in slot k.
func (s *shared) length(k int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&s.mem[(headLines+k)*line]))
}

// slot returns slot k, capacity bytes long.
func (s *shared) slot(k int) []byte {
	from := (headLines+s.slots)*line + k*s.stride
	return s.mem[from : from+s.capacity : from+s.capacity]
}

// fcntl is the system call.
func fcntl(fd uintptr, command, arg int) (int, error) {
	r, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, uintptr(command), uintptr(arg))
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}
