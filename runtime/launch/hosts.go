package launch

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// A Host is a host on which ranks can be started by ssh.
type Host struct {
	Name  string // or address, perhaps with a user before an @
	Port  int    // of the ssh daemon, 0: from ssh's configuration
	Slots int    // ranks that it can run
}

// String returns host:port, or the host alone if the port is 0.
func (h Host) String() string {
	if h.Port == 0 {
		return h.Name
	}
	return net.JoinHostPort(h.Name, strconv.Itoa(h.Port))
}

// ReadHosts reads a file of hosts: a line for each, host[:port] [slots=n], one slot by
// default; an IPv6 address with a port is in brackets. What follows a # is a comment. The
// slots of a host that is named twice are added. Errors have line numbers.
func ReadHosts(r io.Reader) ([]Host, error) {
	var hosts []Host
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		h, err := parseHost(words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		known := false
		for k := range hosts {
			if hosts[k].Name == h.Name && hosts[k].Port == h.Port {
				hosts[k].Slots += h.Slots
				known = true
			}
		}
		if !known {
			hosts = append(hosts, h)
		}
		if len(hosts) > maxHosts {
			return nil, fmt.Errorf("line %d: more than %d hosts", n, maxHosts)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("no hosts")
	}
	return hosts, nil
}

// parseHost reads the words of a line.
func parseHost(words []string) (h Host, err error) {
	h = Host{Name: words[0], Slots: 1}
	if name, port, splitErr := net.SplitHostPort(words[0]); splitErr == nil {
		h.Name = name
		if h.Port, err = strconv.Atoi(port); err != nil || h.Port < 1 || h.Port > 65535 {
			return h, fmt.Errorf("%.100q is not a port", port)
		}
	}
	if err := CheckHost(h.Name); err != nil {
		return h, err
	}
	for _, word := range words[1:] {
		number, ok := strings.CutPrefix(word, "slots=")
		if h.Slots, err = strconv.Atoi(number); !ok || err != nil || h.Slots < 1 || h.Slots > maxRanks {
			return h, fmt.Errorf("%.100q is not of the form slots=n", word)
		}
	}
	return h, nil
}
