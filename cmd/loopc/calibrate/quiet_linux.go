package calibrate

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of /proc/stat.
const tick = 10 * time.Millisecond

// cpuTime returns the time that all CPUs of the machine were busy since it started,
// including time stolen by other guests of the host.
func cpuTime() (worked time.Duration, known bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	line, _, _ := strings.Cut(string(text), "\n")
	// cpu user nice system idle iowait irq softirq steal ..
	fields := strings.Fields(line)
	for k, f := range fields {
		if k == 0 || k == 4 || k == 5 || k > 8 {
			continue
		}
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, false
		}
		worked += time.Duration(n) * tick
	}
	return worked, len(fields) > 8
}

// cpuModel names the kind of CPU.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// othersRun reports whether another process is runnable at this moment.
func othersRun() bool {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return false
	}
	// 0.20 0.18 0.12 1/80 11206: one runnable process, which is this one.
	fields := strings.Fields(string(text))
	if len(fields) < 4 {
		return false
	}
	running, _, _ := strings.Cut(fields[3], "/")
	n, err := strconv.Atoi(running)
	return err == nil && n > 1
}
