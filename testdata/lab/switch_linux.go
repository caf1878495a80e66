package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A fabric is a switch in user space: frames that a node sends
// come out of the TAP device that is its interface, wait for the latency of the
// wire, then for their turn at the port of the receiver, which has the rate of the
// link, and go into the receiver's TAP device.
type fabric struct {
	latency time.Duration
	rate    float64 // bytes/s of a port, either way
	ports   []*port
}

// A port is what the switch has for one node.
type port struct {
	fabric *fabric
	tap    int // descriptor of the node's TAP device

	sent time.Time // when the wire from the node is free; the receiving goroutine's

	mu    sync.Mutex
	queue []delayed // frames on their way to the node, in the order of their arrival
	free  time.Time // when the wire to the node is free
	wake  chan struct{}
}

// A delayed frame is to be delivered at a time.
type delayed struct {
	due time.Time
	*frame
}

// longestFrame is room for a frame of the largest MTU that a node may have.
const longestFrame = 9216

// A frame is one of Ethernet, headers included. What it occupies on the wire besides
// neither the kernel's shaper counts nor the switch.
type frame struct {
	bytes [longestFrame]byte
	n     int
}

// frames are those that are not in use.
var frames = sync.Pool{New: func() any { return new(frame) }}

// macOf is the hardware address of a node's interface. The last byte tells its port.
func macOf(node int) [6]byte { return [6]byte{0x02, 0x4c, 0x41, 0x42, 0, byte(node)} }

// openTap opens a TAP device in the network namespace of the calling thread.
func openTap(name string) (int, error) {
	fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("/dev/net/tun: %w", err)
	}
	const (
		setInterface = 0x400454ca // TUNSETIFF
		isTap        = 0x0002     // IFF_TAP
		noInfo       = 0x1000     // IFF_NO_PI
	)
	var request [40]byte // struct ifreq
	copy(request[:15], name)
	binary.NativeEndian.PutUint16(request[16:], isTap|noInfo)
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), setInterface, uintptr(unsafe.Pointer(&request[0]))); errno != 0 {
		_ = syscall.Close(fd)
		return -1, fmt.Errorf("a TAP device: %w", errno)
	}
	return fd, nil
}

// add gives the switch a port for the next node. All are added before start.
func (f *fabric) add(tap int) {
	f.ports = append(f.ports, &port{fabric: f, tap: tap, wake: make(chan struct{}, 1)})
}

// start lets frames pass until the process ends.
func (f *fabric) start() {
	for _, p := range f.ports {
		go p.receive()
		go p.deliver()
	}
}

// receive takes what the node sends, and passes it on to the port that its address
// names, or to all if it names none.
func (p *port) receive() {
	for {
		f := frames.Get().(*frame)
		n, err := syscall.Read(p.tap, f.bytes[:])
		if err != nil {
			if errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.EAGAIN) {
				continue
			}
			return // the device is gone: the lab ends
		}
		now := time.Now()
		if f.n = n; n < ethernetHeader {
			continue
		}
		if f.bytes[0]&1 == 0 { // to one node
			if to := int(f.bytes[5]); to < len(p.fabric.ports) {
				p.send(p.fabric.ports[to], f, now)
			}
			continue
		}
		for _, to := range p.fabric.ports {
			if to != p {
				copied := frames.Get().(*frame)
				*copied = *f
				p.send(to, copied, now)
			}
		}
	}
}

// send puts a frame that the switch got from p on its way to another port. The
// kernel's shaper holds p to its rate in the long run, but lets it be ahead by a
// burst, because on a busy machine it is late at times; here frames get the times
// that they would have on the wires.
func (p *port) send(to *port, f *frame, now time.Time) {
	takes := time.Duration(float64(f.n) / p.fabric.rate * 1e9)
	p.sent = later(p.sent, now).Add(takes)
	to.mu.Lock()
	// Cut-through: it leaves as it comes, unless one from another node is on the wire.
	to.free = later(p.sent.Add(p.fabric.latency), to.free.Add(takes))
	to.queue = append(to.queue, delayed{to.free, f})
	to.mu.Unlock()
	select {
	case to.wake <- struct{}{}:
	default: // it is awake
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// deliver gives the node its frames when they are due.
func (p *port) deliver() {
	var now []delayed
	for {
		p.mu.Lock()
		at := time.Now()
		n := 0
		for n < len(p.queue) && p.queue[n].due.Sub(at) < shortest {
			n++
		}
		now = append(now[:0], p.queue[:n]...)
		p.queue = p.queue[:copy(p.queue, p.queue[n:])]
		var left time.Duration
		if len(p.queue) > 0 {
			left = p.queue[0].due.Sub(at)
		}
		p.mu.Unlock()
		for _, d := range now {
			_, _ = syscall.Write(p.tap, d.bytes[:d.n]) // a device that is down loses it, as a cable would
			frames.Put(d.frame)
		}
		switch {
		case left > 0:
			rest(left)
		case n == 0:
			<-p.wake
		}
	}
}

// shortest is a wait that is not worth it: to sleep takes as long.
const shortest = 10 * time.Microsecond

// rest sleeps for d, within some microseconds; time.Sleep rounds up to a
// millisecond, and timers have 50 us of slack unless the thread asks for less.
func rest(d time.Duration) {
	const setTimerSlack = 29 // PR_SET_TIMERSLACK
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0)
	left := syscall.NsecToTimespec(int64(d))
	for {
		if err := syscall.Nanosleep(&left, &left); err != syscall.EINTR {
			return
		}
	}
}
