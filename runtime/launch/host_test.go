package launch

import (
	"encoding/hex"
	"math/bits"
	"os"
	"runtime"
	"testing"
)

// TestCPUs shares the CPUs of hosts among their ranks.
func TestCPUs(t *testing.T) {
	m := func(host string, cpus int, mask string) Member { return Member{Host: host, CPUs: cpus, Mask: mask} }
	for name, c := range map[string]struct {
		members []Member
		want    int
	}{
		"alone":              {[]Member{m("a", 8, "ff")}, 8},
		"one mask":           {[]Member{m("a", 8, "ff"), m("a", 8, "ff")}, 4},
		"masks of their own": {[]Member{m("a", 4, "0f"), m("a", 4, "f0")}, 4},
		"more than one byte": {[]Member{m("a", 12, "ff0f"), m("a", 12, "ff0f"), m("a", 12, "ff0f")}, 4},
		"a quota":            {[]Member{m("a", 2, "ff"), m("a", 2, "ff")}, 1},
		"the smaller host":   {[]Member{m("a", 8, "ff"), m("b", 8, "ff"), m("b", 8, "ff")}, 4},
		"no mask":            {[]Member{m("a", 6, ""), m("a", 6, "")}, 3},
		"too many ranks":     {[]Member{m("a", 1, "01"), m("a", 1, "01")}, 1},
		"no such mask":       {[]Member{m("a", 4, "xx")}, 4},
	} {
		if got := CPUs(c.members); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestSelf compares what a process says of itself with what Go knows.
func TestSelf(t *testing.T) {
	m := Self(func(string) string { return "" })
	mask, err := hex.DecodeString(m.Mask)
	cpus := 0
	for _, b := range mask {
		cpus += bits.OnesCount8(b)
	}
	if err != nil || m.PID != os.Getpid() || m.CPUs != runtime.GOMAXPROCS(0) {
		t.Errorf("%+v, %v", m, err)
	}
	if runtime.GOOS == "linux" && (cpus != runtime.NumCPU() || m.Boot == "") {
		t.Errorf("%+v, but there are %d CPUs", m, runtime.NumCPU())
	}
	if n := Self(func(name string) string { return map[string]string{"SLURMD_NODENAME": "n3"}[name] }); n.Host != "n3" || n.SameHost(&m) {
		t.Errorf("%+v on the node n3", n)
	}
}
