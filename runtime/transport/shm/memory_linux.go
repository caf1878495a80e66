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

// Numbers that package syscall does not have: a system call, and what
// linux/memfd.h and linux/fcntl.h define.
var sysMemfdCreate = map[string]uintptr{"amd64": 319, "arm64": 279}[runtime.GOARCH]

const (
	memfdCloexec, memfdAllowSealing     = 1, 2
	addSeals, getSeals                  = 1033, 1034
	sealSeal, sealShrink, sealGrow  int = 1, 2, 4
	allSeals                            = sealSeal | sealShrink | sealGrow
)

// A shared is the memory of an edge as one of its ends has it mapped.
type shared struct {
	mem              []byte
	capacity, stride int
	slots            int

	posted, released *atomic.Uint64
	receiver, sender *atomic.Uint32 // futexes
}

// sizeOf returns the bytes of an edge's memory. The sizes are those of an edge
// that was checked.
func sizeOf(capacity, slots int) (size, stride int, err error) {
	stride = (capacity + line - 1) / line * line
	if slots > (math.MaxInt-headLines*line)/(stride+line) {
		return 0, 0, fmt.Errorf("%d slots of %d bytes are more than memory can hold", slots, capacity)
	}
	return headLines*line + slots*(line+stride), stride, nil
}

// create makes memory for an edge, and the descriptor to pass on.
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
	// Without its pages, memory that has run out would kill whoever touches it.
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

// memfd returns the descriptor of new, empty memory. The name, which ends with a
// zero, is for those who look into /proc.
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

// mapped maps the memory of an edge that a peer made, or we. It checks that the
// memory has the size that the edge needs, and will keep it.
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
	runtime.AddCleanup(s, func(mem []byte) { _ = syscall.Munmap(mem) }, mem) // it was mapped
	return s, nil
}

// length returns where the length of the face in slot k is.
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
