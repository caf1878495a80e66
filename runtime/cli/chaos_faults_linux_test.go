package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A fault disturbs a run, or the checkpoints that a run has left.
type fault struct {
	name string
	more []string // arguments of the run
	// wrap returns a command that runs the program, its argument, in surroundings where the fault can
	// happen; nil: the program runs directly.
	wrap func(c *chaos) []string
	at   func(c *chaos, p *process)
	// after is called when the run has ended; it may damage checkpoints.
	after func(c *chaos)
	goes  bool // the run must go on
	deaf  bool // the launcher may learn of checkpoint parts late, while ranks go on over shared memory
}

var faults = []fault{
	{name: "a rank is killed", at: func(c *chaos, p *process) { c.signal(c.rank(p), syscall.SIGKILL) }},
	{name: "a rank is stopped", at: stopRank},
	{name: "a link is cut", at: cutLink},
	{name: "the network is down", wrap: ownNetwork, at: networkDown, deaf: true},
	{name: "the disk is full", wrap: smallDisk, at: func(*chaos, *process) {}, goes: true},
	{name: "the launcher is killed", at: killLauncher},
	{name: "a checkpoint is damaged", at: killLauncher, after: damageNewest},
	{name: "a rank is killed, and all start again", more: []string{"--restarts", "1"}, goes: true, at: func(c *chaos, p *process) { c.signal(c.rank(p), syscall.SIGKILL) }},
}

// chance is true once in n times.
func (c *chaos) chance(n int) bool { return c.random.IntN(n) == 0 }

// within waits for a random time, at most d.
func (c *chaos) within(d time.Duration) { time.Sleep(time.Duration(c.random.Int64N(int64(d)))) }

// signal sends a signal to a process, which may have ended.
func (c *chaos) signal(pid int, s syscall.Signal) {
	if pid > 0 {
		_ = syscall.Kill(pid, s)
	}
}

// rank returns the process of one of the ranks, 0 if none lives.
func (c *chaos) rank(p *process) int {
	pids := childrenOf(p.cmd.Process.Pid)
	if len(pids) == 0 {
		return 0
	}
	return pids[c.random.IntN(len(pids))]
}

// chaosPatience is for how long ranks wait for a silent one.
const chaosPatience = 2 * time.Second

// stopRank stops a rank for longer than the others wait. It may wake up when the run is over for
// the others.
func stopRank(c *chaos, p *process) {
	pid := c.rank(p)
	c.signal(pid, syscall.SIGSTOP)
	if c.chance(2) {
		time.Sleep(chaosPatience)
		c.within(2 * time.Second)
		c.signal(pid, syscall.SIGCONT)
	}
}

// cutLink cuts a connection of a rank: to another rank, or to the launcher.
func cutLink(c *chaos, p *process) {
	pid := c.rank(p)
	var sockets []int
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the rank may have ended
	for _, name := range names {
		if to, err := os.Readlink(name); err == nil && strings.HasPrefix(to, "socket:") {
			fd, err := strconv.Atoi(filepath.Base(name))
			if err != nil {
				c.t.Error(err)
			}
			sockets = append(sockets, fd)
		}
	}
	if len(sockets) == 0 {
		return
	}
	cut(c.t, pid, sockets[c.random.IntN(len(sockets))], c.chance(2))
}

// Numbers of system calls, which are the same on all architectures.
const sysPidfdOpen, sysPidfdGetfd = 434, 438

// cut closes the connection of a socket of another process, with a reset if wanted and possible.
func cut(t *testing.T, pid, fd int, reset bool) {
	process, _, failed := syscall.Syscall(sysPidfdOpen, uintptr(pid), 0, 0)
	if failed == syscall.ESRCH {
		return
	}
	if failed != 0 {
		t.Fatal("pidfd_open: ", failed)
	}
	defer func() { _ = syscall.Close(int(process)) }()
	socket, _, failed := syscall.Syscall(sysPidfdGetfd, process, uintptr(fd), 0)
	if failed == syscall.ESRCH || failed == syscall.EBADF {
		return
	}
	if failed != 0 {
		t.Fatal("pidfd_getfd: ", failed)
	}
	defer func() { _ = syscall.Close(int(socket)) }()
	if reset {
		unspecified := syscall.RawSockaddr{Family: syscall.AF_UNSPEC}
		_, _, failed = syscall.Syscall(syscall.SYS_CONNECT, socket, uintptr(unsafe.Pointer(&unspecified)), unsafe.Sizeof(unspecified))
		if failed == 0 {
			return
		}
	}
	_ = syscall.Shutdown(int(socket), syscall.SHUT_RDWR) // it may not be connected
}

// ownNetwork runs a command in a network of its own.
func ownNetwork(*chaos) []string {
	return []string{"unshare", "-n", "sh", "-c", `ip link set lo up || exit 99; exec "$@"`, "sh"}
}

// networkDown lets all packets get lost, for ever or for a while.
func networkDown(c *chaos, p *process) {
	set := func(how string) {
		// The run may have ended.
		_ = exec.Command("nsenter", "-t", strconv.Itoa(p.cmd.Process.Pid), "-n", "ip", "link", "set", "lo", how).Run()
	}
	set("down")
	if c.chance(2) {
		c.within(2 * chaosPatience)
		set("up")
	}
}

// smallDisk runs a command where the folder of checkpoints is a small file system, which is full
// from a random moment on, for ever or for a while.
func smallDisk(c *chaos) []string {
	again := "rm -f ck/filler"
	if c.chance(2) {
		again = "true"
	}
	script := fmt.Sprintf(`mkdir disk ck && mount -t tmpfs -o size=1m none ck || exit 99
(sleep %.2f; dd if=/dev/zero of=ck/filler bs=4096 2>dd; sleep %.2f; %s) & filling=$!
"$@"; code=$?
wait $filling; rm -f ck/filler dd; cp -r ck/. disk; exit $code`, c.random.Float64(), c.random.Float64(), again)
	return []string{"unshare", "-m", "sh", "-c", script, "sh"}
}

// killLauncher kills the launcher, and waits until its ranks have ended too.
func killLauncher(c *chaos, p *process) {
	pids := childrenOf(p.cmd.Process.Pid)
	p.killAll(c.t, pids)
	c.ended = true
}

// damageNewest damages a file of the newest checkpoint, if there is one before it.
func damageNewest(c *chaos) {
	all := checkpointsIn(c.t, filepath.Join(c.dir, "ck"))
	if len(all) < 2 {
		return
	}
	slices.Sort(all)
	names, err := filepath.Glob(filepath.Join(all[len(all)-1], "*"))
	if err != nil || len(names) == 0 {
		c.t.Fatal("an empty checkpoint: ", err)
	}
	name := names[c.random.IntN(len(names))]
	text := []byte(read(c.t, name))
	switch c.random.IntN(3) {
	case 0:
		text[c.random.IntN(len(text))] ^= byte(1 << c.random.IntN(8))
		err = os.WriteFile(name, text, 0o600)
	case 1:
		err = os.Truncate(name, int64(c.random.IntN(len(text))))
	case 2:
		err = os.Remove(name)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.damaged = true
}
