package sched

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHostMemory makes files of control groups as in systems and containers, and requires the
// least limit of all groups around the process.
func TestHostMemory(t *testing.T) {
	const (
		v2 = "30 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
		v1 = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n" +
			"32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
		max1 = "9223372036854771712\n"
	)
	for name, c := range map[string]struct {
		groups, mounts string
		files          map[string]string
		want           int64
	}{
		"no groups":       {"", "", nil, 64 << 30},
		"version 2, root": {"0::/\n", v2, map[string]string{"sys/fs/cgroup/memory.max": "5000\n"}, 5000},
		"version 2, nested": {"0::/user.slice/job.scope\n", v2, map[string]string{
			"sys/fs/cgroup/user.slice/memory.max":           "7000\n",
			"sys/fs/cgroup/user.slice/job.scope/memory.max": "6000\n"}, 6000},
		"version 2, the outer one is less": {"0::/user.slice/job.scope\n", v2, map[string]string{
			"sys/fs/cgroup/user.slice/memory.max":           "4000\n",
			"sys/fs/cgroup/user.slice/job.scope/memory.max": "6000\n"}, 4000},
		"version 2, max":           {"0::/a\n", v2, map[string]string{"sys/fs/cgroup/a/memory.max": "max\n"}, 64 << 30},
		"version 2, another group": {"0::/a\n", v2, map[string]string{"sys/fs/cgroup/b/memory.max": "4000\n"}, 64 << 30},
		"version 1, nested": {"4:memory:/slurm/job_1/step_0\n1:cpu:/cpu\n", v1, map[string]string{
			"sys/fs/cgroup/memory/memory.limit_in_bytes":                    max1,
			"sys/fs/cgroup/memory/slurm/job_1/memory.limit_in_bytes":        "3000\n",
			"sys/fs/cgroup/memory/slurm/job_1/step_0/memory.limit_in_bytes": max1}, 3000},
		"version 1, controllers together": {"4:cpuset,memory:/a\n", "35 31 0:32 / /cg rw - cgroup cgroup rw,cpuset,memory\n",
			map[string]string{"cg/a/memory.limit_in_bytes": "3000\n"}, 3000},
		"both versions": {"4:memory:/a\n0::/b\n", v1 + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", map[string]string{
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "3000\n",
			"sys/fs/cgroup/unified/b/memory.max":           "2000\n"}, 2000},
		"both versions, groups of others": {"4:memory:/a\n0::/b\n", v1 + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", map[string]string{
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "3000\n",
			"sys/fs/cgroup/memory/b/memory.limit_in_bytes": "1000\n",
			"sys/fs/cgroup/unified/a/memory.max":           "1000\n",
			"sys/fs/cgroup/unified/b/memory.max":           "4000\n"}, 3000},
		"a container that sees its own group": {"4:memory:/docker/1234/in\n",
			"35 31 0:32 /docker/1234 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", map[string]string{
				"sys/fs/cgroup/memory/memory.limit_in_bytes":    "2000\n",
				"sys/fs/cgroup/memory/in/memory.limit_in_bytes": "1000\n"}, 1000},
		"a container whose path is another": {"4:memory:/\n",
			"35 31 0:32 /docker/1234 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", map[string]string{
				"sys/fs/cgroup/memory/memory.limit_in_bytes": "2000\n"}, 2000},
		"outside of its namespace": {"0::/../../job\n", v2, map[string]string{
			"sys/fs/cgroup/memory.max": "8000\n", "sys/fs/cgroup/job/memory.max": "10\n"}, 8000},
		"a space in the name": {"0::/a\n", "30 23 0:28 / /my\\040groups rw - cgroup2 cgroup2 rw\n",
			map[string]string{"my groups/a/memory.max": "3000\n"}, 3000},
		"nonsense": {"0:\n\nx:y\n0::\n", "30\n- - -\n" + v2, map[string]string{"sys/fs/cgroup/memory.max": "-5\n"}, 64 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			put := func(name, text string) {
				name = filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			put("proc/meminfo", "MemTotal:       67108864 kB\nMemFree:            1 kB\n")
			put("proc/self/cgroup", c.groups)
			put("proc/self/mountinfo", c.mounts)
			for name, text := range c.files {
				put(name, text)
			}
			if got := hostMemory(root); got != c.want {
				t.Errorf("the limit is %d, want %d", got, c.want)
			}
		})
	}
	if got := hostMemory(t.TempDir()); got != 0 {
		t.Errorf("the limit of a system that says nothing is %d, want 0", got)
	}
}
