//go:build ofi && cgo

package ofi

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

// shmFolder is the folder of the files of libfabric's provider shm. They have 16 MiB each,
// and remain if a process is killed.
const shmFolder = "/dev/shm"

// staleAge is the least age of a file that is removed. A live process in another PID
// namespace looks ended from here; its peers need its file only while the run starts, so an
// older file can be removed.
const staleAge = time.Minute

// shmName matches the name of such a file: the number of its process, then the numbers of
// its endpoint.
var shmName = regexp.MustCompile(`^([1-9][0-9]*):[0-9]+:[0-9]+$`)

// removeStale removes files of this user whose processes have ended. Failures to remove are
// ignored.
func removeStale(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		found := shmName.FindStringSubmatch(entry.Name())
		info, err := entry.Info()
		if found == nil || err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) < staleAge {
			continue
		}
		owner, ok := info.Sys().(*syscall.Stat_t)
		pid, err := strconv.Atoi(found[1])
		if err != nil || !ok || int(owner.Uid) != os.Getuid() || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue
		}
		_ = os.Remove(filepath.Join(folder, entry.Name()))
	}
}

// limitLocked is RLIMIT_MEMLOCK, which package syscall lacks: the bytes of memory that a
// process may pin for network cards.
const limitLocked = 8

// raiseLockLimit raises the soft limit of pinned memory to the hard limit. If that is not
// enough, registering memory returns an error.
func raiseLockLimit() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(limitLocked, &limit) == nil && limit.Cur < limit.Max {
		limit.Cur = limit.Max
		_ = syscall.Setrlimit(limitLocked, &limit)
	}
}
