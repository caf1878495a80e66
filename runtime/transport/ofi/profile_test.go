//go:build ofi && linux && cgo

package ofi_test

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A perfAttr is struct perf_event_attr of perf_event_open(2), as far as it is used.
type perfAttr struct {
	kind, size   uint32
	config       uint64
	period       uint64
	sample, read uint64
	flags        uint64
	_            [80]byte
}

const (
	perfSoftware   = 1      // kind: events that the kernel counts
	perfCPUClock   = 0      // config: nanoseconds on a CPU
	perfAddress    = 1      // sample: where the thread was
	perfUserOnly   = 3 << 5 // flags: neither in the kernel nor in a hypervisor
	perfSample     = 9      // record: a sample
	perfHead       = 1024   // offset of data_head in the first page
	perfPages      = 32     // of samples, 16 bytes each; what does not fit is lost
	perfPeriod     = 100_000
	perfDisable    = 0x2401 // PERF_EVENT_IOC_DISABLE
	perfHeaderSize = 8
)

// A profile is where the threads of this process are in user mode: those that there
// are when it begins. Unlike one of package runtime/pprof it sees into C libraries.
type profile struct {
	events []perfEvent
}

// A perfEvent samples one thread.
type perfEvent struct {
	fd   int
	ring []byte // a page about the samples, then the samples
}

// errNoProfile is the error where the system does not let processes sample themselves, as in
// most containers.
var errNoProfile = errors.New("perf_event_open is refused")

// startProfile begins to sample.
func startProfile() (*profile, error) {
	p := new(profile)
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	attr := perfAttr{kind: perfSoftware, config: perfCPUClock, period: perfPeriod, sample: perfAddress, flags: perfUserOnly}
	attr.size = uint32(unsafe.Sizeof(attr))
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return nil, err
		}
		const anyCPU, noGroup = ^uintptr(0), ^uintptr(0)
		fd, _, errno := syscall.Syscall6(syscall.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(&attr)), uintptr(id), anyCPU, noGroup, 0, 0)
		if errno == syscall.ESRCH {
			continue // the thread has ended
		}
		if errno != 0 {
			p.close()
			return nil, fmt.Errorf("%w: %w", errNoProfile, errno)
		}
		ring, err := syscall.Mmap(int(fd), 0, (1+perfPages)*os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			_ = syscall.Close(int(fd))
			p.close()
			return nil, fmt.Errorf("%w: mmap: %w", errNoProfile, err)
		}
		p.events = append(p.events, perfEvent{int(fd), ring})
	}
	return p, nil
}

// samples are how often a profile has found a process at a place: a function of this
// program or of the C library, another library, or memoryCopy.
type samples map[string]int

// stop ends the profile.
func (p *profile) stop() (samples, error) {
	defer p.close()
	for _, e := range p.events {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(e.fd), perfDisable, 0); errno != 0 {
			return nil, fmt.Errorf("PERF_EVENT_IOC_DISABLE: %w", errno)
		}
	}
	files, err := mappings()
	if err != nil {
		return nil, err
	}
	found := make(samples)
	for _, e := range p.events {
		rest := e.ring[os.Getpagesize():]
		head := atomic.LoadUint64((*uint64)(unsafe.Pointer(&e.ring[perfHead])))
		for rest = rest[:min(head, uint64(len(rest)))]; len(rest) >= perfHeaderSize; {
			kind, size := binary.NativeEndian.Uint32(rest), int(binary.NativeEndian.Uint16(rest[6:]))
			if size < perfHeaderSize || size > len(rest) {
				break // the last one was cut
			}
			if kind == perfSample && size >= 2*perfHeaderSize {
				found[files.place(uintptr(binary.NativeEndian.Uint64(rest[perfHeaderSize:])))]++
			}
			rest = rest[size:]
		}
	}
	return found, nil
}

func (p *profile) close() {
	for _, e := range p.events {
		_ = syscall.Munmap(e.ring)
		_ = syscall.Close(e.fd)
	}
	p.events = nil
}

// A mapping is the addresses of a file in this process.
type mapping struct {
	from, to uintptr
	base     uintptr // from which the file counts
	file     string  // its name, without the folder
}

// A layout is the files mapped into this process, and the functions of the C library.
type layout struct {
	mappings  []mapping
	functions []elf.Symbol // by address
}

// mappings reads where files are mapped.
func mappings() (*layout, error) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	l := new(layout)
	bases := make(map[string]uintptr)
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		m := mapping{file: "memory"}
		if _, err := fmt.Sscanf(words[0], "%x-%x", &m.from, &m.to); err != nil {
			return nil, fmt.Errorf("/proc/self/maps: %q: %w", line, err)
		}
		if len(words) > 5 {
			m.file = filepath.Base(words[5])
			if _, ok := bases[m.file]; !ok {
				bases[m.file] = m.from
				if m.isC() {
					if err := l.readFunctions(words[5]); err != nil {
						return nil, err
					}
				}
			}
			m.base = bases[m.file]
		}
		l.mappings = append(l.mappings, m)
	}
	return l, nil
}

// isC says whether m is of the C library.
func (m *mapping) isC() bool { return strings.HasPrefix(m.file, "libc.so") }

// readFunctions reads the names that the C library exports.
func (l *layout) readFunctions(file string) error {
	f, err := elf.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	all, err := f.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			l.functions = append(l.functions, s)
		}
	}
	slices.SortFunc(l.functions, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	return nil
}

// memoryCopy is where a process is that copies memory. The C library chooses one of
// many functions for that, which have no names in it and lie together, far from those
// that have.
const (
	memoryCopy = "copying memory"
	farAway    = 1 << 12 // bytes
)

// place names what is at an address.
func (l *layout) place(at uintptr) string {
	if f := runtime.FuncForPC(at); f != nil {
		if name := f.Name(); name != "runtime.memmove" {
			return name
		}
		return memoryCopy
	}
	for _, m := range l.mappings {
		if at < m.from || at >= m.to {
			continue
		}
		if !m.isC() {
			return m.file
		}
		offset := uint64(at - m.base)
		k, _ := slices.BinarySearchFunc(l.functions, offset+1, func(s elf.Symbol, at uint64) int { return cmp.Compare(s.Value, at) })
		if k == 0 || offset-l.functions[k-1].Value-l.functions[k-1].Size > farAway && offset-l.functions[k-1].Value > farAway {
			return memoryCopy
		}
		return m.file + " " + l.functions[k-1].Name
	}
	return "?"
}

// String shows the places with the most samples.
func (s samples) String() string {
	const most = 6
	places := slices.SortedFunc(maps.Keys(s), func(a, b string) int { return cmp.Or(s[b]-s[a], strings.Compare(a, b)) })
	all := 0
	for _, n := range s {
		all += n
	}
	text := fmt.Sprintf("%d samples:", all)
	for k, place := range places[:min(most, len(places))] {
		if k > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s %d", place, s[place])
	}
	return text
}
