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

// shmFolder is where libfabric's provider shm has its files, 16 MiB each, and
// leaves them if a process is killed.
const shmFolder = "/dev/shm"

// staleAge is how old a file is at least that is removed: processes of other PID
// namespaces cannot be asked, but those that begin may still have to find it.
const staleAge = time.Minute

// shmName is the name of such a file: the number of its process, then those of its
// endpoint.
var shmName = regexp.MustCompile(`^([1-9][0-9]*):[0-9]+:[0-9]+$`)

// removeStale removes files of this user that processes have left which are no
// more. What cannot be removed stays.
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

// limitLocked is RLIMIT_MEMLOCK, which package syscall does not have: the bytes
// that a process may pin, as network cards want it.
const limitLocked = 8

// raiseLockLimit lets this process pin as much as it may. Where that is not enough,
// registering memory fails, and says so.
func raiseLockLimit() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(limitLocked, &limit) == nil && limit.Cur < limit.Max {
		limit.Cur = limit.Max
		_ = syscall.Setrlimit(limitLocked, &limit)
	}
}
