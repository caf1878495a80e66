package sched

import (
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// MemoryLimit is the memory that this process may use, in bytes: the lesser of HostMemory and
// of the address space that it may still map; 0 if neither is known.
func MemoryLimit() int64 { return leastLimit(HostMemory(), addressSpace()) }

// HostMemory is the memory, in bytes, that the processes of this control group may use together: the least of the machine's memory and of
// the limits of the group and all groups around it; 0 if it is not known. Short runs call HostMemory often, and it reads many files: an
// answer is used for a second.
func HostMemory() int64 {
	lastHost.Lock()
	defer lastHost.Unlock()
	if now := time.Now(); lastHost.until.Before(now) {
		lastHost.bytes, lastHost.until = hostMemory("/"), now.Add(time.Second)
	}
	return lastHost.bytes
}

// lastHost is the last answer of HostMemory.
var lastHost struct {
	sync.Mutex
	bytes int64
	until time.Time
}

// hostMemory does what HostMemory does, for the files below root.
func hostMemory(root string) int64 {
	return leastLimit(machineMemory(root), groupLimit(root))
}

// leastLimit returns the least of the known limits, which are greater than 0.
func leastLimit(limits ...int64) int64 {
	least := int64(math.MaxInt64)
	for _, v := range limits {
		if v > 0 {
			least = min(least, v)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// machineMemory is the machine's memory by /proc/meminfo; 0 if it is not known.
func machineMemory(root string) int64 {
	text, _ := os.ReadFile(filepath.Join(root, "proc/meminfo")) // other systems have none
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			v, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil && v <= math.MaxInt64>>10 {
				return v << 10
			}
		}
	}
	return 0
}

// groupLimit is the least limit of the control groups of this process, versions 1 and 2, and of all groups around them; 0 if there is none.
func groupLimit(root string) int64 {
	var limits []int64
	mounts := groupMounts(root)
	for _, g := range groupsOf(root) {
		for _, m := range mounts {
			if m.unified == g.unified {
				limits = append(limits, m.limits(root, g.path)...)
			}
		}
	}
	return leastLimit(limits...)
}

// A group is a control group of this process that may limit memory: its path below the root of its hierarchy.
type group struct {
	path    string
	unified bool // of version 2
}

// groupsOf reads /proc/self/cgroup: lines hierarchy:controllers:path. Version 2 is the line without controllers.
func groupsOf(root string) (all []group) {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup")) // other systems have none
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) < 3 {
			continue
		}
		if unified := f[1] == ""; unified || slices.Contains(strings.Split(f[1], ","), "memory") {
			all = append(all, group{f[2], unified})
		}
	}
	return all
}

// A groupMount is a mounted hierarchy of control groups that may limit memory, or a part of one: the group with path root is mounted at at.
type groupMount struct {
	root, at string
	unified  bool
}

// groupMounts reads /proc/self/mountinfo: lines "id parent device root place options [more] - type source options".
func groupMounts(root string) (all []groupMount) {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/mountinfo")) // other systems have none
	for line := range strings.Lines(string(text)) {
		mount, kind, _ := strings.Cut(line, " - ")
		f, k := strings.Fields(mount), strings.Fields(kind)
		if len(f) < 5 || len(k) < 3 {
			continue
		}
		unified := k[0] == "cgroup2"
		if unified || k[0] == "cgroup" && slices.Contains(strings.Split(k[2], ","), "memory") {
			all = append(all, groupMount{unescape(f[3]), unescape(f[4]), unified})
		}
	}
	return all
}

// unescape reverses the escaping of spaces and the like in the names of mountinfo.
func unescape(name string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(name)
}

// limits returns the limits of the group and of those around it, as far as m shows them. In a container m may show only a part of the
// hierarchy; if the path of the group is not in m, the mounted directory is the group.
func (m groupMount) limits(root, group string) (all []int64) {
	below, ok := strings.CutPrefix(path.Clean(group)+"/", strings.TrimSuffix(m.root, "/")+"/")
	if !ok || strings.Contains(group, "/../") { // "/../": the group is outside of the cgroup namespace
		below = ""
	}
	name := "memory.limit_in_bytes"
	if m.unified {
		name = "memory.max"
	}
	for at := path.Clean("/" + below); ; at = path.Dir(at) {
		text, err := os.ReadFile(filepath.Join(root, m.at, at, name))
		if err == nil {
			// For no limit, version 2 says max and version 1 an unreachable number.
			if v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				all = append(all, v)
			}
		}
		if at == "/" {
			return all
		}
	}
}
