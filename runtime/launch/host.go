package launch

import (
	"encoding/hex"
	"math/bits"
	"os"
	"runtime"
	"strings"
)

// A Member describes the host of a rank.
type Member struct {
	Host string `json:"host"`           // the node's name
	Boot string `json:"boot,omitempty"` // names the running kernel: members of one Boot share a clock
	PID  int    `json:"pid"`
	CPUs int    `json:"cpus"`           // GOMAXPROCS by default: affinity mask and quota
	Mask string `json:"mask,omitempty"` // the affinity mask, bit k of byte k/8 is CPU k, in hexadecimal; "" if unknown
}

// maxMaskBytes bounds the affinity mask: 4096 CPUs.
const maxMaskBytes = 512

// Self describes this process. SLURMD_NODENAME takes precedence over the host's name,
// because Slurm may run several nodes on one host.
func Self(getenv func(string) string) Member {
	m := Member{Host: getenv("SLURMD_NODENAME"), PID: os.Getpid(), CPUs: runtime.GOMAXPROCS(0)}
	if m.Host == "" {
		m.Host, _ = os.Hostname() // "" is a valid name
	}
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		m.Boot = strings.TrimSpace(string(id))
	}
	m.Mask = hex.EncodeToString(affinity())
	m.Host, m.Boot = oneLine(m.Host), oneLine(m.Boot)
	return m
}

// SameHost says whether two members run on one host.
func (m *Member) SameHost(o *Member) bool { return m.Host == o.Host && m.Boot == o.Boot }

// CPUs returns how many CPUs every rank can have, if all ranks get the same number; at least one.
// Each host divides the CPUs that its ranks may use by the number of its ranks, and the least
// quotient counts. Ranks with disjoint masks keep their CPUs; ranks that share a mask or a quota
// divide it.
func CPUs(members []Member) int {
	least := 0
	for k := range members {
		var union [maxMaskBytes]byte
		ranks, limit := 0, 0
		for j := range members {
			m := &members[j]
			if !m.SameHost(&members[k]) {
				continue
			}
			ranks++
			mask, err := hex.DecodeString(m.Mask)
			if err != nil || len(mask) > maxMaskBytes {
				mask = nil
			}
			own := 0
			for i, b := range mask {
				union[i] |= b
				own += bits.OnesCount8(b)
			}
			if own == 0 || m.CPUs < own {
				limit = max(limit, m.CPUs) // no mask, or a quota below the mask
			}
		}
		total := 0
		for _, b := range union {
			total += bits.OnesCount8(b)
		}
		if limit > 0 && (total == 0 || limit < total) {
			total = limit
		}
		if n := max(1, total/ranks); least == 0 || n < least {
			least = n
		}
	}
	return max(1, least)
}
